"""Phrase-structure trees over the words of a sentence."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Literal, overload

from hinge import _hinge, _inputs
from hinge._base import Answers, as_list
from hinge._estimator import Estimator
from hinge._parameters.const import ConstParameters
from hinge._training import option_text, whole

Tree = tuple[Any, ...]  # (label, child, ...), and (tag, word) for every word; () without words
Phrase = tuple[str, int, int, float]  # label, begin, end, probability; it has words[begin:end]
Output = Literal["tuples", "brackets"]


@dataclass
class TreeExplanation:
    """Why a tree is better than another one."""

    tree: Tree
    rival: Tree
    margin: float  # the sum of the contributions
    parts: list[tuple[str, str, float]]  # part of a tree, feature, contribution; the largest first

    def __str__(self) -> str:
        lines = [f"{to_brackets(self.tree)} before {to_brackets(self.rival)} by {self.margin:.3f}"]
        return "\n".join(lines + [f"  {amount:+8.3f}  {part}: {feature}" for part, feature, amount in self.parts[:10]])


class ConstituencyParser(Estimator, ConstParameters):
    __doc__ = f"""Finds the phrase-structure tree of a sentence.

    X is a list of trees, or the path of a file of them in brackets. A tree is a str,
    "(S (NP (DT The) (NN dog)) (VP (VBZ barks)))", nested tuples, ("S", ("NP", ("DT", "The"),
    ...), ...), or an object with label() that iterates over its children, as in NLTK.
    X may also be a list of sentences, with the trees as y. A sentence is a list of
    words, a str of words between blanks, or a tree, of which the words are used, and
    the tags if tags="gold".
    {ConstParameters.__doc__}"""

    _task = "const"
    _models = _hinge.ConstModel

    def _data(self, X: Any, y: Any, what: str) -> _hinge.Data:
        if _inputs.is_path(X):
            if y is not None:
                raise _hinge.InputError("X is a file, which also has the trees; leave y out")
            return _hinge.file(os.fspath(X))
        trees, sentences = (X, None) if y is None else (y, _examples(X, "X"))
        return _hinge.const_data(_examples(trees, "X" if y is None else "y"), sentences, self.tags == "gold",
                                 option_text(self.keep_empty) == "true", what)

    def _inputs(self, X: Any) -> Any:
        return self._fitted().read(os.fspath(X)) if _inputs.is_path(X) else _examples(X, "X")

    @overload
    def predict(self, X: Any, output: Literal["tuples"] = "tuples") -> list[Tree]: ...
    @overload
    def predict(self, X: Any, output: Literal["brackets"]) -> list[str]: ...

    def predict(self, X: Any, output: Output = "tuples") -> list[Any]:
        """The best tree of every sentence, as nested tuples or as str in brackets.

        X is a list of sentences, or the path of a file with one per line. In trees the
        words "(" and ")" are "-LRB-" and "-RRB-", and so on.
        """
        model = self._fitted()
        return Answers(model.predict(self._inputs(X), self._threads(), _is_brackets(output)))

    @overload
    def predict_nbest(self, X: Any, n: int = 10, output: Literal["tuples"] = "tuples",
                      probabilities: bool = False) -> list[list[tuple[Tree, float]]]: ...
    @overload
    def predict_nbest(self, X: Any, n: int = 10, *, output: Literal["brackets"],
                      probabilities: bool = False) -> list[list[tuple[str, float]]]: ...

    def predict_nbest(self, X: Any, n: int = 10, output: Output = "tuples",
                      probabilities: bool = False) -> list[list[tuple[Any, float]]]:
        """For every sentence its n best trees with their scores, the best first.

        With `probabilities`, with that of the whole tree instead, of models of likelihoods
        (crf, softmax-margin); those of other learners would mean nothing. If the grammar
        has no tree for a sentence, the flat one with the score -inf or the probability 0.
        """
        count, wanted = self._nbest_of(n, "trees", probabilities)
        return self._fitted().n_best(self._inputs(X), self._threads(), count, _is_brackets(output),  # type: ignore[no-any-return]
                                     wanted)

    def predict_marginals(self, X: Any) -> list[list[Phrase]]:
        """For every sentence the phrases of its best tree, each (label, begin, end, probability).

        The phrase has the words [begin:end]. Probabilities are not calibrated for margin
        learners; they are 0 if the grammar has no tree for the sentence.
        """
        model = self._fitted()
        return model.marginals(self._inputs(X), self._threads())  # type: ignore[no-any-return]

    def explain(self, x: Any, rank: int = 2) -> TreeExplanation:
        """Which features made the best tree of one sentence better than the one of that rank.

        Needs a model with a grammar.
        """
        model: _hinge.ConstModel = self._fitted()
        number = whole(rank, "rank")
        if not 1 < number <= 100000:
            raise _hinge.OptionError(f"rank is {number} but must be from 2 to 100000")
        return TreeExplanation(*model.explain(x, number))


def _examples(value: Any, name: str) -> list[Any]:
    if callable(getattr(value, "label", None)):
        raise TypeError(f"{name} must be a list of trees, not a tree")
    return as_list(value, name)


def _is_brackets(output: Any) -> bool:
    if output not in ("tuples", "brackets"):
        raise _hinge.OptionError(f"output is {output!r} but must be 'tuples' or 'brackets'")
    return bool(output == "brackets")


def to_brackets(tree: Any) -> str:
    """A tree of any kind in brackets on one line; in words "(" becomes "-LRB-", and so on."""
    return _hinge.to_brackets(tree)


def from_brackets(text: str) -> Tree:
    """One tree in brackets as nested tuples; () if there is none."""
    return _hinge.from_brackets(text)


def read_brackets(path: str | os.PathLike[str]) -> list[Tree]:
    """The trees of a file in brackets; a tree may span lines."""
    return _hinge.read_brackets(os.fspath(path))
