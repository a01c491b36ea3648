"""Labels for every token of a sentence."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hinge import _hinge, _inputs
from hinge._base import Answers, readable
from hinge._estimator import Estimator
from hinge._parameters.tag import TagParameters
from hinge.weights import WeightTables, weight_tables

Labels = list[str]


@dataclass
class Part:
    """How much one feature adds to the margin of a label over its rival."""

    feature: str  # "B" is a transition
    label: str  # or two for a transition, "DT -> NN"
    rival: str
    value: float
    contribution: float
    token: int | None = None  # of a tagger: that has the feature, from 0; the second one of a transition


@dataclass
class Explanation:
    """Why a token has its label and not another.

    All other labels stay the same, unless no other label is allowed between them, as
    within an entity in IOB2: then rivals is the best sequence that differs here.
    """

    label: str
    rival: str
    margin: float  # the sum of the contributions
    parts: list[Part] = field(default_factory=list)  # the largest first
    rivals: list[str] = field(default_factory=list)  # the sequence with the rival

    def __str__(self) -> str:
        lines = [f"{self.label} before {self.rival} by {self.margin:.3f}"]
        lines += [f"  {part.contribution:+8.3f}  {part.feature}" + (f" {part.value:g}" if part.value != 1 else "")
                  + f"  ({part.label} against {part.rival})" for part in self.parts[:10]]
        return "\n".join(lines)


class SequenceTagger(Estimator, TagParameters):
    __doc__ = f"""Labels every token of a sentence: chunks, entities, parts of speech.

    X is a list of sentences; a sentence is a list of words, of tuples of cells
    (word, pos, ...) or of dicts of features, or an array [tokens, features] of
    numbers. X may also be the path of a column file, Hugging Face's columns, or a
    pandas frame. y is a list of lists of labels, or the name of a column.
    {TagParameters.__doc__}"""

    _task = "tag"
    _models = _hinge.TagModel
    _lists_are_attributes: ClassVar[bool] = False

    features_: str  # the templates, after features="auto" those that were chosen, and the columns they read

    def _data(self, X: Any, y: Any, what: str) -> _hinge.Data:
        if _inputs.is_path(X):
            if y is not None:
                raise _hinge.InputError("X is a file, which also has the labels; leave y out")
            return _hinge.file(os.fspath(X))
        X, y = _inputs.sentences(X, y, self._shape)
        return _hinge.tag_data(X, y, self._lists_are_attributes, what)

    def _open(self, model: Any) -> None:
        super()._open(model)
        meta = json.loads(model.meta())
        chosen = meta.get("chosen", {})
        self.features_ = chosen.get("features", meta["templates"]) + (f", miss={chosen['miss']}" if "miss" in chosen else "")

    def _shape_of(self, X: Any, y: Any) -> _inputs.Shape:
        return _inputs.shape_of(X, y)

    def _inputs(self, X: Any) -> Any:
        model = self._fitted()
        return model.read(os.fspath(X)) if _inputs.is_path(X) else _inputs.sentences(X, None, self._shape)[0]

    def predict(self, X: Any) -> list[Labels]:
        model = self._fitted()
        return Answers(model.predict(self._inputs(X), self._lists_are_attributes, self._threads()))

    def predict_nbest(self, X: Any, n: int = 10, probabilities: bool = False) -> list[list[tuple[Labels, float]]]:
        """For every sentence its n best label sequences with their scores, the best first.

        With `probabilities`, with that of the whole sequence instead, of models of likelihoods
        (crf, softmax-margin); those of other learners would mean nothing.
        """
        count, wanted = self._nbest_of(n, "sequences", probabilities)
        return self._fitted().n_best(self._inputs(X), self._lists_are_attributes, self._threads(), count,  # type: ignore[no-any-return]
                                     wanted)

    def predict_marginals(self, X: Any) -> list[npt.NDArray[np.float32]]:
        """For every sentence the probabilities [tokens, labels], in the order of classes_.

        They are not calibrated for margin learners.
        """
        model = self._fitted()
        return model.marginals(self._inputs(X), self._lists_are_attributes, self._threads())  # type: ignore[no-any-return]

    def explain(self, x: Any, y: Labels | None = None, rival: Labels | None = None) -> list[Explanation]:
        """For every token of one sentence: which features decided.

        y is the sequence to explain, by default the predicted one; rival is the
        sequence to compare with, for instance gold, by default the next best labels.
        """
        model = self._fitted()
        found = model.explain(self._inputs([_inputs.listed(x)])[0], y, rival, self._lists_are_attributes)
        return [Explanation(label, other, margin, [Part(feature, chosen, against, value, amount, token)
                                                   for token, feature, chosen, against, value, amount in parts], rivals)
                for label, other, margin, parts, rivals in found]

    def explain_weights(self, top: int | tuple[int, int] = 20, targets: list[str] | None = None,
                        feature_re: str | None = None) -> WeightTables:
        """The weights of label pairs, and the `top` features that speak most for every label and against it.

        top may be two numbers, for and against; targets names the labels to show; feature_re
        is a regular expression that the names of features must contain.
        """
        return weight_tables(self._fitted(), top, targets, feature_re)


def read_columns(path: str | os.PathLike[str]) -> list[list[tuple[str, ...]]]:
    """The sentences of a column file; each token is the tuple of its cells."""
    sentences: list[list[tuple[str, ...]]] = [[]]
    with readable(path) as file:
        for line in file:
            text = line.strip(" \t\r\n")  # other Unicode spaces are part of words
            if text:
                sentences[-1].append(tuple(re.split("[ \t]+", text)))
            elif sentences[-1]:
                sentences.append([])
    return sentences if sentences[-1] else sentences[:-1]
