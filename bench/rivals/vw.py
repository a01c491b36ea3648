"""Vowpal Wabbit's search, through its Python package: one record.

  python3 vw.py --task chunk --algorithm search --out search.json

The package's own command line (python -m vowpalwabbit) trains and tags, from
text files. Learning uses one thread, but parsing a second one (the package has
no --onethread, unlike the program), so train_cpu_seconds exceeds the wall time.

What the numbers include, beyond measure.py: features_seconds is a process that
writes VW's text from raw columns; train_seconds adds the process that reads
that text, caches it and makes the passes. tag_seconds_without_features reads
VW's text.
"""

import sys
import tempfile
from functools import partial
from importlib.metadata import version
from pathlib import Path

import measure

EPOCHS = {"search": 3}


def run_vw(*arguments):
    return measure.run(sys.executable, "-m", "vowpalwabbit", "--quiet", *arguments)


def tag(model, source, output):
    return run_vw("--testonly", "--initial_regressor", model, "--data", source, "--predictions", output)


def settings_of(options, label_count):
    """Trains on every sentence (no hold-out), without roll-outs: each token's loss is its own error."""
    return ["--search", str(label_count), "--search_task", "sequence", "--search_rollout", "none",
            "--search_alpha", "1e-6", "--bit_precision", "24", "--passes", str(options.epochs),
            "--holdout_off"]


def read_predictions(path, names):
    """One line per sentence, label numbers from 1."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return [[names[int(number) - 1] for number in line.split()] for line in lines if line.strip()]


def main():
    options = measure.arguments("Measures Vowpal Wabbit's search.", EPOCHS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train, test, model, label_names = (folder / n for n in ("train", "test", "model", "label_names"))
        features = measure.run_python("features.py", options.task, "vw", options.train, train, label_names)
        names = label_names.read_text(encoding="utf-8").split()
        settings = settings_of(options, len(names))
        training = run_vw(*settings, "--cache_file", f"{train}.cache", "--kill_cache",
                          "--data", train, "--final_regressor", model)
        test_features = measure.run_python("features.py", options.task, "vw", options.test, test, label_names)
        tagging = measure.process_tagging_fields(test_features.seconds, partial(tag, model), test, folder)
        measure.write_record(
            options, "vw", version("vowpalwabbit"), " ".join(settings),
            measure.training_fields(features.seconds, training, model), tagging,
            measure.score_fields(options.task, options.test, read_predictions(folder / "labels", names)))


if __name__ == "__main__":
    main()
