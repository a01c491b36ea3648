"""Kernels on the features of tokens: the tables `kernel...` of bench/README.md. Called by bench/run, which writes every row as it comes.

The task is that of Yu & Lam (2010): noun phrases alone, other chunks are O. Labels also mark the ends of phrases and phrases of one word
(IOBES); phrases are counted as always. Seconds are processor seconds, as the machine is often shared.
"""

import json
import os
import tempfile
from pathlib import Path

import measure
import paired
import pictures
import spans

# Features, r and C were chosen on two tenths of train, held out.
PAIRS = ["--features", "triples", "--kernel", "poly", "-p", "paired=plain", "-p", "r=4", "-p", "C=0.002"]
PLAIN = ["--features", "plain"]
PLAIN_PAIRS = [*PLAIN, "--kernel", "poly", "-p", "C=0.0015"]
PRUNE = 0.005
PLAIN_PRUNE = 0.002
RESAMPLES = 2000
SMALL = 500  # sentences, where a kernel's time grows with their square
EPOCHS = 10
SIZES = range(1000, 9000, 1000)
NEURAL_STEP = 10
CURVES = ("linear", "quadratic", "cubic", "biquadratic", "neural", "crf")
COPIES = 10
BY_HAND = "linear, `np-chunk`"
# The presets' single facts, without their conjunctions.
WORDS = "".join(f"Uw{r}:%x[{r},0]\nUl{r}:%lower[{r},0]\nUh{r}:%shape[{r},0]\n" for r in (-1, 0, 1)) + "".join(
    f"Up{n}:%prefix[0,0,{n}]\nUs{n}:%suffix[0,0,{n}]\n" for n in (1, 2, 3, 4)) + "Us-1:%suffix[-1,0,3]\nUs+1:%suffix[1,0,3]\nUd0:%digits[0,0]\nB\n"


def sentences(path):
    return Path(path).read_text(encoding="utf-8").strip().split("\n\n")


def write_sentences(path, some):
    Path(path).write_text("\n\n".join(some) + "\n\n", encoding="utf-8")


def noun_phrases(sentence):
    """The sentence with labels of noun phrases only: B, I, E (the last), S (the only word)."""
    rows = [line.split() for line in sentence.split("\n")]
    labels = [row[-1] if row[-1].endswith("-NP") else "O" for row in rows]
    for row, label, following in zip(rows, labels, labels[1:] + ["O"]):
        ends = not following.startswith("I")
        row[-1] = label if label == "O" or not ends else {"B": "S", "I": "E"}[label[0]] + label[1:]
    return "\n".join(" ".join(row) for row in rows)


def prepare(data, folder):
    """Train and test, noun phrases only."""
    paths = []
    for part in ("train", "test"):
        paths.append(Path(folder) / part)
        write_sentences(paths[-1], [noun_phrases(s) for s in sentences(data(f"tag/conll2000/{part}.txt"))])
    return paths


def train(hinge, source, model, flags):
    return measure.run(hinge, "train", "tag", source, "--threads", "1", "-q", "--objective", "never", "-o", model, *flags)


def np_scores(hinge, model, test):
    scores = json.loads(measure.run(hinge, "evaluate", model, test, "--json").output)["detail"]["NP"]
    return {"precision": scores["precision"], "recall": scores["recall"], "np_f1": scores["f1"]}


def rate(hinge, model, test, folder):
    """Tokens per second of processor time, opening the model excluded, the fastest of three."""
    first, many = Path(folder) / "first", Path(folder) / "many"
    write_sentences(first, sentences(test)[:1])
    write_sentences(many, sentences(test) * COPIES)
    tokens = sum(1 for line in many.read_text(encoding="utf-8").split("\n") if line)

    def seconds(source):
        return min(measure.run(hinge, "predict", model, source, "--threads", "1", "-o", f"{folder}/out").cpu_seconds for _ in range(3))

    return tokens / (seconds(many) - seconds(first))


def begun(label):
    """The label in IOB2, which is what the counts understand."""
    return label.replace("E-", "I-").replace("S-", "B-")


def phrases_of(hinge, model, test, folder):
    """Right, found and true phrases of every sentence of test."""
    tagged = Path(folder) / "tagged"
    measure.run(hinge, "predict", model, test, "--threads", "1", "-o", tagged)
    rows = []
    for sentence in sentences(tagged):
        counts = spans.Counts()
        lines = [line.split() for line in sentence.split("\n")]
        gold, ours = ([begun(line[column]) for line in lines] for column in (-2, -1))
        counts.add_sentence(gold, ours)
        rows.append((counts.right["NP"], counts.found["NP"], counts.true["NP"]))
    return rows


def f1(rows):
    right, found, true = (sum(of) for of in zip(*rows))
    return 2 * right / (found + true)


def table(hinge, data, say):
    """All sentences. Pruned pairs are those whose weights are above a threshold; they are then learned again without the others."""
    with tempfile.TemporaryDirectory() as folder:
        source, test = prepare(data, folder)
        model, pruned = f"{folder}/model", f"{folder}/pruned"
        rows = [("linear, `np-chunk`, all chunk labels", data("tag/conll2000/train.txt"), data("tag/conll2000/test.txt"), model, ["--features", "np-chunk"]),
                (BY_HAND, source, test, model, ["--features", "np-chunk"]),
                ("linear, `plain`", source, test, model, PLAIN),
                ("quadratic, `plain`", source, test, model, PLAIN_PAIRS),
                (f"the same, pruned at {PLAIN_PRUNE}", source, test, pruned, [*PLAIN_PAIRS, "-p", f"prune={PLAIN_PRUNE}"]),
                ("quadratic, `triples` and pairs of `plain`", source, test, model, PAIRS),
                (f"the same, pruned at {PRUNE}", source, test, pruned, [*PAIRS, "-p", f"prune={PRUNE}"]),
                ("the same, learned again", source, test, model, [*PAIRS, "--init", pruned, "-p", "kernel_min_count=1000000"])]
        yardstick = None
        for name, train_file, test_file, output, flags in rows:
            say(f"kernel: {name}")
            step = train(hinge, train_file, output, flags)
            phrases = phrases_of(hinge, output, test_file, folder)
            if name == BY_HAND:
                yardstick = phrases
            below = paired.share_below(phrases, yardstick, f1, RESAMPLES) if yardstick is not None else None
            yield {"name": name, "seconds": step.cpu_seconds, "peak_mb": step.peak_mb, **np_scores(hinge, output, test_file), "below": below,
                   "rate": rate(hinge, output, test_file, folder), "model_mb": os.path.getsize(output) / 1e6}


def kernels():
    """Name, flags, C and the first step of sgd, which is twice what a full dual variable is; that of smd is a seventh of it."""
    quadratic, cubic, biquadratic = ([*PLAIN, "--kernel", "poly", "--degree", str(d), *bits] for d, bits in
                                     ((2, []), (3, ["-p", "hash_bits=22"]), (4, ["-p", "hash_bits=24"])))
    neural = [*PLAIN, "--kernel", "tanh", "-p", "s=0.1", "-p", "r=0"]
    return [("linear", PLAIN, 0.1, 0.2), ("quadratic", quadratic, 0.0015, 0.003), ("cubic", cubic, 0.00005, 0.0001),
            ("biquadratic", biquadratic, 0.000002, 0.000004), ("neural", neural, 1, 0.2)]


def methods(hinge, data, say):
    """Tables 2 and 3 of the paper: every kernel by structured SMO and by stochastic gradients, and the CRF."""
    likelihood = ("linear, `np-chunk`", ["--features", "np-chunk"], 0.5, 0)
    by_hand = ("linear, `np-chunk`", ["--features", "np-chunk"], 0.1, 0.2)
    with tempfile.TemporaryDirectory() as folder:
        source, test = prepare(data, folder)
        small = Path(folder) / "small"
        write_sentences(small, sentences(source)[:SMALL])
        rows = [(source, method, row) for row in (by_hand, *kernels()[:2]) for method in ("smo", "smd")] + [(source, "crf", likelihood)]
        rows += [(small, method, row) for method in ("smo", "smd", "sgd") for row in kernels()] + [(small, "crf", likelihood)]
        for train_file, method, (kernel, flags, capacity, first_step) in rows:
            say(f"kernel-methods: {method} {kernel} {train_file.name}")
            more = {"sgd": ["-p", f"eta0={first_step}"], "smd": ["-p", f"eta0={first_step / 7}"]}.get(method, [])
            epochs = 100 if method == "crf" else EPOCHS
            step = train(hinge, train_file, f"{folder}/model", [*flags, "--learner", method, "--epochs", str(epochs), "-p", f"C={capacity}", *more])
            yield {"sentences": len(sentences(train_file)), "method": method, "kernel": kernel, "epochs": epochs, "seconds": step.cpu_seconds,
                   "peak_mb": step.peak_mb, **np_scores(hinge, f"{folder}/model", test)}


def sizes(hinge, data, say, picture):
    """Figure 3: NP F1 on test and processor seconds after training on the first sentences."""
    flags_of = {name: flags for name, flags, _, _ in kernels()}
    fast = ["--learner", "mira", "--epochs", "5"]
    neural = [*flags_of["neural"], "--learner", "smd", "--epochs", "5", "-p", "C=1"]
    curves = [("linear", PLAIN), ("quadratic", PLAIN_PAIRS), ("cubic", [*flags_of["cubic"], *fast]), ("biquadratic", [*flags_of["biquadratic"], *fast]),
              ("neural", neural), ("crf", ["--features", "np-chunk", "--learner", "crf", "--epochs", "100", "-p", "C=0.5"])]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        source, test = prepare(data, folder)
        every, part = sentences(source), Path(folder) / "part"
        for size in SIZES:
            write_sentences(part, every[:size])
            row = {"size": size}
            for name, flags in curves:
                say(f"kernel-sizes: {size} {name}")
                # Coefficients grow with the number of vectors, so the step shrinks with it; chosen on the last tenth of train.
                step = ["-p", f"eta0={NEURAL_STEP / size}"] if name == "neural" else []
                row[f"{name}_seconds"] = train(hinge, part, f"{folder}/model", [*flags, *step]).cpu_seconds
                row[f"{name}_f1"] = np_scores(hinge, f"{folder}/model", test)["np_f1"]
            rows.append(row)
            yield row
    draw_sizes(rows, picture)


def draw_sizes(rows, picture):
    curves = {title: {name: tuple(zip(*((row["size"], row[f"{name}_{key}"]) for row in rows)))
                      for name in CURVES} for key, title in (("f1", "NP F1 on test"), ("seconds", "processor seconds"))}
    pictures.panels(picture, curves, "training sentences")


def objective(hinge, data, say, picture):
    """Figure 2: the objective after every epoch; L1 loss, one C for each kernel."""
    curves = {}
    with tempfile.TemporaryDirectory() as folder:
        source, _ = prepare(data, folder)
        log = f"{folder}/log"
        write_sentences(source, sentences(source)[:SMALL])
        for kernel, flags, learners in (("linear", ["-p", "C=0.1"], ("smo", "smd", "sgd")),
                                        ("quadratic", ["--kernel", "poly", "-p", "C=0.001"], ("smo", "smd", "sgd"))):
            for learner in learners:
                say(f"kernel-objective: {kernel} {learner}")
                measure.run(hinge, "train", "tag", source, *PLAIN, "--learner", learner, "--epochs", "20", "--threads", "1", "-q",
                            "--objective", "epoch", "--log", log, "-o", f"{folder}/model", *flags)
                epochs = [json.loads(line) for line in Path(log).read_text(encoding="utf-8").splitlines()]
                curves[kernel, learner] = [epoch["primal"] for epoch in epochs]
                lowest = min(min(values) for (of, _), values in curves.items() if of == kernel)
                near = next((e["training_seconds"] for e in epochs if e["primal"] <= 1.01 * lowest), None)
                yield {"kernel": kernel, "learner": learner, "near": near, "per_epoch": epochs[-1]["training_seconds"] / len(epochs)} | {
                    f"epoch{k}": epochs[min(k, len(epochs)) - 1]["primal"] for k in (1, 2, 5, 10, 20)}
    draw_objective(curves, picture)


def draw_objective(curves, picture):
    pictures.panels(picture, {f"objective, {of} kernel": {learner: (range(1, len(values) + 1), values) for (kernel, learner), values in curves.items() if kernel == of}
                              for of in ("linear", "quadratic")}, "epochs", log="y")


def beyond(hinge, data, say):
    """The quadratic kernel on single facts against the presets, whose conjunctions were made by hand."""
    tasks = [("EWT UPOS", "dep/en_ewt-{}.conllu", "pos", "accuracy", []), ("WNUT-17", "tag/wnut17/{}.conll", "ner", "f1", ["-p", "miss=1"])]
    with tempfile.TemporaryDirectory() as folder:
        templates, model = Path(folder) / "templates", f"{folder}/model"
        templates.write_text(WORDS, encoding="utf-8")
        quadratic = ["--kernel", "poly", "-p", "C=0.0015"]
        for task, path, preset, score, costs in tasks:
            source, dev, test = (data(path.format(part)) for part in ("train", "dev", "test"))
            for name, flags in ((f"linear, `{preset}`", ["--features", preset, *costs]), ("linear, single facts", ["--features", templates]),
                                ("quadratic, single facts", ["--features", templates, *quadratic])):
                say(f"kernel-beyond: {task} {name}")
                step = train(hinge, source, model, flags)
                of_dev, of_test = (json.loads(measure.run(hinge, "evaluate", model, part, "--json").output)[score] for part in (dev, test))
                yield {"task": task, "name": name, "dev": of_dev, "test": of_test, "seconds": step.cpu_seconds, "peak_mb": step.peak_mb}
