"""Opens a model of any task."""

from __future__ import annotations

import os

from hinge import _hinge
from hinge._estimator import Estimator
from hinge.classifier import TextClassifier
from hinge.constituency import ConstituencyParser
from hinge.parser import DependencyParser
from hinge.reranker import Reranker
from hinge.resolver import CoreferenceResolver
from hinge.summarizer import Summarizer
from hinge.tagger import SequenceTagger

ESTIMATORS: dict[str, type[Estimator]] = {
    estimator._task: estimator
    for estimator in (SequenceTagger, DependencyParser, Reranker, TextClassifier, ConstituencyParser, CoreferenceResolver, Summarizer)
}


def load(path: str | os.PathLike[str]) -> Estimator:
    """The estimator of the model's task, from a file written by save() or `hinge train`."""
    return ESTIMATORS[_hinge.task_of(os.fspath(path))].load(path)
