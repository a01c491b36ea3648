"""The features every rival gets, written once and rendered for each tool.

A template is a list of patterns; a pattern joins one column at some offsets.
chunk      words and POS at -2..2, word bigrams, POS bigrams and trigrams
upos, wnut words at -2..2, word bigrams; for the word itself lower case,
           prefixes and suffixes of 1-4 characters, shape

CRFsuite and VW get no feature for a pattern that reaches outside the sentence,
but __BOS__ and __EOS__ on the first and last token. Wapiti always makes the
feature, with its own markers (_x-1, _x+1) for positions outside, and so needs
neither.
"""

import re
from typing import NamedTuple

AFFIX_LENGTHS = range(1, 5)
WINDOW = range(-2, 3)


class Pattern(NamedTuple):
    name: str
    column: int
    offsets: tuple

    def title(self):
        return f"{self.name}[{','.join(map(str, self.offsets))}]="


def grams(name, column, *offset_lists):
    return [Pattern(name, column, tuple(offsets)) for offsets in offset_lists]


WORDS = grams("w", 0, *([o] for o in WINDOW), (-1, 0), (0, 1))
CHUNK = WORDS + grams("pos", 1, *([o] for o in WINDOW),
                      (-2, -1), (-1, 0), (0, 1), (1, 2),
                      (-2, -1, 0), (-1, 0, 1), (0, 1, 2))
SPELLING = ["lower", *(f"prefix{n}" for n in AFFIX_LENGTHS),
            *(f"suffix{n}" for n in AFFIX_LENGTHS), "shape"]
WORD_ONLY = WORDS + [Pattern(name, column, (0,)) for column, name in enumerate(SPELLING, 1)]

TEMPLATES = {"chunk": CHUNK, "upos": WORD_ONLY, "wnut": WORD_ONLY}


def shape(word):
    """Upper case X, lower case x, digits d, the rest unchanged; runs collapsed."""
    classes = ("X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c for c in word)
    return re.sub(r"(.)\1+", r"\1", "".join(classes))


def spelling_columns(word):
    """The columns named by SPELLING; an affix longer than the word is empty."""
    prefixes = [word[:n] if n <= len(word) else "" for n in AFFIX_LENGTHS]
    suffixes = [word[-n:] if n <= len(word) else "" for n in AFFIX_LENGTHS]
    return [word.lower(), *prefixes, *suffixes, shape(word)]


def input_columns(task, sentence):
    """The columns that the task's template reads: [columns][tokens], without the label."""
    if task == "chunk":
        rows = [token[:-1] for token in sentence]
    else:
        rows = [[token[0], *spelling_columns(token[0])] for token in sentence]
    return list(zip(*rows))


ESCAPES = str.maketrans({":": "__COLON__", "|": "__PIPE__", "\\": "__BACKSLASH__",
                         " ": "_", "\t": "_"})


def features(task, sentence):
    """The feature strings of each token, safe in CRFsuite's and VW's text formats."""
    columns = [[value.translate(ESCAPES) for value in column] for column in input_columns(task, sentence)]
    length = len(sentence)
    items = [[] for _ in sentence]
    for pattern in TEMPLATES[task]:
        column, title, offsets = columns[pattern.column], pattern.title(), pattern.offsets
        first, last = max(0, -offsets[0]), min(length, length - offsets[-1])
        for t in range(first, last):
            value = "/".join([column[t + o] for o in offsets])
            if value:
                items[t].append(title + value)
    items[0].append("__BOS__")
    items[-1].append("__EOS__")
    return items


def wapiti_patterns(task):
    """The same template as a Wapiti pattern file, with label bigrams."""
    lines = []
    for pattern in TEMPLATES[task]:
        cells = "/".join(f"%x[{offset},{pattern.column}]" for offset in pattern.offsets)
        lines.append(f"U:{pattern.title()}{cells}")
    return "\n".join([*lines, "B"]) + "\n"
