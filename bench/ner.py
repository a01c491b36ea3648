"""Entities in WNUT-17 with the preset `ner`: with and without word clusters, and what a missed entity costs.

Settings are chosen by cross-validation on train and on dev; test is only reported.
"""

import json
import re
import tempfile

import measure

FOLDS = 5
# Learner -> costs of a missed entity; None: the default.
ROWS = {"dcd": [1, None, 2, 3], "mira": [1, None], "ops": [1, None], "perceptron": [None]}


def table(hinge, data, say):
    train, dev, test = (data(f"tag/wnut17/{part}.conll") for part in ("train", "dev", "test"))
    for clusters in ("", data("lex/brown-bllip-1000.gz")):
        for learner, misses in ROWS.items():
            for miss in misses:
                say(f"ner: {learner}{' with clusters' if clusters else ''}, miss {miss or 'as by default'}")
                flags = ["--features", "ner", "--learner", learner, "-q"]
                flags += [flag for name, value in (("clusters", clusters), ("miss", miss)) if value for flag in ("-p", f"{name}={value}")]
                with tempfile.TemporaryDirectory() as folder:
                    model = f"{folder}/model"
                    folds = measure.run(hinge, "train", "tag", train, *flags, "--folds", str(FOLDS), "-o", model).output
                    scores = [json.loads(measure.run(hinge, "evaluate", model, part, "--json").output) for part in (dev, test)]
                yield {"learner": learner, "clusters": "yes" if clusters else "no",
                       "miss": miss or ("no costs" if learner == "perceptron" else "1.5 (default)"),
                       "folds": re.search(r"mean ± standard error \| ([^|]*?) \|", folds)[1], "dev": scores[0]["f1"], "test": scores[1]["f1"],
                       "precision": scores[1]["precision"], "recall": scores[1]["recall"]}
