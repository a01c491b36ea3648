"""What hinge.CRF and hinge.crfsuite share: CRFsuite's parameters, and its tagger."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hinge import _hinge
from hinge._hinge import InputError
from hinge._inputs import listed, refuse_one_sentence
from hinge.tagger import Labels, SequenceTagger

if TYPE_CHECKING:
    from typing_extensions import Self

Item = dict[str, float]

# CRFsuite's algorithms and the learners closest to them.
ALGORITHMS = {"lbfgs": "crf", "l2sgd": "softmax-margin", "ap": "perceptron", "pa": "mira", "arow": "arow"}
ALIASES = {"averaged-perceptron": "ap", "passive-aggressive": "pa"}

ALL = tuple(ALGORITHMS)
ONLINE = ("ap", "pa", "arow")


@dataclass(frozen=True)
class Setting:
    """A parameter of CRFsuite."""

    name: str  # CRFsuite's
    argument: str  # of CRF
    default: Any
    algorithms: tuple[str, ...]  # that have it in CRFsuite
    meaning: str
    effective: tuple[str, ...] | None = None  # the algorithms it changes here; None: all that have it
    instead: str | dict[str, str] = ""  # what to do where it has no effect; "" in a dict: with other algorithms
    fact: Any = None  # what happens where it has no effect, if that is not the default

    def usual(self, algorithm: str) -> Any:
        """The value that causes no warning where it has no effect."""
        return self.default_of(algorithm) if self.fact is None else self.fact

    def default_of(self, algorithm: str) -> Any:
        return self.default.get(algorithm, self.default[""]) if isinstance(self.default, dict) else self.default


SETTINGS = (
    Setting("feature.minfreq", "min_freq", 0.0, ALL, "attributes that occur less often are left out"),
    Setting("feature.possible_states", "all_possible_states", False, ALL, "also pairs of an attribute and a label not seen together",
            ("lbfgs",), "every attribute may get a weight for every label here; leave it out, or use lbfgs", True),
    Setting("feature.possible_transitions", "all_possible_transitions", False, ALL, "also pairs of labels not seen next to each other",
            ("lbfgs",), "every pair of labels may get a weight here; leave it out, or use lbfgs", True),
    Setting("c1", "c1", 0.0, ("lbfgs",), "coefficient of the L1 regularizer", instead="only lbfgs has an L1 regularizer"),
    Setting("c2", "c2", 1.0, ("lbfgs", "l2sgd"), "coefficient of the L2 regularizer", instead="only lbfgs and l2sgd have a regularizer"),
    Setting("max_iterations", "max_iterations", {"": 100, "lbfgs": 2147483647, "l2sgd": 1000}, ALL, "the largest number of iterations"),
    Setting("num_memories", "num_memories", 6, ("lbfgs",), "steps that approximate the inverse Hessian", instead="only lbfgs has it"),
    Setting("epsilon", "epsilon", {"": 0.0, "lbfgs": 1e-5}, ("lbfgs", *ONLINE), "training ends below this number of wrong labels per sentence", ONLINE,
            "use delta, which ends training here"),
    Setting("period", "period", 10, ("lbfgs", "l2sgd"), "iterations over which delta counts", ("l2sgd",),
            {"lbfgs": "delta always counts over 10 iterations; use delta or max_iterations", "": "use epsilon or max_iterations"}),
    Setting("delta", "delta", {"": 1e-5, "l2sgd": 1e-6}, ("lbfgs", "l2sgd"), "training ends at a smaller improvement of the objective",
            instead="use epsilon or max_iterations"),
    Setting("linesearch", "linesearch", "MoreThuente", ("lbfgs",), "the line search", (),
            {"lbfgs": "leave it out, there is only one here", "": "only lbfgs has it"}),
    Setting("max_linesearch", "max_linesearch", 20, ("lbfgs",), "the largest number of trials of a line search", (),
            {"lbfgs": "leave it out, the search needs few trials", "": "only lbfgs has it"}),
    *(Setting(f"calibration.{name}", f"calibration_{name}", default, ("l2sgd",), meaning, (),
              {"l2sgd": "steps adapt by themselves here; SequenceTagger('softmax-margin', eta=...) sets their size", "": "only l2sgd has it"})
      for name, default, meaning in (
          ("eta", 0.1, "the first step size to try"), ("rate", 2.0, "the factor between step sizes"),
          ("samples", 1000, "examples to try step sizes on"), ("candidates", 10, "step sizes to try"),
          ("max_trials", 20, "the largest number of trials"))),
    Setting("type", "pa_type", 1, ("pa",), "0: without slack, 1: PA-I, 2: PA-II", instead="only pa has it"),
    Setting("c", "c", 1.0, ("pa",), "the largest step", instead="only pa has it"),
    Setting("error_sensitive", "error_sensitive", True, ("pa",), "margins grow with the number of wrong labels", (),
            {"pa": "margins always grow with the number of wrong labels here; leave it out", "": "only pa has it"}),
    Setting("averaging", "averaging", True, ("pa",), "the mean of the weights over all steps",
            instead="ap always averages, the others do not"),
    Setting("variance", "variance", 1.0, ("arow",), "how unsure every weight is at the beginning", instead="only arow has it"),
    Setting("gamma", "gamma", 1.0, ("arow",), "larger: smaller steps", instead="only arow has it"),
)


def has_effect(setting: Setting, algorithm: str, value: Any) -> bool:
    if setting.argument == "pa_type" and algorithm == "pa":
        return value in (0, 1)
    return algorithm in (setting.algorithms if setting.effective is None else setting.effective)


def remedy(setting: Setting, algorithm: str) -> str:
    """What to do where it has no effect."""
    if setting.argument == "pa_type" and algorithm == "pa":
        return "there is no PA-II here, so PA-I is used; leave it out"
    if isinstance(setting.instead, str):
        return setting.instead
    return setting.instead.get(algorithm, setting.instead[""])


def flat_item(item: Any) -> Item:
    """The features of a token as names and numbers: {"w": {"a": "b"}} is {"w:a:b": 1.0}."""
    flat: Item = {}

    def add(prefix: str, value: Any) -> None:
        if isinstance(value, Mapping):
            for name, inner in value.items():
                add(f"{prefix}:{_text(name)}" if prefix else _text(name), inner)
        elif isinstance(value, (str, bytes)):
            name = f"{prefix}:{_text(value)}" if prefix else _text(value)
            flat[name] = flat.get(name, 0.0) + 1.0
        elif isinstance(value, Iterable):
            for inner in value:
                if not isinstance(inner, (str, bytes)):
                    raise TypeError(f"a list of features must be of str, not {type(inner).__name__}")
                add(prefix, inner)
        else:
            flat[prefix] = flat.get(prefix, 0.0) + float(value)

    if isinstance(item, (str, bytes)) or not isinstance(item, Iterable):
        raise TypeError(f"a token must be a dict or a list of features, not {type(item).__name__}")
    add("", item)
    return flat


def _text(name: Any) -> str:
    if isinstance(name, bytes):
        try:
            return name.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError(f"{name!r} is not UTF-8; decode it before") from None
    if not isinstance(name, str):
        raise TypeError(f"the name of a feature must be a str, not {type(name).__name__}")
    return name


class ItemSequence:
    """The features of the tokens of one sentence, converted once."""

    def __init__(self, pyseq: Iterable[Any]) -> None:
        if isinstance(pyseq, (str, bytes, Mapping)):
            raise TypeError(f"a sentence must be a list of tokens, not {type(pyseq).__name__}")
        self._items = [flat_item(item) for item in pyseq]

    def items(self) -> list[Item]:
        """A dict of names and numbers for every token."""
        return self._items

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __getitem__(self, index: Any) -> Any:
        return self._items[index]

    def __repr__(self) -> str:
        return f"<ItemSequence ({len(self)} items)>"


def several(X: Any, single: str, model: Any = None) -> Any:
    """X as it may be given to a tagger; its sentences may be iterators. `single` names the method for one sentence."""
    X = listed(X)
    remedy = f"give a list of sentences, or use {single}" if single else "give a list of sentences"
    if isinstance(X, ItemSequence):
        raise InputError(f"X is one sentence; {remedy}")
    refuse_one_sentence(X, remedy)
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], (str, bytes)):
        raise InputError(f"X is one sentence; {remedy}")
    if not isinstance(X, (list, tuple)):
        return X
    X = [listed(x) for x in X]
    first = X[0] if X else None
    if model is not None and model.reads_attributes and isinstance(first, (list, tuple)) and first and isinstance(first[0], str):
        raise InputError(f"X is one sentence, or its tokens are words and not features; {remedy}")
    return X


def one(xseq: Any, method: str) -> Any:
    """One sentence. `method` is the one for several."""
    xseq = listed(xseq)
    if isinstance(xseq, (str, bytes, Mapping)):
        raise TypeError(f"a sentence must be a list of tokens, not {type(xseq).__name__}")
    if getattr(xseq, "ndim", 0) == 3 or (isinstance(xseq, (list, tuple)) and len(xseq) > 0 and _is_sentence(xseq[0])):
        raise InputError(f"X is a list of sentences; {f'use {method}, or ' if method else ''}give one sentence")
    return xseq


def _is_sentence(item: Any) -> bool:
    """Not a token: a dict, or a list of names."""
    first = item[0] if isinstance(item, (list, tuple)) and len(item) > 0 else None
    return isinstance(item, ItemSequence) or isinstance(first, (Mapping, list, tuple)) or getattr(item, "ndim", 0) == 2


def label_lists(y: Any) -> Any:
    """y as it may be given to a tagger; labels may be bytes, as in CRFsuite, and their lists iterators."""
    y = listed(y)
    return [labels_of(row) for row in y] if isinstance(y, (list, tuple)) else y


def labels_of(row: Any) -> Any:
    row = listed(row)
    if isinstance(row, (list, tuple, np.ndarray)) and any(isinstance(label, bytes) for label in row):
        return [_text(label) if isinstance(label, bytes) else label for label in row]
    return row


class AttributeTagger(SequenceTagger):
    """A token given as a list is a list of features, not of cells."""

    _lists_are_attributes = True


class ClosedError(ValueError, RuntimeError):
    """A tagger is used without a model."""


@dataclass
class Info:
    """The contents of a model."""

    header: dict[str, str]
    labels: dict[str, str]  # label -> number
    attributes: dict[str, str]  # name -> number
    state_features: dict[tuple[str, str], float]  # attribute, label
    transitions: dict[tuple[str, str], float]  # label, label


def info_of(model: Any) -> Info:
    states = {(feature, label): weight for feature, label, weight in model.state_weights()}
    transitions = {(a, b): weight for a, b, weight in model.transitions()}
    labels: list[str] = model.labels
    attributes = list(dict.fromkeys(feature for feature, _ in states))
    counts = {"size": len(model.bytes()), "num_features": len(states) + len(transitions), "num_labels": len(labels),
              "num_attrs": len(attributes)}
    return Info({"magic": "hinge", "type": "CRF1d", "version": _hinge.version, **{name: str(count) for name, count in counts.items()}},
                {label: str(k) for k, label in enumerate(labels)}, {name: str(k) for k, name in enumerate(attributes)},
                states, transitions)


def dump_of(info: Info) -> str:
    parts = {
        "FILEHEADER": [f"{name}: {value}" for name, value in info.header.items()],
        "LABELS": [f"{number:>5}: {label}" for label, number in info.labels.items()],
        "ATTRIBUTES": [f"{number:>5}: {name}" for name, number in info.attributes.items()],
        "TRANSITIONS": [f"(1) {a} --> {b}: {weight:f}" for (a, b), weight in info.transitions.items()],
        "STATE_FEATURES": [f"(0) {name} --> {label}: {weight:f}" for (name, label), weight in info.state_features.items()],
    }
    return "\n".join("\n".join([f"{name} = {{", *(f"  {line}" for line in lines), "}\n"]) for name, lines in parts.items())


class Tagger:
    """Tags one sentence at a time, with the interface of pycrfsuite.Tagger."""

    def __init__(self, tagger: SequenceTagger | None = None) -> None:
        self._tagger = tagger
        self._sentence: list[Any] | None = None

    def open(self, name: str | os.PathLike[str]) -> Self:
        """Reads the model file; also usable in `with`."""
        self._tagger = AttributeTagger.load(name)
        return self

    def open_inmemory(self, value: bytes) -> Self:
        """Takes the bytes of a model file."""
        self._tagger = AttributeTagger.from_bytes(value)
        return self

    def close(self) -> None:
        self._tagger = self._sentence = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _opened(self) -> SequenceTagger:
        if self._tagger is None:
            raise ClosedError("the tagger has no model; call open() first")
        return self._tagger

    def _given(self) -> list[Any]:
        if self._sentence is None:
            raise ValueError("the tagger has no sentence; call set() or tag() with one first")
        return self._sentence

    def labels(self) -> Labels:
        return self._opened().classes_

    def set(self, xseq: Iterable[Any]) -> None:
        """The sentence for tag(), probability() and marginal(): dicts or lists of features."""
        if isinstance(xseq, (str, bytes, Mapping)):
            raise TypeError(f"a sentence must be a list of tokens, not {type(xseq).__name__}")
        self._sentence = list(xseq)

    def tag(self, xseq: Iterable[Any] | None = None) -> Labels:
        tagger = self._opened()
        if xseq is not None:
            self.set(xseq)
        return tagger.predict([self._given()])[0]

    def probability(self, yseq: Labels) -> float:
        """Of the labels of the whole sentence."""
        return math.exp(self._opened().model_.log_probability(self._given(), labels_of(yseq), True))

    def marginal(self, y: str, pos: int) -> float:
        """The probability of the label at the token `pos`, from 0."""
        tagger = self._opened()
        y = labels_of([y])[0]
        if y not in tagger.classes_:
            raise ValueError(f"the model has no label {y!r}; it has: {', '.join(tagger.classes_)}")
        return float(tagger.predict_marginals([self._given()])[0][pos, tagger.classes_.index(y)])

    def info(self) -> Info:
        """Labels, attributes and weights."""
        return info_of(self._opened().model_)

    def dump(self, filename: str | os.PathLike[str] | None = None) -> None:
        """Writes info() as text to a file, or prints it."""
        text = dump_of(self.info())
        if filename is None:
            print(text)
        else:
            _hinge.write_file(os.fspath(filename), text.encode())
