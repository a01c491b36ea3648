"""Objects whose code runs while they are read and changes the data being read."""

import pytest

import hinge
from test_custom import Classify
from test_custom import X as WORDS
from test_custom import Y as CLASSES
from test_inputs import X, Y


class ClearsObject:
    def __init__(self, of):
        self.of = of

    def __float__(self):
        self.of.clear()
        return 1.0

    def __index__(self):
        self.of.clear()
        return 0


class GrowsObject(ClearsObject):
    def __float__(self):
        self.of[f"k{len(self.of)}"] = self
        return 1.0


def hostile(kind):
    features = {}
    features.update({f"feature {k}": kind(features) for k in range(20)})
    return features


@pytest.mark.parametrize("kind", [ClearsObject, GrowsObject])
def test_features_of_a_task_that_change_while_read(kind):
    task = Classify()
    task.features = lambda x, y: hostile(kind)
    with pytest.raises(RuntimeError, match="changed while it was read"):
        hinge.StructuredPredictor(task).fit(WORDS, CLASSES)


@pytest.mark.parametrize("kind", [ClearsObject, GrowsObject])
def test_features_of_a_token_that_change_while_read(kind):
    with pytest.raises(RuntimeError, match="changed while it was read"):
        hinge.SequenceTagger().fit([[hostile(kind)]], [["A"]])


@pytest.mark.parametrize("kind", [ClearsObject, GrowsObject])
def test_features_of_a_hypothesis_that_change_while_read(kind):
    with pytest.raises(RuntimeError, match="changed while it was read"):
        hinge.Reranker().fit([[{"text": "a", "features": hostile(kind)}]], ["a"])


class ClearsExamples(Classify):
    def __init__(self, *lists):
        self.lists = lists

    def clear(self):
        for examples in self.lists:
            examples.clear()


class InFeatures(ClearsExamples):
    def features(self, x, y):
        self.clear()
        return super().features(x, y)


class InDecode(ClearsExamples):
    def decode(self, x, score, augment):
        self.clear()
        return super().decode(x, score, augment)


@pytest.mark.parametrize("task", [InFeatures, InDecode])
def test_examples_that_change_while_learned_from(task):
    words, classes = list(WORDS), list(CLASSES)
    model = hinge.StructuredPredictor(task(words, classes), epochs=20).fit(words, classes)
    assert model.set_params(task=Classify()).predict(WORDS) == CLASSES
    dev_classes = list(CLASSES)
    with pytest.raises(IndexError):
        hinge.StructuredPredictor(task(dev_classes)).fit(WORDS, CLASSES, WORDS, dev_classes)


def test_inputs_that_change_while_predicted():
    model = hinge.StructuredPredictor(Classify(), epochs=20).fit(WORDS, CLASSES)
    words = [word + "a" * 3 for word in WORDS]
    assert len(model.set_params(task=InDecode(words)).predict(words)) == 1


@pytest.mark.parametrize("word", [["form " * 9, "upos " * 9], {"form": "form " * 9, "upos": "upos " * 9}])
def test_words_that_change_while_read(word):
    parser = hinge.DependencyParser(epochs=1).fit([[word]], [[(ClearsObject(word), "root")]])
    assert not word
    assert parser.predict([["a"]]) == [[(0, "root")]]


class Long(list):
    def __len__(self):
        return 10**9


class Fails(list):
    def __len__(self):
        raise LookupError("no length today")


@pytest.mark.parametrize("kind, error, message", [(Long, TypeError, "len.. of a Long is 1000000000"),
                                                  (Fails, LookupError, "no length today")])
def test_lengths_that_are_not(kind, error, message):
    lists = [[("a", {"f": 1.0}), ("b", {"f": 2.0})]]
    for estimator, X_, y_ in ((hinge.SequenceTagger(), kind(X), Y), (hinge.SequenceTagger(), X, kind(Y)),
                              (hinge.SequenceTagger(), [kind(X[0])], Y[:1]),
                              (hinge.SequenceTagger(), X[:1], [kind(Y[0])]),
                              (hinge.DependencyParser(), [kind(["a"])], [[0]]),
                              (hinge.Reranker(), lists, [kind(["a"])]),
                              (hinge.Summarizer(), [kind(["a b"])], ["a b"]),
                              (hinge.Summarizer(), [[kind(["a b"])]], ["a b"]),
                              (hinge.Summarizer(), [["a b"]], [kind(["a b"])])):
        with pytest.raises(error, match=message):
            estimator.fit(X_, y_)
