"""Everything that the estimators of built-in tasks share; they differ in inputs and outputs."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hinge import _hinge, _inputs
from hinge._base import DevData, not_fitted
from hinge._modelfile import IN_MEMORY, KNOWN, not_opened, not_read
from hinge._sharing import Packed, pack, unpack
from hinge._training import (LEARNERS, TASKS, Callback, Epoch, Progress, find_learner, learner_options, option_text,
                             settings_of, threads_of, whole)

if TYPE_CHECKING:
    from typing_extensions import Self


class Estimator(DevData):
    """Base for a built-in task. A subclass names the task and its model class, and
    converts inputs to data."""

    _task: ClassVar[str]
    _models: ClassVar[Any]  # a class of hinge._hinge

    _shape: _inputs.Shape = {}
    _packed: tuple[Any, Packed] | None = None  # the model, and as pickled

    model_: Any
    history_: list[Epoch]
    learner: str
    epochs: int | None
    warm_start: bool
    verbose: bool
    callback: Callback | None

    def _data(self, X: Any, y: Any, what: str) -> _hinge.Data:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, X_dev: Any = None, y_dev: Any = None) -> Self:
        """Learns from X and y, or from a file: fit("train.txt").

        X_dev and y_dev, or a file as X_dev, are scored after every epoch.
        """
        return self._fit(X, y, X_dev, y_dev, warm=bool(self.warm_start))

    def partial_fit(self, X: Any, y: Any = None, X_dev: Any = None, y_dev: Any = None) -> Self:
        """Continues from the current weights on other data.

        All labels, features and weights are kept.
        """
        return self._fit(X, y, X_dev, y_dev, warm=True)

    def _fit(self, X: Any, y: Any, X_dev: Any, y_dev: Any, warm: bool) -> Self:
        X, y = _inputs.listed(X), _inputs.listed(y)
        known = self._shape
        warm = warm and hasattr(self, "model_")
        self._shape = known if warm and known else self._shape_of(X, y)
        try:
            return self._train(X, y, X_dev, y_dev, warm)
        except BaseException:
            self._shape = known  # that of the model, which is still the old one
            raise

    def _shape_of(self, X: Any, y: Any) -> _inputs.Shape:
        """What predict() must know of the examples of training."""
        return {}

    def _train(self, X: Any, y: Any, X_dev: Any, y_dev: Any, warm: bool) -> Self:
        task_options, options = self._task_options(), self._learner_options()
        settings = settings_of(self)
        if X_dev is None and y_dev is not None:
            raise _hinge.InputError("y_dev is given without X_dev; give both or neither")
        if X_dev is None and settings.get("early_stop"):
            raise _hinge.OptionError("early_stop needs X_dev and y_dev to score on")
        X_dev, y_dev = _inputs.listed(X_dev), _inputs.listed(y_dev)
        for name, given, purpose in (("X", X, "learn from"), ("X_dev", X_dev, "score on")):
            if isinstance(given, (list, tuple, np.ndarray)) and len(given) == 0:
                raise _hinge.InputError(f"{name} is empty; there is nothing to {purpose}")
        data = self._data(X, y, "the training data")
        dev = None if X_dev is None else self._data(X_dev, y_dev, "the development data")
        init = self.model_.bytes() if warm else None
        with Progress(self.verbose, self.callback) as progress:
            model, lines = _hinge.train(self._task, task_options, self.learner, options, data, dev, settings, init,
                                        progress if progress.wanted else None, json.dumps(self._shape) if self._shape else "")
        self._open(self._models.from_bytes(model))
        self.history_ = progress.history(lines)
        return self

    def _task_options(self) -> dict[str, str]:
        """As text for the task's option table."""
        return {option["name"]: option_text(getattr(self, option["name"])) for option in TASKS[self._task]["options"]}

    def _learner_options(self) -> dict[str, str]:
        has = {option["name"] for option in find_learner(self.learner)["options"]}
        options = {}
        for parameter, (name, _, owners) in learner_options(self._task).items():
            value = getattr(self, parameter)
            if value is None:
                continue
            if name not in has:
                raise _hinge.OptionError(f"{parameter} is {value!r}, but {self.learner} has no such option; "
                                         f"learners that have it: {', '.join(owners)}")
            options[name] = option_text(value)
        return options

    def _open(self, model: Any) -> None:
        self.model_ = model
        self._shape = json.loads(model.meta()).get("input", {})
        if hasattr(model, "labels"):
            self.classes_: list[str] = model.labels

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name != "_packed"}
        if "model_" in state:
            # The same array every time: joblib writes it to a file only once.
            if self._packed is None or self._packed[0] is not self.model_:
                self._packed = self.model_, pack(self.model_)
            state["model_"] = self._packed[1]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if isinstance(state.get("model_"), tuple):  # pickles of earlier versions have the model itself
            self.model_ = unpack(self._models, state["model_"])

    def _fitted(self) -> Any:
        if not hasattr(self, "model_"):
            raise not_fitted(self)
        return self.model_

    def _threads(self) -> int:
        return threads_of(self)

    def _nbest_of(self, n: Any, what: str, probabilities: Any) -> tuple[int, bool]:
        """The checked arguments of predict_nbest()."""
        count = whole(n, "n")
        if not 0 < count <= 100000:
            raise _hinge.OptionError(f"n is {count} but must be from 1 to 100000")
        if probabilities and not self._fitted().likelihood:
            raise _hinge.OptionError(f"probabilities of {what} need a model of likelihoods, but this one is by {self.learner}; "
                                     "use crf or softmax-margin, or the scores")
        return count, bool(probabilities)

    def score(self, X: Any, y: Any = None) -> float:
        """The main score of evaluate() divided by 100; negated for costs and error rates, where lower is better."""
        scores, lower_is_better = self._evaluate(X, y)
        return (-1.0 if lower_is_better else 1.0) * scores[0][1] / 100.0

    def evaluate(self, X: Any, y: Any = None) -> dict[str, float]:
        """All scores in percent, as in `hinge evaluate`; the main one first."""
        return dict(self._evaluate(X, y)[0])

    def _evaluate(self, X: Any, y: Any) -> tuple[list[tuple[str, float]], bool]:
        model = self._fitted()
        return model.evaluate(self._data(X, y, "the data"), self._task_options(),  # type: ignore[no-any-return]
                              self._threads())

    def heaviest(self, n: int = 20) -> list[tuple[str, str, float]]:
        """The n weights with the largest absolute values: feature, label, weight."""
        return self._fitted().heaviest(max(0, whole(n, "n")))  # type: ignore[no-any-return]

    def to_bytes(self) -> bytes:
        """The model file."""
        return self._fitted().bytes()  # type: ignore[no-any-return]

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Self:
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"a model is bytes, not {type(data).__name__}")
        try:
            model = cls._models.from_bytes(bytes(data))
        except _hinge.ModelError as error:
            raise not_read(error, bytes(data[:KNOWN]), IN_MEMORY) from None
        return cls._from_model(model)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, which the command line can also read."""
        self._fitted().save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads a model written by save() or `hinge train`."""
        try:
            model = cls._models.open(os.fspath(path))
        except _hinge.ModelError as error:
            raise not_opened(error, path) from None
        return cls._from_model(model)

    @classmethod
    def _from_model(cls, model: Any) -> Self:
        """An estimator with the parameters the model was trained with."""
        meta = json.loads(model.meta())
        estimator = cls()
        known = learner_options(cls._task)
        parameters: dict[str, Any] = {"learner": meta.get("learner", estimator.learner), "seed": meta.get("seed", 1)}
        of_task = {option["name"]: option for option in TASKS[cls._task]["options"]}
        former = {option["former_name"]: name for name, option in of_task.items() if option["former_name"]}
        for recorded, text in meta.get("task_options", {}).items():
            name = recorded if recorded in of_task else former.get(recorded)
            if name is not None:
                parameters[name] = _parse(text, of_task[name]["type"])
        learner = LEARNERS.get(parameters["learner"])
        own = {option["name"]: option for option in learner["options"]} if learner else {}
        for parameter, (name, _, _) in known.items():
            text = meta.get("learner_options", {}).get(name)
            if name in own and text is not None and text != own[name]["default"]:
                parameters[parameter] = _parse(text, own[name]["type"])
        for name, value in parameters.items():
            setattr(estimator, name, value)
        estimator._open(model)
        estimator.history_ = []
        return estimator


def _parse(text: str, kind: str) -> Any:
    if kind == "bool":
        return text == "true"
    return {"int": int, "float": float, "str": str}[kind](text)
