"""Converts Hugging Face columns and pandas frames to lists."""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from hinge._base import as_list
from hinge._hinge import InputError

WORDS = ("tokens", "words", "token", "word")
SENTENCES = ("sentence_id", "sent_id", "sentence", "sentence #", "sentence_idx")


Shape = dict[str, Any]  # of the examples of training: {"columns": names} of a frame, {"width": n} of arrays, or nothing


def is_path(X: Any) -> bool:
    return isinstance(X, (str, os.PathLike))


def is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "groupby") and hasattr(X, "itertuples")


def is_columns(X: Any) -> bool:
    """{"tokens": [...], "ner_tags": [...]}, a list of such rows, or a Dataset."""
    if isinstance(X, Mapping) or hasattr(X, "column_names"):
        return True
    return isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], Mapping)


def is_one_sentence(X: Any) -> bool:
    """A list of the features of tokens, or an array [tokens, features], which is not a list of sentences."""
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiub":
        return len(X) > 0
    first = X[0] if isinstance(X, (list, tuple, np.ndarray)) and len(X) > 0 else None
    if not isinstance(first, Mapping):
        return False
    words = next((first[name] for name in WORDS if name in first), None)
    # A row of a table has a list of words; a token has one word, or none but other cells.
    return not any(_is_list(cell) for cell in first.values()) if words is None else not _is_list(words)


def _is_list(cell: Any) -> bool:
    return hasattr(cell, "__iter__") and not isinstance(cell, (str, bytes, Mapping))


def refuse_one_sentence(X: Any, remedy: str) -> None:
    if is_one_sentence(X):
        raise InputError(f"X is one sentence; {remedy}")


def listed(examples: Any) -> Any:
    """Converts iterators, which can be read only once, to lists."""
    return list(examples) if hasattr(examples, "__next__") else examples


def sentences(X: Any, y: Any, shape: Shape) -> tuple[Any, Any]:
    """X as sentences of tokens, and y as their labels or None."""
    X, y = listed(X), listed(y)
    if is_frame(X):
        return from_frame(X, y, shape.get("columns"))
    refuse_one_sentence(X, "give a list of sentences")
    if is_columns(X):
        return from_columns(X, y)
    check_widths(X, shape.get("width"))
    return X, y


def shape_of(X: Any, y: Any) -> Shape:
    """What a model must know of the examples it was trained on."""
    if is_frame(X):
        return {"columns": [str(name) for name in cell_columns(X, y)]}
    widths = widths_of(X)
    return {"width": widths[0][1]} if widths else {}


def widths_of(X: Any) -> list[tuple[int, int]]:
    """The number of every sentence that is an array [tokens, features], and the number of its features."""
    if getattr(X, "ndim", 0) == 3 and len(X) > 0:  # one array of them all
        return [(0, X.shape[2])]
    if not isinstance(X, (list, tuple, np.ndarray)):
        return []
    return [(s, x.shape[1]) for s, x in enumerate(X) if getattr(x, "ndim", 0) == 2]


def check_widths(X: Any, width: int | None) -> None:
    for s, found in widths_of(X):
        if width is not None and found != width:
            raise InputError(f"sentence {s + 1}: the array has {found} features, but those of training have {width}; "
                             "give the same ones in the same order")


def names_of(X: Any) -> list[str]:
    if hasattr(X, "column_names"):
        return list(X.column_names)
    return [str(name) for name in (X if isinstance(X, Mapping) else X[0])]


def column(X: Any, name: str) -> list[Any]:
    if name not in names_of(X):
        raise InputError(f"there is no column {name!r}; there are: {', '.join(names_of(X))}")
    if isinstance(X, Mapping) or hasattr(X, "column_names"):
        return as_list(X[name], f"the column {name!r}")
    for s, row in enumerate(X):
        if not isinstance(row, Mapping) or name not in row:
            raise InputError(f"sentence {s + 1} has no column {name!r}, but the first sentence has")
    return [row[name] for row in X]


def word_column(X: Any) -> str:
    name = next((name for name in WORDS if name in names_of(X)), None)
    if name is None:
        raise InputError(f"there is no column of words, {' or '.join(WORDS[:2])}; there are: {', '.join(names_of(X))}"
                         + ("" if isinstance(X, Mapping) or hasattr(X, "column_names") else "; if X is one sentence, give a list of sentences"))
    return name


def rows_of(X: Any, name: str) -> list[list[Any]]:
    """A column with one list per sentence."""
    rows = column(X, name)
    for s, row in enumerate(rows):
        if isinstance(row, (str, bytes, Mapping)) or not hasattr(row, "__iter__"):
            raise InputError(f"sentence {s + 1}: a list was expected in the column {name!r}, not {type(row).__name__}")
    return [list(row) for row in rows]


def whole_number(cell: Any) -> int | None:
    try:
        return int(operator.index(cell))
    except TypeError:
        return None


def named(X: Any, name: str) -> list[list[Any]]:
    """A column of text; class numbers are replaced by their names."""
    classes = class_names(X, name)

    def text(s: int, t: int, cell: Any) -> Any:
        number = whole_number(cell)
        if number is None:
            return cell
        where = f"sentence {s + 1}, token {t + 1}: the column {name!r} has {number}"
        if classes is None:
            raise InputError(f"{where}, but there are no names of classes; give labels as str")
        if not 0 <= number < len(classes):
            raise InputError(f"{where}, but its classes are numbered from 0 to {len(classes) - 1}; "
                             "leave out tokens without a label")
        return classes[number]

    return [[text(s, t, cell) for t, cell in enumerate(row)] for s, row in enumerate(rows_of(X, name))]


def from_columns(X: Any, y: Any) -> tuple[Any, Any]:
    """y may be the name of the label column."""
    return column(X, word_column(X)), named(X, y) if isinstance(y, str) else y


def trees(X: Any, y: Any) -> tuple[Any, Any]:
    """X as sentences of words, y as lists of heads or (head, label); by default from the columns head and deprel."""
    X, y = listed(X), listed(y)
    if is_frame(X):
        raise TypeError("the parser takes no pandas frame; if it has one row per sentence, give frame.to_dict('list')")
    refuse_one_sentence(X, "give a list of sentences")
    if not is_columns(X):
        return X, arcs(y)
    names, forms = names_of(X), word_column(X)
    words = [[{"form": form} for form in sentence] for sentence in rows_of(X, forms)]
    for s, sentence in enumerate(words):
        for t, word in enumerate(sentence):
            if is_missing(word["form"]):
                raise InputError(f"sentence {s + 1}, word {t + 1}: there is no word in the column {forms!r}; fill it in")
    for field, name in (("lemma", "lemmas"), ("upos", "upos"), ("xpos", "xpos"), ("feats", "feats")):
        for sentence, cells in zip(words, beside(words, named(X, name), name) if name in names else []):
            for word, cell in zip(sentence, cells):
                word[field] = cell
    if y is None and "head" in names:
        heads = beside(words, [[head_of(s, t, head) for t, head in enumerate(row)]
                               for s, row in enumerate(rows_of(X, "head"))], "head")
        if "deprel" not in names:
            return words, heads
        return words, [list(zip(a, b)) for a, b in zip(heads, beside(words, named(X, "deprel"), "deprel"))]
    return words, arcs(y)


def beside(words: list[list[Any]], rows: list[list[Any]], name: str) -> list[list[Any]]:
    """Returns the rows after checking that they have one cell per word."""
    if len(rows) != len(words):
        raise InputError(f"there are {len(words)} sentences, but the column {name!r} has {len(rows)}")
    for s, (sentence, row) in enumerate(zip(words, rows)):
        if len(row) != len(sentence):
            raise InputError(f"sentence {s + 1}: has {len(sentence)} words, but the column {name!r} has {len(row)}")
    return rows


def head_of(s: int, t: int, head: Any) -> int:
    try:
        return int(head) if isinstance(head, str) else int(operator.index(head))
    except (TypeError, ValueError):
        raise InputError(f"sentence {s + 1}, word {t + 1}: the head is {head!r}, which is not the number of a word") from None


def arcs(y: Any) -> Any:
    """Converts trees to lists and heads to int."""
    y = y.tolist() if hasattr(y, "tolist") else y
    if not isinstance(y, (list, tuple)):
        return y
    rows = (row.tolist() if hasattr(row, "tolist") else row for row in y)
    return [[arc if (head := whole_number(arc)) is None else head for arc in row] if isinstance(row, (list, tuple)) else row
            for row in rows]


def class_names(X: Any, name: str) -> list[str] | None:
    feature = getattr(X, "features", {})
    feature = feature.get(name) if isinstance(feature, Mapping) else None
    return getattr(getattr(feature, "feature", feature), "names", None)


def sentence_column(X: Any) -> Any:
    return next((name for name in X.columns if str(name).lower() in SENTENCES), None)


def cell_columns(X: Any, y: Any) -> list[Any]:
    """The columns with cells of tokens: all but the sentence's and the label's."""
    sentence = sentence_column(X)
    return [name for name in X.columns if name != sentence and not (isinstance(y, str) and name == y)]


def from_frame(X: Any, y: Any, columns: list[str] | None) -> tuple[Any, Any]:
    """One row per token. A column named as in SENTENCES, or the first level of the
    index, identifies the sentence; y is the name of the label column, or a series
    of labels. The cells of a token are the named columns, or all others, in order."""
    names = list(X.columns)
    if len(set(names)) < len(names):
        raise InputError(f"two columns have the same name; there are: {', '.join(map(str, names))}")
    sentence = sentence_column(X)
    if sentence is not None:
        keys = X[sentence].ffill().tolist()
    elif getattr(X.index, "nlevels", 1) > 1:
        keys = X.index.get_level_values(0).tolist()
    else:
        raise InputError(f"no column identifies sentences; name one sentence_id. There are: {', '.join(map(str, names))}")
    if isinstance(y, str) and y not in names:
        raise InputError(f"there is no column {y!r}; there are: {', '.join(map(str, names))}")
    labels = X[y].tolist() if isinstance(y, str) else None if y is None else as_list(y, "y")
    if labels is not None and len(labels) != len(keys):
        raise InputError(f"X has {len(keys)} rows, but y has {len(labels)} labels")
    refuse_missing(keys, "sentence")
    refuse_missing(labels or [], "label")
    cells_of = {str(name): name for name in names} if columns is not None else {}
    if missing := [name for name in columns or [] if name not in cells_of]:
        raise InputError(f"there is no column {missing[0]!r}, but the model was trained with it; there are: {', '.join(map(str, names))}")
    chosen = cell_columns(X, y) if columns is None else [cells_of[name] for name in columns]
    for name in chosen:
        refuse_missing(X[name].tolist(), f"cell in the column {name!r}")
    cells = [X[name].astype(str).tolist() for name in chosen]
    tokens = list(zip(*cells))
    return group(tokens, keys), None if labels is None else group([str(label) for label in labels], keys)


def is_missing(cell: Any) -> bool:
    """None, NaN, or pandas' NA and NaT."""
    return (cell is None or type(cell).__name__ in ("NAType", "NaTType")
            or (isinstance(cell, (float, np.floating)) and cell != cell))


def refuse_missing(values: list[Any], what: str) -> None:
    for k, value in enumerate(values):
        if is_missing(value):
            raise InputError(f"row {k + 1} has no {what}; fill it in or leave the row out")


def group(items: list[Any], keys: list[Any]) -> list[list[Any]]:
    """Groups neighbouring items with equal keys."""
    result: list[list[Any]] = []
    for k, item in enumerate(items):
        if k == 0 or keys[k] != keys[k - 1]:
            result.append([])
        result[-1].append(item)
    return result
