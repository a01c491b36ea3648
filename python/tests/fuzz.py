"""Passes random objects to every entry point, which must raise Python exceptions and never crash.

    python python/tests/fuzz.py SECONDS [SEED]

Prints the object that caused an unexpected exception and exits with 1.
"""

import os
import pickle
import random
import sys
import tempfile
import time
import warnings

import numpy as np

import hinge
from hinge import report

try:
    import pandas
except ImportError:
    pandas = None

# Not KeyError, IndexError and AttributeError, which would be bugs in the package.
EXPECTED = (ValueError, TypeError, OSError, OverflowError, RecursionError)
WORDS = ["the", "cat", "", "é", "a\x00b", "\ud800", "B-X", "I-X", "O", "tokens", "form", "text", "features", "x" * 300, " ", "\n"]


class Odd:
    """Gives random answers."""

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


def words(draw):
    return [draw.choice(["the", "cat", "dog", "sat", "é"]) for _ in range(draw.randrange(4))]


def sentences(draw, kind=None):
    """Valid inputs of a tagger, of a random or a given kind."""
    X = [words(draw) for _ in range(draw.randrange(1, 4))]
    y = [[draw.choice("AB") for _ in x] for x in X]
    kind = draw.randrange(7) if kind is None else kind
    if kind == 1:
        X = [[(word, "N") for word in x] for x in X]
    elif kind == 2:
        X = [[{"w": word, "n": draw.random(), "in": {"l": ["p", "q"]}} for word in x] for x in X]
    elif kind == 3:
        X = [np.array([[len(word), 1.0] for word in x]).reshape(len(x), 2) for x in X]
    elif kind == 4:
        X, y = [{"tokens": a, "tags": b} for a, b in zip(X, y)], "tags"
    elif kind == 5:
        X, y = {"tokens": X, "tags": y}, "tags"
    elif kind == 6 and pandas:
        X = pandas.DataFrame([(s, a, b) for s, (x, z) in enumerate(zip(X, y)) for a, b in zip(x, z)],
                             columns=["sentence_id", "word", "tag"])
        y = draw.choice(["tag", list(X["tag"])])
    return X, y


def trees(draw):
    X = [words(draw) for _ in range(draw.randrange(1, 4))]
    y = [[draw.randrange(k) if k else 0 for k in range(len(x))] for x in X]  # a head to the left
    kind = draw.randrange(4)
    if kind == 1:
        X, y = [[(word, "N") for word in x] for x in X], [[(head, draw.choice("rs")) for head in tree] for tree in y]
    elif kind == 2:
        X, y = [[{"form": word, "upos": "N"} for word in x] for x in X], [np.array(tree, dtype=int) for tree in y]
    elif kind == 3:
        X, y = [{"tokens": x, "upos": ["N"] * len(x), "head": list(map(str, tree)), "deprel": ["r"] * len(x)}
                for x, tree in zip(X, y)], None
    return X, y


def lists(draw):
    X = [[(" ".join(words(draw)), {draw.choice("fgh"): draw.random() for _ in range(3)}, draw.random())
          for _ in range(draw.randrange(1, 4))] for _ in range(draw.randrange(1, 4))]
    y = draw.choice([["the cat"] * len(X), [["the cat", "a cat"]] * len(X), [[draw.random() for _ in x] for x in X],
                     np.array(["the cat"] * len(X))])
    kind = draw.randrange(3)
    if kind == 1:
        X = [[hypothesis[:2] for hypothesis in x] for x in X]
    elif kind == 2:
        X = [[dict(zip(("text", "features", "score"), hypothesis)) for hypothesis in x] for x in X]
    return X, y


def texts(draw):
    X = [" ".join(words(draw)) for _ in range(draw.randrange(1, 4))]
    y = [draw.choice("AB") for _ in X]
    return (np.array(X), np.array(y)) if draw.random() < 0.3 else (X, y)


def phrases(draw, words=2):
    """A random tree, each node as a tuple or as an object with label()."""
    if words == 1:
        return draw.choice("DNV"), draw.choice(["the", "cat", "(", "é"])
    left = draw.randrange(1, words)
    children = [phrases(draw, left), phrases(draw, words - left)]
    return (draw.choice("ST"), *children) if draw.random() < 0.7 else Phrase(draw.choice("ST"), children)


class Phrase(list):
    """As in NLTK."""

    def __init__(self, label="S", children=()):
        super().__init__(children)
        self.label = lambda: label


def brackets(draw):
    y = [phrases(draw, draw.randrange(1, 6)) for _ in range(draw.randrange(1, 4))]
    y = [hinge.to_brackets(tree) if draw.random() < 0.3 else tree for tree in y]
    kind = draw.randrange(4)
    if kind == 0:
        return y, None
    rows = [[cell.split(")")[0].split()[1] for cell in hinge.to_brackets(tree).split("(") if ")" in cell] for tree in y]
    return [row if kind == 1 else " ".join(row) if kind == 2 else tree for row, tree in zip(rows, y)], y


def topics(draw):
    X = [[" ".join(words(draw) + words(draw)) + "." for _ in range(draw.randrange(1, 4))] for _ in range(draw.randrange(1, 4))]
    if draw.random() < 0.5:
        X = [[[text, text] for text in x] for x in X]
    return X, [draw.choice(["the cat sat", ["the cat", "a dog sat"]]) for _ in X]


def examples(draw):
    X = list(range(draw.randrange(1, 5)))
    return X, [draw.choice("AB") for _ in X]


RIGHT = {hinge.SequenceTagger: sentences, hinge.CRF: sentences, hinge.DependencyParser: trees, hinge.Reranker: lists,
         hinge.TextClassifier: texts, hinge.ConstituencyParser: brackets, hinge.Summarizer: topics,
         hinge.StructuredPredictor: examples}


def changed(draw, value):
    """A copy with one random change inside."""
    if not isinstance(value, (list, tuple, dict)) or not value or draw.random() < 0.1:
        return leaf(draw)
    items = list(value.items() if isinstance(value, dict) else value)
    k, way = draw.randrange(len(items)), draw.randrange(10)
    if way == 0:
        del items[k]
    elif way == 1:
        items.append(items[k])
    elif isinstance(value, dict):
        items[k] = (items[k][0], changed(draw, items[k][1])) if way > 2 else (draw.choice(WORDS), items[k][1])
    else:
        items[k] = changed(draw, items[k])
    return type(value)(items)


def inputs(draw, right):
    """X and y: valid, with one change, or anything."""
    X, y = right(draw)
    kind = draw.randrange(20)
    if kind == 0:
        return anything(draw), draw.choice([y, anything(draw)])
    if kind <= 5:
        return changed(draw, X), y
    return X, changed(draw, y) if kind <= 8 else y


def make_task(draw):
    faults = draw.choice([0.0, 0.0, 0.0, 0.01, 0.05])

    class Random:
        def features(self, x, y):
            return {"a": 1.0, str(y): 0.5} if draw.random() >= faults else anything(draw, 2)

        def loss(self, gold, y):
            return float(gold is not y) if draw.random() >= faults else leaf(draw)

        def decode(self, x, score, augment):
            y = draw.choice(["A", "B"])
            score(self.features(x, y))
            if augment:
                augment(y)
            return y if draw.random() >= faults else anything(draw, 2)

    return Random() if draw.random() < 0.95 else anything(draw)


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
    if cls is hinge.ConstituencyParser:
        chosen.update(hash_bits=8)
    return chosen


def use(draw, model, X, y, folder):
    """Calls a random method of a fitted model."""
    ways = {"predict": lambda: model.predict(X), "score": lambda: model.score(X, y),
            "predict_nbest": lambda: model.predict_nbest(X, draw.choice([1, 2, 50, leaf(draw)])),
            "predict_marginals": lambda: model.predict_marginals(X), "evaluate": lambda: model.evaluate(X, y),
            "explain": lambda: explain(draw, model, X, y), "save": lambda: model.save(leaf_path(draw, folder)),
            "partial_fit": lambda: pickle.loads(pickle.dumps(model)).partial_fit(X, y)}
    ways[draw.choice([name for name in ways if hasattr(model, name)])]()


def explain(draw, model, X, y):
    x = X[0] if isinstance(X, list) and X else X
    labels = y[0] if isinstance(y, list) and y else y
    model.explain(x, *draw.choice([(), (labels,), (labels, labels), (0,), (0, 1), (leaf(draw), leaf(draw))]))


def attempt(draw, fitted, models, folder):
    cls = draw.choice(list(RIGHT))
    step = draw.randrange(20)
    if step <= 8:
        X, y = inputs(draw, RIGHT[cls])
        estimator = cls(**parameters(draw, cls))
        if cls is hinge.StructuredPredictor:
            estimator.set_params(task=make_task(draw), epochs=2, max_features=64)
        estimator.fit(X, y, *draw.choice([(), (), (X, y), inputs(draw, RIGHT[cls])]))
        estimator.predict(X)
    elif step <= 16:
        model, right = draw.choice(fitted)
        use(draw, model, *inputs(draw, right), folder)
    elif step == 17:
        data = bytearray(draw.choice(models))
        for _ in range(draw.randrange(1, 6)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        kind = draw.choice([hinge.SequenceTagger, hinge.DependencyParser, hinge.Reranker, hinge.TextClassifier,
                            hinge.ConstituencyParser, hinge.Summarizer])
        kind.from_bytes(data[: draw.randrange(len(data)) if draw.random() < 0.3 else None])
    elif step == 18:
        hinge.check_task(make_task(draw), *inputs(draw, examples), rounds=2, max_features=64)
    else:
        log = [{"learner": "a", "epoch": k, "loss": draw.random(), "dev_f1": 50.0, "training_seconds": k} for k in range(3)]
        report.to_html(draw.choice([log, changed(draw, log), changed(draw, {"a": log, "b": fitted[0][0]}), anything(draw)]))


def leaf_path(draw, folder):
    return draw.choice([f"{folder}/x", f"{folder}/missing/x", leaf(draw)])


def main(seconds, seed):
    X, tags = [["the", "cat"], ["a", "dog", "sat"]] * 3, [["A", "B"], ["A", "B", "A"]] * 3
    dicts = [[{"w": word, "n": 0.5} for word in sentence] for sentence in X]
    arcs = [[(0, "r"), (1, "s"), (1, "s")][: len(sentence)] for sentence in X]
    hypotheses = [[("the cat", {"f": 1.0}, 0.1), ("b", {"g": 2.0}, 0.2)]] * 3
    phrase_trees = ["(S (D the) (N cat))", ("S", ("N", "a"), ("T", ("N", "b"), ("V", "c")))]
    fitted = [  # each with a function that makes valid inputs
        (hinge.SequenceTagger(epochs=1, threads=1).fit(X, tags), lambda draw: sentences(draw, draw.choice([0, 4, 5, 6]))),
        (hinge.SequenceTagger("crf", epochs=1, threads=1).fit(dicts, tags), lambda draw: sentences(draw, 2)),
        (hinge.CRF(max_iterations=2, threads=1).fit(dicts, tags), lambda draw: sentences(draw, 2)),
        (hinge.DependencyParser(epochs=1, hash_bits=8, label_bits=8, threads=1).fit(X, arcs), trees),
        (hinge.Reranker("mira", epochs=1, ngrams=2).fit(hypotheses, ["the cat"] * 3), lists),
        (hinge.Reranker("mira", epochs=1).fit(hypotheses, [[0.0, 1.0]] * 3), lists),
        (hinge.TextClassifier(epochs=1, hash_bits=0, threads=1).fit(["the cat", "a dog"], ["A", "B"]), texts),
        (hinge.ConstituencyParser(epochs=1, hash_bits=8, threads=1).fit(phrase_trees), brackets),
        (hinge.ConstituencyParser(epochs=1, grammar="none", threads=1).fit(phrase_trees), brackets),
        (hinge.Summarizer(epochs=1, words=5, threads=1).fit([["The cat sat.", "A dog ran."]] * 2, ["the cat sat"] * 2), topics),
    ]
    models = [model.to_bytes() for model, _ in fitted]
    warnings.simplefilter("ignore")
    done, raised, end = 0, 0, time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # models are saved under random names
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
