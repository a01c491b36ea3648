"""All forms of the same data give the same result."""

import numpy as np
import pytest

import hinge

X = [["the", "cat", "sat"], ["a", "dog", "ran", "home"], ["dogs", "sat"]] * 5
Y = [["D", "N", "V"], ["D", "N", "V", "N"], ["N", "V"]] * 5


@pytest.fixture(scope="module")
def expected():
    return hinge.SequenceTagger(epochs=3).fit(X, Y)


def test_tuples_lists_and_arrays_of_words(expected):
    model = expected.to_bytes()
    for same in ([tuple(s) for s in X], tuple(X), [np.array(s) for s in X], [[(w,) for w in s] for s in X]):
        assert hinge.SequenceTagger(epochs=3).fit(same, Y).to_bytes() == model
    assert hinge.SequenceTagger(epochs=3).fit(X, [np.array(s) for s in Y]).to_bytes() == model


def test_hugging_face_columns(expected):
    columns = {"tokens": X, "ner_tags": Y}
    rows = [{"tokens": x, "ner_tags": y} for x, y in zip(X, Y)]
    for data in (columns, rows):
        assert hinge.SequenceTagger(epochs=3).fit(data, "ner_tags").to_bytes() == expected.to_bytes()
        assert hinge.SequenceTagger(epochs=3).fit(data, "ner_tags").predict(data) == expected.predict(X)
    with pytest.raises(hinge.InputError, match="there is no column 'pos'"):
        hinge.SequenceTagger().fit(rows, "pos")


class Dataset:
    """The needed part of datasets.Dataset: classes by number."""

    class ClassLabel:
        names = ["D", "N", "V"]

    class Sequence:
        def __init__(self, feature):
            self.feature = feature

    def __init__(self, columns):
        self.columns_ = columns
        self.column_names = list(columns)
        self.features = {"ner_tags": self.Sequence(self.ClassLabel())}

    def __getitem__(self, name):
        return self.columns_[name]

    def __len__(self):
        return len(self.columns_["tokens"])


def test_a_dataset_with_numbered_classes(expected):
    data = Dataset({"tokens": X, "ner_tags": [["DNV".index(label) for label in y] for y in Y]})
    tagger = hinge.SequenceTagger(epochs=3).fit(data, "ner_tags")
    assert tagger.predict(data) == expected.predict(X)


def test_numbers_of_classes():
    tags = [["DNV".index(label) for label in y] for y in Y]
    expected = hinge.SequenceTagger(epochs=3).fit(X, Y).to_bytes()
    for kind in (np.int64, np.uint8):
        data = Dataset({"tokens": X, "ner_tags": [np.array(row, dtype=kind) for row in tags]})
        assert hinge.SequenceTagger(epochs=3).fit(data, "ner_tags").to_bytes() == expected
    for wrong in (-1, -100, 3, np.int64(-1)):
        data = Dataset({"tokens": X, "ner_tags": [tags[0], [0, 1, wrong, 0], *tags[2:]]})
        with pytest.raises(hinge.InputError, match=f"sentence 2, token 3: .*has {wrong}, but its classes"):
            hinge.SequenceTagger().fit(data, "ner_tags")
    with pytest.raises(hinge.InputError, match="sentence 1, token 1: .*no names of classes"):
        hinge.SequenceTagger().fit({"tokens": X, "ner_tags": tags}, "ner_tags")
    with pytest.raises(hinge.InputError, match="sentence 1: a list was expected in the column 'ner_tags', not str"):
        hinge.SequenceTagger().fit({"tokens": X, "ner_tags": ["DNV"] * len(X)}, "ner_tags")


def test_frames_with_holes_and_with_their_labels():
    pandas = pytest.importorskip("pandas")
    rows = [(s, w, l) for s, (x, y) in enumerate(zip(X, Y)) for w, l in zip(x, y)]
    frame = pandas.DataFrame(rows, columns=["sentence_id", "word", "label"])
    tagger = hinge.SequenceTagger(epochs=3).fit(frame, "label")
    assert tagger.predict(frame) == tagger.predict(frame.drop(columns="label"))
    assert len(tagger.predict_nbest(frame, 2)) == len(X)
    assert tagger.score(frame, "label") == tagger.score(X, Y)
    twice = frame.set_axis(["sentence_id", "word", "word"], axis=1)
    with pytest.raises(hinge.InputError, match="two columns have the same name"):
        tagger.predict(twice)
    for missing in (None, float("nan"), pandas.NA):
        holed = frame.astype(object)
        holed.loc[4, "label"] = missing
        with pytest.raises(hinge.InputError, match="row 5 has no label"):
            hinge.SequenceTagger().fit(holed, "label")
        holed = frame.astype(object)
        holed.loc[2, "word"] = missing
        for work in (lambda: hinge.SequenceTagger().fit(holed, "label"), lambda: tagger.predict(holed)):  # noqa: B023
            with pytest.raises(hinge.InputError, match="^row 3 has no cell in the column 'word'; fill it in or leave the row out$"):
                work()
    holed = frame.astype(object)
    holed.loc[0, "sentence_id"] = None
    with pytest.raises(hinge.InputError, match="row 1 has no sentence"):
        hinge.SequenceTagger().fit(holed, "label")


def test_trees_without_a_word():
    for missing in (None, float("nan")):
        with pytest.raises(hinge.InputError, match="^sentence 1, word 2: there is no word in the column 'tokens'; fill it in$"):
            hinge.DependencyParser().fit({"tokens": [["a", missing]], "head": [[0, 1]]})
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"tokens": [["a", "b"]], "head": [[0, 1]]})
    with pytest.raises(TypeError, match="takes no pandas frame"):
        hinge.DependencyParser().fit(frame)
    assert hinge.DependencyParser().fit(frame.to_dict("list")).predict([["a", "b"]]) == [[0, 1]]


def test_pandas_frames(expected):
    pandas = pytest.importorskip("pandas")
    rows = [(s, w, l) for s, (x, y) in enumerate(zip(X, Y)) for w, l in zip(x, y)]
    frame = pandas.DataFrame(rows, columns=["sentence_id", "word", "label"])
    assert hinge.SequenceTagger(epochs=3).fit(frame, "label").heaviest(1000) == expected.heaviest(1000)
    words = frame.drop(columns="label")
    tagger = hinge.SequenceTagger(epochs=3).fit(words, frame["label"])
    assert tagger.predict(words) == expected.predict(X)


def test_feature_dicts_of_all_kinds():
    data = [[{"w": w, "long": len(w) > 3, "length": len(w), "size": np.float32(0.5), "ends": [w[-1], w[-2:]],
              "deep": {"first": w[0]}} for w in s] for s in X]
    tagger = hinge.SequenceTagger("crf", epochs=20).fit(data, Y)
    assert tagger.predict(data) == Y
    names = {feature for feature, _, _ in tagger.model_.state_weights()}
    assert {"w:cat", "length", "size", "ends:t", "deep:first:t"} <= names
    assert "long" in names  # some token has it True


def test_arrays_of_numbers():
    random = np.random.default_rng(1)
    data = [random.normal(size=(5, 3)) for _ in range(50)]
    labels = [["A" if row[0] > 0 else "B" for row in s] for s in data]
    tagger = hinge.SequenceTagger("dcd", epochs=20).fit(data, labels)
    assert tagger.score(data, labels) > 0.95
    as_dicts = [[{str(f): value for f, value in enumerate(row)} for row in s] for s in data]
    assert tagger.predict(as_dicts) == tagger.predict(data)
    assert hinge.SequenceTagger("dcd", epochs=20).fit([s.astype(np.float32) for s in data], labels).score(data, labels) > 0.95


def test_empty_sentences():
    tagger = hinge.SequenceTagger(epochs=2).fit([[], *X], [[], *Y])
    assert tagger.predict([[], X[0], []])[::2] == [[], []]
    assert tagger.predict([]) == []
    assert tagger.predict_marginals([[]])[0].shape == (0, 3)


def test_files_of_trees_and_of_attributes(trees, tmp_path):
    tagger = hinge.SequenceTagger("perceptron", epochs=2).fit(trees[0])
    words, _ = hinge.read_conllu(trees[1])
    predicted = tagger.predict(trees[1])
    assert [len(labels) for labels in predicted] == [len(sentence) for sentence in words]
    assert len(tagger.predict_nbest(trees[1], 2)) == len(words)

    (tmp_path / "crfsuite.txt").write_text("A\tx:1\ty\nB\tz:0.5\n\nA\ty\n\n")
    tagger = hinge.SequenceTagger("perceptron", format="attributes").fit(tmp_path / "crfsuite.txt")
    assert tagger.predict(tmp_path / "crfsuite.txt") == tagger.predict([[{"x": 1, "y": 1}, {"z": 0.5}], [{"y": 1}]])


def test_several_files(expected, tmp_path):
    lines = ["".join(f"{w} {y}\n" for w, y in zip(xs, ys)) for xs, ys in zip(X, Y)]
    (tmp_path / "part-1").write_text("\n".join(lines[:4]))
    (tmp_path / "part-2").write_text("\n".join(lines[4:]))
    for files in (tmp_path / "part-*", f"{tmp_path}/part-1,{tmp_path}/part-2"):
        tagger = hinge.SequenceTagger(epochs=3).fit(files, X_dev=files)
        assert tagger.to_bytes() == expected.to_bytes()
        assert tagger.evaluate(files) == expected.evaluate(X, Y)
        assert tagger.predict(files) == expected.predict(X)
    with pytest.raises(hinge.InputError, match="no file matches this pattern"):
        hinge.SequenceTagger().fit(tmp_path / "none-*")
    with pytest.raises(FileNotFoundError, match="none"):
        hinge.SequenceTagger().fit(f"{tmp_path}/part-1,{tmp_path}/none")
