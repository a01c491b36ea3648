"""Your own task, in Python."""

from __future__ import annotations

import json
import math
import os
import random
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from hinge import _hinge
from hinge._base import DevData, as_list, check_same_length, not_fitted, unreadable
from hinge._parameters.custom import CustomParameters
from hinge._training import Epoch, Progress, find_learner, option_text, settings_of, whole

if TYPE_CHECKING:
    from typing_extensions import Self

Features = Mapping[str, float]

FORMAT = "hinge StructuredPredictor 1"  # of saved models
LARGEST = float(np.finfo(np.float32).max)

ALWAYS_ZERO = "the loss is 0 for every output seen, even if it is not gold, so there is nothing to learn"


class Score(Protocol):
    def __call__(self, features: Mapping[str, float]) -> float: ...


class Augment(Protocol):
    def __call__(self, y: Any) -> float: ...


class Task(Protocol):
    """The methods of a task. x, y and gold may be any objects."""

    def features(self, x: Any, y: Any) -> Mapping[str, float]:
        """Names and values; the score of y is the sum of values times weights."""

    def loss(self, gold: Any, y: Any) -> float:
        """How wrong y is: 0 for gold, never negative."""

    def decode(self, x: Any, score: Score, augment: Augment | None) -> Any:
        """The y with the highest score(features(x, y)), plus augment(y) unless augment is None."""


class StructuredPredictor(DevData, CustomParameters):
    __doc__ = f"""Trains your own task with any learner that needs no marginals.

    {CustomParameters.__doc__}"""

    history_: list[Epoch]  # of the last fit
    weights_: dict[str, float]  # the non-zero ones

    threads = 1  # decode() runs in Python, one call at a time

    def fit(self, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> Self:
        return self._fit(X, y, X_dev, y_dev, self.weights_ if self.warm_start and hasattr(self, "weights_") else None)

    def partial_fit(self, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> Self:
        """Continues from the current weights, if any."""
        return self._fit(X, y, X_dev, y_dev, getattr(self, "weights_", None))

    def _fit(self, X: Any, y: Any, X_dev: Any, y_dev: Any, init: Features | None) -> Self:
        task = self._task()
        X, y = _examples(X, y, "X and y")
        if not X:
            raise _hinge.InputError("X is empty; there is nothing to learn from")
        if (X_dev is None) != (y_dev is None):
            raise _hinge.InputError("X_dev and y_dev must be given together; give both or neither")
        if X_dev is not None:
            X_dev, y_dev = _examples(X_dev, y_dev, "X_dev and y_dev")
        elif self.early_stop is not None:
            raise _hinge.OptionError("early_stop needs X_dev and y_dev to score on")
        find_learner(self.learner)
        if self.options is not None and not isinstance(self.options, dict):
            raise TypeError(f"options must be a dict, not {type(self.options).__name__}")
        options = {name: option_text(value) for name, value in (self.options or {}).items()}
        options.update({k: option_text(v) for k, v in (("C", self.C), ("epochs", self.epochs)) if v is not None})
        with Progress(self.verbose, self.callback) as progress:
            weights, lines = _hinge.train_python_task(
                task, X, y, X_dev, y_dev, self.learner, options, settings_of(self), _limit(self.max_features),
                init, progress if progress.wanted else None)
        self.weights_ = weights
        self.history_ = progress.history(lines)
        return self

    def _task(self) -> Task:
        if self.task is None:
            raise TypeError("there is no task; give an object with features, loss and decode as task=")
        return self.task

    def _fitted(self) -> dict[str, float]:
        if not hasattr(self, "weights_"):
            raise not_fitted(self)
        return self.weights_

    def predict(self, X: Any) -> list[Any]:
        weights = self._fitted()
        return _hinge.predict_python_task(self._task(), as_list(X, "X"), weights)

    def score(self, X: Any, y: Any) -> float:
        """Minus the mean loss, so that higher is better."""
        X, y = _examples(X, y, "X and y")
        task = self._task()
        losses = [task.loss(gold, predicted) for gold, predicted in zip(y, self.predict(X))]
        return -math.fsum(losses) / max(1, len(losses))

    def to_bytes(self) -> bytes:
        """Weights and parameters as JSON, without the task and the callback, which are code."""
        parameters = {k: v for k, v in self.get_params().items() if k not in ("task", "callback")}
        stored = {"format": FORMAT, "parameters": parameters, "weights": self._fitted()}
        return json.dumps(stored, default=_plain).encode()

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview, task: Task | None = None) -> Self:
        return cls._from_json(data, task, "the model")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes to_bytes() to a file."""
        _hinge.write_file(os.fspath(path), self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str], task: Task | None = None) -> Self:
        """Reads a model written by save(). Give the task it was trained with; the file does not contain it."""
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            raise unreadable(_hinge.ModelError, path, error) from None
        return cls._from_json(data, task, os.fspath(path))

    @classmethod
    def _from_json(cls, data: bytes | bytearray | memoryview, task: Task | None, name: str) -> Self:
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"a model is bytes, not {type(data).__name__}")
        try:
            stored = json.loads(bytes(data))
            if stored["format"] != FORMAT:
                raise _hinge.ModelError(f"{name}: has the format {stored['format']!r}, but {FORMAT!r} was expected")
            model = cls(task=task, **stored["parameters"])
            model.weights_ = {feature: float(weight) for feature, weight in stored["weights"].items()}
        except _hinge.ModelError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
            raise _hinge.ModelError(f"{name}: is not a model saved by {cls.__name__}, or is damaged") from None
        if not all(abs(weight) <= LARGEST for weight in model.weights_.values()):
            raise _hinge.ModelError(f"{name}: a weight is too large or not a number; train it again")
        model.history_ = []
        return model


def _plain(value: Any) -> Any:
    """Converts NumPy numbers and paths for JSON."""
    if hasattr(value, "__fspath__"):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a parameter is {value!r}, which cannot be saved; use pickle")


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
    """Finds common mistakes in a task: a list with one sentence per mistake, empty if there are none.

    Calls decode() with zero and random weights, with and without the loss. No
    output seen so far may score higher than a later answer. If the task has a
    method outputs(x) that lists all outputs, none of them may either.
    """
    X, y = _examples(X, y, "X and y")
    most = _limit(max_features)
    for name in ("features", "loss", "decode"):
        if not callable(getattr(task, name, None)):
            raise TypeError(f"a task has the methods features, loss and decode; {type(task).__name__} has no {name}")
    rounds = whole(rounds, "rounds")
    if rounds < 1:
        raise _hinge.OptionError(f"rounds is {rounds} but must be at least 1")
    watched = _Watched(task, X, y)
    try:
        watched.check_golds()
        watched.found += _hinge.check_python_task(watched, X, y, most, rounds, whole(seed, "seed"))
        if hasattr(task, "outputs"):
            watched.found += _check_outputs(watched, task.outputs, rounds, seed)
    except _Stop:
        pass
    return list(dict.fromkeys(watched.found))


class _Stop(Exception):
    """Ends the check: the last finding makes further calls pointless."""


class _Watched:
    """Wraps a task and records answers that no learner can use as findings."""

    def __init__(self, task: Task, X: list[Any], y: list[Any]) -> None:
        self.task = task
        self.X = X
        self.y = y
        self.found: list[str] = []
        self.features = task.features

    def loss(self, gold: Any, y: Any) -> float:
        value = self.task.loss(gold, y)
        name = "loss(gold, gold)" if y is gold else "loss(gold, y)"
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise self._stop(self.y, gold, f"{name} is {value!r}, but a number was expected") from None
        if number < 0:
            raise self._stop(self.y, gold, f"{name} is {number}, but losses are never negative")
        if not math.isfinite(number):
            raise self._stop(self.y, gold, f"{name} is {number}, which is not finite")
        return number

    def decode(self, x: Any, score: Score, augment: Augment | None) -> Any:
        found = self.task.decode(x, score, augment)
        if found is None and not any(gold is None for gold in self.y):
            raise self._stop(self.X, x, "decode(x, score, augment) returned None; is a return missing?")
        return found

    def _stop(self, examples: list[Any], one: Any, text: str) -> _Stop:
        i = next((i for i, example in enumerate(examples) if example is one), 0)
        self.found.append(f"example {i}: {text}")
        return _Stop()

    def check_golds(self) -> None:
        found: dict[str, str] = {}
        for i, (x, gold) in enumerate(zip(self.X, self.y)):
            loss = self.loss(gold, gold)
            if loss != 0:
                found.setdefault("gold", f"example {i}: loss(gold, gold) is {loss}; the loss is not zero on gold")
            first = self.features(x, gold)
            if not isinstance(first, dict):
                raise TypeError(f"features must be a dict of names and numbers, not {type(first).__name__}")
            if self.features(x, gold) != first:
                found.setdefault("features", f"example {i}: features(x, gold) differs from call to call; "
                                             "features must be deterministic")
        self.found += found.values()


def _check_outputs(task: _Watched, outputs: Callable[[Any], Iterable[Any]], rounds: int, seed: int) -> list[str]:
    """Brute force: no listed output may score higher than the one decode() finds."""
    listed: list[list[tuple[Features, float]]] = []
    for i, (x, gold) in enumerate(zip(task.X, task.y)):
        listed.append([(task.features(x, output), task.loss(gold, output)) for output in outputs(x)])
        if not listed[-1]:
            raise _hinge.InputError(f"example {i}: outputs(x) is empty; it must list all outputs, gold among them")
    if all(loss == 0 for row in listed for _, loss in row) and any(row[0][0] != f for row in listed for f, _ in row):
        return [] if any(text.startswith(ALWAYS_ZERO) for text in task.found) else [ALWAYS_ZERO]
    drawn = random.Random(seed)
    found: dict[str, str] = {}
    for k in range(rounds):
        weights = _weights(listed, drawn, (1.5, 0.3)[k % 2])

        def score(features: Mapping[str, float]) -> float:
            return math.fsum(weights.get(name, 0.0) * value for name, value in features.items())  # noqa: B023

        for i, (x, gold) in enumerate(zip(task.X, task.y)):
            scored = [(score(features), loss) for features, loss in listed[i]]
            for augment in (None, lambda output, gold=gold: task.loss(gold, output)):
                answer = task.decode(x, score, augment)
                own, loss = score(task.features(x, answer)), task.loss(gold, answer)

                def missed(times: int) -> float:  # if the loss were added this many times
                    return max(s + times * l for s, l in scored) - own - times * loss  # noqa: B023

                if missed(1 if augment else 0) > 1e-6:
                    kind = "with the loss added, " if augment else ""
                    why = ""
                    if augment and missed(0) <= 1e-6:
                        why = ": it ignores augment"
                    elif augment and missed(2) <= 1e-6:
                        why = ": it adds augment twice"
                    found.setdefault(kind + why, f"example {i}: {kind}one of outputs(x) scores "
                                                 f"{missed(1 if augment else 0):.3g} more than the answer of decode(); "
                                                 f"decode() is not the argmax{why}")
    return list(found.values())


def _weights(listed: list[list[tuple[Features, float]]], drawn: random.Random, ratio: float) -> Features:
    """Random weights, scaled so that scores differ about `ratio` times as much as losses and the loss matters."""
    names = {name: None for row in listed for features, _ in row for name in features}
    weights = {name: drawn.uniform(-1, 1) for name in names}
    apart = spread = 0.0
    for row in listed:
        scores = [math.fsum(weights[name] * value for name, value in features.items()) for features, _ in row]
        apart += max(scores) - min(scores)
        spread += max(loss for _, loss in row) - min(loss for _, loss in row)
    scale = ratio * spread / apart if apart > 0 and spread > 0 else 1.0
    return {name: weight * scale for name, weight in weights.items()}
