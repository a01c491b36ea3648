"""Scorers for cross_val_score, GridSearchCV and the like, under the names of sklearn_crfsuite.scorers.

For another score: sklearn.metrics.make_scorer(hinge.metrics.flat_f1_score, average="weighted").
"""

from __future__ import annotations

from typing import Any

from hinge import metrics
from hinge.metrics import Sequences


def flat_accuracy(estimator: Any, X: Any, y: Sequences) -> Any:
    """The share of tokens that are right."""
    return metrics.flat_accuracy_score(y, estimator.predict(X))


def sequence_accuracy(estimator: Any, X: Any, y: Sequences) -> float:
    """The share of sequences without a mistake."""
    return metrics.sequence_accuracy_score(y, estimator.predict(X))
