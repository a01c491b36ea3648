"""Kernels on the features of tokens: the tables `kernel`, `kernel-sizes`, `kernel-objective` and `kernel-beyond` of bench/README.md. Called by bench/run."""

import json
import os
import tempfile
from pathlib import Path

import measure

QUADRATIC = ["--kernel", "poly", "-p", "C=0.0015"]
ROWS = [
    ("linear, `np-chunk`", ["--features", "np-chunk"]),
    ("linear, `plain`", ["--features", "plain"]),
    ("quadratic, `plain`", ["--features", "plain", *QUADRATIC]),
    ("quadratic, `plain`, pairs seen twice", ["--features", "plain", *QUADRATIC, "-p", "kernel_min_count=2"]),
    ("quadratic, `plain`, pruned", ["--features", "plain", *QUADRATIC, "-p", "prune=0.002"]),
]
# Figure 3 of Yu & Lam 2010: seven to nineteen facts per token, so that cubes stay cheap.
SIZES = range(1000, 9000, 1000)
KERNELS = [
    ("linear", []),
    ("quadratic", ["--kernel", "poly", "-p", "C=0.0015"]),
    ("cubic", ["--kernel", "poly", "--degree", "3", "-p", "hash_bits=22", "--learner", "mira", "--epochs", "5"]),
]
COPIES = 10
# The presets' single facts, without their conjunctions.
WORDS = "".join(f"Uw{r}:%x[{r},0]\nUl{r}:%lower[{r},0]\nUh{r}:%shape[{r},0]\n" for r in (-1, 0, 1)) + "".join(
    f"Up{n}:%prefix[0,0,{n}]\nUs{n}:%suffix[0,0,{n}]\n" for n in (1, 2, 3, 4)) + "Us-1:%suffix[-1,0,3]\nUs+1:%suffix[1,0,3]\nUd0:%digits[0,0]\nB\n"


def sentences(path):
    return path.read_text(encoding="utf-8").strip().split("\n\n")


def train(hinge, source, model, flags):
    return measure.run(hinge, "train", "tag", source, "--threads", "1", "-q", "--objective", "never", "-o", model, *flags)


def np_f1(hinge, model, test):
    scores = json.loads(measure.run(hinge, "evaluate", model, test, "--json").output)
    return scores["f1"], scores["detail"]["NP"]["f1"]


def rate(hinge, model, test, folder):
    """Tokens per second of processor time, opening the model excluded, the fastest of three."""
    first, many = Path(folder) / "first", Path(folder) / "many"
    first.write_text(sentences(test)[0] + "\n\n", encoding="utf-8")
    many.write_text("\n\n".join(sentences(test) * COPIES) + "\n\n", encoding="utf-8")
    tokens = sum(1 for line in many.read_text(encoding="utf-8").split("\n") if line)

    def seconds(source):
        return min(measure.run(hinge, "predict", model, source, "--threads", "1", "-o", f"{folder}/out").cpu_seconds for _ in range(3))

    return tokens / (seconds(many) - seconds(first))


def table(hinge, data, say):
    """Processor seconds, as the machine is shared; NP F1 on test."""
    source, test = data("tag/conll2000/train.txt"), data("tag/conll2000/test.txt")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        model = f"{folder}/model"
        for name, flags in ROWS:
            say(f"kernel: {name}")
            step = train(hinge, source, model, flags)
            f1, phrases = np_f1(hinge, model, test)
            rows.append({"name": name, "seconds": step.cpu_seconds, "f1": f1, "np_f1": phrases, "peak_mb": step.peak_mb,
                         "rate": rate(hinge, model, test, folder), "model_mb": os.path.getsize(model) / 1e6})
    return rows


def sizes(hinge, data, say):
    """NP F1 on test and processor seconds after training on the first sentences."""
    all_sentences, test = sentences(data("tag/conll2000/train.txt")), data("tag/conll2000/test.txt")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        source, model = Path(folder) / "train", f"{folder}/model"
        for size in SIZES:
            source.write_text("\n\n".join(all_sentences[:size]) + "\n\n", encoding="utf-8")
            row = {"size": size}
            for name, flags in KERNELS:
                say(f"kernel-sizes: {size} {name}")
                row[f"{name}_seconds"] = train(hinge, source, model, ["--features", "plain", *flags]).cpu_seconds
                row[f"{name}_f1"] = np_f1(hinge, model, test)[1]
            rows.append(row)
    return rows


def objective(hinge, data, say):
    """The objective after every epoch, as in Figure 2: 1,000 sentences, L1-loss, C = 0.001 for the quadratic kernel, 0.1 for the linear."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        source, log = Path(folder) / "train", f"{folder}/log"
        source.write_text("\n\n".join(sentences(data("tag/conll2000/train.txt"))[:1000]) + "\n\n", encoding="utf-8")
        for kernel, flags in (("linear", ["-p", "C=0.1"]), ("quadratic", ["--kernel", "poly", "-p", "C=0.001"])):
            for learner in ("sgd", "bcfw", "ocp"):
                say(f"kernel-objective: {kernel} {learner}")
                measure.run(hinge, "train", "tag", source, "--features", "plain", "--learner", learner, "--epochs", "10", "--threads", "1", "-q",
                            "--objective", "epoch", "--log", log, "-o", f"{folder}/model", *flags)
                epochs = [json.loads(line) for line in Path(log).read_text(encoding="utf-8").splitlines()]
                rows.append({"kernel": kernel, "learner": learner} | {f"epoch{k}": epochs[k - 1]["objective"] for k in (1, 2, 5, 10)})
    return rows


def beyond(hinge, data, say):
    """The quadratic kernel on single facts against the presets, whose conjunctions were made by hand; C from dev."""
    tasks = [("EWT UPOS", "dep/en_ewt-{}.conllu", ("train", "dev", "test"), "pos", "accuracy"),
             ("WNUT-17", "tag/wnut17/{}.conll", ("train", "dev", "test"), "ner", "f1")]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        templates, model = Path(folder) / "templates", f"{folder}/model"
        templates.write_text(WORDS, encoding="utf-8")
        for task, path, parts, preset, score in tasks:
            source, dev, test = (data(path.format(part)) for part in parts)
            for name, flags in ((f"linear, `{preset}`", ["--features", preset]), ("linear, single facts", ["--features", templates]),
                                ("quadratic, single facts", ["--features", templates, *QUADRATIC])):
                say(f"kernel-beyond: {task} {name}")
                step = train(hinge, source, model, flags)
                of_dev, of_test = (json.loads(measure.run(hinge, "evaluate", model, part, "--json").output)[score] for part in (dev, test))
                rows.append({"task": task, "name": name, "dev": of_dev, "test": of_test, "seconds": step.cpu_seconds, "peak_mb": step.peak_mb})
    return rows
