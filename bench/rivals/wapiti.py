"""Wapiti, through its program: trains, tags, scores, writes one record.

  python3 wapiti.py --task chunk --algorithm rprop --out rprop.json

The program is WAPITI if set, else the one install.sh put beside this Python,
else the one on the PATH. Debian's package `wapiti` is another program (a web
scanner) and is refused. One thread, otherwise Wapiti's defaults: elastic net
0.5 and 0.0001, its own stopping test on the training error; --epochs caps the
iterations.

What the numbers include, beyond measure.py: for chunk Wapiti reads the original
files and makes the features from its patterns, so features_seconds is 0 and
tagging with and without features is the same run. For upos and wnut Python
first writes the spelling columns, which the patterns cannot express; that time
is features_seconds and part of tag_seconds.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import measure
import templates

EPOCHS = {"rprop": None, "l-bfgs": None}


def find_program():
    """The path of a Wapiti that labels sequences, and its version."""
    beside = Path(sys.executable).parent / "wapiti"
    program = os.environ.get("WAPITI") or (str(beside) if beside.exists() else shutil.which("wapiti"))
    if not program:
        sys.exit("no wapiti; run bench/rivals/install.sh")
    shown = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    first_line = shown.stderr.split("\n")[0]
    if not first_line.startswith("Wapiti v"):
        sys.exit(f"{program}: a different program named wapiti, not the sequence labeller; run bench/rivals/install.sh")
    return program, first_line.removeprefix("Wapiti v")


def prepare(task, source, output):
    """The file Wapiti reads, and the seconds it took to write."""
    if task == "chunk":
        return source, 0.0
    return output, measure.run_python("features.py", task, "wapiti", source, output).seconds


def main():
    options = measure.arguments("Measures Wapiti.", EPOCHS)
    program, version = find_program()
    settings = ["--algo", options.algorithm, "--nthread", "1"]
    settings += ["--maxiter", str(options.epochs)] if options.epochs else []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pattern, model = folder / "pattern", folder / "model"
        pattern.write_text(templates.wapiti_patterns(options.task), encoding="utf-8")
        train, train_seconds = prepare(options.task, options.train, folder / "train")
        training = measure.run(program, "train", *settings, "--pattern", pattern, train, model)
        test, test_seconds = prepare(options.task, options.test, folder / "test")
        tagging = measure.process_tagging_fields(
            test_seconds, partial(measure.run, program, "label", "--label", "--model", model), test, folder)
        measure.write_record(
            options, "wapiti", version, " ".join(settings),
            measure.training_fields(train_seconds, training, model), tagging,
            measure.score_fields(options.task, options.test, measure.read_label_lines(folder / "labels")))


if __name__ == "__main__":
    main()
