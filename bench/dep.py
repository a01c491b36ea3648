"""Dependency parsing: the tables `dep` and `dep-learners` of bench/README.md. Called by bench/run."""

import json
import os
import tempfile
from pathlib import Path

import measure

# Learners that decode one sentence at a time, except smd, which is too slow.
LEARNERS = "perceptron,mira,sgd,ops,dcd,dcd-light,ocp,bcfw,softmax-margin"
ROWS = [
    ("EWT", "perceptron, heads only", ["--learner", "perceptron", "-p", "labelled=false"]),
    ("EWT", "mira, heads only", ["--learner", "mira", "-p", "labelled=false"]),
    ("EWT", "perceptron", ["--learner", "perceptron"]),
    ("EWT", "mira", ["--learner", "mira"]),
    ("EWT", "dcd", ["--learner", "dcd"]),
    ("EWT", "mira, chu-liu-edmonds", ["--learner", "mira", "-p", "decoder=chu-liu-edmonds"]),
    ("EWT", "mira, order 2", ["--learner", "mira", "-p", "order=2"]),
    ("Dutch", "mira, eisner", ["--learner", "mira"]),
    ("Dutch", "mira, chu-liu-edmonds", ["--learner", "mira", "-p", "decoder=chu-liu-edmonds"]),
]
FILES = {"EWT": "dep/en_ewt-{}.conllu", "Dutch": "dep/nl_lassysmall-{}.conllu"}
EPOCHS = 10


def words_of(text):
    return sum(line.split("\t", 1)[0].isdigit() for line in text.splitlines())


def table(hinge, data, say):
    """Best of ten epochs on dev; seconds of the epochs only; parsing time for four copies of the test set, files included."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        model, log, many = f"{folder}/model", f"{folder}/log", Path(folder) / "test.conllu"
        for treebank, name, flags in ROWS:
            say(f"dep {treebank} {name}")
            train, dev, test = (data(FILES[treebank].format(part)) for part in ("train", "dev", "test"))
            step = measure.run(hinge, "train", "dep", train, "--dev", dev, "--early-stop", EPOCHS, "--epochs", EPOCHS, "--threads", "1", "-q",
                               "--objective", "never", "-o", model, "--log", log, *flags)
            epochs = [json.loads(line) for line in Path(log).read_text(encoding="utf-8").splitlines()]
            scores = json.loads(measure.run(hinge, "evaluate", model, test, "--json").output)
            text = test.read_text(encoding="utf-8")
            many.write_text(text * 4, encoding="utf-8")
            parsed = min((measure.run(hinge, "predict", model, many, "-o", f"{folder}/out") for _ in range(3)), key=lambda step: step.seconds)
            rows.append({"treebank": treebank, "name": name, "seconds": epochs[-1]["training_seconds"], "per_epoch": epochs[-1]["training_seconds"] / len(epochs),
                         "uas": scores["uas"], "las": scores.get("las"), "las_full": scores.get("las_full"),
                         "rate": 4 * words_of(text) / parsed.seconds, "peak_mb": step.peak_mb, "model_mb": os.path.getsize(model) / 1e6})
    return rows


def learners(hinge, data, say):
    """Five epochs of each learner on EWT, heads only, both decoders, as in Figure 1 and Table 1 of Kummerfeld et al. 2015."""
    rows = []
    for decoder in ("eisner", "chu-liu-edmonds"):
        say(f"dep learners {decoder}")
        with tempfile.TemporaryDirectory() as folder:
            measure.run(hinge, "compare", "dep", data("dep/en_ewt-train.conllu"), data("dep/en_ewt-dev.conllu"), "--learners", LEARNERS,
                        "--epochs", "5", "-p", "labelled=false", "-p", f"decoder={decoder}", "--threads", "1", "-q", "-o", folder)
            histories = {}
            for line in (Path(folder) / "compare.jsonl").read_text(encoding="utf-8").splitlines():
                histories.setdefault(json.loads(line)["learner"], []).append(json.loads(line))
        unit = histories["perceptron"][-1]["training_seconds"]
        for learner, history in histories.items():
            rows.append({"decoder": decoder, "learner": learner, **{f"uas{k + 1}": epoch["dev_uas"] for k, epoch in enumerate(history)},
                         "objective": history[-1].get("primal"), "per_epoch": history[-1]["training_seconds"] / len(history),
                         "relative": history[-1]["training_seconds"] / unit})
    return rows
