"""The interface of sklearn-crfsuite: to switch, change the import."""

from __future__ import annotations

import math
import os
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hinge import _hinge
from hinge._base import Parameters, as_list, check_same_length, not_fitted
from hinge._training import Epoch, number
from hinge.tagger import Labels, SequenceTagger

if TYPE_CHECKING:
    from typing_extensions import Self

# CRFsuite's algorithms and the learners closest to them.
ALGORITHMS = {"lbfgs": "crf", "l2sgd": "softmax-margin", "ap": "perceptron", "pa": "mira"}

# CRFsuite's defaults.
DEFAULTS = {"algorithm": "lbfgs", "min_freq": 0.0, "c1": 0.0, "c2": 1.0, "c": 1.0}

# Parameters without effect here, with CRFsuite's defaults.
UNUSED: dict[str, Any] = {
    "epsilon": 1e-5, "period": 10, "linesearch": "MoreThuente", "max_linesearch": 20,
    "calibration_eta": 0.1, "calibration_rate": 2.0, "calibration_samples": 1000, "calibration_candidates": 10,
    "calibration_max_trials": 20, "pa_type": 1, "error_sensitive": True, "variance": 1.0, "gamma": 1.0,
    "model_filename": None,
}
WEAKEST = 1e6  # C when c1 and c2 are 0: almost no regularizer
CRFSUITE_DELTA = 1e-5
MANY_ITERATIONS = 10_000  # CRFsuite has no limit


@dataclass
class TrainingLog:
    """The commonly used part of sklearn-crfsuite's log."""

    iterations: list[Epoch]  # as in history_, with num, loss and time

    @property
    def last_iteration(self) -> Epoch | None:
        return self.iterations[-1] if self.iterations else None


class CRF(Parameters):
    """A linear-chain tagger with the parameters and attributes of sklearn_crfsuite.CRF.

    algorithm: "lbfgs" is the learner crf; "ap" the averaged perceptron; "pa" is
    mira; "l2sgd" is softmax-margin, a stochastic gradient on the likelihood with
    costs. "arow" has no counterpart here and is refused.

    c1, c2: CRFsuite minimizes c1 |w|_1 + c2 |w|^2 + sum of losses, Hinge
    l1 |w|_1 + 1/2 |w|^2 + C sum of losses; so C = 1 / (2 c2) and l1 = c1 / (2 c2).
    If c2 is 0, C = 1 / c1 and the regularizer is |w|_1. c: the C of "pa".
    max_iterations, delta, num_memories and averaging are the learners' epochs,
    tolerance, memory and average. "lbfgs" stops by CRFsuite's rule: when 10 iterations
    lower the objective by less than 1e-5 of it.

    For all others None means CRFsuite's default. The remaining parameters of
    sklearn_crfsuite.CRF have no effect, and cause a warning if they are not the
    default; keep_tempfiles and trainer_cls are ignored silently. random_state and
    threads exist only here.
    """

    algorithm: str | None
    min_freq: float | None
    all_possible_states: bool | None
    all_possible_transitions: bool | None
    c1: float | None
    c2: float | None
    max_iterations: int | None
    num_memories: int | None
    delta: float | None
    c: float | None
    averaging: bool | None
    verbose: bool
    random_state: int
    threads: int | None

    tagger_: SequenceTagger
    classes_: list[str]
    history_: list[Epoch]

    def __init__(
        self,
        algorithm: str | None = None,
        min_freq: float | None = None,
        all_possible_states: bool | None = None,
        all_possible_transitions: bool | None = None,
        c1: float | None = None,
        c2: float | None = None,
        max_iterations: int | None = None,
        num_memories: int | None = None,
        epsilon: float | None = None,
        period: int | None = None,
        delta: float | None = None,
        linesearch: str | None = None,
        max_linesearch: int | None = None,
        calibration_eta: float | None = None,
        calibration_rate: float | None = None,
        calibration_samples: int | None = None,
        calibration_candidates: int | None = None,
        calibration_max_trials: int | None = None,
        pa_type: int | None = None,
        c: float | None = None,
        error_sensitive: bool | None = None,
        averaging: bool | None = None,
        variance: float | None = None,
        gamma: float | None = None,
        verbose: bool = False,
        model_filename: str | None = None,
        keep_tempfiles: bool | None = False,
        trainer_cls: Any = None,
        *,
        random_state: int = 1,
        threads: int | None = None,
    ) -> None:
        self._keep(locals())

    def _given(self, name: str) -> Any:
        value = getattr(self, name)
        return DEFAULTS[name] if value is None else value

    def _tagger(self) -> SequenceTagger:
        algorithm = self._given("algorithm")
        if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
            raise _hinge.OptionError(f"algorithm is {algorithm!r} but must be one of {', '.join(ALGORITHMS)}"
                                     + ("; arow has no counterpart, mira (pa) is the closest"
                                        if isinstance(algorithm, str) and algorithm == "arow" else ""))
        options: dict[str, Any] = {"epochs": self.max_iterations}
        c1, c2, least = (number(self._given(name), name) for name in ("c1", "c2", "min_freq"))
        if algorithm == "lbfgs":
            options["all_states"] = bool(self.all_possible_states)
            options["all_transitions"] = bool(self.all_possible_transitions)
            options["memory"] = self.num_memories
            options["tolerance"] = CRFSUITE_DELTA if self.delta is None else self.delta
            if self.max_iterations is None:
                options["epochs"] = MANY_ITERATIONS
            options.update(_regularized(c1, c2))
        elif algorithm == "l2sgd":
            options.update(_regularized(0.0, c2))
        elif algorithm == "pa":
            options["C"] = number(self._given("c"), "c")
            options["average"] = self.averaging
        unused = [name for name, default in UNUSED.items()
                  if (value := getattr(self, name)) is not None and repr(value) != repr(default)]
        if algorithm != "lbfgs" and self.delta is not None:
            unused.append("delta")
        if unused:
            warnings.warn(f"{', '.join(unused)}: no effect here", stacklevel=3)
        if least > 1:
            options["min_count"] = math.ceil(min(least, 2**40))
        return _AttributeTagger(ALGORITHMS[algorithm], constraints="none", seed=self.random_state,
                                threads=self.threads, verbose=self.verbose, objective="never", **options)

    def fit(self, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> Self:
        return self._open(self._tagger().fit(_listed(X), _listed(y), _listed(X_dev), _listed(y_dev)))

    def _open(self, tagger: SequenceTagger) -> Self:
        self.tagger_ = tagger
        self.classes_ = tagger.classes_
        self.history_ = tagger.history_
        return self

    def _fitted(self) -> SequenceTagger:
        if not hasattr(self, "tagger_"):
            raise not_fitted(self)
        return self.tagger_

    def predict(self, X: Any) -> list[Labels]:
        return self._fitted().predict(_listed(X))

    def predict_single(self, xseq: Any) -> Labels:
        return self.predict([xseq])[0]

    def predict_marginals(self, X: Any) -> list[list[dict[str, float]]]:
        tagger = self._fitted()
        return [[dict(zip(tagger.classes_, row)) for row in table.tolist()] for table in tagger.predict_marginals(_listed(X))]

    def predict_marginals_single(self, xseq: Any) -> list[dict[str, float]]:
        return self.predict_marginals([xseq])[0]

    def score(self, X: Any, y: Any) -> float:
        """The share of tokens that are right."""
        predicted = self.predict(X)
        gold = [as_list(labels, "a sentence of y") for labels in as_list(y, "y")]
        check_same_length(predicted, gold, "X and y")
        for a, b in zip(predicted, gold):
            check_same_length(a, b, "a sentence of X and its labels")
        right = sum(a == b for p, g in zip(predicted, gold) for a, b in zip(p, g))
        return float(right / max(1, sum(map(len, gold))))

    def to_bytes(self) -> bytes:
        """The model file."""
        return self._fitted().to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Self:
        return cls._from_tagger(_AttributeTagger.from_bytes(data))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, which the command line can also read."""
        self._fitted().save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads a model written by save(). The algorithm is the only parameter restored."""
        return cls._from_tagger(_AttributeTagger.load(path))

    @classmethod
    def _from_tagger(cls, tagger: SequenceTagger) -> Self:
        crf = cls()
        crf.algorithm = next((name for name, learner in ALGORITHMS.items() if learner == tagger.learner), None)
        return crf._open(tagger)

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        return {(feature, label): weight for feature, label, weight in self._fitted().model_.state_weights()}

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        return {(a, b): weight for a, b, weight in self._fitted().model_.transitions()}

    @property
    def attributes_(self) -> list[str]:
        """Attributes with a non-zero weight."""
        return list(dict.fromkeys(feature for feature, _ in self.state_features_))

    @property
    def num_attributes_(self) -> int:
        return len(self.attributes_)

    @property
    def size_(self) -> int:
        """Size of the model file in bytes."""
        return len(self.to_bytes())

    @property
    def training_log_(self) -> TrainingLog:
        self._fitted()
        return TrainingLog([{**epoch, "num": epoch["epoch"], "time": epoch["epoch_seconds"]} for epoch in self.history_])


def _regularized(c1: float, c2: float) -> dict[str, Any]:
    """The learner options for c1 |w|_1 + c2 |w|^2 + sum of losses."""
    for name, value in (("c1", c1), ("c2", c2)):
        if not value >= 0:  # also refuses NaN
            raise _hinge.OptionError(f"{name} is {value} but must be at least 0")
    if c2 > 0:
        options = {"C": 1.0 / (2 * c2)}
        return {**options, "l1": c1 / (2 * c2)} if c1 > 0 else options
    return {"regularizer": "l1", "C": 1.0 / c1} if c1 > 0 else {"C": WEAKEST}


def _listed(examples: Any) -> Any:
    """Converts iterators, which can be read only once, to lists."""
    return list(examples) if hasattr(examples, "__next__") else examples


class _AttributeTagger(SequenceTagger):
    """A token given as a list is a list of features, not of cells."""

    _lists_are_attributes = True
