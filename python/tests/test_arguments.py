"""What all estimators do alike with their arguments."""

import inspect
import json
import pickle

import pytest

import hinge
from test_inputs import X, Y

DOCUMENT = """# newdoc id = cats
# global.Entity = eid
1	Anna	_	PROPN	_	_	2	nsubj	_	Entity=(e1)
2	saw	_	VERB	_	_	0	root	_	_
3	it	_	PRON	_	_	2	obj	_	Entity=(e2)

1	She	_	PRON	_	_	2	nsubj	_	Entity=(e1)
2	ran	_	VERB	_	_	0	root	_	_

"""


ESTIMATORS = {
    "tagger": lambda: hinge.SequenceTagger("perceptron", epochs=1).fit(X, Y),
    "crf": lambda: hinge.CRF("ap", max_iterations=1).fit([[{"w": w} for w in x] for x in X], Y),
    "parser": lambda: hinge.DependencyParser("perceptron", epochs=1, hash_bits=10).fit([["a", "b"]], [[2, 0]]),
    "trees": lambda: hinge.ConstituencyParser(epochs=1).fit(["(S (A a) (B b))"] * 2),
    "texts": lambda: hinge.TextClassifier(epochs=1).fit(["a b", "c d"], ["x", "y"]),
    "reranker": lambda: hinge.Reranker(epochs=1).fit([[("a", {"f": 1.0}), ("b", {"f": 0.0})]] * 2, ["a", "a"]),
    "resolver": lambda: hinge.CoreferenceResolver(mentions="gold", min_count=1, epochs=1).fit([DOCUMENT] * 2),
    "summarizer": lambda: hinge.Summarizer(words=3, epochs=1).fit([["It is hot. I ran."], ["It is red. He sat."]], ["It is hot.", "It is red."]),
}


@pytest.mark.parametrize("make", ESTIMATORS.values(), ids=ESTIMATORS)
def test_none_in_place_of_examples_is_one_clear_line(make):
    estimator = make()
    methods = [getattr(estimator, name) for name in ("predict", "predict_nbest", "predict_marginals", "fit", "partial_fit", "score")
               if hasattr(estimator, name)]
    for method in methods:
        wants_y = method.__name__ in ("fit", "score") and isinstance(estimator, hinge.CRF)
        with pytest.raises((TypeError, hinge.InputError)) as caught:
            method(None, Y) if wants_y else method(None)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 100, method


def test_none_says_what_was_expected():
    for name in ("tagger", "crf", "parser"):
        with pytest.raises(TypeError, match="^X must be a list, not NoneType$"):
            ESTIMATORS[name]().predict(None)


GENERATED = {  # X and y
    "tagger": (X, Y),
    "crf": ([[{"w": w} for w in x] for x in X], Y),
    "parser": ([["a", "b"], ["b"]], [[2, 0], [0]]),
    "trees": (["a b", "b"], ["(S (A a) (B b))", "(S (B b))"]),
    "texts": (["a b", "c d"], ["x", "y"]),
    "reranker": ([[("a", {"f": 1.0}), ("b", {"f": 0.0})]] * 2, ["a", "a"]),
    "resolver": ([DOCUMENT] * 2, None),
    "summarizer": ([["It is hot. I ran."], ["It is red. He sat."]], ["It is hot.", "It is red."]),
}


@pytest.mark.parametrize("name", GENERATED)
def test_every_estimator_takes_generators(name):
    X, y = GENERATED[name]
    estimator = ESTIMATORS[name]()

    def once(examples):
        return None if examples is None else (example for example in examples)

    def plain(answers):
        return [list(a) if isinstance(a, (list, tuple)) else a for a in answers]

    expected = estimator.fit(X, y, X, y).to_bytes()
    assert estimator.fit(once(X), once(y), once(X), once(y)).to_bytes() == expected
    assert estimator.fit(X, y).partial_fit(once(X), once(y)) if hasattr(estimator, "partial_fit") else True
    assert plain(estimator.predict(once(X))) == plain(estimator.predict(X))
    assert estimator.score(once(X), once(y)) == estimator.score(X, y)
    for method in ("predict_nbest", "decision_function"):
        if hasattr(estimator, method):
            assert str(getattr(estimator, method)(once(X))) == str(getattr(estimator, method)(X))


def test_methods_name_the_nearest_argument(tagger):
    for call, message in [
        (lambda: hinge.SequenceTagger().fit(X, Y, x_dev=X), r"SequenceTagger\.fit\(\) has no parameter 'x_dev', did you mean 'X_dev'\?"),
        (lambda: tagger.predict_nbest(X, probabilites=True), r"predict_nbest\(\) has no parameter 'probabilites', did you mean 'probabilities'"),
        (lambda: hinge.SequenceTagger.load(pth="a"), r"SequenceTagger\.load\(\) has no parameter 'pth', did you mean 'path'"),
        (lambda: hinge.CRF().fit(X, Y, y_def=Y), r"CRF\.fit\(\) has no parameter 'y_def', did you mean 'y_dev'"),
        (lambda: hinge.StructuredPredictor().predict(Z=X), r"StructuredPredictor\.predict\(\) has no parameter 'Z'; it has: X"),
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


def test_the_chosen_features_are_shown_and_kept(capsys, command, tmp_path):
    sentences = [[("Anna", "NNP", "I-NP"), ("ran", "VBD", "I-VP")], [("He", "PRP", "I-NP"), ("saw", "VBD", "I-VP"), ("Bo", "NNP", "I-NP")]] * 9
    labels = [["B-PER", "O"], ["O", "O", "B-PER"]] * 9
    tagger = hinge.SequenceTagger(epochs=1, verbose=True).fit(sentences, labels)
    assert "features: ner (words and columns 1, 2), miss=1.5, as the labels are entities; to choose: features=np-chunk, pos or FILE, miss=1\n" \
        in capsys.readouterr().err
    assert (tagger.features, tagger.features_) == ("auto", "ner (words and columns 1, 2), miss=1.5")
    tagger.save(tmp_path / "a.model")
    assert hinge.load(tmp_path / "a.model").features_ == pickle.loads(pickle.dumps(tagger)).features_ == tagger.features_
    shown = command("inspect", tmp_path / "a.model", "--top", 0)
    assert " features=ner (words and columns 1, 2) " in shown and " miss=1.5 " in shown and "features=auto" not in shown
    assert json.loads(command("inspect", tmp_path / "a.model", "--json"))["chosen"] == {"features": "ner (words and columns 1, 2)", "miss": "1.5"}
    plain = [[word for word, _, _ in sentence] for sentence in sentences]
    for parameters, X, features in [({}, plain, "ner (words), miss=1.5"), ({"miss": 1}, plain, "ner (words)"),
                                    ({"features": "pos"}, plain, "pos"), ({}, [[{"w": w} for w in x] for x in plain], "attributes")]:
        quiet = hinge.SequenceTagger("perceptron", epochs=1, **parameters).fit(X, labels)
        assert quiet.features_ == features
        assert quiet.partial_fit(X, labels).features_ == features
    assert capsys.readouterr().err == ""
