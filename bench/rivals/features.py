"""Writes a data file in a rival's own input format.

  python3 features.py TASK FORMAT INPUT OUTPUT [LABELS]

crfsuite  label and features separated by tabs, as the crfsuite program reads it
vw        label number and features; LABELS is the file of label names. If it
          does not exist, the input is training data: labels are numbered in
          order of appearance and LABELS is written. If it exists, the input
          is to be tagged and its labels are left out.
wapiti    the columns the patterns read, then the label
"""

import sys
from pathlib import Path

import columns
import templates


def crfsuite_lines(task, sentence):
    for token, items in zip(sentence, templates.features(task, sentence)):
        yield "\t".join([token[-1], *items])


def wapiti_lines(task, sentence):
    rows = zip(*templates.input_columns(task, sentence))
    for token, row in zip(sentence, rows):
        yield "\t".join([*(value or "_" for value in row), token[-1]])


def vw_lines(task, sentence, numbers):
    """numbers: label -> 1, 2, ..., extended as labels appear, or None to leave labels out."""
    for token, items in zip(sentence, templates.features(task, sentence)):
        label = "" if numbers is None else numbers.setdefault(token[-1], len(numbers) + 1)
        yield f"{label} | {' '.join(items)}"


def write(sentences, to_lines, output):
    with open(output, "w", encoding="utf-8", newline="\n") as out:
        for sentence in sentences:
            out.write("\n".join(to_lines(sentence)) + "\n\n")


def main():
    task, form, source, output, *labels = sys.argv[1:]
    sentences = columns.read_sentences(task, source)
    if form == "vw":
        label_file = Path(labels[0])
        numbers = None if label_file.exists() else {}
        write(sentences, lambda s: vw_lines(task, s, numbers), output)
        if numbers is not None:
            label_file.write_text("\n".join(numbers) + "\n", encoding="utf-8")
    else:
        to_lines = {"crfsuite": crfsuite_lines, "wapiti": wapiti_lines}[form]
        write(sentences, lambda s: to_lines(task, s), output)


if __name__ == "__main__":
    main()
