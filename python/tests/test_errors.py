"""Bad input raises Python exceptions with helpful messages."""

import pickle

import numpy as np
import pytest

import hinge
from test_inputs import X, Y


@pytest.fixture(scope="module")
def tagger():
    return hinge.SequenceTagger(epochs=2).fit(X, Y)


@pytest.mark.parametrize("wrong, error, message", [
    ((X, Y[:-1]), hinge.InputError, "X has 15 sentences, but y has 14"),
    ((X, [["D"]] * 15), hinge.InputError, "sentence 1: X has 3 tokens, but y has 1"),
    ((X, None), hinge.InputError, "label"),
    (([], []), hinge.InputError, "X is empty"),
    ((5, Y), TypeError, "X must be a list, not int"),
    (("no-such-file", None), hinge.InputError, "no-such-file"),
    ((["the cat"] * 15, Y), TypeError, "sentence 1 of X must be a list, not str"),
    (([[1, 2, 3]] * 15, Y), TypeError, "a token is a str"),
    ((X[:-1] + [["dogs", 5]], Y), TypeError, "sentence 15, token 2"),
    ((X, [[1] * len(y) for y in Y]), TypeError, "a label must be a str, not int"),
    (([[("a", "b")], [("a",)]], [["A"], ["B"]]), TypeError, "has 1 cells, but the first token has 2"),
    (([[{"a": float("nan")}]], [["A"]]), hinge.InputError, "sentence 1, token 1"),
    (([[{"a": float("inf")}]], [["A"]]), hinge.InputError, "sentence 1, token 1"),
    (([[{"a": None}]], [["A"]]), TypeError, "feature 'a' is of type NoneType"),
    (([[{5: "b"}]], [["A"]]), TypeError, "the name of a feature must be a str"),
    (([np.array([[np.nan]])], [["A"]]), hinge.InputError, "sentence 1, token 1"),
    (([np.zeros((2, 2, 2))], [["A", "B"]]), hinge.InputError, "must be of numbers"),
    (([["a\ud800"]], [["A"]]), UnicodeEncodeError, "surrogates"),
])
def test_data_that_cannot_be_learned_from(wrong, error, message):
    with pytest.raises(error, match=message):
        hinge.SequenceTagger().fit(*wrong)


def deep():
    features = {}
    for _ in range(5000):
        features = {"a": features}
    return features


def test_dicts_too_deep():
    with pytest.raises(TypeError, match="50 deep"):
        hinge.SequenceTagger().fit([[deep()]], [["A"]])


@pytest.mark.parametrize("parameters, message", [
    ({"learner": "magic"}, "there is no learner 'magic'"),
    ({"C": -1}, "C"),
    ({"C": float("nan")}, "C"),
    ({"epochs": 0}, "epochs"),
    ({"epochs": "many"}, "epochs"),
    ({"learner": "perceptron", "C": 1.0}, "perceptron has no such option"),
    ({"constraints": "some"}, "constraints"),
    ({"seed": "x"}, "seed"),
    ({"seed": -1}, "seed is .-1."),
    ({"seed": 10**20}, "seed"),
    ({"threads": -5}, "threads"),
    ({"objective": "now"}, "objective"),
    ({"early_stop": 3}, "X_dev"),
    ({"learner": "perceptron", "stop_gap": 0.1}, "stop_gap"),
    ({"time_budget": -1}, "time_budget"),
])
def test_parameters_that_cannot_be(parameters, message):
    with pytest.raises(hinge.OptionError, match=message):
        hinge.SequenceTagger(**parameters).fit(X, Y)


@pytest.mark.parametrize("estimator", [hinge.SequenceTagger(), hinge.DependencyParser(), hinge.Reranker(), hinge.TextClassifier(),
                                       hinge.ConstituencyParser(), hinge.CoreferenceResolver(), hinge.Summarizer(), hinge.CRF(), hinge.StructuredPredictor()])
def test_predict_before_fit(estimator):
    sklearn = pytest.importorskip("sklearn.exceptions")
    with pytest.raises(hinge.NotFittedError, match="not fitted yet"):
        estimator.predict([])
    with pytest.raises(sklearn.NotFittedError):
        estimator.predict([])


@pytest.mark.parametrize("loaded", ["sklearn.exceptions", "json"])
def test_not_fitted_pickles(python, loaded):
    result = python(f"""
import pickle, {loaded}, hinge
try:
    hinge.SequenceTagger().predict([])
except hinge.NotFittedError as error:
    again = pickle.loads(pickle.dumps(error))
    print(type(again) is type(error), again.args == error.args)
""")
    assert result.stdout == "True True\n", result.stderr


def test_development_labels_alone():
    for estimator in (hinge.SequenceTagger(), hinge.CRF()):
        with pytest.raises(hinge.InputError, match="y_dev is given without X_dev"):
            estimator.fit(X, Y, y_dev=Y)


def test_a_model_of_another_task(tagger, tmp_path):
    with pytest.raises(hinge.ModelError, match="is a model of the task tag, not dep"):
        hinge.DependencyParser.from_bytes(tagger.to_bytes())
    tagger.save(tmp_path / "tag.model")
    with pytest.raises(hinge.ModelError, match="tag.model"):
        hinge.Reranker.load(tmp_path / "tag.model")


def test_models_that_are_damaged(tagger, tmp_path):
    data = tagger.to_bytes()
    for wrong in (b"", b"abc", data[:100], data[:-1]):
        with pytest.raises(hinge.ModelError):
            hinge.SequenceTagger.from_bytes(wrong)
    with pytest.raises(hinge.Error):
        hinge.SequenceTagger.load(tmp_path / "missing.model")
    with pytest.raises(hinge.OutputError):
        tagger.save(tmp_path / "missing" / "tag.model")


def test_features_the_model_does_not_know(tagger):
    for wrong in ([[{"a": 1}]], [[("a", "b", "c")]], [np.zeros((2, 2))]):
        with pytest.raises((hinge.InputError, TypeError)):
            tagger.predict(wrong)
    assert tagger.predict([["unheard"]])[0][0] in tagger.classes_


def test_explaining_labels_that_are_none(tagger):
    for wrong, error in (([["D"] * 2], hinge.InputError), ([["D", "N", "Q"]], hinge.InputError), ([["D", "N", 5]], TypeError),
                         ([["D", "N", "\ud800"]], UnicodeEncodeError), ([None, ["\ud800"] * 3], UnicodeEncodeError)):
        with pytest.raises(error):
            tagger.explain(X[0], *wrong)


def test_n_best_of_no_number(tagger):
    for n in (0, -1, 2.5, "x", 10**30):
        with pytest.raises(hinge.OptionError):
            tagger.predict_nbest(X, n)


def test_trees_that_are_none():
    sentence = [["a", "b", "c"]]
    for heads, error in (([[2, 1, 0]], hinge.InputError), ([[9, 0, 1]], hinge.InputError), ([[-1, 0, 1]], hinge.InputError),
                         ([[1.5, 0, 1]], TypeError), ([[0, 1]], hinge.InputError), ([["x", 0, 1]], TypeError)):
        with pytest.raises(error):
            hinge.DependencyParser().fit(sentence, heads)


def test_lists_that_cannot_be_ranked():
    good = [[("a", {"f": 1.0}), ("b", {"f": 2.0})]]
    for X_, y_ in ((good, ["r", "s"]), ([[]], ["r"]), ([[("a", {"f": float("nan")})]], ["r"]), (good, [[1.0]])):
        with pytest.raises(hinge.InputError):
            hinge.Reranker().fit(X_, y_)
    for X_, y_ in (([["a"]], ["r"]), ([[("a", 5)]], ["r"]), ([[(5, {"f": 1})]], ["r"]), (good, [[None, 1]])):
        with pytest.raises(TypeError):
            hinge.Reranker().fit(X_, y_)


class Sign:
    def features(self, x, y):
        return {f"{x}:{y}": 1.0}

    def loss(self, gold, y):
        return float(gold != y)

    def decode(self, x, score, augment):
        return max((0, 1), key=lambda y: score({f"{x}:{y}": 1.0}) + (augment(y) if augment else 0))


def test_a_model_of_an_own_task_is_opened_by_its_class(tmp_path):
    path = tmp_path / "own.model"
    own = hinge.StructuredPredictor(Sign(), "mira", epochs=2).fit(["a", "b"], [0, 1])
    own.save(path)
    for load in (hinge.load, hinge.SequenceTagger.load, hinge.CRF.load, hinge.DependencyParser.load):
        with pytest.raises(hinge.ModelError, match=r"own.model: is a model of a task of your own; use hinge.StructuredPredictor.load\(path, task=...\)$"):
            load(path)
    with pytest.raises(hinge.ModelError, match=r"the model: is a model .*; use hinge.StructuredPredictor.from_bytes\(data, task=...\)$"):
        hinge.CRF.from_bytes(own.to_bytes())
    with pytest.raises(TypeError, match=r"has no parameter 'task'; use hinge.StructuredPredictor.load\(path, task=...\)"):
        hinge.load(path, task=Sign())
    with pytest.raises(TypeError, match=r"hinge.load\(\) has no parameter 'pth', did you mean 'path'"):
        hinge.load(path, pth=1)
    (tmp_path / "theirs.model").write_bytes(b"lCRF" + bytes(100))
    with pytest.raises(hinge.ModelError, match="is a model of CRFsuite; train it again with hinge.CRF"):
        hinge.load(tmp_path / "theirs.model")


def test_files_that_cannot_be_opened_are_errors_of_both_kinds(tmp_path):
    for read in (hinge.read_conllu, hinge.read_columns, hinge.read_brackets, hinge.report.table, hinge.DependencyParser().fit):
        with pytest.raises(hinge.MissingInputError, match="nosuch: cannot be opened"):
            read("nosuch")
    for read in (hinge.read_conllu, hinge.read_columns):
        with pytest.raises(hinge.InputError, match="cannot be opened .Is a directory.; check the path") as caught:
            read(tmp_path)
        assert isinstance(caught.value, IsADirectoryError)
    with pytest.raises(hinge.InputError, match="compare.jsonl: cannot be opened") as caught:
        hinge.report.table(tmp_path)
    assert isinstance(caught.value, FileNotFoundError)
    for load in (hinge.load, hinge.SequenceTagger.load, hinge.CRF.load, hinge.StructuredPredictor.load):
        with pytest.raises(hinge.ModelError, match="cannot be opened .Is a directory.") as caught:
            load(tmp_path)
        again = pickle.loads(pickle.dumps(caught.value))
        assert isinstance(again, IsADirectoryError) and isinstance(again, hinge.ModelError) and str(again) == str(caught.value)
        with pytest.raises(hinge.MissingModelError):
            load("nosuch")


def test_only_near_names_are_suggested(tagger):
    for name, expected in (("kk", "no parameter 'kk'; it has: X, n, probabilities"), ("nn", "did you mean 'n'"), ("probability", "did you mean 'probabilities'")):
        with pytest.raises(TypeError, match=expected):
            tagger.predict_nbest(X, **{name: 2})


def test_a_regular_expression_that_is_none(tagger):
    with pytest.raises(hinge.OptionError, match=r"feature_re is '\(', which is not a regular expression: missing \)"):
        tagger.explain_weights(feature_re="(")


@pytest.mark.parametrize("estimator", [hinge.SequenceTagger, hinge.CRF, hinge.DependencyParser, hinge.TextClassifier, hinge.Reranker,
                                       hinge.ConstituencyParser, hinge.Summarizer, hinge.CoreferenceResolver])
def test_no_examples(estimator):
    for nothing in ([], iter([])):
        with pytest.raises(hinge.InputError, match="^X is empty; there is nothing to learn from$"):
            estimator().fit(nothing, [])


def test_no_development_data():
    with pytest.raises(hinge.InputError, match="^X_dev is empty; there is nothing to score on$"):
        hinge.SequenceTagger().fit(X, Y, [], [])
