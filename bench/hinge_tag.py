"""Hinge on the tag task: trains, tags, scores, writes the same record as the rivals' runners.

  python3 bench/hinge_tag.py --task chunk --algorithm dcd --out dcd.json [-- more flags of hinge train]

One thread. train_seconds is the whole process, reading and writing included.
Hinge extracts its own features, so features_seconds is 0 and tagging with and
without features is the same run. Tagging is timed on the test file repeated
until it has half a million tokens, since one copy takes no longer than a
process start; load_seconds (one sentence, the fastest of three) is subtracted.
"""

import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "rivals"))
import measure  # noqa: E402

HINGE = os.environ.get("HINGE", str(HERE.parent / "build/release/hinge"))
FEATURES = {"chunk": ["chunk"], "upos": ["pos"], "wnut": ["ner", "-p", "miss=1"]}  # all errors cost the same, as with rivals
ALGORITHMS = {"perceptron": None, "mira": None, "ops": None, "dcd": None}
TAG_TOKENS = 500_000


def repeated(test, output):
    text = Path(test).read_text(encoding="utf-8").strip() + "\n\n"
    tokens = sum(1 for line in text.split("\n") if line.strip())
    copies = max(1, -(-TAG_TOKENS // tokens))
    Path(output).write_text(text * copies, encoding="utf-8")
    return tokens * copies


def tagging_fields(model, test, folder):
    def predict(source, output):
        return measure.run(HINGE, "predict", model, source, "-o", output)

    first, many = folder / "first", folder / "many"
    measure.write_first_sentence(test, first)
    tokens = repeated(test, many)
    load_seconds = min(predict(first, folder / "first_labels").seconds for _ in range(3))
    tagging = min((predict(many, folder / "many_labels") for _ in range(3)), key=lambda step: step.seconds)
    seconds = tagging.seconds - load_seconds
    return {"load_seconds": load_seconds, "tag_peak_mb": tagging.peak_mb,
            "measured_tokens": tokens, "measured_seconds": seconds}


def label_column(task, line):
    return line.split("\t")[3] if task == "upos" else line.split()[-1]


def read_labels(task, path):
    """Predicted labels per sentence; lines that are not tokens are skipped."""
    sentences, current = [], []
    for line in Path(path).read_text(encoding="utf-8").split("\n"):
        if not line.strip():
            sentences += [current] if current else []
            current = []
        elif task != "upos" or line.split("\t")[0].isdigit():
            current.append(label_column(task, line))
    return sentences + ([current] if current else [])


def main():
    extra = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    sys.argv = sys.argv[:sys.argv.index("--")] if "--" in sys.argv else sys.argv
    options = measure.arguments("Measures Hinge.", ALGORITHMS)
    flags = ["--features", *FEATURES[options.task], "--learner", options.algorithm, "--threads", "1", "--quiet"]
    flags += ["--epochs", str(options.epochs)] if options.epochs else []
    flags += extra
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = folder / "model"
        training = min((measure.run(HINGE, "train", "tag", options.train, "-o", model, *flags) for _ in range(3)),
                       key=lambda step: step.seconds)
        tagging = tagging_fields(model, options.test, folder)
        measure.run(HINGE, "predict", model, options.test, "-o", folder / "labels")
        scores = measure.score_fields(options.task, options.test, read_labels(options.task, folder / "labels"))
        seconds = tagging["measured_seconds"] * scores["test_tokens"] / tagging["measured_tokens"]
        version = measure.run(HINGE, "--version").output.strip().removeprefix("hinge ")
        measure.write_record(options, "hinge", version, " ".join(flags), measure.training_fields(0.0, training, model),
                             tagging | {"tag_seconds": seconds, "tag_seconds_without_features": seconds}, scores)


if __name__ == "__main__":
    main()
