"""What used to fail without a word, or with the wrong one."""

import pickle
import re
from pathlib import Path

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV

import hinge
from test_crf import DICTS
from test_inputs import X, Y

TREES = ["(S (A a) (B b))"] * 2


@pytest.fixture(scope="module")
def arrays():
    random = np.random.default_rng(1)
    data = [random.normal(size=(5, 3)) for _ in range(30)]
    return data, [["A" if row[0] > 0 else "B" for row in s] for s in data]


@pytest.mark.parametrize(("sentences", "labels"), [
    (X, Y), (DICTS, Y), ([[(w, w[-1], "x") for w in s] for s in X], Y),
], ids=["words", "dicts", "cells"])
def test_a_sentence_without_tokens_has_no_labels(sentences, labels):
    tagger = hinge.SequenceTagger(epochs=2).fit(sentences, labels)
    assert tagger.predict([[]]) == [[]] and tagger.predict([[], []]) == [[], []]
    assert tagger.explain([]) == []
    assert tagger.predict_nbest([[]], 3) == [[]]
    assert tagger.predict_marginals([[]])[0].shape == (0, 3)


def test_the_crf_tags_nothing():
    crf = hinge.CRF("ap", max_iterations=2).fit(DICTS, Y)
    assert crf.predict_single([]) == [] and crf.predict([[]]).tolist() == [[]] and crf.predict_marginals_single([]) == []


def test_explains_every_token_of_iob2():
    words = [["in", "New", "York", "City", "today"], ["the", "old", "house"], ["New", "York", "sleeps"]] * 10
    labels = [["O", "B-L", "I-L", "I-L", "O"], ["O", "O", "O"], ["B-L", "I-L", "O"]] * 10
    tagger = hinge.SequenceTagger(epochs=5, constraints="iob2").fit(words, labels)
    jumps = 0
    for why, label, place in zip(tagger.explain(words[0]), labels[0], range(5)):
        assert why.label == label != why.rival == why.rivals[place]
        assert why.margin > 0 and why.margin == pytest.approx(sum(part.contribution for part in why.parts), abs=1e-5)
        changed = [k for k in range(5) if why.rivals[k] != labels[0][k]]
        assert {part.token for part in why.parts} <= {k for c in changed for k in (c, c + 1)}
        jumps += len(changed) > 1
    assert jumps  # O cannot be put between B-L and I-L alone


def test_the_tagger_takes_generators(tagger, chunks):
    expected = tagger.predict(chunks[2])
    assert tagger.predict(x for x in chunks[2]) == expected
    assert len(tagger.predict_nbest(iter(chunks[2]), 2)) == len(expected)
    assert tagger.score(iter(chunks[2]), iter(chunks[3])) == tagger.score(chunks[2], chunks[3])
    assert [why.label for why in tagger.explain(token for token in chunks[2][0])] == expected[0]
    again = hinge.SequenceTagger("dcd", epochs=3).fit(iter(chunks[0]), iter(chunks[1]), iter(chunks[2]), iter(chunks[3]))
    assert again.to_bytes() == tagger.to_bytes()


def test_arrays_of_another_width_are_refused(arrays, tmp_path):
    data, labels = arrays
    tagger = hinge.SequenceTagger("perceptron", epochs=2).fit(data, labels)
    tagger.save(tmp_path / "a.model")
    for same in (tagger, hinge.SequenceTagger.load(tmp_path / "a.model"), pickle.loads(pickle.dumps(tagger))):
        with pytest.raises(hinge.InputError, match="sentence 2: the array has 2 features, but those of training have 3"):
            same.predict([data[0], data[1][:, :2]])
        with pytest.raises(hinge.InputError, match="has 4 features"):
            same.score([np.zeros((5, 4))], labels[:1])
    with pytest.raises(hinge.InputError, match="sentence 2: the array has 2 features"):
        tagger.fit([data[0], data[1][:, :2]], labels[:2])
    assert tagger.predict(data[:1]) == [labels[0]] or tagger.predict(data[:1])  # the failed fit changed nothing
    wide = [np.ones((5, 7))] * 4
    assert hinge.SequenceTagger("perceptron", epochs=1).fit(wide, labels[:4]).fit(data, labels).predict(data[:1])


def array_of_arrays(arrays):
    result = np.empty(len(arrays), dtype=object)
    for k, array in enumerate(arrays):
        result[k] = array
    return result


@pytest.mark.parametrize("form", [list, np.stack, array_of_arrays])
def test_a_width_is_known_however_arrays_are_given(arrays, form):
    data, labels = arrays
    tagger = hinge.SequenceTagger(epochs=2).fit(form(data), labels)
    assert tagger.predict(form(data)) == tagger.predict(data)
    for other in (list, np.stack, array_of_arrays):
        with pytest.raises(hinge.InputError, match="sentence 1: the array has 4 features, but those of training have 3"):
            tagger.predict(other([np.ones((5, 4))] * 2))
    if form is not np.stack:
        with pytest.raises(hinge.InputError, match="sentence 30: the array has 2 features, but those of training have 3"):
            hinge.SequenceTagger().fit(form([*data[:-1], data[-1][:, :2]]), labels)


def test_saved_models_know_the_columns_of_a_frame(tmp_path):
    pandas = pytest.importorskip("pandas")
    rows = [(s, w, w[-1], l) for s, (x, y) in enumerate(zip(X, Y)) for w, l in zip(x, y)]
    frame = pandas.DataFrame(rows, columns=["sentence_id", "word", "end", "label"])
    tagger = hinge.SequenceTagger(epochs=3).fit(frame, "label")
    tagger.save(tmp_path / "a.model")
    loaded = hinge.SequenceTagger.load(tmp_path / "a.model")
    expected = tagger.predict(frame)
    others = frame.assign(note="?")[["note", "end", "label", "sentence_id", "word"]]
    for same in (tagger, loaded, hinge.SequenceTagger.from_bytes(tagger.to_bytes())):
        assert same.predict(frame) == same.predict(frame.drop(columns="label")) == same.predict(others) == expected
        assert same.score(others, "label") == tagger.score(frame, "label")
        with pytest.raises(hinge.InputError, match="no column 'end', but the model was trained with it; there are: "):
            same.predict(frame.drop(columns="end"))


def lists_beside(path):
    lists = Path(path).with_name("lists")
    lists.write_text("0 ||| a ||| f= 1 ||| 0\n")
    return lists


@pytest.mark.parametrize("work", [
    lambda path: hinge.SequenceTagger.load(path),
    lambda path: hinge.load(path),
    lambda path: hinge.SequenceTagger().fit(path),
    lambda path: hinge.SequenceTagger().fit(X, Y, X_dev=path),
    lambda path: hinge.SequenceTagger(epochs=1).fit(X, Y).predict(path),
    lambda path: hinge.TextClassifier().fit(path),
    lambda path: hinge.Reranker().fit(path),
    lambda path: hinge.read_brackets(path),
    lambda path: hinge.read_columns(path),
    lambda path: hinge.read_conllu(path),
    lambda path: hinge.crfsuite.Tagger().open(path),
    lambda path: hinge.SequenceTagger(features=path).fit(X, Y),
    lambda path: hinge.SequenceTagger(features="ner", clusters=path).fit(X, Y),
    lambda path: hinge.SequenceTagger(features="ner", gazetteer=path).fit(X, Y),
    lambda path: hinge.SequenceTagger(costs=path).fit(X, Y),
    lambda path: hinge.DependencyParser(features=path).fit([["a"]], [[0]]),
    lambda path: hinge.ConstituencyParser(features="neural", embeddings=path).fit(TREES),
    lambda path: hinge.ConstituencyParser(features="neural", embeddings=f"{path}.bin").fit(TREES),
    lambda path: hinge.ConstituencyParser(clusters=path, grammar="none").fit(TREES),
    lambda path: hinge.Reranker(refs=path).fit(lists_beside(path)),
    lambda path: hinge.Summarizer().fit(path),
    lambda path: hinge.Summarizer(compress=True, tree_parser=path).fit([["a b. c d."]], [["a b."]]),
    lambda path: hinge.SequenceTagger().fit(f"{path}*"),
    lambda path: hinge.StructuredPredictor.load(path),
])
def test_a_missing_file_is_an_oserror(work, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.txt") as caught:
        work(str(tmp_path / "nowhere.txt"))
    assert isinstance(caught.value, OSError)


def test_missing_files_are_still_errors_of_hinge(tmp_path):
    with pytest.raises(hinge.InputError, match="cannot be opened .No such file or directory.; check the path"):
        hinge.SequenceTagger().fit(tmp_path / "x")
    with pytest.raises(hinge.ModelError, match="cannot be opened .No such file or directory.; check the path"):
        hinge.load(tmp_path / "x")


def test_load_opens_models_of_any_task(tagger, chunks, tmp_path):
    tagger.save(tmp_path / "tag.model")
    texts = hinge.TextClassifier(epochs=2).fit(["a b", "c d"] * 5, ["x", "y"] * 5)
    texts.save(tmp_path / "texts.model")
    assert hinge.load(tmp_path / "tag.model").predict(chunks[2]) == tagger.predict(chunks[2])
    loaded = hinge.load(str(tmp_path / "texts.model"))
    assert isinstance(loaded, hinge.TextClassifier) and loaded.predict(["a b"]).tolist() == ["x"]
    (tmp_path / "no.model").write_text("text")
    with pytest.raises(hinge.ModelError, match="is not a Hinge model"):
        hinge.load(tmp_path / "no.model")
    assert set(hinge._loading.ESTIMATORS) == set(hinge.tasks())


def test_misspelt_arguments_are_answered_with_the_nearest():
    with pytest.raises(TypeError, match="^SequenceTagger has no parameter 'epoch', did you mean 'epochs'?"):
        hinge.SequenceTagger(epoch=3)
    with pytest.raises(ValueError, match="has no parameter 'early_stopp', did you mean 'early_stop'?"):
        hinge.SequenceTagger().set_params(early_stopp=3)
    with pytest.raises(TypeError, match="^SequenceTagger has no parameter 'zzzzzzzzzz'; it has: "):
        hinge.SequenceTagger(zzzzzzzzzz=3)
    with pytest.raises(hinge.OptionError, match="there is no learner 'perseptron', did you mean 'perceptron'; there are: "):
        hinge.SequenceTagger("perseptron").fit(X, Y)

    class Mine(hinge.SequenceTagger):
        def __init__(self, extra=1, **others):
            super().__init__(**others)
            self.extra = extra

    assert Mine(extra=2, epochs=3).get_params()["epochs"] == 3
    with pytest.raises(TypeError):
        Mine(epoch=3)


def test_notebooks_show_the_parameters():
    tagger = hinge.SequenceTagger("ops", C=0.5, features="<x>")
    page = tagger._repr_html_()
    assert "SequenceTagger (not fitted)" in page and "0.5" in page and "&lt;x&gt;" in page and "<x>" not in page
    assert "epochs" not in page
    assert "(fitted)" in hinge.CRF("ap", max_iterations=1).fit(DICTS, Y)._repr_html_()


@pytest.mark.parametrize(("estimator", "data"), [
    (hinge.SequenceTagger("perceptron", epochs=20, early_stop=2), X), (hinge.CRF("ap", max_iterations=5), DICTS),
], ids=["tagger", "crf"])
def test_development_data_is_routed_through_searches(estimator, data):
    with sklearn.config_context(enable_metadata_routing=True):
        asking = sklearn.clone(estimator).set_fit_request(X_dev=True, y_dev=True)
        search = GridSearchCV(asking, {asking.__dict__.get("learner") and "min_count" or "min_freq": [1]}, cv=2)
        search.fit(data * 4, Y * 4, X_dev=data[:1], y_dev=Y[:1])
        assert any(name.startswith("dev_") for name in search.best_estimator_.history_[0])
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match=re.escape("X_dev")):
            GridSearchCV(sklearn.clone(estimator), {}, cv=2).fit(data * 4, Y * 4, X_dev=data[:1], y_dev=Y[:1])
