"""Summaries of several documents: their best sentences within a word limit."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from hinge import _hinge, _inputs
from hinge._base import as_list
from hinge._estimator import Estimator
from hinge._parameters.summarize import SummarizeParameters


@dataclass
class SummarySentence:
    """A sentence of a summary, and where it comes from. Numbers are from 0."""

    document: int
    position: int  # of the sentence in its document
    text: str
    cut: bool  # whether parts were left out


@dataclass
class Summary:
    """A summary with the origins of its sentences."""

    sentences: list[SummarySentence]
    words: int
    score: float
    bound: float  # no summary scores higher
    exact: bool  # whether the search proved it best

    def __str__(self) -> str:
        return "\n".join(sentence.text for sentence in self.sentences)


@dataclass
class SentenceExplanation:
    """Why a sentence is in a summary."""

    sentence: SummarySentence
    own: float  # what its length, place and wording score
    loss: float  # what the summary would lose without it: own and the parts that no other sentence has
    parts: list[tuple[str, float, bool]]  # bigram, its score, whether another chosen sentence has it; the largest first

    def __str__(self) -> str:
        lines = [f"{self.loss:+8.3f}  {self.sentence.text}", f"  {self.own:+8.3f}  the sentence itself"]
        return "\n".join(lines + [f"  {amount:+8.3f}  {bigram}{' (shared)' if shared else ''}"
                                  for bigram, amount, shared in self.parts[:10]])


class Summarizer(Estimator, SummarizeParameters):
    __doc__ = f"""Picks the sentences of several documents that say what matters within a word limit.

    X is the path of a file or folder of topics with their references, or a list of
    topics. A topic is a list of documents, each a str or a list of sentences. A sentence
    is a str or, for compress=True, a tree: nested tuples or NLTK's. y is a
    list with the reference summaries of every topic: a list of str, or one str.
    {SummarizeParameters.__doc__}"""

    _task = "summarize"
    _models = _hinge.SummarizeModel

    def _data(self, X: Any, y: Any, what: str) -> _hinge.Data:
        if _inputs.is_path(X):
            if y is not None:
                raise _hinge.InputError("X is a file or folder, which also has the references; leave y out")
            return _hinge.file(os.fspath(X))
        rows = None if y is None else [[row] if isinstance(row, str) else row for row in as_list(y, "y")]
        return _hinge.summarize_data(as_list(X, "X"), rows, what)

    def predict(self, X: Any) -> list[str]:
        """The summary of every topic, a sentence per line."""
        return [str(summary) for summary in self.predict_origins(X)]

    def predict_origins(self, X: Any) -> list[Summary]:
        """The summary of every topic as sentences with their documents and places, and its score."""
        model: _hinge.SummarizeModel = self._fitted()
        return [Summary([SummarySentence(*sentence) for sentence in sentences], *rest)
                for sentences, *rest in model.predict(self._data(X, None, "the data"), self._threads())]

    def explain(self, x: Any) -> list[SentenceExplanation]:
        """For every sentence in the summary of the topic x, what it and its bigrams score."""
        model: _hinge.SummarizeModel = self._fitted()
        return [SentenceExplanation(SummarySentence(*sentence), *rest)
                for sentence, *rest in model.explain(self._data([x], None, "the topic"))]
