import math
import pickle
import re
import subprocess
import sys
import threading
import types

import numpy as np
import pytest

import hinge

TOY_X = [["the", "cat", "sat"], ["a", "dog", "ran", "home"], ["dogs", "sat"]]
TOY_Y = [["D", "N", "V"], ["D", "N", "V", "N"], ["N", "V"]]


def test_learns_what_the_command_line_learns(chunks, tag_files, command, tmp_path):
    X, y, _, _ = chunks
    command("train", "tag", tag_files[0], "--epochs", 2, "-q", "-o", tmp_path / "chunk.model")
    ours = hinge.SequenceTagger(epochs=2).fit(X, y)
    theirs = hinge.SequenceTagger.load(tmp_path / "chunk.model")
    assert theirs.get_params()["epochs"] == 2
    assert ours.predict(X[:20]) == theirs.predict(X[:20])
    assert ours.predict_nbest(X[:5], 3) == theirs.predict_nbest(X[:5], 3)


def test_a_file_gives_the_bytes_of_the_command_line(tag_files, command, tmp_path):
    command("train", "tag", tag_files[0], "--epochs", 2, "-q", "-o", tmp_path / "chunk.model")
    assert hinge.SequenceTagger(epochs=2).fit(tag_files[0]).to_bytes() == (tmp_path / "chunk.model").read_bytes()


def test_the_command_line_reads_what_is_saved(tagger, tag_files, command, tmp_path):
    tagger.save(tmp_path / "chunk.model")
    command("predict", tmp_path / "chunk.model", tag_files[1], "-o", tmp_path / "out.txt")
    predicted = [[row[-1] for row in sentence] for sentence in hinge.read_columns(tmp_path / "out.txt")]
    assert predicted == tagger.predict(tag_files[1])


def test_scores_as_evaluate_does(tagger, tag_files, chunks):
    _, _, X, y = chunks
    assert tagger.evaluate(X, y) == tagger.evaluate(tag_files[1])
    assert tagger.score(X, y) == pytest.approx(tagger.history_[-1]["dev_f1"] / 100)
    assert len(tagger.history_) == 3


def test_marginals_are_probabilities_and_agree_with_the_best(chunks):
    X, y, X_dev, _ = chunks
    crf = hinge.SequenceTagger("crf", epochs=20, constraints="none").fit(X, y)
    for table, labels in zip(crf.predict_marginals(X_dev), crf.predict(X_dev)):
        assert table.shape == (len(labels), len(crf.classes_))
        np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=1e-4)


def test_the_first_of_the_n_best_is_the_prediction(tagger, chunks):
    X = chunks[2][:10]
    for best, lists in zip(tagger.predict(X), tagger.predict_nbest(X, 4)):
        assert lists[0][0] == best
        scores = [score for _, score in lists]
        assert scores == sorted(scores, reverse=True)


def test_explanations_add_up(tagger, chunks):
    x = chunks[2][0]
    for token in tagger.explain(x):
        assert token.margin == pytest.approx(sum(part.contribution for part in token.parts), abs=1e-3)
        assert token.label in str(token)
    labels = tagger.predict([x])[0]
    rival = [tagger.classes_[0]] * len(x)
    for token, label in zip(tagger.explain(x, labels, rival), labels):
        assert token.label == label
        if label != tagger.classes_[0]:
            assert token.rival == tagger.classes_[0]


def test_pickles_without_files(tagger, chunks):
    copy = pickle.loads(pickle.dumps(tagger))
    assert copy.predict(chunks[2]) == tagger.predict(chunks[2])
    assert copy.get_params() == tagger.get_params()
    assert copy.history_ == tagger.history_
    again = hinge.SequenceTagger.from_bytes(tagger.to_bytes())
    assert again.to_bytes() == tagger.to_bytes()


def test_threads_share_a_model(tagger, chunks):
    X = chunks[0]
    expected = tagger.predict(X)
    results = [None] * 4

    def work(k):
        results[k] = [tagger.predict(X) for _ in range(5)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found == expected for answers in results for found in answers)


def test_the_number_of_threads_never_shows(chunks):
    X, y, _, _ = chunks
    assert (hinge.SequenceTagger(epochs=2, threads=1).fit(X, y).predict(X)
            == hinge.SequenceTagger(epochs=2, threads=2).fit(X, y).predict(X))


def test_a_warm_start_begins_where_the_last_ended(chunks):
    X, y, _, _ = chunks
    tagger = hinge.SequenceTagger("dcd", epochs=8, warm_start=True).fit(X, y)
    cold = tagger.history_[0]["violation"]
    tagger.set_params(epochs=1).fit(X, y)
    assert tagger.history_[0]["violation"] < 0.5 * cold


@pytest.mark.parametrize("hash_bits", [14, 0])
def test_partial_fit_forgets_nothing(hash_bits):
    tagger = hinge.SequenceTagger("perceptron", features="pos", hash_bits=hash_bits, epochs=5)
    tagger.partial_fit([["the", "cat", "sat"], ["a", "dog", "ran"]], [["D", "N", "V"]] * 2)
    before = tagger.predict([["the", "dog", "sat"]])
    tagger.partial_fit([["dogs", "ran"]], [["N", "V"]])
    assert tagger.classes_ == ["D", "N", "V"]
    assert tagger.predict([["the", "dog", "sat"]]) == before
    tagger.partial_fit([["quickly"]], [["R"]])
    assert tagger.classes_ == ["D", "N", "V", "R"]


def test_partial_fit_keeps_attributes():
    tagger = hinge.SequenceTagger("perceptron", epochs=5)
    tagger.fit([[{"w": "the"}, {"w": "cat"}]], [["D", "N"]])
    before = {line for line in tagger.heaviest(100) if line[0] != "B"}
    tagger.partial_fit([[{"w": "ran"}]], [["V"]])
    assert tagger.classes_ == ["D", "N", "V"]
    assert before <= set(tagger.heaviest(100))
    assert tagger.predict([[{"w": "the"}, {"w": "cat"}]]) == [["D", "N"]]


def test_early_stop_and_callback(chunks):
    seen = []
    tagger = hinge.SequenceTagger("perceptron", epochs=30, early_stop=2, callback=seen.append).fit(*chunks)
    assert len(seen) == len(tagger.history_) < 30
    assert seen[-1]["stop"] == "no better dev score"

    stopped = hinge.SequenceTagger("perceptron", epochs=30, callback=lambda epoch: epoch["epoch"] == 2).fit(*chunks)
    assert len(stopped.history_) <= 3


def test_progress_is_shown_with_tqdm_and_without(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    hinge.SequenceTagger("perceptron", epochs=2, verbose=True).fit(TOY_X, TOY_Y, TOY_X, TOY_Y)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4 and lines[0].startswith("features: ") and "sentences" in lines[1]
    assert lines[3].startswith("epoch 2/2  updates ") and "  dev accuracy " in lines[3]

    bars = []

    class Bar:
        def __init__(self, total, unit):
            self.total, self.updates, self.closed = total, 0, False
            bars.append(self)

        def update(self):
            self.updates += 1

        def set_postfix_str(self, text):
            self.text = text

        def close(self):
            self.closed = True

    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    hinge.SequenceTagger("perceptron", epochs=2, verbose=True).fit(TOY_X, TOY_Y)
    assert (bars[0].total, bars[0].updates, bars[0].closed) == (2, 2, True)
    assert bars[0].text.startswith("updates ")
    assert "epoch" not in capsys.readouterr().err


@pytest.mark.parametrize("answer", [True, np.bool_(True)])
def test_a_callback_ends_training_at_its_epoch(answer):
    seen = []

    def stop(epoch):
        seen.append(epoch["epoch"])
        return answer if len(seen) == 2 else None

    for model in (hinge.SequenceTagger("dcd", epochs=9, callback=stop), hinge.SequenceTagger("crf", epochs=9, callback=stop)):
        seen.clear()
        model.fit(TOY_X, TOY_Y)
        assert seen == [1, 2]
        assert [epoch["epoch"] for epoch in model.history_] == [1, 2]
        assert model.history_[-1]["stop"] == "callback"
        same = hinge.SequenceTagger(model.learner, epochs=2).fit(TOY_X, TOY_Y)
        assert model.model_.state_weights() == same.model_.state_weights()


def test_an_exception_of_the_callback_ends_fit():
    def stop(epoch):
        raise LookupError(epoch["epoch"])

    with pytest.raises(LookupError, match="1"):
        hinge.SequenceTagger("perceptron", callback=stop).fit(TOY_X, TOY_Y)


def test_ctrl_c_ends_fit(python):
    result = python("""
import os, signal, threading, hinge
signal.signal(signal.SIGINT, signal.default_int_handler)  # a script in the background may have been started with it ignored
X = [["a", "b", "c"] * 10] * 2000
y = [["A", "B", "C"] * 10] * 2000
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    hinge.SequenceTagger("perceptron", epochs=1000000, objective="never", threads=1).fit(X, y)
except KeyboardInterrupt:
    print("interrupted")
""")
    assert result.stdout == "interrupted\n", result.stderr


def test_other_threads_run_during_fit():
    X, y = TOY_X * 2000, TOY_Y * 2000
    ticks = []
    done = threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    hinge.SequenceTagger("perceptron", epochs=20, threads=1).fit(X, y)
    done.set()
    thread.join()
    assert len(ticks) > 3


def test_columns_are_split_at_ascii_spaces_alone(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("\ufeffthe  D\r\n10\u00a0000\tN\r\n \r\ncat N\n", encoding="utf-8", newline="")
    assert hinge.read_columns(path) == [[("the", "D"), ("10\u00a0000", "N")], [("cat", "N")]]


def test_values_of_numpy_and_bytes_of_any_kind():
    tagger = hinge.SequenceTagger("perceptron", average=np.bool_(True), epochs=np.int64(2)).fit(TOY_X, TOY_Y)
    assert tagger.to_bytes() == hinge.SequenceTagger("perceptron", average=True, epochs=2).fit(TOY_X, TOY_Y).to_bytes()
    for data in (bytearray(tagger.to_bytes()), memoryview(tagger.to_bytes())):
        assert hinge.SequenceTagger.from_bytes(data).predict(TOY_X) == tagger.predict(TOY_X)
    with pytest.raises(TypeError, match="a model is bytes, not int"):
        hinge.SequenceTagger.from_bytes(5)


def test_scores_do_not_ask_how_it_was_learned():
    tagger = hinge.SequenceTagger("dcd", C=0.1, epochs=2).fit(TOY_X, TOY_Y)
    score = tagger.score(TOY_X, TOY_Y)
    assert tagger.set_params(learner="perceptron", seed="none").score(TOY_X, TOY_Y) == score
    assert tagger.predict(TOY_X)
    with pytest.raises(hinge.OptionError, match="perceptron has no such option"):
        tagger.fit(TOY_X, TOY_Y)


def test_probabilities_of_whole_sequences(chunks):
    X, y = [["a", "b"], ["b", "a", "b"]] * 5, [["A", "B"], ["B", "A", "B"]] * 5
    tagger = hinge.SequenceTagger("crf", epochs=5, constraints="none").fit(X, y)
    every = tagger.predict_nbest([X[1]], 8, probabilities=True)[0]
    scores = tagger.predict_nbest([X[1]], 8)[0]
    assert len(every) == 8 and sum(p for _, p in every) == pytest.approx(1.0, abs=1e-5)
    assert [labels for labels, _ in every] == [labels for labels, _ in scores]
    assert [p / every[0][1] for _, p in every] == pytest.approx([math.exp(s - scores[0][1]) for _, s in scores], rel=1e-4)
    tables = tagger.predict_marginals([X[1]])[0]
    first = sum(p for labels, p in every if labels[0] == tagger.classes_[0])
    assert first == pytest.approx(tables[0, 0], abs=1e-5)
    assert tagger.predict_nbest([[]], 2, probabilities=True) == [[]]
    with pytest.raises(hinge.OptionError, match="need a model of likelihoods, but this one is by dcd; use crf"):
        hinge.SequenceTagger("dcd", epochs=1).fit(X, y).predict_nbest(X, probabilities=True)


@pytest.mark.parametrize("parameters", [{"learner": "crf"}, {"learner": "dcd", "objective": "epoch"}, {"learner": "mira", "early_stop": 1}])
def test_progress_is_what_the_command_line_shows(parameters, tag_files, command, capsys, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    hinge.SequenceTagger(epochs=3, verbose=True, **parameters).fit(tag_files[0], X_dev=tag_files[1])
    ours = capsys.readouterr().err
    flags = [part for name, value in parameters.items() for part in (f"--{name.replace('_', '-')}", value)]
    theirs = subprocess.run([str(command.binary), "train", "tag", *map(str, tag_files[:1]), "--dev", str(tag_files[1]), "--epochs", "3",
                             *map(str, flags), "-o", str(tmp_path / "a")], check=True, capture_output=True, text=True).stderr

    def shown(text):
        text = text.replace("--features ", "features=")
        return [re.sub("  [0-9.]+ s(  ETA [0-9smh]+)?", "", line) for line in text.splitlines() if " MB" not in line]

    assert shown(ours) == shown(theirs)
