"""The interface of sklearn-crfsuite: to switch, change the import."""

from __future__ import annotations

import math
import os
import re
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hinge import _hinge
from hinge._base import DevData, as_list, check_same_length, guess, not_fitted
from hinge._crfsuite import ALGORITHMS, SETTINGS, AttributeTagger, Info, Tagger, has_effect, info_of, label_lists, one, remedy, several
from hinge._inputs import sentences
from hinge._modelfile import ModelFile
from hinge._trainlog import TrainingLog, held_out_scores, iteration_of
from hinge._training import Callback, Epoch, number, whole
from hinge.tagger import Explanation, Labels, SequenceTagger
from hinge.weights import WeightTables

if TYPE_CHECKING:
    from typing_extensions import Self

SETTING_OF = {setting.argument: setting for setting in SETTINGS}
ARGUMENTS = {"epochs": "max_iterations", "memory": "num_memories", "tolerance": "delta", "average": "averaging", "seed": "random_state", "C": "c"}
WEAKEST = 1e6  # C when c1 and c2 are 0: almost no regularizer
HARDEST = 1e12  # the C of PA without slack


class Predictions(np.ndarray[Any, Any]):
    """Lists of labels. == compares label by label if all lists have the same length, as
    arrays of NumPy do, else list by list; each item is a list."""

    @classmethod
    def of(cls, rows: list[Any]) -> Predictions:
        array = np.empty(len(rows), dtype=object)
        for k, row in enumerate(rows):
            array[k] = row
        return array.view(cls)

    def __eq__(self, other: object) -> Any:
        return _equal(_table(self), _table(other))

    def __ne__(self, other: object) -> Any:
        return np.logical_not(self == other)


def _table(rows: Any) -> npt.NDArray[Any]:
    """[sentences, tokens] if all have the same length, else an array of lists."""
    return np.array(rows.tolist() if isinstance(rows, np.ndarray) else rows, dtype=object)


def _equal(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> Any:
    ragged = a.ndim != b.ndim and len(a) == len(b) > 0 and all(isinstance(x[0], (list, np.ndarray)) for x in (a, b))
    return np.array([list(x) == list(y) for x, y in zip(a, b)]) if ragged else a == b


class StopRule:
    """Ends training by a rule of CRFsuite, or when the callback says so."""

    def __init__(self, callback: Callback | None) -> None:
        self.callback = callback
        self.met = False
        self.losses: list[float] = []

    def __call__(self, epoch: Epoch) -> bool:
        self.losses.append(self.loss_of(epoch))
        asked = self.callback is not None and bool(self.callback(epoch))
        self.met = self.is_met()
        return asked or self.met

    def loss_of(self, epoch: Epoch) -> float:
        return float(epoch["violation"])

    def is_met(self) -> bool:
        return False


class EnoughRight(StopRule):
    """Less than `limit` wrong labels in an iteration."""

    def __init__(self, callback: Callback | None, limit: float) -> None:
        super().__init__(callback)
        self.limit = limit

    def loss_of(self, epoch: Epoch) -> float:
        return float(epoch["loss"])

    def is_met(self) -> bool:
        return self.losses[-1] < self.limit


class TooSlow(StopRule):
    """The last `period` iterations improved the loss by less than `delta` of it."""

    def __init__(self, callback: Callback | None, delta: float, period: int) -> None:
        super().__init__(callback)
        self.delta, self.period = delta, max(1, period)

    def is_met(self) -> bool:
        if len(self.losses) <= self.period:
            return False
        before, now = self.losses[-1 - self.period], self.losses[-1]
        return before - now < self.delta * now or now == 0.0


class CRF(DevData):
    """A linear-chain tagger with the parameters and attributes of sklearn_crfsuite.CRF.

    algorithm: "lbfgs" is the learner crf; "ap" the averaged perceptron; "pa" is
    mira; "arow" is arow; "l2sgd" is softmax-margin, a stochastic gradient on the
    likelihood with costs.

    c1, c2: CRFsuite minimizes c1 |w|_1 + c2 |w|^2 + sum of losses, Hinge
    l1 |w|_1 + 1/2 |w|^2 + C sum of losses; so C = 1 / (2 c2) and l1 = c1 / (2 c2).
    If c2 is 0, C = 1 / c1 and the regularizer is |w|_1. c: the C of "pa"; with
    pa_type=0 there is no limit. variance, gamma: the noise of "arow" is gamma / variance.
    max_iterations, num_memories and averaging are the learners' epochs, memory and
    average. Training ends by CRFsuite's rules: "lbfgs" when 10 iterations lower the
    objective by less than delta of it, "l2sgd" the same over `period` iterations,
    the others after 100 iterations or below epsilon wrong labels per sentence.

    None means CRFsuite's default. Parameters without effect cause a warning if they
    are not the default, or in case of all_possible_states and all_possible_transitions, which
    only "lbfgs" has, if they are False: others may give every pair a weight. min_freq counts
    attributes, CRFsuite's pairs of attribute and label. model_filename: fit() writes the model there, and without
    fit() it is read from there; otherwise modelfile.name is a temporary file, written
    when it is asked for. random_state, threads and callback exist only here.
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
    callback: Callback | None
    model_filename: str | None
    keep_tempfiles: bool | None
    trainer_cls: Any

    history_: list[Epoch]
    _as_in_crfsuite = False  # warnings have CRFsuite's names of parameters
    _estimator: SequenceTagger | None = None
    _log: TrainingLog | None = None
    _modelfile: ModelFile | None = None

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
        callback: Callback | None = None,
    ) -> None:
        self._keep(locals())

    def _given(self, name: str) -> Any:
        value = getattr(self, name)
        return SETTING_OF[name].default_of(self._algorithm()) if value is None else value

    def _number(self, name: str) -> float:
        return number(self._given(name), name)

    def _algorithm(self) -> str:
        algorithm = "lbfgs" if self.algorithm is None else self.algorithm
        if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
            raise _hinge.OptionError(f"algorithm is {algorithm!r} but must be one of {', '.join(ALGORITHMS)}{guess(algorithm, ALGORITHMS)}")
        return algorithm

    def _warn_of_unused(self, algorithm: str) -> None:
        """Names the parameters without effect, and what to do instead."""
        lines = []
        for setting in SETTINGS:
            value = getattr(self, setting.argument)
            expected = setting.usual(algorithm)
            usual = value is None or repr(value) == repr(expected) or value == expected
            if not usual and setting.instead and not has_effect(setting, algorithm, value):
                lines.append(f"{setting.name if self._as_in_crfsuite else setting.argument}={value!r} has no effect with {algorithm}: {remedy(setting, algorithm)}")
        if self.trainer_cls is not None:
            lines.append("trainer_cls has no effect: give a function as callback to see every iteration")
        if lines:
            warnings.warn("; ".join(lines), stacklevel=6 if self._as_in_crfsuite else 5)  # where train() or fit() is called; Parameters wraps fit()

    def _stop_rule(self, algorithm: str, examples: int) -> StopRule:
        if algorithm == "l2sgd":
            return TooSlow(self.callback, self._number("delta"), whole(self._given("period"), "period"))
        if algorithm == "lbfgs":
            return StopRule(self.callback)
        return EnoughRight(self.callback, self._number("epsilon") * examples)

    def _learner_options(self, algorithm: str) -> dict[str, Any]:
        options: dict[str, Any] = {"epochs": self._given("max_iterations")}
        if algorithm == "lbfgs":
            options["all_states"] = bool(self.all_possible_states)
            options["all_transitions"] = bool(self.all_possible_transitions)
            options["memory"] = self.num_memories
            options["tolerance"] = self._given("delta")
            options.update(_regularized(self._number("c1"), self._number("c2")))
        elif algorithm == "l2sgd":
            options.update(_regularized(0.0, self._number("c2")))
        elif algorithm == "pa":
            options["C"] = HARDEST if self._given("pa_type") == 0 else self._number("c")
            options["average"] = self.averaging
        elif algorithm == "arow":
            gamma, variance = self._number("gamma"), self._number("variance")
            if not (gamma > 0 and variance > 0):
                raise _hinge.OptionError(f"gamma is {gamma} and variance is {variance}, but both must be above 0")
            options["noise"] = gamma / variance
        if (least := self._number("min_freq")) > 1:
            options["min_count"] = math.ceil(min(least, 2**40))
        return options

    def _tagger(self, rule: StopRule) -> SequenceTagger:
        algorithm = self._algorithm()
        self._warn_of_unused(algorithm)
        calls = self.callback is not None or type(rule) is not StopRule
        return AttributeTagger(ALGORITHMS[algorithm], constraints="none", seed=self.random_state,
                               threads=self.threads, verbose=self.verbose, objective="never",
                               callback=rule if calls else None, **self._learner_options(algorithm))

    def _renamed(self, message: str) -> str:
        """What the learner says of an option, with the parameter that was given."""
        said = re.fullmatch(r"(?:[\w-]+: )?(\w+) is '.*?' (but must be .*?)(; the default is .*)?", message, re.DOTALL)
        name = ARGUMENTS.get(said[1]) if said else None
        if said is None or name is None or (name == "c" and self._algorithm() != "pa"):
            return message
        return f"{name} is {getattr(self, name)!r} {said[2]}"

    def fit(self, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> Self:
        if (X_dev is None) != (y_dev is None):
            given, missing = ("y_dev", "X_dev") if X_dev is None else ("X_dev", "y_dev")
            raise _hinge.InputError(f"{given} is given without {missing}; give both or neither")
        X, y = several(X, ""), label_lists(y)
        rule = self._stop_rule(self._algorithm(), len(X) if hasattr(X, "__len__") else 0)
        X_dev, y_dev = several(X_dev, ""), label_lists(y_dev)
        try:
            tagger = self._tagger(rule).fit(X, y, X_dev, y_dev)
        except _hinge.OptionError as error:
            raise _hinge.OptionError(self._renamed(str(error))) from None
        tagger.callback = None
        if rule.met:
            tagger.history_[-1]["stop"] = "converged"
        self._open(tagger)
        self._log = self._logged(tagger, X_dev, y_dev)
        if self.model_filename is not None:
            self.save(self.model_filename)
        return self

    def _open(self, tagger: SequenceTagger) -> Self:
        self._estimator, self._log = tagger, None
        self.history_ = tagger.history_
        if self._modelfile is not None:
            self._modelfile.holds(tagger)
        return self

    def _logged(self, tagger: SequenceTagger, X_dev: Any, y_dev: Any) -> TrainingLog:
        """The weights of earlier iterations are gone: only the last one has scores for each label."""
        gold: list[Labels] = []
        if X_dev is not None:
            gold = [[str(label) for label in row] for row in sentences(X_dev, y_dev, tagger._shape)[1]]
        held_out = sum(map(len, gold)), len(gold)
        log = TrainingLog([self._iteration(epoch, held_out) for epoch in self.history_],
                          training_seconds=self.history_[-1]["training_seconds"])
        if gold and log.last_iteration is not None:
            log.last_iteration.update(held_out_scores(tagger.predict(X_dev), gold, tagger.classes_))
        return log

    def _iteration(self, epoch: Epoch, held_out: tuple[int, int]) -> Epoch:
        """As CRFsuite logs it."""
        algorithm = self._algorithm()
        return iteration_of(epoch, algorithm, self._learner_options(algorithm).get("C", 1.0), held_out)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_modelfile"}

    def _opened(self) -> SequenceTagger | None:
        """None if there is no model yet. Reads that of model_filename if there is one."""
        if self._estimator is None and self.model_filename is not None and os.path.exists(self.model_filename):
            self._open(AttributeTagger.load(self.model_filename))
        return self._estimator

    def _fitted(self) -> SequenceTagger:
        tagger = self._opened()
        if tagger is None:
            raise not_fitted(self)
        return tagger

    def predict(self, X: Any) -> Predictions:
        """A list of labels for every sentence."""
        tagger = self._fitted()
        return Predictions.of(tagger.predict(several(X, "predict_single", tagger.model_)))

    def predict_single(self, xseq: Any) -> Labels:
        return self._fitted().predict([one(xseq, "predict")])[0]

    def predict_marginals(self, X: Any) -> Predictions:
        """A list with a dict for every token: the probability of every label."""
        tagger = self._fitted()
        tables = [table.astype(np.float64) for table in tagger.predict_marginals(several(X, "predict_marginals_single", tagger.model_))]
        return Predictions.of([[dict(zip(tagger.classes_, row)) for row in (table / table.sum(axis=1, keepdims=True)).tolist()]
                               for table in tables])

    def predict_marginals_single(self, xseq: Any) -> list[dict[str, float]]:
        return self.predict_marginals([one(xseq, "predict_marginals")])[0]  # type: ignore[no-any-return]

    def predict_nbest(self, X: Any, n: int = 10, probabilities: bool = False) -> list[list[tuple[Labels, float]]]:
        """For every sentence its n best label sequences with scores, as SequenceTagger.predict_nbest()."""
        tagger = self._fitted()
        return tagger.predict_nbest(several(X, "", tagger.model_), n, probabilities)

    def explain(self, xseq: Any, y: Labels | None = None, rival: Labels | None = None) -> list[Explanation]:
        """For every token of one sentence: which features decided, as SequenceTagger.explain()."""
        return self._fitted().explain(one(xseq, ""), y, rival)

    def explain_weights(self, top: int | tuple[int, int] = 20, targets: list[str] | None = None,
                        feature_re: str | None = None) -> WeightTables:
        """The weights of label pairs and the heaviest features of every label, as SequenceTagger.explain_weights()."""
        return self._fitted().explain_weights(top, targets, feature_re)

    def score(self, X: Any, y: Any) -> float:
        """The share of tokens that are right."""
        predicted = list(self.predict(X))
        gold = [as_list(labels, "a sentence of y") for labels in as_list(label_lists(y), "y")]
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
        return cls._from_tagger(AttributeTagger.from_bytes(data))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, which the command line can also read."""
        self._fitted().save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads a model written by save(). The algorithm is the only parameter restored."""
        return cls._from_tagger(AttributeTagger.load(path))

    @classmethod
    def _from_tagger(cls, tagger: SequenceTagger) -> Self:
        crf = cls()
        crf.algorithm = next((name for name, learner in ALGORITHMS.items() if learner == tagger.learner), None)
        return crf._open(tagger)

    @property
    def tagger_(self) -> Tagger | None:
        """With the interface of pycrfsuite.Tagger; this and the following are None before fit()."""
        tagger = self._opened()
        return None if tagger is None else Tagger(tagger)

    @property
    def classes_(self) -> list[str] | None:
        tagger = self._opened()
        return None if tagger is None else tagger.classes_

    @property
    def _info(self) -> Info | None:
        tagger = self._opened()
        return None if tagger is None else info_of(tagger.model_)

    @property
    def state_features_(self) -> dict[tuple[str, str], float] | None:
        return None if (info := self._info) is None else info.state_features

    @property
    def transition_features_(self) -> dict[tuple[str, str], float] | None:
        return None if (info := self._info) is None else info.transitions

    @property
    def attributes_(self) -> list[str] | None:
        """Attributes with a non-zero weight."""
        return None if (info := self._info) is None else list(info.attributes)

    @property
    def num_attributes_(self) -> int | None:
        return None if (info := self._info) is None else len(info.attributes)

    @property
    def size_(self) -> int | None:
        """Size of the model file in bytes."""
        return None if self._opened() is None else len(self.to_bytes())

    @property
    def training_log_(self) -> TrainingLog | None:
        """The iterations of the last fit(), with the names and scale of CRFsuite."""
        return None if self._opened() is None else self._log or TrainingLog()

    @property
    def modelfile(self) -> ModelFile:
        if self._modelfile is None:
            self._modelfile = ModelFile(self.model_filename, bool(self.keep_tempfiles))
            if (tagger := self._opened()) is not None:
                self._modelfile.holds(tagger)
        return self._modelfile


def _regularized(c1: float, c2: float) -> dict[str, Any]:
    """The learner options for c1 |w|_1 + c2 |w|^2 + sum of losses."""
    for name, value in (("c1", c1), ("c2", c2)):
        if not value >= 0:  # also refuses NaN
            raise _hinge.OptionError(f"{name} is {value} but must be at least 0")
        if value > 0 and not math.isfinite(1.0 / value):
            raise _hinge.OptionError(f"{name} is {value}, which is too small; 0 is no regularizer")
    if c2 > 0:
        if not math.isfinite(c1 / (2 * c2)):
            raise _hinge.OptionError(f"c1 is {c1}, which is too large beside c2, which is {c2}")
        options = {"C": 1.0 / (2 * c2)}
        return {**options, "l1": c1 / (2 * c2)} if c1 > 0 else options
    return {"regularizer": "l1", "C": 1.0 / c1} if c1 > 0 else {"C": WEAKEST}
