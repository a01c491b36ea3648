"""Coreference: the tables `coref...` of bench/README.md. Called by bench/run."""

import json
import os
import tempfile
from pathlib import Path

import measure
import pictures

GUM = "coref/ontogum-{}.conllu"
GOLD = ["-p", "mentions=gold", "-p", "false_anaphor=1", "-p", "false_new=1"]
PREDICTED = ["-p", "false_anaphor=0.5", "-p", "false_new=1"]
# smo needs a fixed gold, mert few features; extragradient needs minutes per epoch.
LEARNERS = "perceptron,mira,ops,sgd,smd,dcd,dcd-light,ocp,bcfw,softmax-margin,cpd,cutting-plane,one-slack,crf,egd"
EPOCHS = 4
LONG = [10_000, 50_000]  # words of one document
COLUMNS = ("conll", "muc", "b3", "ceaf_e")


def evaluated(hinge, model, path, *flags):
    return json.loads(measure.run(hinge, "evaluate", model, path, "--json", *flags).output)


def trained(hinge, train, model, log, *flags):
    step = measure.run(hinge, "train", "coref", train, "--threads", "1", "-q", "--objective", "never", "-o", model, "--log", log, *flags)
    return step, [json.loads(line) for line in Path(log).read_text(encoding="utf-8").splitlines()]


def annotators(hinge, train, folder, say):
    """Our own tags and trees, learned from the same documents."""
    models = []
    for column in ("upos", "xpos"):
        say(f"coref {column}")
        models.append(f"{folder}/{column}")
        measure.run(hinge, "train", "tag", train, "--column", column, "-q", "--objective", "never", "-o", models[-1])
    say("coref trees")
    tree = f"{folder}/dep"
    measure.run(hinge, "train", "dep", train, "--tagger", ",".join(models), "--learner", "mira", "--epochs", "6", "-q", "--objective", "never", "-o", tree)
    return ",".join([*models, tree])


def table(hinge, data, say):
    """Settings chosen on dev; test scores; documents resolved per second, one thread, files included."""
    train, dev, test = (data(GUM.format(part)) for part in ("train", "dev", "test"))
    documents = test.read_text(encoding="utf-8").count("# newdoc")
    with tempfile.TemporaryDirectory() as folder:
        model, log = f"{folder}/model", f"{folder}/log"
        own = annotators(hinge, train, folder, say)
        for name, flags, models in (("gold mentions", GOLD, []), ("predicted mentions, gold trees", PREDICTED, []),
                                    ("predicted mentions, own tags and trees", PREDICTED, ["--tagger", own])):
            say(f"coref {name}")
            step, epochs = trained(hinge, train, model, log, "--learner", "ops", *flags, *models)
            of_dev, of_test = (evaluated(hinge, model, part, *models) for part in (dev, test))
            resolved = min((measure.run(hinge, "predict", model, test, "--threads", "1", "-o", f"{folder}/out", *models) for _ in range(3)), key=lambda step: step.seconds)
            yield {"name": name, "seconds": step.seconds, "per_epoch": epochs[-1]["training_seconds"] / len(epochs), "dev": of_dev["conll"],
                   **{column: of_test[column] for column in COLUMNS}, "mentions": of_test["mentions"], "rate": documents / resolved.seconds,
                   "peak_mb": step.peak_mb, "model_mb": os.path.getsize(model) / 1e6}


def learners(hinge, data, say, picture):
    """Dev average after each epoch and the test average, as in Figure 1 and Table 1 of Kummerfeld et al. 2015; draws the panels."""
    rows = []
    train, dev, test = (data(GUM.format(part)) for part in ("train", "dev", "test"))
    for mentions, flags in (("gold", GOLD), ("predicted", PREDICTED)):
        unit = None
        for learner in LEARNERS.split(","):
            say(f"coref learners {mentions} {learner}")
            with tempfile.TemporaryDirectory() as folder:
                model = f"{folder}/model"
                step, history = trained(hinge, train, model, f"{folder}/log", "--dev", dev, "--learner", learner, "--epochs", EPOCHS, *flags)
                of_test = evaluated(hinge, model, test)
            seconds = history[-1]["training_seconds"] / len(history)
            unit = unit or seconds
            rows.append({"mentions": mentions, "learner": learner, **{f"conll_{k + 1}": epoch["dev_conll"] for k, epoch in enumerate(history)},
                         "test": of_test["conll"], "per_epoch": seconds, "relative": seconds / unit,
                         "decoding": 100 * sum(epoch["decode_seconds"] for epoch in history) / history[-1]["training_seconds"], "peak_mb": step.peak_mb})
            yield rows[-1]
    draw(rows, picture)


def draw(rows, picture):
    epochs = range(1, EPOCHS + 1)
    pictures.panels(picture, {f"{mentions} mentions, OntoGUM dev": {row["learner"]: (epochs, [row.get(f"conll_{k}") for k in epochs]) for row in rows if row["mentions"] == mentions}
                              for mentions in ("gold", "predicted")}, "epoch", "CoNLL average")


def one_document(hinge, words, folder):
    """A made-up document of that many words: sampled ones without the lines that separate them."""
    path = Path(folder) / f"{words}.conllu"
    text = measure.run(hinge, "sample", "coref", "--sentences", words // 8, "--seed", "1").output
    lines, seen = [], 0
    for line in text.splitlines():
        if line.startswith(("# newdoc", "# global")) and seen > 0:
            continue
        lines.append(line)
        seen += line[:1].isdigit()
        if line == "" and seen >= words:
            break
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    return path, seen


def long(hinge, _, say):
    """One long document, made up: one epoch, and resolving it, one thread."""
    with tempfile.TemporaryDirectory() as folder:
        for words in LONG:
            path, seen = one_document(hinge, words, folder)
            for window in (50, 100, 500):
                say(f"coref long {words} {window}")
                model = f"{folder}/model"
                step, history = trained(hinge, path, model, f"{folder}/log", "--epochs", 1, "-p", f"window={window}")
                resolved = measure.run(hinge, "predict", model, path, "--threads", "1", "-o", f"{folder}/out")
                yield {"words": seen, "window": window, "epoch": history[-1]["training_seconds"], "train_mb": step.peak_mb,
                       "predict": resolved.seconds, "predict_mb": resolved.peak_mb}
