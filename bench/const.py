"""Constituency parsing: the tables `const...` of bench/README.md. Called by bench/run."""

import json
import os
import sys
import tempfile
from pathlib import Path

import measure
import pictures

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
# Those that work through all sentences before a step come last; they get more passes. mert is for few features.
LEARNERS = "mira,perceptron,ops,sgd,dcd,dcd-light,ocp,bcfw,smo,softmax-margin,smd,cpd,cutting-plane,one-slack,egd,extragradient,crf"
BATCH = "cpd,cutting-plane,one-slack,egd,extragradient,crf".split(",")
NEURAL_LEARNERS = "mira,ops,softmax-margin,perceptron,smd,crf"
EPOCHS = 3
BATCH_PASSES = 15
LENGTHS = [10, 20, 40, 80, 160, 300]
PARTS = [8, 4, 2, 1]  # of the training trees
FOLDS = 5  # of the training trees, to rerank
FEATURES = Path(__file__).resolve().parent.parent / "examples/tree_features.py"
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


def training_history(hinge, train, dev, flags):
    """What every epoch reports; [] if training fails, as it does if weights grow without bound."""
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log"
        try:
            measure.run(hinge, "train", "const", train, "--dev", dev, "--threads", "1", "-q", "--objective", "never", "-o", f"{folder}/model", "--log", log, *flags)
        except SystemExit:
            return []
        return [json.loads(line) for line in Path(log).read_text(encoding="utf-8").splitlines()]


def learners(hinge, data, say, picture):
    """Dev F1 after each epoch, as in Figure 1 and Table 1 of Kummerfeld et al. 2015; draws the panels."""
    rows = []
    train, dev = data(PENN.format("train")), data(PENN.format("dev"))
    for parser, names, flags in (("span", LEARNERS, []), ("neural", NEURAL_LEARNERS, ["--features", "neural", "-p", f"embeddings={data(GLOVE)}"])):
        unit = None
        for learner in names.split(","):
            say(f"const learners {parser} {learner}")
            passes = BATCH_PASSES if learner in BATCH else EPOCHS
            history = training_history(hinge, train, dev, ["--learner", learner, "--epochs", passes, *flags])
            if not history:
                yield {"parser": parser, "learner": learner + " (fails)"}
                continue
            per_epoch = history[-1]["training_seconds"] / len(history)
            unit = unit or per_epoch
            rows.append({"parser": parser, "learner": learner, **{f"f1_{k + 1}": epoch["dev_f1"] for k, epoch in enumerate(history)},
                         "last": history[-1]["dev_f1"], "passes": len(history), "per_epoch": per_epoch, "relative": per_epoch / unit,
                         "decoding": 100 * sum(epoch["decode_seconds"] for epoch in history) / history[-1]["training_seconds"]})
            yield rows[-1]
    draw(rows, picture)


def draw(rows, picture):
    curves = {parser: {row["learner"]: (range(1, row["passes"] + 1), [row[f"f1_{k}"] for k in range(1, row["passes"] + 1)])
                       for row in rows if row["parser"] == parser} for parser in ("span", "neural")}
    pictures.panels(picture, {f"{parser} parser, Penn sample dev": of for parser, of in curves.items()}, "epoch", "F1", log="x")


def short(trees):
    """Those of at most 15 words."""
    return [line for line in trees.read_text(encoding="utf-8").splitlines() if sum(not token.startswith("(") for token in line.split()) <= 15]


def crossed(hinge, trees, folds, flags, folder):
    """Scores of all trees, each parsed by a model of the other parts, and seconds of training."""
    gold, system, seconds = Path(folder) / "gold", Path(folder) / "system", 0.0
    parsed = []
    for fold in range(folds):
        train, held = Path(folder) / "train", Path(folder) / "held"
        train.write_text("\n".join(tree for k, tree in enumerate(trees) if k % folds != fold) + "\n", encoding="utf-8")
        held.write_text("\n".join(trees[fold::folds]) + "\n", encoding="utf-8")
        seconds += measure.run(hinge, "train", "const", train, "-q", "--objective", "never", "-o", f"{folder}/model", *flags).cpu_seconds
        parsed.append(measure.run(hinge, "predict", f"{folder}/model", held).output)
    gold.write_text("\n".join(tree for fold in range(folds) for tree in trees[fold::folds]) + "\n", encoding="utf-8")
    system.write_text("".join(parsed), encoding="utf-8")
    return json.loads(measure.run(hinge, "evaluate", "const", "--gold", gold, "--system", system, "--json").output), seconds


def taskar(hinge, data, say):
    """Figures 2 and 3 of Taskar et al. 2004: sentences of at most 15 words. The few of the Penn sample are cross-validated, train and dev together."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for corpus, epochs, order in (("Penn sample", 30, []), ("IcePaHC", 3, ["-p", "hash_bits=24", "-p", "vertical=1", "-p", "horizontal=0"])):
            for features in TASKAR:
                say(f"const {corpus} {features}")
                learner = ["--learner", "perceptron", "--epochs", "1"] if features == "generative" else ["--epochs", str(epochs)]
                flags = ["--features", features, "-p", "longest=15", *learner, *order]
                if corpus == "Penn sample":
                    scores, seconds = crossed(hinge, short(data(PENN.format("train"))) + short(data(PENN.format("dev"))), 5, flags, folder)
                else:
                    train, dev = (data(f"const/icepahc-{part}.mrg") for part in ("train", "dev"))
                    seconds = measure.run(hinge, "train", "const", train, "-q", "--objective", "never", "-o", f"{folder}/model", *flags).cpu_seconds
                    (Path(folder) / "held").write_text("\n".join(short(dev)) + "\n", encoding="utf-8")
                    scores = json.loads(measure.run(hinge, "evaluate", f"{folder}/model", f"{folder}/held", "--json").output)
                rows.append({"corpus": corpus, "features": features, **{name: scores[name] for name in ("precision", "recall", "f1")}, "seconds": seconds})
    return rows


def reranked(hinge, data, say):
    """The 50 best trees of the best parser, reranked with features of whole trees; learned from trees of parsers of the other parts."""
    train, dev, test = (data(PENN.format(part)) for part in ("train", "dev", "test"))
    trees = train.read_text(encoding="utf-8").splitlines(keepends=True)
    flags = ["--features", "span+neural", "-p", f"embeddings={data(GLOVE)}", "-p", f"clusters={data(BROWN)}", "--learner", "ops", "-p", "tolerance=0", "-p", "average=true",
             "--epochs", "6", "--threads", "1", "-q", "--objective", "never"]
    with tempfile.TemporaryDirectory() as folder:
        model, lists, reranker = f"{folder}/model", f"{folder}/lists", f"{folder}/reranker"
        held, gold, parse_seconds = [], [], 0.0
        for fold in range(FOLDS):
            say(f"const rerank: part {fold + 1} of {FOLDS}")
            part, right, best = Path(folder) / "part", Path(folder) / f"right{fold}", f"{folder}/best{fold}"
            part.write_text("".join(tree for k, tree in enumerate(trees) if k % FOLDS != fold), encoding="utf-8")
            right.write_text("".join(trees[fold::FOLDS]), encoding="utf-8")
            parse_seconds += measure.run(hinge, "train", "const", part, *flags, "-o", model).cpu_seconds
            parse_seconds += measure.run(hinge, "predict", model, right, "--nbest", "50", "--threads", "1", "-o", best).cpu_seconds
            held.append(best)
            gold += ["--gold", right]
        say("const rerank: features")
        features = measure.run(sys.executable, FEATURES, *held, *gold, "--clusters", data(BROWN), "-o", lists)
        learned = measure.run(hinge, "train", "rerank", lists, "-p", "cost=cost", "--C", "0.01", "--epochs", "10", "--threads", "1", "-q", "-o", reranker)
        measure.run(hinge, "train", "const", train, *flags, "-o", model)
        row = {"seconds": parse_seconds, "feature_seconds": features.cpu_seconds, "feature_mb": features.peak_mb, "learn_seconds": learned.cpu_seconds}
        for name, part in (("dev", dev), ("test", test)):
            best, best_features, out = f"{folder}/best", f"{folder}/features", f"{folder}/out"
            measure.run(hinge, "predict", model, part, "--nbest", "50", "-o", best)
            measure.run(sys.executable, FEATURES, best, "--clusters", data(BROWN), "-o", best_features)
            measure.run(hinge, "predict", reranker, best_features, "-o", out)
            row[name] = json.loads(measure.run(hinge, "evaluate", model, part, "--json").output)["f1"]
            row[f"{name}_reranked"] = json.loads(measure.run(hinge, "evaluate", "const", "--gold", part, "--system", out, "--json").output)["f1"]
        yield row


def cost(hinge, model, words, copies, folder):
    """Processor seconds per sentence, without opening the model, and peak memory. Processor time, as others may use the machine."""
    text, nothing = Path(folder) / "text", Path(folder) / "nothing"
    text.write_text((" ".join(words) + "\n") * copies, encoding="utf-8")
    nothing.write_text("", encoding="utf-8")
    empty, full = (min((measure.run(hinge, "predict", model, path, "--threads", "1", "-o", f"{folder}/out") for _ in range(3 if copies > 1 else 1)),
                       key=lambda step: step.cpu_seconds) for path in (nothing, text))
    return (full.cpu_seconds - empty.cpu_seconds) / copies, full.peak_mb


def growth(hinge, data, say):
    """Parsing time by length of the sentence and by size of the grammar. Long sentences are test sentences one after the other."""
    rows = []
    trees = data(PENN.format("train")).read_text(encoding="utf-8").splitlines(keepends=True)
    with tempfile.TemporaryDirectory() as folder:
        test = Path(folder) / "words"
        plain(data(PENN.format("test")), test)
        text = test.read_text(encoding="utf-8").split()
        for parser, flags in (("span", []), ("grammar=none", ["--grammar", "none"])):
            for part in PARTS if parser == "span" else PARTS[-1:]:
                say(f"const growth {parser}, 1/{part} of the trees")
                train, model = Path(folder) / "train", f"{folder}/model"
                train.write_text("".join(trees[:len(trees) // part]), encoding="utf-8")
                measure.run(hinge, "train", "const", train, "--epochs", "1", "-q", "--objective", "never", "-o", model, *flags)
                rules = int(measure.run(hinge, "inspect", model).output.split(" rules")[0].split()[-1])
                for words in LENGTHS if part == 1 else [40]:
                    seconds, peak = cost(hinge, model, (text * 2)[:words], max(1, 4000 // words ** 2 * 10), folder)
                    # Inside and outside: three products for each binary rule, span and split.
                    products = 3 * rules * words * (words ** 2 - 1) / 6
                    rows.append({"parser": parser, "trees": len(trees) // part, "rules": rules, "words": words, "ms": 1000 * seconds, "peak_mb": peak,
                                 "products": products / seconds / 1e9 if parser == "span" else None})
    return rows
