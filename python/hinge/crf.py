"""The names of sklearn-crfsuite, so that code moves here by changing an import."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

from hinge import _hinge
from hinge._base import Parameters, as_list, check_same_length, not_fitted
from hinge._training import number
from hinge.tagger import Labels, SequenceTagger

if TYPE_CHECKING:
    from typing_extensions import Self

# CRFsuite's algorithms and the learners that are nearest to them.
ALGORITHMS = {"lbfgs": "crf", "l2sgd": "softmax-margin", "ap": "perceptron", "pa": "mira"}

UNUSED = ("epsilon", "period", "delta", "linesearch", "max_linesearch", "calibration_eta", "calibration_rate",
          "calibration_samples", "calibration_candidates", "calibration_max_trials", "pa_type", "error_sensitive",
          "variance", "gamma", "model_filename", "keep_tempfiles")
WEAKEST = 1e6  # C without a regularizer


class CRF(Parameters):
    """A linear-chain tagger with the parameters and attributes of sklearn_crfsuite.CRF.

    algorithm: "lbfgs" is the learner crf; "ap" the averaged perceptron; "pa" is
    mira; "l2sgd" is softmax-margin, a stochastic gradient on the likelihood with
    costs. "arow" has no counterpart here and is refused.

    c2: CRFsuite minimizes c2 |w|^2 + sum of losses, Hinge 1/2 |w|^2 + C sum of
    losses; so C = 1 / (2 c2). c1: |w|_1 in place of 1/2 |w|^2, with C = 1 / c1.
    Where both are above 0, c2 alone counts, and a warning says so. c: the C of
    "pa". num_memories and averaging are memory and average of the learners.

    The other parameters of sklearn_crfsuite.CRF are taken and change nothing,
    with a warning.
    """

    def __init__(
        self,
        algorithm: str = "lbfgs",
        min_freq: float = 0,
        all_possible_states: bool = False,
        all_possible_transitions: bool = False,
        c1: float = 0.0,
        c2: float = 1.0,
        max_iterations: int | None = None,
        c: float = 1.0,
        num_memories: int | None = None,
        averaging: bool | None = None,
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
        error_sensitive: bool | None = None,
        variance: float | None = None,
        gamma: float | None = None,
        model_filename: str | None = None,
        keep_tempfiles: bool | None = None,
        verbose: bool = False,
        random_state: int = 1,
        threads: int | None = None,
    ) -> None:
        self._keep(locals())

    algorithm: str
    tagger_: SequenceTagger

    def _tagger(self) -> SequenceTagger:
        p = self.get_params()
        p.update({name: number(p[name], name) for name in ("c1", "c2", "c", "min_freq")})
        if not isinstance(self.algorithm, str) or self.algorithm not in ALGORITHMS:
            names = ", ".join(ALGORITHMS)
            raise _hinge.OptionError(f"algorithm is {self.algorithm!r} but must be one of {names}"
                                     + ("; arow has no counterpart, mira (pa) is the nearest"
                                        if self.algorithm == "arow" else ""))
        options: dict[str, Any] = {"epochs": p["max_iterations"]}
        if self.algorithm == "lbfgs":
            options["all_states"] = bool(p["all_possible_states"])
            options["all_transitions"] = bool(p["all_possible_transitions"])
            options["memory"] = p["num_memories"]
            if p["c1"] > 0 and p["c2"] > 0:
                warnings.warn("c1 and c2 are both above 0; c1 is left out", stacklevel=3)
            options["regularizer"] = "l1" if p["c1"] > 0 and p["c2"] == 0 else "l2"
        if self.algorithm in ("lbfgs", "l2sgd"):
            strength = p["c1"] if options.get("regularizer") == "l1" else 2 * p["c2"]
            options["C"] = 1.0 / strength if strength > 0 else WEAKEST
        elif self.algorithm == "pa":
            options["C"] = p["c"]
            options["average"] = p["averaging"]
        unused = [name for name in UNUSED if p[name] is not None]
        if unused:
            warnings.warn(f"{', '.join(unused)}: no effect here", stacklevel=3)
        if p["min_freq"] > 1:
            options["min_count"] = math.ceil(min(p["min_freq"], 2**40))
        return _AttributeTagger(ALGORITHMS[self.algorithm], constraints="none", seed=p["random_state"],
                                threads=p["threads"], verbose=p["verbose"], objective="never", **options)

    def fit(self, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> Self:
        tagger = self._tagger()
        self.tagger_ = tagger.fit(X, y, X_dev, y_dev)
        self.classes_ = tagger.classes_
        self.history_ = tagger.history_
        return self

    def _fitted(self) -> SequenceTagger:
        if not hasattr(self, "tagger_"):
            raise not_fitted(self)
        return self.tagger_

    def predict(self, X: Any) -> list[Labels]:
        return self._fitted().predict(X)

    def predict_single(self, xseq: Any) -> Labels:
        return self.predict([xseq])[0]

    def predict_marginals(self, X: Any) -> list[list[dict[str, float]]]:
        classes = self._fitted().classes_
        return [[dict(zip(classes, row)) for row in table.tolist()] for table in self._fitted().predict_marginals(X)]

    def predict_marginals_single(self, xseq: Any) -> list[dict[str, float]]:
        return self.predict_marginals([xseq])[0]

    def score(self, X: Any, y: Any) -> float:
        """The part of tokens that are right."""
        predicted = self.predict(X)
        gold = [as_list(labels, "a sentence of y") for labels in as_list(y, "y")]
        check_same_length(predicted, gold, "X and y")
        for a, b in zip(predicted, gold):
            check_same_length(a, b, "a sentence of X and its labels")
        right = sum(a == b for p, g in zip(predicted, gold) for a, b in zip(p, g))
        return float(right / max(1, sum(map(len, gold))))

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        return {(feature, label): weight for feature, label, weight in self._fitted().model_.state_weights()}

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        return {(a, b): weight for a, b, weight in self._fitted().model_.transitions()}


class _AttributeTagger(SequenceTagger):
    """A token that is a list has features, not cells."""

    _lists_are_attributes = True
