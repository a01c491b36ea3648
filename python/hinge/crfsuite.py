"""The interface of python-crfsuite: `from hinge import crfsuite as pycrfsuite`.

Models are files of Hinge, not of CRFsuite: train them again.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hinge import _hinge
from hinge._crfsuite import ALGORITHMS, ALIASES, SETTINGS, ClosedError, Info, ItemSequence, Setting, Tagger
from hinge._training import Epoch
from hinge.crf import CRF

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["CRFSUITE_VERSION", "BaseTrainer", "ClosedError", "Info", "ItemSequence", "Tagger", "Trainer"]

CRFSUITE_VERSION = f"hinge {_hinge.version}"


@dataclass
class Log:
    """What the last training did."""

    iterations: list[Epoch] = field(default_factory=list)  # as in history_, with num, loss and time

    @property
    def last_iteration(self) -> Epoch | None:
        return self.iterations[-1] if self.iterations else None


class BaseTrainer:
    """Collects sentences and trains a model file from them.

    Overwrite message() to see progress.
    """

    _groups: dict[int, tuple[list[list[Any]], list[list[str]]]]  # X and y
    _given: dict[str, Any]
    _algorithm: str
    logparser: Log
    verbose = True

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Sets what every trainer has: subclasses need not call __init__, as in python-crfsuite."""
        trainer = super().__new__(cls)
        trainer._groups, trainer._given, trainer._algorithm, trainer.logparser = {}, {}, "lbfgs", Log()
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
            raise _hinge.OptionError(f"there is no algorithm {algorithm!r}; there are: {', '.join([*ALGORITHMS, *ALIASES])}")
        if type != "crf1d":
            raise _hinge.OptionError(f"type is {type!r}, but there is only 'crf1d'")
        self._algorithm, self._given = name, {}

    def append(self, xseq: Iterable[Any], yseq: Iterable[str], group: int = 0) -> None:
        """Adds a sentence: dicts or lists of features, and labels. train() can hold a group out."""
        tokens, labels = list(xseq), list(yseq)
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
        for line in ["type: CRF1d\n", f"algorithm: {self._algorithm}\n", f"sentences: {len(X)}\n"]:
            self.message(line)
        arguments = {_setting(name, self._algorithm).argument: value for name, value in self._given.items()}
        crf = CRF(self._algorithm, callback=self._after_epoch, **arguments).fit(X, y, X_dev, y_dev)
        self.logparser = Log(crf.training_log_.iterations if crf.training_log_ else [])
        crf.save(model)
        self.message(f"model: {os.fspath(model)}\n")

    def _after_epoch(self, epoch: Epoch) -> None:
        scores = "".join(f"  {name[4:]} {value:.2f}" for name, value in epoch.items() if name.startswith("dev_"))
        self.message(f"iteration {epoch['epoch']}  loss {epoch['violation']:.3f}{scores}\n")

    def message(self, message: str) -> None:
        """Called with every line of progress."""

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
    """Prints progress if verbose."""

    def message(self, message: str) -> None:
        if self.verbose:
            print(message, end="")


def _setting(name: str, algorithm: str) -> Setting:
    for setting in SETTINGS:
        if setting.name == name and algorithm in setting.algorithms:
            return setting
    known = [setting.name for setting in SETTINGS if algorithm in setting.algorithms]
    near = _hinge.nearest(name, known)
    guess = f", did you mean {near!r}" if near else ""
    raise _hinge.OptionError(f"{algorithm} has no parameter {name!r}{guess}; it has: {', '.join(known)}")
