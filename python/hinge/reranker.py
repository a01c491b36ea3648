"""Chooses the best hypothesis from a decoder's n-best list."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from hinge import _hinge, _inputs
from hinge._base import as_list
from hinge._estimator import Estimator
from hinge._parameters.rerank import RerankParameters
from hinge._training import whole


@dataclass
class Choice:
    """Why one hypothesis scores higher than another."""

    chosen: int  # from 0
    rival: int
    margin: float  # the sum of the parts
    parts: list[tuple[str, float]] = field(default_factory=list)  # feature and contribution, the largest first

    def __str__(self) -> str:
        lines = [f"hypothesis {self.chosen} before {self.rival} by {self.margin:.3f}"]
        return "\n".join(lines + [f"  {part:+8.3f}  {feature}" for feature, part in self.parts[:10]])


class Reranker(Estimator, RerankParameters):
    __doc__ = f"""Chooses from n-best lists.

    X is a list of lists of hypotheses; a hypothesis is (text, features), (text,
    features, score) or a dict with these keys, and features a dict of numbers. X may
    also be the path of a file of n-best lists. y is a list of references (a str or
    a list of str for each list), or of lists of costs, one for each hypothesis.
    {RerankParameters.__doc__}"""

    _task = "rerank"
    _models = _hinge.RerankModel

    def _data(self, X: Any, y: Any, what: str) -> _hinge.Data:
        if _inputs.is_path(X):
            if y is not None:
                raise _hinge.InputError("X is a file; give its references by the parameter refs and leave y out")
            return _hinge.file(os.fspath(X))
        if y is None:
            raise _hinge.InputError("y is missing; give references or costs")
        rows = [row.tolist() if hasattr(row, "tolist") else row for row in as_list(y, "y")]
        if rows and (isinstance(rows[0], str) or (isinstance(rows[0], (list, tuple)) and rows[0]
                                                  and isinstance(rows[0][0], str))):
            return _hinge.rerank_data(_inputs.listed(X), [[row] if isinstance(row, str) else row for row in rows], None, what)
        return _hinge.rerank_data(_inputs.listed(X), None, rows, what)

    def decision_function(self, X: Any) -> list[list[float]]:
        """The score of every hypothesis."""
        model: _hinge.RerankModel = self._fitted()
        if _inputs.is_path(X):
            return model.file_scores(os.fspath(X), str(self.cost), self._threads())
        return model.scores(_inputs.listed(X), self._threads())

    def predict(self, X: Any) -> list[int]:
        """The number of the chosen hypothesis, from 0, for every list."""
        return [scores.index(max(scores)) for scores in self.decision_function(X)]

    def predict_nbest(self, X: Any, n: int = 10) -> list[list[tuple[int, float]]]:
        """For every list the numbers of its n best hypotheses with their scores."""
        most = whole(n, "n")
        if most < 1:
            raise _hinge.OptionError(f"n is {most} but must be at least 1")
        return [sorted(enumerate(scores), key=lambda item: -item[1])[:most] for scores in self.decision_function(X)]

    def predict_marginals(self, X: Any) -> list[npt.NDArray[np.float64]]:
        """For every list the probabilities of its hypotheses: the softmax of the scores, not calibrated."""
        result = []
        for scores in self.decision_function(X):
            powers = np.exp(np.array(scores) - max(scores))
            result.append(powers / powers.sum())
        return result

    def explain(self, x: Any, chosen: int | None = None, rival: int | None = None) -> Choice:
        """How much each feature adds to the score difference of two hypotheses of one list.

        By default compares the best with the second best.
        """
        model: _hinge.RerankModel = self._fitted()
        x = as_list(x, "x")
        if not x:
            raise _hinge.InputError("the list has no hypotheses; there is nothing to explain")
        order = [number for number, _ in self.predict_nbest([x], len(x))[0]]
        chosen = order[0] if chosen is None else whole(chosen, "chosen")
        rival = next((k for k in order if k != chosen), chosen) if rival is None else whole(rival, "rival")
        parts = sorted(model.contributions(x, chosen, rival), key=lambda part: -abs(part[1]))
        return Choice(chosen, rival, math.fsum(part for _, part in parts), parts)
