"""The interface of python-crfsuite: `from hinge import crfsuite as pycrfsuite`.

Models are files of Hinge, not of CRFsuite: train them again.
"""

from __future__ import annotations

import functools
import os
import time
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hinge import _hinge
from hinge._base import guess
from hinge._crfsuite import ALGORITHMS, ALIASES, SETTINGS, ClosedError, Info, ItemSequence, Setting, Tagger, labels_of
from hinge._trainlog import LabelScore, TrainingLog, end_text, held_out_text, iteration_text, prepared_text, start_text
from hinge._training import Epoch
from hinge.crf import CRF

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["CRFSUITE_VERSION", "BaseTrainer", "CRFSuiteError", "ClosedError", "Info", "ItemSequence", "LabelScore", "Tagger", "Trainer"]

CRFSUITE_VERSION = f"hinge {_hinge.version}"


class CRFSuiteError(Exception):
    """train() has failed. What it raises is also the error of Hinge behind it."""

    code = -2147483648  # CRFsuite's for errors it has no other for


def _failure(kind: type[Exception], message: str) -> CRFSuiteError:
    """Also of that kind."""
    attributes = {"__module__": __name__, "__reduce__": lambda self: (_failure, (kind, str(self)))}
    failure: CRFSuiteError = type(kind.__name__, (CRFSuiteError, kind), attributes)(message)
    return failure


class BaseTrainer:
    """Collects sentences and trains a model file from them.

    Overwrite message() to get progress line by line.
    """

    _groups: dict[int, tuple[list[list[Any]], list[list[str]]]]  # X and y
    _given: dict[str, Any]
    _algorithm: str
    logparser: TrainingLog
    verbose = True
    _began = 0.0
    _held_out = (0, 0)  # tokens and sentences

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Sets what every trainer has: subclasses need not call __init__, as in python-crfsuite."""
        trainer = super().__new__(cls)
        trainer._groups, trainer._given, trainer._algorithm, trainer.logparser = {}, {}, "lbfgs", TrainingLog()
        return trainer

    def __init__(self, algorithm: str | None = None, params: Mapping[str, Any] | None = None, verbose: bool = True) -> None:
        self.verbose = verbose
        if algorithm is not None:
            self.select(algorithm)
        if params is not None:
            self.set_params(params)

    def select(self, algorithm: str, type: str = "crf1d") -> None:
        """Chooses the algorithm; other parameters get its defaults."""
        name = ALIASES.get(algorithm, algorithm)
        if name not in ALGORITHMS:
            known = [*ALGORITHMS, *ALIASES]
            raise _hinge.OptionError(f"there is no algorithm {algorithm!r}{guess(algorithm, known)}; there are: {', '.join(known)}")
        if type != "crf1d":
            raise _hinge.OptionError(f"type is {type!r}, but there is only 'crf1d'")
        self._algorithm, self._given = name, {}

    def append(self, xseq: Iterable[Any], yseq: Iterable[str], group: int = 0) -> None:
        """Adds a sentence: dicts or lists of features, and labels. train() can hold a group out."""
        tokens, labels = list(xseq), labels_of(list(yseq))
        if len(tokens) != len(labels):
            raise _hinge.InputError(f"xseq has {len(tokens)} tokens, but yseq has {len(labels)} labels; they must match")
        X, y = self._groups.setdefault(int(group), ([], []))
        X.append(tokens)
        y.append(labels)

    def clear(self) -> None:
        """Forgets all sentences."""
        self._groups = {}

    def train(self, model: str | os.PathLike[str], holdout: int = -1) -> None:
        """Trains and writes the model file; the group `holdout` is only scored."""
        kept = [pairs for group, pairs in self._groups.items() if group != holdout]
        X = [x for xs, _ in kept for x in xs]
        y = [labels for _, ys in kept for labels in ys]
        if not X:
            warnings.warn("there are no sentences to train on, so no model is written; call append() first", stacklevel=2)
            return
        X_dev, y_dev = self._groups.get(holdout, (None, None))
        self._held_out = sum(map(len, y_dev or [])), len(y_dev or [])
        given = [(_setting(name, self._algorithm), value) for name, value in self._given.items()]
        # get_params() has all defaults: to set those is to leave them out
        arguments = {setting.argument: value for setting, value in given if setting.fact is None or value != setting.default}
        self.logparser, self._began = TrainingLog(), time.perf_counter()
        self._tell("start", start_text(holdout, len(X), self.get_params()))
        crf = CRF(self._algorithm, **arguments)
        crf._as_in_crfsuite = True
        crf.callback = functools.partial(self._after_epoch, crf)
        try:
            crf.fit(X, y, X_dev, y_dev)
            log = crf.training_log_ or TrainingLog()
            self.logparser.iterations[-1:] = log.iterations[-1:]  # with what only the model can tell
            self.logparser.training_seconds = log.training_seconds
            self._tell("optimization_end", held_out_text(log.iterations[-1]) + end_text(crf.history_[-1], self._algorithm))
            crf.save(model)
        except (_hinge.Error, _hinge.OutputError) as error:
            if not self.logparser.iterations:
                self._tell("prepare_error", f"{self._algorithm} terminated with error: {error}\n")
            raise _failure(type(error), str(error)) from None
        self._tell("end", f"Storing the model\nmodel: {os.fspath(model)}\n\n")

    def _after_epoch(self, crf: CRF, epoch: Epoch) -> None:
        if not self.logparser.iterations:
            self._tell("featgen_progress", "0....1....2....3....4....5....6....7....8....9....10\n", 100)
            seconds = max(0.0, time.perf_counter() - self._began - epoch["elapsed_seconds"])
            self.logparser.featgen_seconds = seconds
            self._tell("featgen_end", f"Seconds required: {seconds:.3f}\n\n")
            self._tell("prepared", prepared_text(self._algorithm, self.get_params()))
        iteration = crf._iteration(epoch, self._held_out)
        self.logparser.iterations.append(iteration)
        self._tell("iteration", iteration_text(iteration, self._algorithm, self._held_out), iteration)

    def _tell(self, event: str, text: str, *details: Any) -> None:
        for line in text.splitlines(keepends=True):
            self.message(line)

    def message(self, message: str) -> None:
        """Called with every line of progress; prints it if verbose."""
        if self.verbose:
            print(message, end="")

    def params(self) -> list[str]:
        """The names of the parameters of the algorithm."""
        return [setting.name for setting in SETTINGS if self._algorithm in setting.algorithms]

    def set(self, name: str, value: Any) -> None:
        setting = _setting(name, self._algorithm)
        default = setting.default_of(self._algorithm)
        if isinstance(default, bool) and isinstance(value, str):
            value = value not in ("0", "false", "False", "")
        try:
            self._given[name] = type(default)(value)
        except (TypeError, ValueError):
            raise _hinge.OptionError(f"{name} is {value!r} but must be of type {type(default).__name__}") from None

    def set_params(self, params: Mapping[str, Any]) -> None:
        for name, value in params.items():
            self.set(name, value)

    def get(self, name: str) -> Any:
        setting = _setting(name, self._algorithm)
        return self._given.get(name, setting.default_of(self._algorithm))

    def get_params(self) -> dict[str, Any]:
        return {name: self.get(name) for name in self.params()}

    def help(self, name: str) -> str:
        return _setting(name, self._algorithm).meaning


class Trainer(BaseTrainer):
    """Prints progress if verbose. Overwrite on_iteration() and the others to do something else with it."""

    _heard: list[str] = []

    def message(self, message: str) -> None:
        self._heard = [*self._heard, message]

    def _tell(self, event: str, text: str, *details: Any) -> None:
        self._heard = []
        super()._tell(event, text)
        if self.verbose and self._heard:
            getattr(self, f"on_{event}")("".join(self._heard), *details)

    def on_start(self, log: str) -> None:
        print(log, end="")

    def on_featgen_progress(self, log: str, percent: int) -> None:
        """Called once."""
        print(log, end="")

    def on_featgen_end(self, log: str) -> None:
        print(log, end="")

    def on_prepared(self, log: str) -> None:
        """The parameters are known, and the first iteration is done."""
        print(log, end="")

    def on_prepare_error(self, log: str) -> None:
        print(log, end="")

    def on_iteration(self, log: str, info: Epoch) -> None:
        print(log, end="")

    def on_optimization_end(self, log: str) -> None:
        print(log, end="")

    def on_end(self, log: str) -> None:
        print(log, end="")


def _setting(name: str, algorithm: str) -> Setting:
    for setting in SETTINGS:
        if setting.name == name and algorithm in setting.algorithms:
            return setting
    known = [setting.name for setting in SETTINGS if algorithm in setting.algorithms]
    raise _hinge.OptionError(f"{algorithm} has no parameter {name!r}{guess(name, known)}; it has: {', '.join(known)}")
