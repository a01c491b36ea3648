"""Translation: the tables `mt`, `mt-tuning`, `mt-pairings` and `mt-search` of bench/README.md. Called by bench/run, which writes every row as it comes.

Multi30k: 29,000 sentence pairs to train, 1,014 to tune (val), 1,000 to test.
"""

import contextlib
import gzip
import itertools
import json
import statistics
import tempfile
from pathlib import Path

import measure
import pictures

PAIRS = (("de", "en"), ("fr", "en"), ("cs", "en"))
SEEDS = range(1, 6)
ITERATIONS = 8
ORACLES = ("max-bleu", "local", "hope")
PREDICTIONS = ("best", "max-cost", "fear")
BEAMS = (3, 10, 30, 100, 300)
ORDER = ("-p", "order=3")  # better on val than 4 and 5: the text is small
SPARSE = ("-p", "sparse=all")
SMALL_STEPS = ("--C", "0.0003")  # for sparse features; chosen on the second half of val, tuned on the first
PAPER = ("--learner", "mira", "--C", "0.01")  # of Eidelman (2012)


def plain(path, to):
    Path(to).write_bytes(gzip.decompress(Path(path).read_bytes()))
    return to


def texts(data, folder, pair):
    """Plain files, by (part, language)."""
    return {(part, side): plain(data(f"mt/multi30k/{part}.{side}.gz"), f"{folder}/{part}.{side}") for part in ("train", "val", "test_2016") for side in pair}


@contextlib.contextmanager
def trained(hinge, data, pair, *flags):
    """The files of a pair, a model, and what training it cost."""
    with tempfile.TemporaryDirectory() as folder:
        files = texts(data, folder, pair)
        model = f"{folder}/model"
        step = measure.run(hinge, "mt", "train", files["train", pair[0]], files["train", pair[1]], "-o", model, "--threads", "1", "-q", *ORDER, *flags)
        yield files, model, step


def tune(hinge, files, pair, model, output, *flags):
    """Tunes on val; returns the step and the iterations."""
    work = f"{output}.work"
    step = measure.run(hinge, "tune", model, "--dev", files["val", pair[0]], "--refs", files["val", pair[1]], "-o", output, "--dir", work, "--restart",
                       "--iterations", str(ITERATIONS), "--threads", "1", "-q", "--weights", f"{output}.weights", *flags)
    return step, json.loads(Path(f"{work}/state.json").read_text(encoding="utf-8"))["iterations"]


def bleu(hinge, files, pair, part, model, *flags):
    """BLEU of the model's translations, and the step that made them."""
    out = f"{model}.{part}.out"
    step = measure.run(hinge, "mt", "decode", model, files[part, pair[0]], "-o", out, "--threads", "1", *flags)
    scores = measure.run(hinge, "evaluate", "rerank", "--gold", files[part, pair[1]], "--system", out, "--json").output
    return json.loads(scores)["bleu"], step


def weights_of(path):
    return sum(1 for line in Path(path).read_text(encoding="utf-8").splitlines() if line)


def table(hinge, data, say):
    """From parallel text to a tuned system: dense and sparse features, three pairs of languages."""
    for pair, (name, flags, more) in itertools.product(PAIRS, (("dense", (), ()), ("sparse", SPARSE, SMALL_STEPS))):
        say(f"mt: {'-'.join(pair)} {name}")
        with trained(hinge, data, pair, *flags) as (files, model, training):
            before, _ = bleu(hinge, files, pair, "test_2016", model)
            tuned = f"{model}.tuned"
            tuning, iterations = tune(hinge, files, pair, model, tuned, *more)
            after, decoding = bleu(hinge, files, pair, "test_2016", tuned)
            yield {"pair": "-".join(pair), "features": name, "train_seconds": training.cpu_seconds, "train_mb": training.peak_mb,
                   "model_mb": Path(model).stat().st_size / 1e6, "tune_seconds": tuning.cpu_seconds, "tune_mb": tuning.peak_mb,
                   "weights": weights_of(f"{tuned}.weights"), "val": max(step["decoded"] for step in iterations), "before": before, "after": after,
                   "rate": 1000 / decoding.cpu_seconds, "decode_mb": decoding.peak_mb}


def tuning(hinge, data, say):
    """Tables 3 to 5 of the paper: MERT, PRO and hope/fear, dense and sparse."""
    systems = (("MERT", "dense", (), ("--learner", "mert")), ("PRO", "dense", (), ("--learner", "crf", "-p", "pairs=50")),
               ("mira", "dense", (), ()), ("mira, 2 shards", "dense", (), ("--shards", "2")),
               ("ops", "dense", (), ("--learner", "ops", "--C", "1")), ("dcd", "dense", (), ("--learner", "dcd", "--C", "0.005")),
               ("mira", "sparse", SPARSE, SMALL_STEPS), ("ops", "sparse", SPARSE, ("--learner", "ops", "--C", "0.03")),
               ("dcd", "sparse", SPARSE, ("--learner", "dcd", "--C", "0.0003")), ("PRO", "sparse", SPARSE, ("--learner", "crf", "-p", "pairs=50")))
    for pair in PAIRS:
        for features, group in itertools.groupby(systems, lambda system: system[1]):
            group = list(group)
            with trained(hinge, data, pair, *group[0][2]) as (files, model, _):
                for name, _, _, flags in group:
                    say(f"mt-tuning: {'-'.join(pair)} {name} {features}")
                    val, test, seconds = [], [], []
                    for seed in SEEDS:
                        step, iterations = tune(hinge, files, pair, model, f"{model}.tuned", "--seed", str(seed), *flags)
                        val.append(max(i["decoded"] for i in iterations))
                        test.append(bleu(hinge, files, pair, "test_2016", f"{model}.tuned")[0])
                        seconds.append(step.cpu_seconds)
                    yield {"pair": "-".join(pair), "system": name, "features": features, "seeds": len(val), "val": statistics.mean(val), "test": statistics.mean(test),
                           "low": min(test), "high": max(test), "seconds": statistics.mean(seconds)}


def pairings(hinge, data, say, picture):
    """Figures 1 to 6 of the paper: every oracle with every prediction, val BLEU of the decoder by iteration, and of oracles and predictions; means of the seeds."""
    curves = {}
    for (features, flags, more), pair in itertools.product((("dense", (), PAPER), ("sparse", SPARSE, SMALL_STEPS)), PAIRS):
        with trained(hinge, data, pair, *flags) as (files, model, _):
            for oracle, prediction in itertools.product(ORACLES, PREDICTIONS):
                runs, test = [], []
                for seed in SEEDS:
                    say(f"mt-pairings: {'-'.join(pair)} {features} {oracle}/{prediction} {seed}")
                    _, iterations = tune(hinge, files, pair, model, f"{model}.tuned", "--seed", str(seed), "-p", f"oracle={oracle}", "-p", f"prediction={prediction}", *more)
                    runs.append(iterations)
                    test.append(bleu(hinge, files, pair, "test_2016", f"{model}.tuned")[0])
                decoded = [[i["decoded"] for i in iterations] for iterations in runs]
                by_iteration = [statistics.mean(values[min(k, len(values) - 1)] for values in decoded) for k in range(ITERATIONS)]
                learned = [[i for i in iterations if "oracle" in i][-1] for iterations in runs]
                lines = curves.setdefault(f"{'-'.join(pair)}, {features}, oracle {oracle}", {})
                lines[prediction] = (range(1, len(by_iteration) + 1), by_iteration)
                pictures.panels(picture, curves, "iteration", "val BLEU of the decoder")
                yield {"pair": "-".join(pair), "features": features, "oracle": oracle, "prediction": prediction,
                       **{f"val{k}": by_iteration[k - 1] for k in (2, 4, 8)},
                       "best": statistics.mean(max(values) for values in decoded), "swing": statistics.mean(max(late) - min(late) for late in (values[3:] or values[-1:] for values in decoded)),
                       "test": statistics.mean(test), "low": min(test), "high": max(test),
                       "oracle_bleu": statistics.mean(i["oracle"] for i in learned), "prediction_bleu": statistics.mean(i["prediction"] for i in learned)}


def search(hinge, data, say):
    """How often cube pruning misses the best translation: model scores of val sentences by beam, against a beam of 3,000."""
    pair = PAIRS[0]
    with trained(hinge, data, pair) as (files, model, _):
        tuned = f"{model}.tuned"
        tune(hinge, files, pair, model, tuned)

        def scores(beam):
            step = measure.run(hinge, "mt", "decode", tuned, files["val", pair[0]], "--nbest", "1", "-o", f"{tuned}.lists", "--threads", "1", "-p", f"beam={beam}")
            return [float(line.rsplit("|||", 1)[1]) for line in Path(f"{tuned}.lists").read_text(encoding="utf-8").splitlines()], step

        say("mt-search: 3000")
        best, _ = scores(3000)
        for beam in BEAMS:
            say(f"mt-search: {beam}")
            found, step = scores(beam)
            worse = [b - f for b, f in zip(best, found) if f < b - 1e-3]
            yield {"beam": beam, "errors": 100 * len(worse) / len(best), "loss": statistics.mean(worse) if worse else 0.0,
                   "val": bleu(hinge, files, pair, "val", tuned, "-p", f"beam={beam}")[0], "rate": len(best) / step.cpu_seconds, "peak_mb": step.peak_mb}
