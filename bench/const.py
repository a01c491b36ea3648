"""Constituency parsing: the tables `const`, `const-learners` and `const-taskar` of bench/README.md. Called by bench/run."""

import json
import os
import tempfile
from pathlib import Path

import measure

PENN = "const/ptb_sample-{}.mrg"
GLOVE = "lex/glove100d-50k.txt.gz"
BROWN = "lex/brown-bllip-1000.gz"
ROWS = [
    ("span", []),
    ("span, Brown clusters", ["-p", "clusters={brown}"]),
    ("span+neural, GloVe", ["--features", "span+neural", "-p", "embeddings={glove}", "--learner", "ops", "--epochs", "4"]),
    ("span+neural, GloVe, Brown clusters", ["--features", "span+neural", "-p", "embeddings={glove}", "-p", "clusters={brown}", "--learner", "ops", "--epochs", "4"]),
    ("neural, GloVe", ["--features", "neural", "-p", "embeddings={glove}", "--learner", "ops", "--epochs", "8"]),
    ("grammar=none", ["--grammar", "none", "--learner", "perceptron", "--epochs", "5"]),
]
# Batch learners need dozens of passes; smd is too slow.
LEARNERS = "perceptron,mira,sgd,ops,dcd,dcd-light,ocp,bcfw,smo,softmax-margin"
NEURAL_LEARNERS = "mira,ops,softmax-margin"
EPOCHS = 3
TASKAR = ["generative", "basic", "lexical", "lexical+aux", "span"]


def plain(trees, out):
    """The words of trees, a sentence per line."""
    lines = []
    for line in trees.read_text(encoding="utf-8").splitlines():
        words = [token.rstrip(")") for token in line.split() if not token.startswith("(")]
        lines.append(" ".join(words))
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(lines)


def table(hinge, data, say):
    """Trained with the settings named, chosen on dev; test scores; parsing speed from plain words, one thread, files included."""
    rows = []
    train, dev, test = (data(PENN.format(part)) for part in ("train", "dev", "test"))
    with tempfile.TemporaryDirectory() as folder:
        model, log, words = f"{folder}/model", f"{folder}/log", Path(folder) / "words"
        sentences = plain(test, words)
        for name, flags in ROWS:
            say(f"const {name}")
            flags = [flag.format(glove=data(GLOVE), brown=data(BROWN)) for flag in flags]
            step = measure.run(hinge, "train", "const", train, "--threads", "1", "-q", "--objective", "never", "-o", model, "--log", log, *flags)
            epochs = [json.loads(line) for line in Path(log).read_text(encoding="utf-8").splitlines()]
            of_dev, of_test = (json.loads(measure.run(hinge, "evaluate", model, part, "--json").output) for part in (dev, test))
            parsed = min((measure.run(hinge, "predict", model, words, "--threads", "1", "-o", f"{folder}/out") for _ in range(3)), key=lambda step: step.seconds)
            rows.append({"name": name, "seconds": step.seconds, "per_epoch": epochs[-1]["training_seconds"] / len(epochs), "dev": of_dev["f1"], "test": of_test["f1"],
                         "test40": of_test["f1_40"], "test15": of_test["f1_15"], "tags": of_test["tags"], "rate": sentences / parsed.seconds,
                         "peak_mb": step.peak_mb, "model_mb": os.path.getsize(model) / 1e6})
    return rows


def learners(hinge, data, say):
    """Dev F1 after each epoch, as in Figure 1 and Table 1 of Kummerfeld et al. 2015."""
    rows = []
    train, dev = data(PENN.format("train")), data(PENN.format("dev"))
    for parser, names, flags in (("span", LEARNERS, []), ("neural", NEURAL_LEARNERS, ["--features", "neural", "-p", f"embeddings={data(GLOVE)}"])):
        unit = None
        for learner in names.split(","):
            say(f"const learners {parser} {learner}")
            with tempfile.TemporaryDirectory() as folder:
                log = f"{folder}/log"
                measure.run(hinge, "train", "const", train, "--dev", dev, "--learner", learner, "--epochs", EPOCHS, "--threads", "1", "-q", "--objective", "never",
                            "-o", f"{folder}/model", "--log", log, *flags)
                history = [json.loads(line) for line in Path(log).read_text(encoding="utf-8").splitlines()]
            seconds = history[-1]["training_seconds"]
            unit = unit or seconds
            rows.append({"parser": parser, "learner": learner, **{f"f1_{k + 1}": epoch["dev_f1"] for k, epoch in enumerate(history)},
                         "per_epoch": seconds / len(history), "relative": seconds / unit,
                         "decoding": 100 * sum(epoch["decode_seconds"] for epoch in history) / seconds})
    return rows


def taskar(hinge, data, say):
    """Figures 2 and 3 of Taskar et al. 2004: sentences of at most 15 words."""
    rows = []
    minimal = ["-p", "vertical=1", "-p", "horizontal=0"]  # larger grammars take minutes per epoch on IcePaHC
    corpora = {"Penn sample": (PENN, "dev", 30, []), "IcePaHC": ("const/icepahc-{}.mrg", "dev", 3, minimal)}
    for corpus, (path, part, epochs, order) in corpora.items():
        for features in TASKAR:
            say(f"const {corpus} {features}")
            with tempfile.TemporaryDirectory() as folder:
                learner = ["--learner", "perceptron", "--epochs", "1"] if features == "generative" else ["--epochs", str(epochs)]
                log = f"{folder}/log"
                measure.run(hinge, "train", "const", data(path.format("train")), "--dev", data(path.format(part)), "--features", features, "-p", "longest=15",
                            "-p", "hash_bits=24", "-q", "--objective", "never", "-o", f"{folder}/model", "--log", log, *learner, *order)
                last = json.loads(Path(log).read_text(encoding="utf-8").splitlines()[-1])
                rows.append({"corpus": corpus, "features": features, "precision": last["dev_precision"], "recall": last["dev_recall"], "f1": last["dev_f1"],
                             "seconds": last["training_seconds"]})
    return rows
