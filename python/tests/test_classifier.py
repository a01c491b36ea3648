"""TextClassifier against the command line, scikit-learn and itself."""

import pickle

import numpy as np
import pytest

import hinge


@pytest.fixture(scope="module")
def files(command, tmp_path_factory):
    folder = tmp_path_factory.mktemp("classify")
    for name, seed in (("train", 1), ("dev", 2)):
        command("sample", "classify", "--sentences", 300, "--seed", seed, "-o", folder / f"{name}.txt")
    return folder / "train.txt", folder / "dev.txt"


def split(path):
    pairs = [line.split(" ", 1) for line in path.read_text().splitlines()]
    return [text for _, text in pairs], [label.removeprefix("__label__") for label, _ in pairs]


@pytest.fixture(scope="module")
def texts(files):
    return (*split(files[0]), *split(files[1]))


@pytest.fixture(scope="module")
def classifier(texts):
    return hinge.TextClassifier().fit(texts[0], texts[1])


def test_learns(classifier, texts):
    _, _, X, y = texts
    assert classifier.score(X, y) > 0.6
    assert set(classifier.classes_) == set(y)
    assert np.mean(classifier.predict(X) == np.array(y)) == pytest.approx(classifier.score(X, y))
    assert list(classifier.evaluate(X, y)) == ["accuracy", "macro_f1", "micro_f1"]


def test_files_and_lists_give_the_same_model(classifier, files, texts):
    from_file = hinge.TextClassifier().fit(files[0])
    assert from_file.to_bytes() == classifier.to_bytes()
    assert (from_file.predict(files[1]) == classifier.predict(texts[2])).all()
    arrays = hinge.TextClassifier().fit(np.array(texts[0]), np.array(texts[1]))
    assert arrays.to_bytes() == classifier.to_bytes()


def test_is_what_the_command_line_does(classifier, command, files, texts, tmp_path):
    command("train", "classify", files[0], "-q", "-o", tmp_path / "a.model")
    loaded = hinge.TextClassifier.load(tmp_path / "a.model")
    assert (loaded.predict(texts[2]) == classifier.predict(texts[2])).all()
    classifier.save(tmp_path / "b.model")
    assert command("predict", tmp_path / "b.model", files[1]).split() == list(classifier.predict(texts[2]))


def test_scores_and_probabilities(classifier, texts):
    X = texts[2]
    scores, p = classifier.decision_function(X), classifier.predict_proba(X)
    assert scores.shape == p.shape == (len(X), len(classifier.classes_))
    assert np.allclose(p.sum(axis=1), 1.0, atol=1e-5)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    assert np.allclose(p, powers / powers.sum(axis=1, keepdims=True), atol=1e-5)
    assert [classifier.classes_[k] for k in scores.argmax(axis=1)] == list(classifier.predict(X))
    best = classifier.predict_nbest(X[:3], 2)
    assert [[label for label, _ in row][0] for row in best] == list(classifier.predict(X[:3]))
    assert all(len(row) == 2 and row[0][1] >= row[1][1] for row in best)
    assert classifier.decision_function([]).shape == (0, len(classifier.classes_))
    assert len(classifier.predict([])) == 0


def test_explains(classifier, texts):
    text = texts[2][0]
    why = classifier.explain(text)
    (label, score), (rival, other) = classifier.predict_nbest([text], 2)[0]
    assert (why.label, why.rival) == (label, rival)
    assert why.margin == pytest.approx(score - other, abs=1e-4)
    assert sum(amount for _, _, amount in why.parts) == pytest.approx(why.margin)
    assert str(why).startswith(f"{label} before {rival} by ")
    turned = classifier.explain(text, y=rival, rival=label)
    assert turned.margin == pytest.approx(-why.margin)
    with pytest.raises(hinge.InputError, match="no label 'none'"):
        classifier.explain(text, y="none")


def test_continues(texts):
    X, y = texts[:2]
    model = hinge.TextClassifier("perceptron", epochs=3).fit(X, y).partial_fit(["rain and wind"] * 3, ["weather"] * 3)
    assert "weather" in model.classes_ and set(y) <= set(model.classes_)
    assert model.predict(["rain"])[0] == "weather"


def test_pickles(classifier, texts):
    assert (pickle.loads(pickle.dumps(classifier)).predict(texts[2]) == classifier.predict(texts[2])).all()


def test_options(texts):
    X, y, X_dev, y_dev = texts
    model = hinge.TextClassifier("crf", chars="2-4", lowercase=True, hash_bits=0, min_count=2).fit(X, y)
    assert model.score(X_dev, y_dev) > 0.6
    assert any(feature.startswith("chars:") for feature, _, _ in model.heaviest(100000))


@pytest.mark.parametrize("X, y, error", [
    (["a", 1], ["x", "y"], TypeError), (["a"], [1], TypeError), (["a", "b"], ["x"], hinge.InputError), (["a"], [""], hinge.InputError),
    (["a"], None, hinge.InputError), ("a", ["x"], hinge.InputError), (["\0"], ["x"], hinge.InputError), (3, [1], TypeError),
    ([], [], hinge.InputError)])
def test_refuses(X, y, error):
    with pytest.raises(error):
        hinge.TextClassifier().fit(X, y)


def test_in_scikit_learn(texts):
    sklearn = pytest.importorskip("sklearn")
    from sklearn.base import clone, is_classifier
    from sklearn.model_selection import GridSearchCV, cross_val_predict

    X, y = texts[:2]
    assert sklearn and is_classifier(hinge.TextClassifier())
    search = GridSearchCV(hinge.TextClassifier(threads=1, epochs=3), {"ngrams": [1, 2]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.5
    assert len(cross_val_predict(clone(search.best_estimator_), X, y, cv=2)) == len(X)
