"""Summaries: the tables `summ...` of bench/README.md. Called by bench/run, which writes every row as it comes."""

import json
import os
import random
import re
import statistics
import tempfile
from pathlib import Path

import measure
import paired
import pictures

FEWSUM = "summ/fewsum/{}.{}.jsonl"
OPINOSIS = "summ/opinosis"
FOLDS = 5
RESAMPLES = 5000
# Chosen on the development topics of both.
LEARNED = ["--learner", "mira", "-p", "C=0.01", "--epochs", "10"]
UNLEARNED = ["-p", "features=documents"]
# The regression alone: such a C moves nothing. Chosen by folds of the training and development topics of Amazon and Yelp.
REGRESSION = ["--learner", "mira", "-p", "C=1e-7", "--epochs", "1", "-p", "start=regression"]
DEALS = 10
# The others need sums over outputs, or parts, which a coverage does not have.
LEARNERS = "mira,perceptron,ops,sgd,smd,dcd,dcd-light,ocp,bcfw,cpd,cutting-plane,one-slack"
CAPACITIES = (0.001, 0.01, 0.1, 1)
EPOCHS = 10
BATCH = ("cpd", "cutting-plane", "one-slack")
BATCH_PASSES = 100
SENTENCES = (100, 300, 1000)


def topics(path):
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def write_topics(path, some):
    Path(path).write_text("".join(json.dumps(topic) + "\n" for topic in some), encoding="utf-8")


def opinosis(folder):
    """The topics of Opinosis, which are in Latin-1."""
    result = []
    for path in sorted(Path(folder, "topics").glob("*.txt.data")):
        name = path.name.removesuffix(".txt.data")
        references = sorted(Path(folder, "summaries-gold", name).iterdir())
        result.append({"id": name, "docs": [line.strip() for line in path.read_text(encoding="latin-1").splitlines() if line.strip()],
                       "refs": [reference.read_text(encoding="latin-1").strip() for reference in references]})
    return result


def train(hinge, source, model, words, flags):
    return measure.run(hinge, "train", "summarize", source, "-p", f"words={words}", "--threads", "1", "-q", "--objective", "never", "-o", model, *flags)


def evaluated(hinge, model, source):
    return json.loads(measure.run(hinge, "evaluate", model, source, "--json").output)


def by_topic(hinge, model, source, folder):
    """ROUGE-2 F1 of every topic."""
    one, result = f"{folder}/one", []
    for topic in topics(source):
        write_topics(one, [topic])
        result.append(evaluated(hinge, model, one)["rouge2"])
    return result


def lead(topic, words):
    """The first sentences of all documents, then the second ones, and so on, as long as they fit."""
    documents = [[s for s in re.split(r"(?<=[.!?])\s+", text.strip()) if s] for text in topic["docs"]]
    chosen, room = [], words
    for k in range(max(map(len, documents))):
        for sentences in documents:
            if k < len(sentences) and len(sentences[k].split()) <= room and sentences[k] not in chosen:
                chosen.append(sentences[k])
                room -= len(sentences[k].split())
    return "\n".join(chosen)


def lead_by_topic(hinge, source, words, folder):
    """ROUGE-2 F1 of the lead of every topic."""
    one, system, result = f"{folder}/one", f"{folder}/system", []
    for topic in topics(source):
        write_topics(one, [topic])
        write_topics(system, [{"id": topic["id"], "summary": lead(topic, words)}])
        result.append(json.loads(measure.run(hinge, "evaluate", "summarize", "--gold", one, "--system", system, "--json").output)["rouge2"])
    return result


def deal(every, seed, folder):
    """[(train, test)] of every fold; topics are shuffled unless the seed is 0."""
    every, parts = list(every), []
    if seed:
        random.Random(seed).shuffle(every)
    for fold in range(FOLDS):
        parts.append((f"{folder}/train{fold}", f"{folder}/test{fold}"))
        write_topics(parts[-1][0], [t for k, t in enumerate(every) if k % FOLDS != fold])
        write_topics(parts[-1][1], [t for k, t in enumerate(every) if k % FOLDS == fold])
    return parts


def for_f1(hinge, source, words, folder):
    """Flags that learn for F1: a word costs half the F1 that document counts reach on the same training topics."""
    train(hinge, source, f"{folder}/counts", words, UNLEARNED)
    return [*REGRESSION, "-p", "recall=mean", "-p", f"word_cost={evaluated(hinge, f'{folder}/counts', source)['rouge2'] / 200:.4f}"]


def deals(hinge, data, say):
    """ROUGE-2 F1 on Opinosis by how the topics are dealt into folds: the first as in `table`, the others shuffled."""
    with tempfile.TemporaryDirectory() as folder:
        every, model = opinosis(data(OPINOSIS)), f"{folder}/model"
        for system in ("learned, word_cost=0.07", "learned for F1"):
            means = []
            for seed in range(DEALS):
                say(f"summ deals {system} {seed}")
                total = 0.0
                for source, test in deal(every, seed, folder):
                    flags = for_f1(hinge, source, 20, folder) if system == "learned for F1" else [*LEARNED, "-p", "word_cost=0.07"]
                    train(hinge, source, model, 20, flags)
                    total += evaluated(hinge, model, test)["rouge2"] * len(topics(test))
                means.append(total / len(every))
            yield {"system": system, "deals": DEALS, "mean": statistics.mean(means), "spread": statistics.stdev(means), "least": min(means), "most": max(means)}


def corpora(data, folder):
    """(name, words, [(train, test)]); Amazon and Yelp are learned from together, Opinosis is cross-validated."""
    pooled = f"{folder}/pooled"
    write_topics(pooled, [t for name in ("amazon", "yelp") for t in topics(data(FEWSUM.format(name, "train")))])
    for name in ("amazon", "yelp"):
        yield f"{name.capitalize()} test", 50, [(pooled, data(FEWSUM.format(name, "test")))]
    yield f"Opinosis, {FOLDS}-fold", 20, deal(opinosis(data(OPINOSIS)), 0, folder)


def table(hinge, data, say):
    """ROUGE-2 F1 (stemmed, mean of the references), learned and not."""
    with tempfile.TemporaryDirectory() as folder:
        model = f"{folder}/model"
        for corpus, words, parts in corpora(data, folder):
            say(f"summ: {corpus} lead")
            scores = [score for _, test in parts for score in lead_by_topic(hinge, test, words, folder)]
            yield {"corpus": corpus, "words": words, "topics": len(scores), "system": "lead", "rouge2": sum(scores) / len(scores), "below": None,
                   "seconds": None, "peak_mb": None, "model_kb": None}
            unlearned = None
            systems = [("document counts", UNLEARNED), ("learned", LEARNED)]
            if corpus.startswith("Opinosis"):
                systems.append(("learned for F1", None))
            for name, flags in systems:
                say(f"summ: {corpus} {name}")
                scores, steps = [], []
                for source, test in parts:
                    steps.append(train(hinge, source, model, words, flags or for_f1(hinge, source, words, folder)))
                    scores += by_topic(hinge, model, test, folder)
                below = paired.share_below(scores, unlearned, sum, RESAMPLES) if unlearned else None
                unlearned = unlearned or scores
                yield {"corpus": corpus, "words": words, "topics": len(scores), "system": name, "rouge2": sum(scores) / len(scores), "below": below,
                       "seconds": sum(step.cpu_seconds for step in steps), "peak_mb": max(step.peak_mb for step in steps),
                       "model_kb": os.path.getsize(model) / 1e3}


def learners(hinge, data, say, picture):
    """Dev ROUGE-2 F1 (both dev sets together) by epoch at the best C of four; Figure 1 and Table 1 of Kummerfeld et al. 2015."""
    curves = {}
    with tempfile.TemporaryDirectory() as folder:
        source, dev, log = f"{folder}/train", f"{folder}/dev", f"{folder}/log"
        for path, part in ((source, "train"), (dev, "val")):
            write_topics(path, [t for name in ("amazon", "yelp") for t in topics(data(FEWSUM.format(name, part)))])
        unit = None
        for learner in LEARNERS.split(","):
            say(f"summ learners {learner}")
            runs = {}
            for capacity in (None,) if learner == "perceptron" else CAPACITIES:
                flags = [] if capacity is None else ["-p", f"C={capacity}"]
                train(hinge, source, f"{folder}/model", 50, ["--dev", dev, "--learner", learner, "--epochs", str(BATCH_PASSES if learner in BATCH else EPOCHS), "--log", log, *flags])
                runs[capacity] = [json.loads(line) for line in Path(log).read_text(encoding="utf-8").splitlines()]
            best = max(runs, key=lambda c: runs[c][-1]["dev_rouge2"])
            history = runs[best]
            curves[learner] = (range(1, len(history) + 1), [epoch["dev_rouge2"] for epoch in history])
            seconds = history[-1]["training_seconds"] / len(history)
            unit = unit or seconds
            yield {"learner": learner, "capacity": best, "first": history[0]["dev_rouge2"], "last": history[-1]["dev_rouge2"], "passes": len(history),
                   "worst": min(run[-1]["dev_rouge2"] for run in runs.values()), "per_epoch": seconds, "relative": seconds / unit,
                   "decoding": 100 * sum(epoch["decode_seconds"] for epoch in history) / history[-1]["training_seconds"]}
    pictures.panels(picture, {"ROUGE-2 F1, Amazon and Yelp dev": curves}, "epoch", "F1")


def solve(hinge, data, say):
    """Seconds for a topic of many sentences, all of Opinosis run together and cut."""
    sentences = [sentence for topic in opinosis(data(OPINOSIS)) for sentence in topic["docs"]]
    random.seed(1)
    random.shuffle(sentences)
    with tempfile.TemporaryDirectory() as folder:
        model, large = f"{folder}/model", f"{folder}/large"
        for system, flags in (("document counts", UNLEARNED), ("learned", LEARNED)):
            write_topics(f"{folder}/train", topics(data(FEWSUM.format("amazon", "train"))))
            for words in (20, 100):
                train(hinge, f"{folder}/train", model, words, flags)
                for count in SENTENCES:
                    say(f"summ solve {system} {words} {count}")
                    write_topics(large, [{"id": "large", "docs": sentences[:count]}])
                    step = measure.run(hinge, "predict", model, large, "--threads", "1", "-o", f"{folder}/out")
                    output = json.loads(Path(folder, "out").read_text(encoding="utf-8"))
                    yield {"system": system, "words": words, "sentences": count, "seconds": step.cpu_seconds, "peak_mb": step.peak_mb,
                           "exact": "yes" if output.get("exact", True) else "no"}
