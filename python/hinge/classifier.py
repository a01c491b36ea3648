"""One label for every text."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from hinge import _hinge, _inputs
from hinge._base import as_list
from hinge._estimator import Estimator
from hinge._parameters.classify import ClassifyParameters
from hinge._training import whole


@dataclass
class Reason:
    """Why a text has its label and not another."""

    label: str
    rival: str
    margin: float  # the sum of the parts
    parts: list[tuple[str, float, float]] = field(default_factory=list)  # feature, value, contribution; the largest first

    def __str__(self) -> str:
        lines = [f"{self.label} before {self.rival} by {self.margin:.3f}"]
        return "\n".join(lines + [f"  {amount:+8.3f}  {feature}" for feature, _, amount in self.parts[:10]])


class TextClassifier(Estimator, ClassifyParameters):
    __doc__ = f"""One label for every text: topics, languages, sentiment.

    X is a list of str, or the path of a file with a label and a text per line
    (`__label__NAME text`, as for fastText, or label, tab, text). y is a list of str.
    {ClassifyParameters.__doc__}"""

    _task = "classify"
    _models = _hinge.ClassifyModel

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        tags.input_tags.one_d_array = True
        return tags

    def _data(self, X: Any, y: Any, what: str) -> _hinge.Data:
        if _inputs.is_path(X):
            if y is not None:
                raise _hinge.InputError("X is a file, which also has the labels; leave y out")
            return _hinge.file(os.fspath(X))
        return _hinge.classify_data(as_list(X, "X"), None if y is None else as_list(y, "y"), what)

    def _texts(self, X: Any) -> Any:
        return self._fitted().read(os.fspath(X)) if _inputs.is_path(X) else as_list(X, "X")

    def predict(self, X: Any) -> npt.NDArray[np.str_]:
        """The label of every text."""
        model: _hinge.ClassifyModel = self._fitted()
        return np.array(model.predict(self._texts(X), self._threads()), dtype=np.str_)

    def decision_function(self, X: Any) -> npt.NDArray[np.float32]:
        """The scores [texts, labels], in the order of classes_."""
        model = self._fitted()
        return model.scores(self._texts(X), self._threads(), False)  # type: ignore[no-any-return]

    def predict_proba(self, X: Any) -> npt.NDArray[np.float32]:
        """The probabilities [texts, labels], in the order of classes_: the softmax of the scores.

        They are not calibrated for margin learners.
        """
        model = self._fitted()
        return model.scores(self._texts(X), self._threads(), True)  # type: ignore[no-any-return]

    def predict_nbest(self, X: Any, n: int = 10) -> list[list[tuple[str, float]]]:
        """For every text its n best labels with their scores, the best first."""
        most = whole(n, "n")
        if most < 1:
            raise _hinge.OptionError(f"n is {most} but must be at least 1")
        scores = self.decision_function(X)
        order = np.argsort(-scores, axis=1, kind="stable")[:, :most]
        return [[(self.classes_[k], float(row[k])) for k in best] for row, best in zip(scores, order)]

    def explain(self, x: str, y: str | None = None, rival: str | None = None) -> Reason:
        """Which features decided for the label y of one text, by default the predicted one.

        rival is the label to compare with, by default the best other one.
        """
        for value, name in ((x, "x"), ("" if y is None else y, "y"), ("" if rival is None else rival, "rival")):
            if not isinstance(value, str):
                raise TypeError(f"{name} must be a str, not {type(value).__name__}")
        model: _hinge.ClassifyModel = self._fitted()
        label, other, margin, parts = model.explain(x, y or "", rival or "")
        return Reason(label, other, margin, parts)
