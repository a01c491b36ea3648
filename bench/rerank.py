"""Reranking: the tables `rerank` and `rerank-pairings` of bench/README.md. Called by bench/run."""

import itertools
import json
import statistics
import tempfile
from pathlib import Path

import measure
import pictures

SEEDS = range(1, 6)
EPOCHS = 20
ORACLES = ("max-bleu", "local", "hope")
PREDICTIONS = ("best", "max-cost", "fear")
SYSTEMS = [
    ("mira, hope/fear", []),
    ("the same, C and epochs of the paper", ["--learner", "mira", "--C", "0.01", "--epochs", "10"]),
    ("mira, 4 shards", ["--shards", "4"]),
    ("mira, target bigrams too", ["-p", "ngrams=2"]),
    ("mira, target n-grams up to 4", ["-p", "ngrams=4"]),
    ("ops, hope/fear (ramp loss)", ["--learner", "ops", "--C", "1"]),
    ("sgd, hope/fear (ramp loss)", ["--learner", "sgd", "--C", "0.01", "--epochs", "40"]),
    ("dcd, hope/fear", ["--learner", "dcd", "--C", "0.005"]),
    ("PRO (crf on pairs)", ["--learner", "crf", "-p", "pairs=50"]),
    ("MERT", ["--learner", "mert"]),
]


def files(data):
    folder = data("mt/multi30k_nbest")
    return {part: (folder / f"{part}.nbest.gz", folder / f"{part}.ref") for part in ("val", "test")}, folder / "initial.weights"


def train_command(hinge, data, seed, *flags):
    lists, initial = files(data)
    return [hinge, "train", "rerank", lists["val"][0], "--refs", lists["val"][1], "--init", initial, "--seed", str(seed), "--threads", "1",
            "--objective", "never", "-q", *flags]


def bleu(hinge, model, lists):
    return json.loads(measure.run(hinge, "evaluate", model, lists[0], "--refs", lists[1], "--json").output)["bleu"]


def span(values, form="{:.2f}"):
    low, high = form.format(min(values)), form.format(max(values))
    return low if low == high else f"{low} to {high}"


def systems(hinge, data, say):
    """Tuned on val starting from the decoder's weights, five seeds; seconds include reading and counting n-grams."""
    rows = []
    lists, _ = files(data)
    with tempfile.TemporaryDirectory() as folder:
        model, log = f"{folder}/model", f"{folder}/log"
        for name, flags in SYSTEMS:
            say(f"rerank {name}")
            val, test, seconds, training = [], [], [], []
            for seed in SEEDS:
                step = measure.run(*train_command(hinge, data, seed, "-o", model, "--log", log, *flags))
                seconds.append(step.seconds)
                training.append(json.loads(Path(log).read_text(encoding="utf-8").splitlines()[-1])["training_seconds"])
                val.append(bleu(hinge, model, lists["val"]))
                test.append(bleu(hinge, model, lists["test"]))
            rows.append({"name": name, "val": span(val), "test": span(test), "test_mean": statistics.mean(test), "seconds": min(seconds),
                         "training": min(training), "peak_mb": step.peak_mb})
    return rows


def curves(hinge, data, oracle, prediction, part):
    """Per epoch: BLEU of the choices, the oracles and the predictions, on val or test lists."""
    lists, _ = files(data)
    with tempfile.TemporaryDirectory() as folder:
        measure.run(*train_command(hinge, data, 1, "-p", f"oracle={oracle}", "-p", f"prediction={prediction}", "--learner", "mira", "--C", "0.01",
                                   "--epochs", str(EPOCHS), "--dev", lists[part][0], "--dev-refs", lists[part][1],
                                   "-o", f"{folder}/model", "--log", f"{folder}/log"))
        return [json.loads(line) for line in Path(f"{folder}/log").read_text(encoding="utf-8").splitlines()]


def pairings(hinge, data, say, picture):
    """The nine pairings of Eidelman 2012 (Figures 1 to 6), mira with his C of 0.01, seed 1."""
    rows, panels = [], {}
    for oracle, prediction in itertools.product(ORACLES, PREDICTIONS):
        say(f"rerank {oracle}/{prediction}")
        val, test = (curves(hinge, data, oracle, prediction, part) for part in ("val", "test"))
        tail = [epoch["dev_bleu"] for epoch in test[EPOCHS // 2:]]
        rows.append({"oracle": oracle, "prediction": prediction, **{f"val{k}": val[k - 1]["dev_bleu"] for k in (1, 2, 5, 10, 20)},
                     **{f"test{k}": test[k - 1]["dev_bleu"] for k in (1, 2, 5, 10, 20)}, "swing": max(tail) - min(tail),
                     "oracle_bleu": val[-1]["dev_oracle"], "prediction_bleu": val[-1]["dev_prediction"]})
        panels[oracle, prediction] = (val, test)
    draw(panels, picture)
    return rows


def draw(panels, picture):
    pyplot = pictures.pyplot(picture)
    if pyplot is None:
        return
    figure, axes = pyplot.subplots(len(ORACLES), len(PREDICTIONS), figsize=(11, 9), sharex=True, sharey=True)
    for (oracle, prediction), (val, test) in panels.items():
        axis = axes[ORACLES.index(oracle)][PREDICTIONS.index(prediction)]
        for name, history, key in (("val", val, "dev_bleu"), ("test", test, "dev_bleu"), ("oracle, val", val, "dev_oracle"),
                                   ("prediction, val", val, "dev_prediction")):
            axis.plot(range(1, len(history) + 1), [epoch[key] for epoch in history], label=name)
        axis.set_title(f"{oracle} / {prediction}", fontsize=9)
        axis.grid(alpha=0.3)
    axes[0][0].legend(fontsize=7)
    for axis in axes[-1]:
        axis.set_xlabel("epoch")
    for row in axes:
        row[0].set_ylabel("BLEU")
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None})
