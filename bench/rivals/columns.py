"""Reads the sentences of the three tagging tasks, one at a time.

A sentence is a list of tokens, a token a list of columns, the label last:
chunk  word, POS, chunk   column file, spaces or tabs
wnut   word, entity       column file
upos   word, UPOS         CoNLL-U; multiword ranges and empty nodes are skipped
"""

import os
import sys
from pathlib import Path

WIDTH = {"chunk": 3, "wnut": 2, "upos": 2}

DATA = {  # under HINGE_DATA: train, test
    "chunk": ("tag/conll2000/train.txt", "tag/conll2000/test.txt"),
    "wnut": ("tag/wnut17/train.conll", "tag/wnut17/test.conll"),
    "upos": ("dep/en_ewt-train.conllu", "dep/en_ewt-test.conllu"),
}


def default_file(task, part):
    """The task's file under HINGE_DATA; part 0 is train, 1 is test."""
    root = os.environ.get("HINGE_DATA")
    if not root:
        sys.exit("no data: give --train and --test, or set HINGE_DATA to the data folder")
    return str(Path(root) / DATA[task][part])


def read_sentences(task, path):
    """Yields sentences; stops with file:line at a line of the wrong width."""
    parse = parse_conllu if task == "upos" else parse_columns
    sentence = []
    with open(path, encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\r\n")
            if not line.strip(" \t"):  # WNUT-17 separates many sentences by a lone tab
                if sentence:
                    yield sentence
                sentence = []
                continue
            token = parse(line)
            if token is None:
                continue
            if len(token) != WIDTH[task]:
                sys.exit(f"{path}:{number}: {len(token)} columns, but task {task} has {WIDTH[task]}")
            sentence.append(token)
    if sentence:
        yield sentence


def parse_columns(line):
    return line.split("\t" if "\t" in line else " ")


def parse_conllu(line):
    """Word and UPOS of a CoNLL-U line; None for comments, ranges, empty nodes."""
    fields = line.split("\t")
    if line.startswith("#") or not fields[0].isdigit():
        return None
    return [fields[1].replace(" ", "_"), fields[3]] if len(fields) == 10 else fields
