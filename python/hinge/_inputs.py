"""Inputs of other shapes as lists: Hugging Face's columns, pandas' frames."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from hinge._hinge import InputError

WORDS = ("tokens", "words", "token", "word")
SENTENCES = ("sentence_id", "sent_id", "sentence", "sentence #", "sentence_idx")


def is_path(X: Any) -> bool:
    return isinstance(X, (str, os.PathLike))


def is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "groupby") and hasattr(X, "itertuples")


def is_columns(X: Any) -> bool:
    """{"tokens": [...], "ner_tags": [...]}, a list of such rows, or a Dataset."""
    if isinstance(X, Mapping) or hasattr(X, "column_names"):
        return True
    return isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], Mapping)


def sentences(X: Any, y: Any) -> tuple[Any, Any]:
    """X as sentences of tokens, and y as their labels or None."""
    if is_frame(X):
        return from_frame(X, y)
    if is_columns(X):
        return from_columns(X, y)
    return X, y


def names_of(X: Any) -> list[str]:
    if hasattr(X, "column_names"):
        return list(X.column_names)
    return list(X if isinstance(X, Mapping) else X[0])


def column(X: Any, name: str) -> list[Any]:
    try:
        if isinstance(X, Mapping) or hasattr(X, "column_names"):
            return list(X[name])
        return [row[name] for row in X]
    except KeyError:
        raise InputError(f"there is no column {name!r}; there are: {', '.join(names_of(X))}") from None


def words_of(X: Any) -> list[Any]:
    name = next((name for name in WORDS if name in names_of(X)), None)
    if name is None:
        raise InputError(f"there is no column of words, {' or '.join(WORDS[:2])}; there are: {', '.join(names_of(X))}")
    return column(X, name)


def named(X: Any, name: str) -> list[list[Any]]:
    """A column of text, numbers of classes by their names."""
    classes = class_names(X, name)
    return [[(classes[cell] if classes else str(cell)) if isinstance(cell, int) else cell for cell in row]
            for row in column(X, name)]


def from_columns(X: Any, y: Any) -> tuple[Any, Any]:
    """y may be the name of the column of labels."""
    return words_of(X), named(X, y) if isinstance(y, str) else y


def trees(X: Any, y: Any) -> tuple[Any, Any]:
    """X as sentences of words; y from the columns head and deprel where it is not given."""
    if not is_columns(X):
        return X, y
    names = names_of(X)
    words = [[{"form": form} for form in sentence] for sentence in words_of(X)]
    for field, name in (("lemma", "lemmas"), ("upos", "upos"), ("xpos", "xpos"), ("feats", "feats")):
        for sentence, cells in zip(words, named(X, name) if name in names else []):
            for word, cell in zip(sentence, cells):
                word[field] = cell
    if y is None and "head" in names:
        heads = [[int(head) for head in row] for row in column(X, "head")]
        y = [list(zip(a, b)) for a, b in zip(heads, named(X, "deprel"))] if "deprel" in names else heads
    return words, y


def class_names(X: Any, name: str) -> list[str] | None:
    feature = getattr(X, "features", {})
    feature = feature.get(name) if isinstance(feature, Mapping) else None
    return getattr(getattr(feature, "feature", feature), "names", None)


def from_frame(X: Any, y: Any) -> tuple[Any, Any]:
    """A row a token. Sentences are told by a column of that name, or by the first
    level of the index; y is the name of the label column, or a series of labels.
    All other columns are cells of the token, in their order."""
    names = list(X.columns)
    sentence = next((name for name in names if str(name).lower() in SENTENCES), None)
    if sentence is not None:
        keys = X[sentence].ffill().tolist()
    elif getattr(X.index, "nlevels", 1) > 1:
        keys = X.index.get_level_values(0).tolist()
    else:
        raise InputError(f"no column tells sentences apart; call one sentence_id. There are: {', '.join(map(str, names))}")
    if isinstance(y, str) and y not in names:
        raise InputError(f"there is no column {y!r}; there are: {', '.join(map(str, names))}")
    labels = X[y].tolist() if isinstance(y, str) else None if y is None else list(y)
    if labels is not None and len(labels) != len(keys):
        raise InputError(f"X has {len(keys)} rows, but y has {len(labels)} labels")
    cells = [X[name].astype(str).tolist() for name in names if name != sentence and not (isinstance(y, str) and name == y)]
    tokens = list(zip(*cells))
    return group(tokens, keys), None if labels is None else group([str(label) for label in labels], keys)


def group(items: list[Any], keys: list[Any]) -> list[list[Any]]:
    """Runs of equal keys."""
    result: list[list[Any]] = []
    for k, item in enumerate(items):
        if k == 0 or keys[k] != keys[k - 1]:
            result.append([])
        result[-1].append(item)
    return result
