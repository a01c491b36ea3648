"""A signal ends work of every kind soon, though the work would take long."""

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
    """How long the work went on after the signal."""
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


def test_reading_from_a_file(path):
    assert interrupted(lambda: hinge.SequenceTagger().fit(path)) < 1


def test_evaluating(tagger, path):
    assert interrupted(lambda: tagger.evaluate(path)) < 1


@pytest.mark.parametrize("threads", [1, 2])
def test_predicting(tagger, threads):
    model = hinge.SequenceTagger.from_bytes(tagger.to_bytes()).set_params(threads=threads)
    assert interrupted(lambda: model.predict_nbest(SENTENCES[:1000], 300)) < 1
    assert interrupted(lambda: model.predict(SENTENCES), after=0.1) < 1
