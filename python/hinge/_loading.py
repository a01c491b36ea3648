"""Opens a model of any task."""

from __future__ import annotations

import os
from typing import Any

from hinge import _hinge
from hinge._base import no_parameter
from hinge._estimator import Estimator
from hinge._modelfile import not_opened
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


def load(path: str | os.PathLike[str], **unknown: Any) -> Estimator:
    """The estimator of the model's task, from a file written by save() or `hinge train`.

    Models of your own tasks are opened by StructuredPredictor.load(path, task=...).
    """
    if "task" in unknown:
        raise TypeError("hinge.load() has no parameter 'task'; use hinge.StructuredPredictor.load(path, task=...)")
    if unknown:
        raise TypeError(no_parameter("hinge.load()", next(iter(unknown)), ["path"]))
    try:
        task = _hinge.task_of(os.fspath(path))
    except _hinge.ModelError as error:
        raise not_opened(error, path) from None
    return ESTIMATORS[task].load(path)
