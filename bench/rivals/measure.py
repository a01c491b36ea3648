"""Runs the steps of a rival as child processes and measures their cost.

Every step is a separate process with its own wall time, processor time and
peak resident memory (wait4). A child's peak is at least this process's memory,
about 15 MB, so runners hold no data while children run.

The fields of a record, the same for every tool (README.md says what each tool
adds to them):
train_seconds        wall time from raw columns to model written: feature
                     extraction, reading, training, writing, process starts
features_seconds     the part of train_seconds spent writing the tool's own
                     input format from raw columns; 0 if it reads columns itself
train_cpu_seconds    processor time of the training step, all threads
peak_mb, tag_peak_mb peak resident memory of the training and the tagging step
load_seconds         opening the model
tag_seconds          test file from raw columns to labels, features included,
                     load_seconds excluded
tag_tokens_per_second                    test tokens / tag_seconds
tag_tokens_per_second_without_features   the same from the tool's own input
                     format, without feature extraction
model_mb             size of the model file; MB are 10^6 bytes, peaks too
accuracy, precision, recall, f1, np_f1   percent; phrases as conlleval counts
                     them, null where the task has none
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import columns
import spans

HERE = Path(__file__).resolve().parent


class Step(NamedTuple):
    seconds: float
    cpu_seconds: float
    peak_mb: float
    output: str


def run(*command):
    """Runs one step; if it fails, exits with the end of its error output."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        start = time.perf_counter()
        process = subprocess.Popen([str(c) for c in command], stdout=output, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode != 0:
            sys.exit(f"{command[0]}: exit {process.returncode}: {errors.read()[-2000:].strip()}")
        return Step(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6, output.read())


def run_python(script, *arguments):
    return run(sys.executable, HERE / script, *arguments)


def arguments(description, epochs):
    """Parses the options all runners share; epochs: algorithm -> default, None for the tool's own stopping test."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--task", choices=columns.DATA, required=True)
    parser.add_argument("--train", help="training file; by default the task's under HINGE_DATA")
    parser.add_argument("--test", help="test file; by default the task's under HINGE_DATA")
    parser.add_argument("--algorithm", choices=epochs, required=True)
    parser.add_argument("--epochs", type=int, help="passes or iterations; default depends on the algorithm")
    parser.add_argument("--out", required=True, help="JSON file to write")
    options = parser.parse_args()
    if options.epochs is not None and options.epochs < 1:
        parser.error(f"--epochs is {options.epochs} but must be at least 1")
    options.train = options.train or columns.default_file(options.task, 0)
    options.test = options.test or columns.default_file(options.task, 1)
    for path in (options.train, options.test):
        if not os.path.isfile(path):
            parser.error(f"{path}: no such file")
    options.epochs = options.epochs or epochs[options.algorithm]
    return options


def write_first_sentence(source, output):
    """Copies a column file up to its first blank line."""
    with open(source, encoding="utf-8") as lines, open(output, "w", encoding="utf-8") as out:
        for line in lines:
            out.write(line)
            if not line.strip():
                break


def training_fields(features_seconds, training, model):
    """training: the step that wrote the model file."""
    return {
        "train_seconds": features_seconds + training.seconds,
        "features_seconds": features_seconds,
        "train_cpu_seconds": training.cpu_seconds,
        "peak_mb": training.peak_mb,
        "model_mb": os.path.getsize(model) / 1e6,
    }


def process_tagging_fields(features_seconds, run_tagger, test, folder):
    """For a tool that tags in one process, which opens the model and reads a file.

    run_tagger(input, output) is that process; labels go to folder/labels.
    load_seconds is the wall time to tag only the first sentence (in effect,
    process start and opening the model), the fastest of three. It is subtracted
    from the time to tag the whole file; if the rest is too small to be
    meaningful, the tagging time is null.
    """
    first = folder / "first"
    write_first_sentence(test, first)
    load_seconds = min(run_tagger(first, folder / "first_labels").seconds for _ in range(3))
    tagging = run_tagger(test, folder / "labels")
    seconds = tagging.seconds - load_seconds
    is_measurable = seconds > 0.1 * load_seconds
    return {
        "load_seconds": load_seconds,
        "tag_seconds": features_seconds + seconds if is_measurable else None,
        "tag_seconds_without_features": seconds if is_measurable else None,
        "tag_peak_mb": tagging.peak_mb,
    }


def score_fields(task, test, predictions):
    """Compares the test file's labels with predictions, a list of label lists."""
    counts = spans.Counts()
    sentences = list(columns.read_sentences(task, test))
    if [len(s) for s in sentences] != [len(p) for p in predictions]:
        sys.exit(f"{test}: the tool's output does not have the sentences of this file")
    for sentence, predicted in zip(sentences, predictions):
        counts.add_sentence([token[-1] for token in sentence], predicted)
    has_phrases = task != "upos"
    precision, recall, f1 = counts.scores() if has_phrases else (None, None, None)
    return {
        "test_sentences": len(sentences), "test_tokens": counts.tokens, "accuracy": counts.accuracy(),
        "precision": precision, "recall": recall, "f1": f1,
        "np_f1": counts.scores("NP")[2] if task == "chunk" else None,
    }


def read_label_lines(path):
    """Reads one label per line, sentences separated by blank lines."""
    blocks = Path(path).read_text(encoding="utf-8").strip().split("\n\n")
    return [block.split("\n") for block in blocks]


def write_record(options, tool, version, settings, *parts):
    """Writes one JSON object; parts are the dictionaries of fields measured."""
    record = {"tool": tool, "version": version, "task": options.task,
              "algorithm": options.algorithm, "settings": settings}
    for part in parts:
        record |= part
    for suffix in ("", "_without_features"):
        seconds = record[f"tag_seconds{suffix}"]
        record[f"tag_tokens_per_second{suffix}"] = record["test_tokens"] / seconds if seconds else None
    Path(options.out).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
