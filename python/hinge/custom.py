"""A task of your own, in Python."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from hinge import _hinge
from hinge._base import Parameters, as_list, check_same_length, not_fitted
from hinge._training import Callback, Epoch, Progress, find_learner, option_text, settings_of, whole

if TYPE_CHECKING:
    from typing_extensions import Self

Features = dict[str, float]


class Score(Protocol):
    def __call__(self, features: Mapping[str, float]) -> float: ...


class Augment(Protocol):
    def __call__(self, y: Any) -> float: ...


class Task(Protocol):
    """What a task must have. x, y and gold are any objects of yours."""

    def features(self, x: Any, y: Any) -> Mapping[str, float]:
        """Names and numbers; the score of y is the sum of numbers times weights."""

    def loss(self, gold: Any, y: Any) -> float:
        """How wrong y is: 0 for gold, never negative."""

    def decode(self, x: Any, score: Score, augment: Augment | None) -> Any:
        """The y with the highest score(features(x, y)), plus augment(y) unless that is None."""


class StructuredPredictor(Parameters):
    """Trains a task of your own with any learner that needs no marginals.

    Parameters
    ----------
    task : an object with features(x, y), loss(gold, y) and decode(x, score, augment)
    learner : see hinge.learners()
    C, epochs : the learner's own defaults where None
    options : other options of the learner, by name
    max_features : names that may have a weight
    warm_start : fit() begins at the present weights
    objective : when to compute the exact objective: "never", "end" or "epoch"
    stop_gap, time_budget, early_stop : other ends of training than the last epoch
    callback : is given a dict an epoch; a true answer ends training
    """

    history_: list[Epoch]  # of the last fit
    weights_: Features  # all that are not zero

    def __init__(
        self,
        task: Task | None = None,
        learner: str = "mira",
        *,
        C: float | None = None,
        epochs: int | None = None,
        options: dict[str, Any] | None = None,
        max_features: int = 2**18,
        seed: int = 1,
        warm_start: bool = False,
        objective: str = "end",
        stop_gap: float | None = None,
        time_budget: float | None = None,
        early_stop: int | None = None,
        verbose: bool = False,
        callback: Callback | None = None,
    ) -> None:
        self.task = task
        self.learner = learner
        self.C = C
        self.epochs = epochs
        self.options = options
        self.max_features = max_features
        self.seed = seed
        self.warm_start = warm_start
        self.objective = objective
        self.stop_gap = stop_gap
        self.time_budget = time_budget
        self.early_stop = early_stop
        self.verbose = verbose
        self.callback = callback

    threads = 1  # decode() is Python: one at a time

    def fit(self, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> Self:
        return self._fit(X, y, X_dev, y_dev, self.weights_ if self.warm_start and hasattr(self, "weights_") else None)

    def partial_fit(self, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> Self:
        """Goes on from the present weights, if any."""
        return self._fit(X, y, X_dev, y_dev, getattr(self, "weights_", None))

    def _fit(self, X: Any, y: Any, X_dev: Any, y_dev: Any, init: Features | None) -> Self:
        X, y = _examples(X, y, "X and y")
        if not X:
            raise _hinge.InputError("X is empty; there is nothing to learn from")
        if (X_dev is None) != (y_dev is None):
            raise _hinge.InputError("X_dev and y_dev come together or not at all")
        if X_dev is not None:
            X_dev, y_dev = _examples(X_dev, y_dev, "X_dev and y_dev")
        elif self.early_stop is not None:
            raise _hinge.OptionError("early_stop needs X_dev and y_dev to score on")
        find_learner(self.learner)
        if self.options is not None and not isinstance(self.options, dict):
            raise TypeError(f"options must be a dict, not {type(self.options).__name__}")
        options = {name: option_text(value) for name, value in (self.options or {}).items()}
        options.update({k: option_text(v) for k, v in (("C", self.C), ("epochs", self.epochs)) if v is not None})
        with Progress(self.verbose, self.callback, self.epochs) as progress:
            weights, lines = _hinge.train_python_task(
                self.task, X, y, X_dev, y_dev, self.learner, options, settings_of(self), _limit(self.max_features),
                init, progress if progress.wanted else None)
        self.weights_ = weights
        self.history_ = progress.history(lines)
        return self

    def predict(self, X: Any) -> list[Any]:
        if not hasattr(self, "weights_"):
            raise not_fitted(self)
        return _hinge.predict_python_task(self.task, as_list(X, "X"), self.weights_)

    def score(self, X: Any, y: Any) -> float:
        """Minus the mean loss, so that higher is better."""
        X, y = _examples(X, y, "X and y")
        if self.task is None:
            raise TypeError("there is no task to score by; give one as task=")
        losses = [self.task.loss(gold, predicted) for gold, predicted in zip(y, self.predict(X))]
        return -math.fsum(losses) / max(1, len(losses))


def _examples(X: Any, y: Any, names: str) -> tuple[list[Any], list[Any]]:
    X, y = as_list(X, names.split(" and ")[0]), as_list(y, names.split(" and ")[1])
    check_same_length(X, y, names)
    return X, y


def _limit(max_features: Any) -> int:
    most = whole(max_features, "max_features")
    if not 0 < most < 2**32 - 16:
        raise _hinge.OptionError(f"max_features is {most} but must be from 1 to 2^32 - 17")
    return most


def check_task(task: Task, X: Any, y: Any, *, rounds: int = 8, seed: int = 1, max_features: int = 2**18) -> list[str]:
    """The usual mistakes in a task, one sentence each; an empty list where none was found.

    decode() is asked at zero and at random weights, with and without the loss.
    Every output seen must never beat a later answer. Where the task has a
    method outputs(x) that lists all outputs, each of them is tried.
    """
    X, y = _examples(X, y, "X and y")
    most = _limit(max_features)
    for name in ("features", "loss", "decode"):
        if not callable(getattr(task, name, None)):
            raise TypeError(f"a task has the methods features, loss and decode; {type(task).__name__} has no {name}")
    found = _check_examples(task, X, y)
    if any("negative" in text or "finite" in text for text in found):
        return found
    found += _hinge.check_python_task(task, X, y, most, whole(rounds, "rounds"), whole(seed, "seed"))
    if hasattr(task, "outputs"):
        found += _check_outputs(task, X, y, rounds, seed)
    return found


def _check_examples(task: Task, X: list[Any], y: list[Any]) -> list[str]:
    found: dict[str, str] = {}
    for i, (x, gold) in enumerate(zip(X, y)):
        loss = float(task.loss(gold, gold))
        if loss < 0:
            found.setdefault("negative", f"example {i}: loss(gold, gold) is {loss}, but losses are never negative")
        elif not math.isfinite(loss):
            found.setdefault("finite", f"example {i}: loss(gold, gold) is {loss}, which is not finite")
        elif loss != 0:
            found.setdefault("gold", f"example {i}: loss(gold, gold) is {loss}, but the loss is not zero on gold then")
        first = task.features(x, gold)
        if not isinstance(first, dict):
            raise TypeError(f"features must be a dict of names and numbers, not {type(first).__name__}")
        if task.features(x, gold) != first:
            found.setdefault("features", f"example {i}: features(x, gold) differs from call to call; "
                                         "features must be deterministic")
    return list(found.values())


def _check_outputs(task: Any, X: list[Any], y: list[Any], rounds: int, seed: int) -> list[str]:
    """Brute force: no listed output may beat what decode() finds."""
    drawn = random.Random(seed)
    weights: dict[str, float] = {}
    found: dict[str, str] = {}
    for _ in range(rounds):
        def score(features: Mapping[str, float]) -> float:
            for name in features:
                weights.setdefault(name, drawn.uniform(-1, 1))
            return math.fsum(weights[name] * value for name, value in features.items())

        for i, (x, gold) in enumerate(zip(X, y)):
            for augment in (None, lambda output, gold=gold: float(task.loss(gold, output))):
                def total(output: Any) -> float:
                    return score(task.features(x, output)) + (augment(output) if augment else 0.0)  # noqa: B023

                outputs: Iterable[Any] = task.outputs(x)
                missed = max(map(total, outputs)) - total(task.decode(x, score, augment))
                if missed > 1e-6:
                    kind = "with the loss added, " if augment else ""
                    found.setdefault(kind, f"example {i}: {kind}one of outputs(x) scores {missed:.3g} above what "
                                           "decode() gives; decode() is not the argmax"
                                           + (", or ignores augment" if augment else ""))
        weights.clear()
    return list(found.values())
