"""Clusters of the mentions in a document that mean the same."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from hinge import _hinge, _inputs
from hinge._base import Answers, as_list
from hinge._estimator import Estimator
from hinge._parameters.coref import CorefParameters

Mention = tuple[int, int]  # words [begin:end] of the document
Clusters = list[list[Mention]]


@dataclass
class LinkExplanation:
    """Why a mention refers to what it does. None stands for a new cluster."""

    chosen: Mention | None
    rival: Mention | None
    margin: float  # the sum of the contributions
    parts: list[tuple[str, float]]  # feature, contribution; the largest first

    def __str__(self) -> str:
        lines = [f"{self.chosen or 'a new cluster'} before {self.rival or 'a new cluster'} by {self.margin:.3f}"]
        return "\n".join(lines + [f"  {amount:+8.3f}  {feature}" for feature, amount in self.parts[:10]])


class CoreferenceResolver(Estimator, CorefParameters):
    __doc__ = f"""Finds which mentions of a document mean the same.

    X is the path of a file, or a list of documents, each a str, in CoNLL-U with Entity= or
    in CoNLL-2012. The clusters are in X, so there is no y.
    {CorefParameters.__doc__}"""

    _task = "coref"
    _models = _hinge.CorefModel

    def _data(self, X: Any, y: Any, what: str) -> _hinge.Data:
        if y is not None:
            raise _hinge.InputError("documents in X have the clusters, too; leave y out")
        if _inputs.is_path(X):
            return _hinge.file(os.fspath(X))
        return _hinge.coref_data(as_list(X, "X"), what)

    def predict(self, X: Any) -> list[Clusters]:
        """For every document its clusters, each a list of mentions (begin, end), which are words[begin:end]."""
        model = self._fitted()
        return Answers(model.predict(self._data(X, None, "the data"), self._threads()))

    def predict_text(self, X: Any) -> str:
        """The documents in their format with the predicted clusters, as `hinge predict` writes them."""
        return self._fitted().text(self._data(X, None, "the data"), self._threads(), False)  # type: ignore[no-any-return]

    def to_html(self, X: Any) -> str:
        """A web page with coloured clusters."""
        return self._fitted().text(self._data(X, None, "the data"), self._threads(), True)  # type: ignore[no-any-return]

    def explain(self, x: str, mention: Mention, antecedent: Mention | None = None) -> LinkExplanation:
        """Why a mention of the document x refers to `antecedent`, by default to what the model chooses,
        and not to the best of the others."""
        model: _hinge.CorefModel = self._fitted()
        return LinkExplanation(*model.explain(self._data([x], None, "the document"), mention, antecedent))
