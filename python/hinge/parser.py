"""Dependency trees over the words of a sentence."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hinge import _hinge, _inputs
from hinge._estimator import Estimator
from hinge._parameters.dep import DepParameters
from hinge._training import whole
from hinge.tagger import Explanation, Part

Tree = list[Any]  # for each word (head, label), or its head alone; heads count words from 1, 0 is the root


@dataclass
class ArcExplanation:
    """Why a word has its head and not another, all other heads staying.

    The label and rival of a part are the side of the head and the distance that
    the feature goes with, as "left:1", or "-" where that tree does not have it.
    """

    head: int
    rival: int
    margin: float  # the sum of the contributions
    parts: list[Part]  # the largest first
    label: Explanation | None  # why the arc has its label and not another, in this tree

    def __str__(self) -> str:
        return str(Explanation(str(self.head), str(self.rival), self.margin, self.parts)) + (
            f"\n{self.label}" if self.label else "")


class DependencyParser(Estimator, DepParameters):
    __doc__ = f"""Finds the dependency tree of a sentence.

    X is a list of sentences; a word is a str, a tuple (form, upos) or (form,
    lemma, upos, xpos, feats), or a dict with these names. Also: the path of a
    CoNLL-U file, or Hugging Face's columns of one, which hold both X and y. y is a list of trees; a tree has for
    each word (head, label), or its head alone: the number of a word from 1, or 0
    for the root.
    {DepParameters.__doc__}"""

    _task = "dep"
    _models = _hinge.DepModel

    def _options(self) -> tuple[dict[str, str], dict[str, str]]:
        task, learner = super()._options()
        if not getattr(self, "_labels_given", True):
            task["labelled"] = "false"
            task["loss"] = "head"
        return task, learner

    def _fit(self, X: Any, y: Any, X_dev: Any, y_dev: Any, warm: bool) -> DependencyParser:
        X, y = _inputs.trees(X, y)
        # Trees of heads alone are learned without labels.
        first = next((tree for tree in y if isinstance(tree, (list, tuple)) and tree), None) if isinstance(y, list) else None
        self._labels_given = first is None or not hasattr(first[0], "__index__")
        return super()._fit(X, y, X_dev, y_dev, warm)

    def _data(self, X: Any, y: Any, what: str) -> _hinge.Data:
        if _inputs.is_path(X):
            if y is not None:
                raise _hinge.InputError("X is a file, which has the trees, too; leave y out")
            return _hinge.file(os.fspath(X))
        return _hinge.dep_data(*_inputs.trees(X, y), what)

    def _inputs(self, X: Any) -> Any:
        return read_conllu(X)[0] if _inputs.is_path(X) else _inputs.trees(X, None)[0]

    def predict(self, X: Any) -> list[Tree]:
        model = self._fitted()
        return model.predict(self._inputs(X), self._threads())  # type: ignore[no-any-return]

    def predict_nbest(self, X: Any, n: int = 10) -> list[list[tuple[Tree, float]]]:
        """For every sentence its n best trees with their scores; of first-order projective models."""
        model = self._fitted()
        count = whole(n, "n")
        if not 0 < count <= 100000:
            raise _hinge.OptionError(f"n is {count} but must be from 1 to 100000")
        return model.n_best(self._inputs(X), self._threads(), count)  # type: ignore[no-any-return]

    def predict_marginals(self, X: Any) -> list[npt.NDArray[np.float32]]:
        """For every sentence the probabilities [words, words + 1] of all heads, the root first."""
        model = self._fitted()
        return model.marginals(self._inputs(X), self._threads())  # type: ignore[no-any-return]

    def explain(self, x: Any, y: Tree | None = None, rival: Tree | None = None) -> list[ArcExplanation]:
        """For every word of one sentence: which features moved the decision.

        y is the tree to explain, by default the predicted one; rival the one to
        compare with, for instance gold, by default and where it is the same the
        head of the best other arc, and the best other label. Of second-order
        models, parts are those of siblings and grandparents, too.
        """
        return [ArcExplanation(head, other, margin, [Part(*part) for part in parts], self._explained(label))
                for head, other, margin, parts, label in self._fitted().explain(x, y, rival)]

    @staticmethod
    def _explained(label: tuple[str, str, float, list[tuple[Any, ...]]] | None) -> Explanation | None:
        return Explanation(*label[:3], [Part(*part) for part in label[3]]) if label else None


def read_conllu(path: str | os.PathLike[str]) -> tuple[list[list[tuple[str, ...]]], list[Tree]]:
    """X and y of a CoNLL-U file; y only where heads are there."""
    X: list[list[tuple[str, ...]]] = [[]]
    y: list[Tree] = [[]]
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = line.rstrip("\n").split("\t")
            if len(cells) == 10 and cells[0].isdigit():
                X[-1].append(tuple(cells[1:6]))
                if cells[6].isdigit():
                    y[-1].append((int(cells[6]), cells[7]))
            elif not line.strip() and X[-1]:
                X.append([])
                y.append([])
    return (X, y) if X[-1] else (X[:-1], y[:-1])
