"""Scores of sequences of labels, under the names of sklearn_crfsuite.metrics.

The flat ones count tokens with the function of scikit-learn of that name, which
must be installed; further arguments are passed on to it. F1 of spans is the score()
of SequenceTagger.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

Sequences = Sequence[Sequence[Any]]


def flatten(y: Iterable[Iterable[Any]]) -> list[Any]:
    """The items of all sequences in one list."""
    return list(chain.from_iterable(y))


def _flat(name: str, y_true: Sequences, y_pred: Sequences, options: dict[str, Any]) -> Any:
    from sklearn import metrics

    return getattr(metrics, name)(flatten(y_true), flatten(y_pred), **options)


def flat_accuracy_score(y_true: Sequences, y_pred: Sequences, **options: Any) -> Any:
    """The share of tokens that are right."""
    return _flat("accuracy_score", y_true, y_pred, options)


def flat_precision_score(y_true: Sequences, y_pred: Sequences, **options: Any) -> Any:
    return _flat("precision_score", y_true, y_pred, options)


def flat_recall_score(y_true: Sequences, y_pred: Sequences, **options: Any) -> Any:
    return _flat("recall_score", y_true, y_pred, options)


def flat_f1_score(y_true: Sequences, y_pred: Sequences, **options: Any) -> Any:
    return _flat("f1_score", y_true, y_pred, options)


def flat_fbeta_score(y_true: Sequences, y_pred: Sequences, beta: float, **options: Any) -> Any:
    return _flat("fbeta_score", y_true, y_pred, {"beta": beta, **options})


def flat_classification_report(y_true: Sequences, y_pred: Sequences, labels: Any = None, **options: Any) -> Any:
    """Precision, recall and F1 of every label, as text."""
    return _flat("classification_report", y_true, y_pred, {"labels": labels, **options})


def sequence_accuracy_score(y_true: Sequences, y_pred: Sequences) -> float:
    """The share of sequences without a mistake; 0 if there are none."""
    if len(y_true) != len(y_pred):
        raise ValueError(f"y_true and y_pred must have the same length, but have {len(y_true)} and {len(y_pred)} sequences")
    right = sum(list(a) == list(b) for a, b in zip(y_true, y_pred))
    return right / len(y_true) if len(y_true) else 0.0
