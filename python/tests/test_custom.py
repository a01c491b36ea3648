import pickle
import random
import subprocess
import sys
import traceback

import numpy as np
import pytest

import hinge
from conftest import ROOT

LABELS = "ABC"


class Classify:
    """Classifies a word by its letters; few enough classes to list all outputs."""

    def features(self, x, y):
        return {f"{letter}:{y}": 1.0 for letter in x}

    def loss(self, gold, y):
        return float(gold != y)

    def decode(self, x, score, augment):
        return max(LABELS, key=lambda y: score(self.features(x, y)) + (augment(y) if augment else 0))

    def outputs(self, x):
        return LABELS


X = ["ab", "bc", "ca", "aab", "bbc", "cca"]
Y = ["A", "B", "C", "A", "B", "C"]
SUITED = [name for name, learner in hinge.learners().items() if learner["needs"] == "nothing"]


@pytest.mark.parametrize("learner", SUITED)
def test_every_learner_learns_it(learner):
    model = hinge.StructuredPredictor(Classify(), learner, epochs=20).fit(X, Y, X, Y)
    assert model.predict(X) == Y
    assert model.score(X, Y) == 0
    assert model.history_[-1]["dev_negative_loss"] == 0


def test_learners_of_marginals_are_refused_with_others_named():
    with pytest.raises(hinge.OptionError, match="learners that suit it: .*mira"):
        hinge.StructuredPredictor(Classify(), "crf").fit(X, Y)


def test_pickles_and_goes_on():
    model = hinge.StructuredPredictor(Classify(), "perceptron", epochs=5).fit(X, Y)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.predict(X) == model.predict(X)
    assert copy.set_params(epochs=1).partial_fit(X, Y).history_[0]["updates"] == 0


def test_saves_all_but_the_task(tmp_path):
    model = hinge.StructuredPredictor(Classify(), "perceptron", epochs=np.int64(5), options={"average": False}, callback=print)
    with pytest.raises(hinge.NotFittedError):
        model.save(tmp_path / "own.model")
    model.fit([*X, "\ud800é"], [*Y, "A"]).save(tmp_path / "own.model")
    for same in (hinge.StructuredPredictor.load(tmp_path / "own.model", Classify()),
                 hinge.StructuredPredictor.from_bytes(model.to_bytes(), task=Classify())):
        assert same.weights_ == model.weights_
        assert same.predict(X) == model.predict(X)
        assert same.get_params() == {**model.get_params(), "task": same.task, "callback": None}
        assert same.set_params(epochs=1).partial_fit(X, Y).history_[0]["updates"] == 0
    without = hinge.StructuredPredictor.load(tmp_path / "own.model")
    with pytest.raises(TypeError, match="there is no task"):
        without.predict(X)


def test_models_that_are_none(tmp_path):
    data = hinge.StructuredPredictor(Classify(), epochs=2).fit(X, Y).to_bytes()
    wrong = [b"", b"\xff", b"[]", b"{}", b"[" * 100000, data[:-1], data.replace(b"Predictor 1", b"Predictor 9"),
             data.replace(b'"C"', b'"Q"'), data.replace(b'"a:A": ', b'"a:A": NaN, "x": '),
             data.replace(b'"a:A": ', b'"a:A": [], "x": '), data.replace(b'"a:A": ', b'"a:A": 1' + b"0" * 400 + b', "x": '),
             data.replace(b'"a:A": ', b'"a:A": 1e300, "x": ')]
    for damaged in wrong:
        assert damaged != data
        with pytest.raises(hinge.ModelError, match="^the model: "):
            hinge.StructuredPredictor.from_bytes(damaged)
    (tmp_path / "own.model").write_bytes(wrong[0])
    with pytest.raises(hinge.ModelError, match="own.model: is not a model saved by StructuredPredictor"):
        hinge.StructuredPredictor.load(tmp_path / "own.model")
    with pytest.raises(hinge.ModelError, match="missing.model: cannot be opened .*check the path"):
        hinge.StructuredPredictor.load(tmp_path / "missing.model")
    with pytest.raises(TypeError, match="a model is bytes, not str"):
        hinge.StructuredPredictor.from_bytes("x")
    model = hinge.StructuredPredictor(Classify(), options={"average": object()})
    model.weights_ = {}
    with pytest.raises(TypeError, match="cannot be saved; use pickle"):
        model.save(tmp_path / "own.model")


def test_a_right_task_has_no_findings():
    assert hinge.check_task(Classify(), X, Y) == []


class IgnoresLoss(Classify):
    def decode(self, x, score, augment):
        return super().decode(x, score, None)


class LossOnGold(Classify):
    def loss(self, gold, y):
        return 1.0 + (gold != y)


class RandomFeatures(Classify):
    def features(self, x, y):
        return {f"{x}:{y}": random.random()}


class Worst(Classify):
    def decode(self, x, score, augment):
        return min(LABELS, key=lambda y: score(self.features(x, y)))


class Negative(Classify):
    def loss(self, gold, y):
        return -1.0


class NegativeOnOthers(Classify):
    def loss(self, gold, y):
        return -float(gold != y)


class NoLoss(Classify):
    def loss(self, gold, y):
        if gold == y:
            return 0.0


class NoReturn(Classify):
    def decode(self, x, score, augment):
        super().decode(x, score, augment)


class ZeroLoss(Classify):
    def loss(self, gold, y):
        return 0.0


class LargeLoss(Classify):
    def loss(self, gold, y):
        return 1000.0 * (gold != y)


class Twice(LargeLoss):
    def decode(self, x, score, augment):
        return super().decode(x, score, augment and (lambda y: 2 * augment(y)))


class IgnoresLargeLoss(LargeLoss, IgnoresLoss):
    pass


class Constant(Classify):
    def decode(self, x, score, augment):
        return "A"


@pytest.mark.parametrize("task, said", [(IgnoresLoss, "ignores"), (LossOnGold, "not zero on gold"),
                                        (RandomFeatures, "deterministic"), (Worst, "not the argmax"),
                                        (Negative, "never negative"), (NegativeOnOthers, "never negative"),
                                        (NoLoss, "loss(gold, y) is None"), (NoReturn, "returned None"),
                                        (ZeroLoss, "nothing to learn"), (Twice, "with the loss added"),
                                        (IgnoresLargeLoss, "ignores")])
@pytest.mark.parametrize("listed", [True, False])
def test_check_task_says_what_is_wrong(task, said, listed):
    wrong = task() if listed else type(task.__name__, (task,), {"outputs": property()})()
    findings = hinge.check_task(wrong, X, Y)
    assert any(said in finding for finding in findings), findings


def test_what_outputs_show():
    assert any("adds augment twice" in finding for finding in hinge.check_task(Twice(), X, Y))
    assert hinge.check_task(LargeLoss(), X, Y) == []
    zero = Constant()
    zero.loss = lambda gold, y: 0.0
    assert any("nothing to learn" in finding for finding in hinge.check_task(zero, X, Y))
    zero.outputs = lambda x: []
    with pytest.raises(hinge.InputError, match="example 0: outputs.x. is empty"):
        hinge.check_task(zero, X, Y)


def test_questions_that_cannot_be_asked():
    for rounds in (0, -1):
        with pytest.raises(hinge.OptionError, match="rounds is"):
            hinge.check_task(Classify(), X, Y, rounds=rounds)
    with pytest.raises(TypeError, match="NoneType has no features"):
        hinge.check_task(None, X, Y)
    with pytest.raises(TypeError, match="there is no task"):
        hinge.StructuredPredictor().fit(X, Y)
    with pytest.raises(TypeError, match="there is no task"):
        hinge.StructuredPredictor(Classify(), epochs=1).fit(X, Y).set_params(task=None).predict(X)


class Fails(Classify):
    def features(self, x, y):
        if x == "cca":
            raise LookupError("no such word")
        return super().features(x, y)


def test_exceptions_come_out_as_they_were():
    with pytest.raises(LookupError, match="no such word") as caught:
        hinge.StructuredPredictor(Fails(), epochs=2).fit(X, Y)
    assert any(frame.name == "features" for frame in traceback.extract_tb(caught.value.__traceback__))


@pytest.mark.parametrize("changed, error, message", [
    ({"features": lambda x, y: ["a"]}, TypeError, "features must be a dict"),
    ({"features": lambda x, y: {5: 1}}, TypeError, "not a str"),
    ({"features": lambda x, y: {"a": float("nan")}}, hinge.InputError, "feature 'a' is nan"),
    ({"features": lambda x, y: {"a": "b"}}, TypeError, ""),
    ({"loss": lambda gold, y: -1}, hinge.InputError, "never negative"),
    ({"loss": None}, TypeError, "has no loss"),
])
def test_answers_that_cannot_be(changed, error, message):
    task = Classify()
    vars(task).update(changed)
    with pytest.raises(error, match=message or None):
        hinge.StructuredPredictor(task).fit(X, Y)


def test_too_many_features():
    with pytest.raises(hinge.InputError, match="max_features=3"):
        hinge.StructuredPredictor(Classify(), max_features=3).fit(X, Y)


class Keeps(Classify):
    kept = None

    def decode(self, x, score, augment):
        self.kept = score, augment
        return super().decode(x, score, augment)


def test_score_and_augment_end_with_decode():
    task = Keeps()
    hinge.StructuredPredictor(task, epochs=1).fit(X, Y)
    score, augment = task.kept
    with pytest.raises(RuntimeError, match="during decode"):
        score({"a:A": 1})
    if augment is not None:
        with pytest.raises(RuntimeError, match="during decode"):
            augment("A")


def test_the_example_runs():
    out = subprocess.run([sys.executable, ROOT / "examples/custom_task.py"], capture_output=True, text=True, check=True)
    lines = out.stdout.splitlines()
    assert len(lines) == len(SUITED)
    assert all(line.endswith("the cat ate the dog") for line in lines)
    assert len((ROOT / "examples/custom_task.py").read_text().splitlines()) < 60
    assert len((ROOT / "examples/custom_task.cc").read_text().splitlines()) < 60
