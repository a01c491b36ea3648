"""The training and tagging steps of CRFsuite, each run as its own process.

  crfsuite_step.py train ALGORITHM PARAMETERS FEATURES MODEL
  crfsuite_step.py tag TASK MODEL TEST FEATURES PREDICTIONS

FEATURES is a text file in the crfsuite program's format (features.py);
PARAMETERS is JSON. Prints a JSON object of seconds. Holds one sentence at a
time, so that peak memory is that of CRFsuite and the interpreter.
"""

import json
import sys
import time

import pycrfsuite

import columns
import templates


def read_features(path):
    """Yields the features [tokens][features] and labels of each sentence."""
    items, labels = [], []
    with open(path, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if fields == [""]:
                yield items, labels
                items, labels = [], []
            else:
                labels.append(fields[0])
                items.append(fields[1:])


def train(algorithm, parameters, features, model):
    """append_seconds: inside Trainer.append; solve_seconds: inside Trainer.train, which writes the model."""
    trainer = pycrfsuite.Trainer(algorithm, json.loads(parameters), verbose=False)
    append_seconds = 0.0
    for items, labels in read_features(features):
        start = time.perf_counter()
        trainer.append(items, labels)
        append_seconds += time.perf_counter() - start
    start = time.perf_counter()
    trainer.train(model)
    return {"append_seconds": append_seconds, "solve_seconds": time.perf_counter() - start}


def tag_all(tagger, item_sequences, predictions):
    """Writes one label per line; returns total seconds and those inside Tagger.tag."""
    inside = 0.0
    start = time.perf_counter()
    with open(predictions, "w", encoding="utf-8") as out:
        for items in item_sequences:
            before = time.perf_counter()
            labels = tagger.tag(items)
            inside += time.perf_counter() - before
            out.write("\n".join(labels) + "\n\n")
    return time.perf_counter() - start, inside


def tag(task, model, test, features, predictions):
    """Tags the test file twice: from feature text, then from raw columns."""
    start = time.perf_counter()
    tagger = pycrfsuite.Tagger()
    tagger.open(model)
    load_seconds = time.perf_counter() - start
    from_text = (items for items, _ in read_features(features))
    from_columns = (templates.features(task, s) for s in columns.read_sentences(task, test))
    text_seconds, _ = tag_all(tagger, from_text, predictions)
    column_seconds, inside = tag_all(tagger, from_columns, predictions)
    return {"load_seconds": load_seconds, "tag_seconds": column_seconds,
            "tag_seconds_without_features": inside, "tag_seconds_from_feature_text": text_seconds}


if __name__ == "__main__":
    print(json.dumps({"train": train, "tag": tag}[sys.argv[1]](*sys.argv[2:])))
