#!/usr/bin/env python3
"""The Python package against the command line and against python-crfsuite, on CoNLL-2000.

  build/venv/bin/python bench/python.py [--sentences N]

Prints two ratios: the time of fit() from Python lists over that of `hinge train`
(goal: at most 1.5), and tokens per second of predicting from feature dicts over
those of python-crfsuite (goal: at least 3). Runs alternate and the best of three
counts. Needs HINGE_DATA and python-crfsuite (pip install '.[bench]').
"""

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path

import hinge

ROOT = Path(__file__).resolve().parents[1]
HINGE = os.environ.get("HINGE_BINARY", ROOT / "build/release/hinge")
DATA = Path(os.environ.get("HINGE_DATA", ROOT / "../shared/data")) / "tag/conll2000"


def seconds(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def best_of_three(*works):
    """The least time of each; runs alternate, so that a busy moment affects all."""
    return [min(times) for times in zip(*([seconds(work) for work in works] for _ in range(3)))]


def split(rows):
    return [[row[:-1] for row in s] for s in rows], [[row[-1] for row in s] for s in rows]


def fitting(train, folder):
    """Compares the whole command with fit(), conversion of the lists included."""
    X, y = split(hinge.read_columns(train))

    def command():
        subprocess.run([HINGE, "train", "tag", train, "--epochs", "10", "-q", "-o", f"{folder}/chunk.model"], check=True)

    ours, theirs = best_of_three(lambda: hinge.SequenceTagger(epochs=10).fit(X, y), command)
    print(f"fit: {ours:.2f} s from lists, {theirs:.2f} s by the command line: {ours / theirs:.2f} times (goal: at most 1.5)")


def features(sentence, t):
    """The features of a token in python-crfsuite's tutorials."""
    word, pos = sentence[t]
    result = {"bias": 1.0, "word.lower": word.lower(), "word[-3:]": word[-3:], "word[-2:]": word[-2:],
              "word.isupper": word.isupper(), "word.istitle": word.istitle(), "word.isdigit": word.isdigit(),
              "pos": pos, "pos[:2]": pos[:2]}
    for name, at in (("-1", t - 1), ("+1", t + 1)):
        if 0 <= at < len(sentence):
            near, tag = sentence[at]
            result.update({f"{name}:word.lower": near.lower(), f"{name}:word.istitle": near.istitle(), f"{name}:pos": tag})
        else:
            result["BOS" if at < 0 else "EOS"] = True
    return result


def predicting(train, test, folder):
    import pycrfsuite

    X, y = split(train)
    X_train = [[features(s, t) for t in range(len(s))] for s in X]
    X_test = [[features(s, t) for t in range(len(s))] for s in split(test)[0]]
    trainer = pycrfsuite.Trainer(verbose=False, params={"max_iterations": 20})
    for x, labels in zip(X_train, y):
        trainer.append(x, labels)
    trainer.train(f"{folder}/crfsuite.model")
    tagger = pycrfsuite.Tagger()
    tagger.open(f"{folder}/crfsuite.model")
    for threads in (1, None):
        crf = hinge.CRF(max_iterations=20, threads=threads).fit(X_train, y)
        ours, theirs = best_of_three(lambda: crf.predict(X_test), lambda: [tagger.tag(x) for x in X_test])
        tokens = sum(map(len, X_test))
        print(f"predict, {threads or 'all'} threads: {tokens / ours:,.0f} tokens/s, python-crfsuite {tokens / theirs:,.0f}: "
              f"{theirs / ours:.2f} times (goal: at least 3)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, help="number of training sentences (default: all)")
    sentences = parser.parse_args().sentences
    rows = hinge.read_columns(DATA / "train.txt")[:sentences]
    with tempfile.TemporaryDirectory() as folder:
        train = Path(folder, "train.txt")
        train.write_text("\n\n".join("\n".join(map(" ".join, s)) for s in rows) + "\n\n", encoding="utf-8")
        fitting(train, folder)
        predicting(rows, hinge.read_columns(DATA / "test.txt"), folder)


if __name__ == "__main__":
    main()
