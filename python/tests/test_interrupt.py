"""A signal quickly ends any kind of long work."""

import contextlib
import signal
import time

import pytest

import hinge
from test_inputs import X, Y

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="timers are needed")
LONG = ["the", "cat", "sees", "a", "dog"] * 20
SENTENCES, LABELS = [LONG] * 60000, [["D", "N", "V", "D", "N"] * 20] * 60000
HEADS = [[0, *[1] * 99]] * 60000
TREES = [("S", *(("N", word) for word in LONG))] * 60000


class Alarm(Exception):
    pass


@contextlib.contextmanager
def alarm(seconds):
    def raise_it(*_):
        raise Alarm

    before = signal.signal(signal.SIGALRM, raise_it)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def interrupted(work, after=0.3):
    """How long the work continued after the signal."""
    begin = time.monotonic()
    with pytest.raises(Alarm), alarm(after):
        work()
    return time.monotonic() - begin - after


@pytest.fixture(scope="module")
def tagger():
    return hinge.SequenceTagger(epochs=2, threads=1).fit(X, Y)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "long.txt"
    sentence = "".join(f"{word} {label}\n" for word, label in zip(LONG, LABELS[0])) + "\n"
    path.write_text(sentence * len(SENTENCES))
    return path


def test_reading_from_memory():
    assert interrupted(lambda: hinge.SequenceTagger().fit(SENTENCES, LABELS), after=0.1) < 1
    assert interrupted(lambda: hinge.DependencyParser().fit(SENTENCES, HEADS), after=0.1) < 1
    assert interrupted(lambda: hinge.ConstituencyParser().fit(TREES), after=0.1) < 1


def test_reading_from_a_file(path):
    assert interrupted(lambda: hinge.SequenceTagger().fit(path)) < 1


def test_evaluating(tagger, path):
    assert interrupted(lambda: tagger.evaluate(path)) < 1


# Reading the development data is fast; scoring it takes seconds.
def test_scoring_development_data_of_a_tagger():
    many = [[f"L{k}"] for k in range(400)]  # 400 labels
    assert interrupted(lambda: hinge.SequenceTagger(epochs=1, threads=1).fit(many, many, SENTENCES[:3000], [["L1"] * 100] * 3000),
                       after=1) < 1


def test_scoring_development_data_of_a_parser():
    parser = hinge.DependencyParser(epochs=1, threads=1)
    dev = [LONG * 4] * 300, [[0, *[1] * 399]] * 300
    assert interrupted(lambda: parser.fit(X[:3], [[0, 1, 1], [0, 1, 1, 1], [0, 1]], *dev), after=1) < 1


@pytest.mark.parametrize("after", [0.5, 1])
def test_reading_lists(after):
    lists = [[(f"a {k} b", {f"f{j}": j * k for j in range(10)}) for k in range(10)]] * 300000
    assert interrupted(lambda: hinge.Reranker().fit(lists, ["a 1 b"] * len(lists)), after) < 1


def test_scoring_lists():
    lists = [[(f"a {k}", {"f": k}) for k in range(2)]] * 10
    ranker = hinge.Reranker(epochs=1).fit(lists, ["a 1"] * 10)
    assert interrupted(lambda: ranker.predict([lists[0] * 50] * 60000), after=0.1) < 1


@pytest.mark.parametrize("threads", [1, 2])
def test_predicting(tagger, threads):
    model = hinge.SequenceTagger.from_bytes(tagger.to_bytes()).set_params(threads=threads)
    assert interrupted(lambda: model.predict_nbest(SENTENCES[:1000], 300)) < 1
    assert interrupted(lambda: model.predict(SENTENCES), after=0.1) < 1


@pytest.mark.parametrize("threads", [1, 2])
def test_summarizing(threads):
    topic = [f"The {k}th cat sat on the mat. A dog ran home with bone {k}." for k in range(50)]
    summarizer = hinge.Summarizer(epochs=1, threads=threads).fit([topic[:3]], [topic[0]])
    assert interrupted(lambda: hinge.Summarizer().fit([topic] * 60000, [topic[0]] * 60000), after=0.1) < 1
    assert interrupted(lambda: summarizer.predict([topic] * 2000), after=0.5) < 1
    assert interrupted(lambda: summarizer.evaluate([topic] * 2000, [topic[0]] * 2000), after=0.5) < 1
