"""Dependency trees over the words of a sentence."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hinge import _hinge, _inputs
from hinge._base import Answers, readable
from hinge._estimator import Estimator
from hinge._parameters.dep import DepParameters
from hinge.tagger import Explanation, Part

Tree = list[Any]  # (head, label) or only the head of each word; words are numbered from 1, 0 is the root


@dataclass
class ArcExplanation:
    """Why a word has its head and not another.

    The label and rival of a part are the direction and distance of the arc in
    the two trees, such as "left:1", or "-" if the tree lacks the feature.
    """

    head: int
    rival: int
    margin: float  # the sum of the contributions
    parts: list[Part]  # the largest first
    label: Explanation | None  # why the arc has its label, in this tree
    rivals: list[int]  # the heads of the tree it is compared with; other words may have other heads there, too

    def __str__(self) -> str:
        return str(Explanation(str(self.head), str(self.rival), self.margin, self.parts)) + (
            f"\n{self.label}" if self.label else "")


class DependencyParser(Estimator, DepParameters):
    __doc__ = f"""Finds the dependency tree of a sentence.

    X is a list of sentences; a word is a str, a tuple (form, upos) or (form,
    lemma, upos, xpos, feats), or a dict with these keys. X may also be the path of a
    CoNLL-U file, or Hugging Face's columns of one, which hold both X and y. y is a
    list of trees; a tree has (head, label) or only the head of each word: the number
    of a word from 1, or 0 for the root.
    {DepParameters.__doc__}"""

    _task = "dep"
    _models = _hinge.DepModel

    def _task_options(self) -> dict[str, str]:
        options = super()._task_options()
        return options if getattr(self, "_labels_given", True) else {**options, "labelled": "false", "cost": "head"}

    def _fit(self, X: Any, y: Any, X_dev: Any, y_dev: Any, warm: bool) -> DependencyParser:
        X, y = _inputs.trees(X, y)
        # If trees have only heads, no labels are learned.
        first = next((tree for tree in y if isinstance(tree, list) and tree), None) if isinstance(y, list) else None
        self._labels_given = first is None or not isinstance(first[0], int)
        return super()._fit(X, y, X_dev, y_dev, warm)

    def _data(self, X: Any, y: Any, what: str) -> _hinge.Data:
        if _inputs.is_path(X):
            if y is not None:
                raise _hinge.InputError("X is a file, which also has the trees; leave y out")
            return _hinge.file(os.fspath(X))
        return _hinge.dep_data(*_inputs.trees(X, y), what)

    def _inputs(self, X: Any) -> Any:
        return _read_conllu(X)[0] if _inputs.is_path(X) else _inputs.trees(X, None)[0]

    def predict(self, X: Any) -> list[Tree]:
        model = self._fitted()
        return Answers(model.predict(self._inputs(X), self._threads()))

    def predict_nbest(self, X: Any, n: int = 10, probabilities: bool = False) -> list[list[tuple[Tree, float]]]:
        """For every sentence its n best trees with their scores. Needs a first-order projective model.

        With `probabilities`, with that of the whole tree instead, of models of likelihoods
        (crf, softmax-margin); those of other learners would mean nothing.
        """
        count, wanted = self._nbest_of(n, "trees", probabilities)
        return self._fitted().n_best(self._inputs(X), self._threads(), count, wanted)  # type: ignore[no-any-return]

    def predict_marginals(self, X: Any) -> list[npt.NDArray[np.float32]]:
        """For every sentence the probabilities [words, words + 1] of all heads, the root first."""
        model = self._fitted()
        return model.marginals(self._inputs(X), self._threads())  # type: ignore[no-any-return]

    def explain(self, x: Any, y: Tree | None = None, rival: Tree | None = None) -> list[ArcExplanation]:
        """For every word of one sentence: which features decided.

        y is the tree to explain, by default the predicted one; rival is the tree to
        compare with, for instance gold: each head that differs is exchanged alone, even
        if that makes no tree. Without it, and for words where it equals y, the rivals are
        the best other tree in which the word has another head, and the next best label.
        Second-order models also have parts for siblings and grandparents.
        """
        x = _inputs.listed(x)
        y, rival = _inputs.arcs([y, rival])
        return [ArcExplanation(head, other, margin, [Part(*part) for part in parts], self._explained(label), rivals)
                for head, other, margin, parts, label, rivals in self._fitted().explain(x, y, rival)]

    @staticmethod
    def _explained(label: tuple[str, str, float, list[tuple[Any, ...]]] | None) -> Explanation | None:
        return Explanation(*label[:3], [Part(*part) for part in label[3]]) if label else None


def read_conllu(path: str | os.PathLike[str]) -> tuple[list[list[tuple[str, ...]]], list[Tree]]:
    """X and y of a CoNLL-U file; the trees are empty if the file has no heads at all."""
    X, y, missing = _read_conllu(path)
    if missing and any(y):
        raise _hinge.InputError(f"{os.fspath(path)}:{missing}: the word has no head, but other words have one")
    return X, y


def _read_conllu(path: str | os.PathLike[str]) -> tuple[list[list[tuple[str, ...]]], list[Tree], int]:
    """Also returns the first line without a head, or 0."""
    X: list[list[tuple[str, ...]]] = [[]]
    y: list[Tree] = [[]]
    missing = 0
    with readable(path) as file:
        for number, line in enumerate(file, 1):
            cells = line.rstrip("\r\n").split("\t")
            if len(cells) == 10 and cells[0].isdecimal():
                X[-1].append(tuple(cells[1:6]))
                if cells[6].isdecimal():
                    y[-1].append((int(cells[6]), cells[7]))
                else:
                    missing = missing or number
            elif cells[0].isdecimal():
                raise _hinge.InputError(f"{os.fspath(path)}:{number}: has {len(cells)} cells, but a word of CoNLL-U has 10")
            elif not line.strip() and X[-1]:
                X.append([])
                y.append([])
    return (X, y, missing) if X[-1] else (X[:-1], y[:-1], missing)
