"""What all estimators do alike with their arguments."""

import inspect
import json
import pickle

import pytest

import hinge
from test_inputs import X, Y

def test_methods_name_the_nearest_argument(tagger):
    for call, message in [
        (lambda: hinge.SequenceTagger().fit(X, Y, x_dev=X), r"SequenceTagger\.fit\(\) has no parameter 'x_dev', did you mean 'X_dev'\?"),
        (lambda: tagger.predict_nbest(X, probabilites=True), r"predict_nbest\(\) has no parameter 'probabilites', did you mean 'probabilities'"),
        (lambda: hinge.SequenceTagger.load(pth="a"), r"SequenceTagger\.load\(\) has no parameter 'pth', did you mean 'path'"),
        (lambda: hinge.CRF().fit(X, Y, y_def=Y), r"CRF\.fit\(\) has no parameter 'y_def', did you mean 'y_dev'"),
        (lambda: hinge.StructuredPredictor().predict(Z=X), r"StructuredPredictor\.predict\(\) has no parameter 'Z', did you mean 'X'"),
        (lambda: tagger.explain(sentence=X[0]), r"explain\(\) has no parameter 'sentence'; it has: x, y, rival"),
    ]:
        with pytest.raises(TypeError, match=message):
            call()
    assert list(inspect.signature(tagger.predict_nbest).parameters) == ["X", "n", "probabilities"]


def test_arguments_of_subclasses_are_their_own(tagger):
    class Mine(hinge.SequenceTagger):
        def predict(self, X, **options):
            return super().predict(X)

    assert Mine("perceptron", epochs=1).fit(X, Y).predict(X, anything=1)
