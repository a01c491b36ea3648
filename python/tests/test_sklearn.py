"""scikit-learn's protocol, with scikit-learn and without."""

import warnings

import pytest

import hinge

sklearn = pytest.importorskip("sklearn")
from sklearn.base import BaseEstimator, TransformerMixin, clone, is_classifier  # noqa: E402
from sklearn.exceptions import SkipTestWarning  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

ESTIMATORS = [hinge.SequenceTagger(), hinge.DependencyParser(), hinge.Reranker(), hinge.TextClassifier(),
              hinge.ConstituencyParser(), hinge.CoreferenceResolver(), hinge.Summarizer(), hinge.CRF(), hinge.StructuredPredictor()]



def applicable():
    """scikit-learn's checks of construction, parameters, tags and clone.

    All others use a matrix of numbers and a vector of classes; scikit-learn skips
    them, because the tags say that the estimators take no matrix.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        return [pytest.param(instance, check, id=f"{type(instance).__name__}-{getattr(check, 'func', check).__name__}")
                for estimator in ESTIMATORS for instance, check in estimator_checks_generator(estimator)]


@pytest.mark.parametrize("estimator, check", applicable())
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_clone_keeps_parameters_and_drops_the_model(tagger):
    copy = clone(tagger)
    assert copy.get_params() == tagger.get_params()
    assert not hasattr(copy, "model_")
    assert not is_classifier(copy)


class Lower(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return [[(word.lower(), pos) for word, pos in sentence] for sentence in X]


def test_in_a_pipeline(chunks):
    X, y, X_dev, y_dev = chunks
    pipeline = make_pipeline(Lower(), hinge.SequenceTagger(epochs=2)).fit(X, y)
    assert pipeline.score(X_dev, y_dev) > 0.5
    assert pipeline.predict(X_dev) == pipeline[-1].predict(Lower().transform(X_dev))


def test_in_a_search(chunks):
    X, y, _, _ = chunks
    search = GridSearchCV(hinge.SequenceTagger(epochs=2, threads=1), {"C": [0.01, 0.1], "learner": ["dcd", "mira"]}, cv=2)
    search.fit(X, y)
    assert set(search.best_params_) == {"C", "learner"}
    assert search.best_estimator_.score(X, y) > 0.5


def test_in_cross_validation_by_processes(chunks):
    X, y, _, _ = chunks
    scores = cross_val_score(hinge.SequenceTagger(epochs=1, threads=1), X, y, cv=3, n_jobs=2)
    assert len(scores) == 3 and all(0 < score <= 1 for score in scores)


def test_predictions_of_cross_validation(chunks, trees):
    X, y, _, _ = chunks
    dicts = [[{"w": word, "p": pos} for word, pos in sentence] for sentence in X]
    for model, data, gold in ((hinge.SequenceTagger(epochs=1, threads=1), X, y), (hinge.CRF(max_iterations=3), dicts, y),
                              (hinge.DependencyParser("perceptron", epochs=1, hash_bits=10), *hinge.read_conllu(trees[0]))):
        found = cross_val_predict(model, data, gold, cv=2)
        assert [len(labels) for labels in found] == [len(labels) for labels in gold]
        half = len(data) // 2
        assert found[:half].tolist() == list(model.fit(data[half:], gold[half:]).predict(data[:half]))


class Mine(hinge.SequenceTagger):
    def __init__(self, strength=0.1):
        super().__init__("dcd", C=strength, epochs=2)
        self.strength = strength


class Wider(hinge.SequenceTagger):
    def __init__(self, extra=1, **others):
        super().__init__(**others)
        self.extra = extra


class MyCRF(hinge.CRF):
    def __init__(self, c2=0.1):
        super().__init__(c2=c2, max_iterations=5)


@pytest.mark.parametrize("model", [Mine(0.2), Wider(2, epochs=2), MyCRF(0.5)])
def test_subclasses_with_parameters_of_their_own(model):
    X, y = [[{"w": "a"}, {"w": "b"}]] * 4, [["A", "B"]] * 4
    assert clone(model).get_params() == model.get_params()
    assert list(model.fit(X, y).predict(X)) == y
    assert model.score(X, y) == 1.0
    assert list(type(model).from_bytes(model.to_bytes()).predict(X)) == y
    assert type(model).__name__ in repr(model)


def test_set_params_says_what_there_is():
    with pytest.raises(ValueError, match="has no parameter 'zzzzzzzz'; it has: C, "):
        hinge.SequenceTagger().set_params(zzzzzzzz=1)
    assert repr(hinge.SequenceTagger("mira", C=0.5)) == "SequenceTagger(C=0.5, learner='mira')"


def test_scikit_learn_is_not_needed(python):
    result = python("""
import sys
sys.modules["sklearn"] = None
import hinge
try:
    hinge.SequenceTagger().predict([])
except hinge.NotFittedError as error:
    print(error)
print(hinge.SequenceTagger(epochs=1).fit([["a"]], [["A"]]).predict([["a"]]))
""")
    assert "not fitted yet" in result.stdout and result.stdout.endswith("[['A']]\n"), result.stderr


def test_import_is_light(python):
    result = python("import sys, hinge; print([m for m in ('sklearn', 'pandas', 'matplotlib', 'tqdm') if m in sys.modules])")
    assert result.stdout == "[]\n", result.stderr
