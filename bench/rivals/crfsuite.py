"""CRFsuite, through python-crfsuite: trains, tags, scores, writes one record.

  python3 crfsuite.py --task chunk --algorithm ap --out ap.json

Only the Python binding is used, so Python replaces the text reader of the
crfsuite program. What the numbers include, beyond measure.py:
features_seconds  a process that writes the feature text of the training file
train_seconds     that, and a process that reads the text, appends each sentence
                  and trains: from process start to model written
train_seconds_without_features           the second process alone
append_seconds    inside Trainer.append: Python lists to CRFsuite's dictionaries
solve_seconds     inside Trainer.train: optimization and writing the model
tag_seconds       reading columns, features in Python, Tagger.tag, writing labels
tag_seconds_without_features             inside Tagger.tag, features as lists
tag_seconds_from_feature_text            reading and splitting feature text,
                  Tagger.tag, writing labels
"""

import json
import tempfile
from importlib.metadata import version
from pathlib import Path

import pycrfsuite

import measure

EPOCHS = {"ap": 10, "pa": 10, "lbfgs": None}

# CRFsuite's defaults: only features and transitions seen in training.
SHARED = {"feature.minfreq": 0, "feature.possible_states": False, "feature.possible_transitions": False}
SETTINGS = {"ap": {}, "pa": {}, "lbfgs": {"c1": 0.0, "c2": 1.0}}


def settings_of(options):
    epochs = {"max_iterations": options.epochs} if options.epochs else {}
    return SHARED | SETTINGS[options.algorithm] | epochs


def main():
    options = measure.arguments("Measures CRFsuite.", EPOCHS)
    settings = settings_of(options)
    with tempfile.TemporaryDirectory() as folder:
        train_text, test_text, model, labels = (Path(folder) / n for n in ("train", "test", "model", "labels"))
        features = measure.run_python("features.py", options.task, "crfsuite", options.train, train_text)
        training = measure.run_python("crfsuite_step.py", "train", options.algorithm,
                                      json.dumps(settings), train_text, model)
        measure.run_python("features.py", options.task, "crfsuite", options.test, test_text)
        tagging = measure.run_python("crfsuite_step.py", "tag", options.task, model,
                                     options.test, test_text, labels)
        measure.write_record(
            options, "crfsuite", f"{pycrfsuite.CRFSUITE_VERSION} (python-crfsuite {version('python-crfsuite')})",
            settings, measure.training_fields(features.seconds, training, model),
            {"train_seconds_without_features": training.seconds}, json.loads(training.output),
            json.loads(tagging.output), {"tag_peak_mb": tagging.peak_mb},
            measure.score_fields(options.task, options.test, measure.read_label_lines(labels)))


if __name__ == "__main__":
    main()
