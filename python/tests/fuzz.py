"""Random objects into every entry point: exceptions of Python, never a crash.

    python python/tests/fuzz.py SECONDS [SEED]

Prints the object that an unexpected exception came from and ends with 1.
"""

import os
import random
import sys
import tempfile
import time
import warnings

import numpy as np

import hinge
from hinge import report

EXPECTED = (ValueError, TypeError, OSError, KeyError, IndexError, AttributeError, OverflowError, RecursionError)
WORDS = ["the", "cat", "", "é", "a\x00b", "\ud800", "B-X", "I-X", "O", "tokens", "form", "text", "features", "x" * 300, " ", "\n"]


class Odd:
    """Answers what it likes."""

    def __init__(self, draw):
        self.draw = draw

    def __len__(self):
        return self.draw.randrange(4)

    def __iter__(self):
        return iter(["a"] * self.draw.randrange(4))

    def __float__(self):
        return self.draw.choice([0.5, float("nan")])

    def __index__(self):
        return self.draw.randrange(-3, 5)


def leaf(draw):
    kinds = [
        lambda: draw.choice(WORDS), lambda: draw.choice(WORDS), lambda: draw.randrange(-3, 6), lambda: draw.random(),
        lambda: None, lambda: draw.choice([True, False]), lambda: float("nan"), lambda: float("inf"), lambda: 10**400,
        lambda: b"bytes", lambda: object(), lambda: Odd(draw), lambda: np.float32(1.5), lambda: np.array(2.0),
        lambda: np.zeros((draw.randrange(3), draw.randrange(3))), lambda: np.array(["a", "b"]),
        lambda: np.array([1, "a", None], dtype=object), lambda: np.zeros((2, 2, 2)), lambda: np.array([[np.nan]]),
        lambda: lambda *a: None, lambda: 1j, lambda: range(3),
    ]
    return draw.choice(kinds)()


def anything(draw, depth=4):
    if depth == 0 or draw.random() < 0.25:
        return leaf(draw)
    size = draw.choice([0, 1, 2, 2, 3])
    items = [anything(draw, depth - 1) for _ in range(size)]
    shape = draw.randrange(6)
    if shape <= 2:
        return items
    if shape == 3:
        return tuple(items)
    if shape == 4:
        return {draw.choice(WORDS): item for item in items}
    return items * draw.randrange(3)


def sentence(draw):
    """Nearly right, which goes deeper than what is all wrong."""
    kind = draw.randrange(4)
    tokens = [draw.choice(WORDS[:2] + ["dog"]) for _ in range(draw.randrange(4))]
    if kind == 1:
        tokens = [(word, "N") for word in tokens]
    if kind == 2:
        tokens = [{"w": word, "n": draw.random()} for word in tokens]
    if tokens and draw.random() < 0.3:
        tokens[draw.randrange(len(tokens))] = anything(draw, 2)
    return tokens


def nearly(draw):
    if draw.random() < 0.4:
        return anything(draw)
    return [sentence(draw) for _ in range(draw.randrange(4))]


def labels(draw, X):
    if draw.random() < 0.3 or not isinstance(X, list):
        return nearly(draw)
    choices = draw.choice([["A", "B"], [0, 1], [(0, "root"), (1, "x")], [0.5, 1.0]])
    return [[draw.choice(choices) for _ in x] if hasattr(x, "__len__") else None for x in X]


def make_task(draw):
    class Random:
        def features(self, x, y):
            return {"a": 1.0, str(y): 0.5} if draw.random() < 0.95 else anything(draw, 2)

        def loss(self, gold, y):
            return float(gold is not y) if draw.random() < 0.95 else leaf(draw)

        def decode(self, x, score, augment):
            y = draw.choice(["A", "B"])
            score(self.features(x, y))
            if augment:
                augment(y)
            return y if draw.random() < 0.9 else anything(draw, 2)

    return Random() if draw.random() < 0.9 else anything(draw)


def parameters(draw, cls):
    names = cls._get_param_names()
    chosen = {"epochs": 1, "threads": 1} if "threads" in names and "epochs" in names else {}
    if draw.random() < 0.2:
        name = draw.choice([n for n in names if n not in ("epochs", "max_iterations", "threads", "max_features", "hash_bits",
                                                          "label_bits", "task", "callback", "verbose", "inner_passes")])
        chosen[name] = leaf(draw)
    if cls is hinge.CRF:
        chosen["max_iterations"] = 2
    if cls is hinge.DependencyParser:
        chosen.update(hash_bits=8, label_bits=8)
    return chosen


def attempt(draw, fitted, models, folder):
    cls = draw.choice([hinge.SequenceTagger, hinge.DependencyParser, hinge.Reranker, hinge.CRF, hinge.StructuredPredictor])
    X = nearly(draw)
    y = labels(draw, X)
    step = draw.randrange(9)
    if step <= 2:
        estimator = cls(**parameters(draw, cls))
        if cls is hinge.StructuredPredictor:
            estimator.set_params(task=make_task(draw), epochs=2, max_features=64)
        estimator.fit(X, y, *draw.choice([(), (X, y), (nearly(draw), nearly(draw))]))
        estimator.predict(X)
    elif step <= 5:
        model = draw.choice(fitted)
        draw.choice([model.predict, lambda X: model.score(X, y), lambda X: model.predict_nbest(X, leaf(draw)),
                     lambda X: model.predict_marginals(X), lambda X: model.explain(X, y, nearly(draw)),
                     lambda X: model.evaluate(X, y), lambda X: model.save(leaf_path(draw, folder))])(X)
    elif step == 6:
        data = bytearray(draw.choice(models))
        for _ in range(draw.randrange(1, 6)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        model = draw.choice([hinge.SequenceTagger, hinge.DependencyParser, hinge.Reranker]).from_bytes(
            bytes(data[: draw.randrange(len(data)) if draw.random() < 0.3 else None]))
        model.predict(X)
    elif step == 7:
        hinge.check_task(make_task(draw), X, y, rounds=2, max_features=64)
    else:
        report.to_html(draw.choice([X, {"a": X}, [{"learner": leaf(draw), "epoch": 1, "loss": leaf(draw)}]]))


def leaf_path(draw, folder):
    return draw.choice([f"{folder}/x", f"{folder}/missing/x", leaf(draw)])


def main(seconds, seed):
    sentences, tags = [["the", "cat"], ["a", "dog", "sat"]] * 3, [["A", "B"], ["A", "B", "A"]] * 3
    fitted = [
        hinge.SequenceTagger(epochs=1, threads=1).fit(sentences, tags),
        hinge.CRF(max_iterations=2).fit([[{"w": w} for w in s] for s in sentences], tags),
        hinge.DependencyParser(epochs=1, hash_bits=8, label_bits=8, threads=1).fit(
            sentences, [[(0, "root"), (1, "x"), (1, "y")][: len(s)] for s in sentences]),
        hinge.Reranker("mira", epochs=1).fit([[("a", {"f": 1.0}), ("b", {"g": 2.0})]] * 3, [[0.0, 1.0]] * 3),
    ]
    models = [model.to_bytes() for model in fitted if hasattr(model, "to_bytes")]
    warnings.simplefilter("ignore")
    done, raised, end = 0, 0, time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # models are saved under the names drawn
        while time.monotonic() < end:
            draw = random.Random(seed + done)
            done += 1
            try:
                attempt(draw, fitted, models, folder)
            except EXPECTED:
                raised += 1
            except BaseException:
                print(f"seed {seed + done - 1}", file=sys.stderr)
                raise
    print(f"{done} attempts, {raised} refused, no crash")


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
