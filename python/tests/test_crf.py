import gc
import inspect
import itertools
import math
import os
import pickle
import re
import sys
import types
import warnings
from pathlib import Path

import numpy as np
import pytest
import sklearn_crfsuite
import sklearn_crfsuite.scorers

import hinge
from test_inputs import X, Y

DICTS = [[{"w": w, "end": w[-1], "bias": 1.0} for w in s] for s in X]


@pytest.mark.parametrize("algorithm", ["lbfgs", "l2sgd", "ap", "pa", "arow"])
def test_every_algorithm(algorithm):
    crf = hinge.CRF(algorithm=algorithm, max_iterations=30, **({"c2": 0.1} if algorithm in ("lbfgs", "l2sgd") else {})).fit(DICTS, Y)
    assert crf.predict(DICTS).tolist() == Y
    assert crf.predict_single(DICTS[0]) == Y[0]
    assert crf.score(DICTS, Y) == 1.0
    assert set(crf.classes_) == {"D", "N", "V"}
    assert crf.state_features_[("w:cat", "N")] > 0
    assert crf.transition_features_[("D", "N")] > 0


def test_names_the_nearest_of_what_is_not_there():
    with pytest.raises(hinge.OptionError, match="must be one of lbfgs, l2sgd, ap, pa, arow, did you mean 'lbfgs'"):
        hinge.CRF(algorithm="lbgfs").fit(DICTS, Y)
    with pytest.raises(hinge.OptionError, match="there is no algorithm 'arrow', did you mean 'arow'; there are: "):
        hinge.crfsuite.Trainer("arrow")
    with pytest.raises(TypeError, match="CRF has no parameter 'algoritm', did you mean 'algorithm'"):
        hinge.CRF(algoritm="ap")


@pytest.mark.parametrize(("parameters", "instead"), [
    ({"epsilon": 1e-4}, "epsilon=0.0001 has no effect with lbfgs: use delta"),
    ({"period": 5}, "period=5 has no effect with lbfgs: delta always counts over 10 iterations; use delta"),
    ({"algorithm": "ap", "period": 5}, "period=5 has no effect with ap: use epsilon or max_iterations$"),
    ({"algorithm": "ap", "linesearch": "Backtracking"}, "linesearch='Backtracking' has no effect with ap: only lbfgs has it"),
    ({"algorithm": "ap", "calibration_eta": 0.5}, "calibration_eta=0.5 has no effect with ap: only l2sgd has it"),
    ({"algorithm": "ap", "error_sensitive": False}, "error_sensitive=False has no effect with ap: only pa has it"),
    ({"algorithm": "ap", "all_possible_states": False}, "all_possible_states=False has no effect with ap: every attribute may get a weight"),
    ({"algorithm": "l2sgd", "all_possible_transitions": 0}, "all_possible_transitions=0 has no effect with l2sgd: every pair .* use lbfgs"),
    ({"algorithm": "ap", "delta": 1e-4}, "delta=0.0001 has no effect with ap: use epsilon"),
    ({"algorithm": "l2sgd", "c1": 0.5}, "c1=0.5 has no effect with l2sgd: only lbfgs"),
    ({"algorithm": "l2sgd", "calibration_eta": 0.5}, "calibration_eta=0.5 has no effect with l2sgd: .*eta="),
    ({"algorithm": "pa", "pa_type": 2}, "pa_type=2 has no effect with pa: there is no PA-II here, so PA-I is used; leave it out"),
    ({"algorithm": "ap", "pa_type": 2}, "pa_type=2 has no effect with ap: only pa has it"),
    ({"algorithm": "pa", "error_sensitive": False}, "error_sensitive=False has no effect with pa: margins always grow"),
    ({"trainer_cls": object}, "trainer_cls has no effect: give a function as callback"),
])
def test_parameters_without_effect_say_what_to_do_instead(parameters, instead):
    with pytest.warns(UserWarning, match=instead):
        hinge.CRF(max_iterations=2, **parameters).fit(DICTS, Y)


@pytest.mark.parametrize(("parameters", "message"), [
    ({"max_iterations": 0}, "max_iterations is 0 but must be a whole number of at least 1"),
    ({"max_iterations": "a"}, "max_iterations is 'a' but must be a whole number of at least 1"),
    ({"delta": -1}, "delta is -1 but must be a number above 0"),
    ({"num_memories": -1}, "num_memories is -1 but must be a whole number from 1 to 100"),
    ({"algorithm": "pa", "c": -1}, "c is -1 but must be a number above 0"),
    ({"algorithm": "pa", "averaging": "a"}, "averaging is 'a' but must be true or false"),
    ({"random_state": -1}, "random_state is -1 but must be a whole number of at least 0"),
    ({"c1": 1e300, "c2": 1e-300}, "c1 is 1e\\+300, which is too large beside c2, which is 1e-300"),
    ({"c2": 1e-320}, "c2 is 1e-320, which is too small; 0 is no regularizer"),
])
def test_wrong_values_are_named_by_the_parameter(parameters, message):
    with pytest.raises(hinge.OptionError, match=f"^{message}$"):
        hinge.CRF(**parameters).fit(DICTS, Y)


@pytest.mark.parametrize("algorithm", ["l2sgd", "ap", "pa", "arow"])
def test_other_algorithms_than_lbfgs_may_weigh_pairs_not_seen(algorithm):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        crf = hinge.CRF(algorithm, max_iterations=5, all_possible_states=True, all_possible_transitions=True).fit(DICTS, Y)
    assert crf.transition_features_.keys() - {pair for y in Y for pair in zip(y, y[1:])}


def test_min_freq_counts_attributes():
    data, labels = [[{"w": "a"}, {"w": "b"}], [{"w": "b"}, {"w": "a"}]], [["A", "B"], ["A", "B"]]
    ours, theirs = (crf.fit(data, labels).state_features_ for crf in (hinge.CRF(min_freq=2), sklearn_crfsuite.CRF(min_freq=2)))
    assert {name for name, _ in ours} == {"w:a", "w:b"} and theirs == {}


def test_parameters_with_an_effect_have_one():
    def weights(**parameters):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return hinge.CRF(max_iterations=3, **parameters).fit(DICTS, Y).to_bytes()

    assert weights(algorithm="pa", pa_type=0) == weights(algorithm="pa", c=1e12) != weights(algorithm="pa", c=0.1)
    assert weights(algorithm="arow", gamma=4.0) == weights(algorithm="arow", gamma=8.0, variance=2.0) != weights(algorithm="arow")
    with pytest.raises(hinge.OptionError, match="gamma is 0.0 and variance is 1.0, but both must be above 0"):
        weights(algorithm="arow", gamma=0)


def test_training_ends_by_the_rules_of_crfsuite():
    assert len(hinge.CRF("ap").fit(DICTS, Y).history_) == 100
    right = hinge.CRF("ap", epsilon=1e-5).fit(DICTS, Y)
    assert right.history_[-1]["loss"] == 0 and len(right.history_) < 100
    assert right.history_[-1]["stop"] == "converged"
    assert len(hinge.CRF("ap", epsilon=10.0).fit(DICTS, Y).history_) == 1
    few, many = (hinge.CRF("l2sgd", delta=delta, period=5).fit(DICTS, Y).history_ for delta in (0.5, 0.05))
    assert 5 < len(few) < len(many) < 1000
    seen = []
    asked = hinge.CRF("ap", callback=lambda epoch: seen.append(epoch["epoch"])).fit(DICTS, Y)
    assert seen == [epoch["epoch"] for epoch in asked.history_]


def test_predictions_compare_as_arrays_do():
    crf = hinge.CRF(max_iterations=30, c2=0.1).fit(DICTS, Y)
    equal = crf.predict(DICTS[:1])
    assert (equal == Y[0]).all() and (equal == [Y[0]]).all() and not (equal != [Y[0]]).any()
    assert (crf.predict([DICTS[0], DICTS[0][:2]]) == [Y[0], Y[0][:2]]).all()
    assert (crf.predict([DICTS[0], DICTS[0][:2]]) == [Y[0], Y[0]]).tolist() == [True, False]
    assert crf.predict([]).tolist() == [] and isinstance(crf.predict(DICTS)[0], list)


def test_there_is_nothing_before_fit():
    crf = hinge.CRF()
    for name in ("tagger_", "classes_", "size_", "attributes_", "num_attributes_", "state_features_", "transition_features_",
                 "training_log_"):
        assert getattr(crf, name) is None, name
    with pytest.raises(hinge.NotFittedError):
        crf.predict(DICTS)
    with pytest.raises(hinge.InputError, match="X_dev is given without y_dev"):
        crf.fit(DICTS, Y, DICTS)


def test_model_filename_is_written_and_read(tmp_path):
    path = str(tmp_path / "a.model")
    with pytest.raises(hinge.NotFittedError):
        hinge.CRF(model_filename=path).predict(DICTS)
    crf = hinge.CRF("ap", max_iterations=3, model_filename=path).fit(DICTS, Y)
    assert (tmp_path / "a.model").read_bytes() == crf.to_bytes()
    assert hinge.CRF(model_filename=path).predict(DICTS).tolist() == crf.predict(DICTS).tolist()


def test_features_may_be_bytes():
    text = [[{"слово": w, "bias": 1} for w in s] for s in X]
    raw = [[{"слово".encode(): w.encode(), "bias": 1} for w in s] for s in X]
    assert hinge.CRF("ap").fit(raw, Y).to_bytes() == hinge.CRF("ap").fit(text, Y).to_bytes()
    with pytest.raises(hinge.InputError, match="sentence 1: .* not UTF-8"):
        hinge.CRF("ap").fit([[{"a": b"\xff"}]], [["A"]])


def test_what_tutorials_write_runs():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        crf = hinge.CRF(algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=100, all_possible_transitions=True).fit(DICTS, Y)
    assert crf.predict(DICTS).tolist() == Y
    for name in ("c1", "c2"):
        with pytest.raises(hinge.OptionError, match=f"{name} is nan"):
            hinge.CRF(**{name: math.nan}).fit(DICTS, Y)
    few, many = (hinge.CRF(c2=0.001, delta=delta).fit(DICTS, Y).history_ for delta in (0.1, 1e-6))
    assert len(few) < len(many)
    sparse = hinge.CRF(c1=1.0, c2=0, max_iterations=50).fit(DICTS, Y)
    assert len(sparse.state_features_) < len(crf.state_features_)


def test_marginals_and_pickle():
    crf = pickle.loads(pickle.dumps(hinge.CRF(max_iterations=20).fit(DICTS, Y)))
    for row in crf.predict_marginals_single(DICTS[0]):
        assert sum(row.values()) == pytest.approx(1.0, abs=1e-12)


def test_items_may_be_lists_of_names():
    lists = [[["w=" + w, "bias"] for w in s] for s in X]
    assert hinge.CRF(max_iterations=30, c2=0.1).fit(lists, Y).predict(lists).tolist() == Y
    views = [[dict.fromkeys(token).keys() for token in s] for s in lists]
    assert hinge.CRF(max_iterations=30, c2=0.1).fit(views, Y).predict(lists).tolist() == Y


def objective(crf, c1, c2):
    """c1 |w|_1 + c2 |w|^2 - log-likelihood, over all label sequences."""
    states, transitions = crf.state_features_, crf.transition_features_

    def score(sentence, labels):
        nodes = sum(value * states.get((name, label), 0.0) for token, label in zip(sentence, labels) for name, value in token)
        return nodes + sum(transitions.get(pair, 0.0) for pair in zip(labels, labels[1:]))

    total = sum(c1 * abs(w) + c2 * w * w for w in [*states.values(), *transitions.values()])
    for sentence, gold in zip(DICTS, Y):
        tokens = [[(name, value) if isinstance(value, float) else (f"{name}:{value}", 1.0) for name, value in token.items()]
                  for token in sentence]
        every = itertools.product("DNV", repeat=len(gold))
        total += math.log(sum(math.exp(score(tokens, labels)) for labels in every)) - score(tokens, gold)
    return total


@pytest.mark.parametrize("states", [False, True])
@pytest.mark.parametrize("transitions", [False, True])
@pytest.mark.parametrize(("c1", "c2"), [(0.0, 0.5), (0.1, 0.1), (0.5, 0.5), (0.3, 0.01), (0.5, 0.0)])
def test_finds_the_optimum_of_sklearn_crfsuite(c1, c2, states, transitions):
    """The same objective gives the same features and nearly the same weights."""
    parameters = {"algorithm": "lbfgs", "c1": c1, "c2": c2, "max_iterations": 200, "all_possible_states": states,
                  "all_possible_transitions": transitions}
    theirs = sklearn_crfsuite.CRF(**parameters)
    theirs.fit(DICTS, Y)
    ours = hinge.CRF(**parameters).fit(DICTS, Y)
    assert objective(ours, c1, c2) == pytest.approx(objective(theirs, c1, c2), rel=1e-3)
    for features in ("state_features_", "transition_features_"):
        expected = {key: weight for key, weight in getattr(theirs, features).items() if abs(weight) > 1e-3}
        found = getattr(ours, features)
        for key, weight in expected.items():
            assert found[key] == pytest.approx(weight, abs=0.02), key
        for key, weight in found.items():
            assert key in expected or abs(weight) < 0.02, key


@pytest.mark.parametrize("name", ["c1", "c2"])
def test_refuses_regularizers_below_zero(name):
    with pytest.raises(hinge.OptionError, match=f"{name} is -0.1 but must be at least 0"):
        hinge.CRF(**{name: -0.1}).fit(DICTS, Y)


def test_takes_the_arguments_of_sklearn_crfsuite_in_their_order():
    theirs = list(inspect.signature(sklearn_crfsuite.CRF.__init__).parameters)
    assert list(inspect.signature(hinge.CRF.__init__).parameters)[:len(theirs)] == theirs
    expected = hinge.CRF("lbfgs", c1=0.0, c2=1.0, max_iterations=10).fit(DICTS, Y).to_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # CRFsuite's defaults cause no warning
        assert hinge.CRF("lbfgs", 0, False, False, None, None, 10, epsilon=1e-5, period=10, keep_tempfiles=True).fit(DICTS, Y).to_bytes() == expected


def test_attributes_of_sklearn_crfsuite():
    crf = hinge.CRF(max_iterations=5).fit(DICTS, Y)
    assert "w:cat" in crf.attributes_ and crf.num_attributes_ == len(set(crf.attributes_))
    assert crf.size_ == len(crf.to_bytes())
    assert [i["num"] for i in crf.training_log_.iterations] == [1, 2, 3, 4, 5]
    assert crf.training_log_.last_iteration["time"] >= 0


@pytest.mark.parametrize("parameters", [{}, {"c2": 0.1}, {"c1": 0.1, "c2": 0.1}, {"c1": 0.5, "c2": 0.0}])
def test_the_training_log_is_that_of_sklearn_crfsuite(parameters):
    ours, theirs = (crf.fit(DICTS, Y).training_log_ for crf in (hinge.CRF(**parameters), sklearn_crfsuite.CRF(**parameters)))
    first, last = zip(*((log.iterations[0], log.last_iteration) for log in (ours, theirs)))
    for name in ("loss", "feature_norm", "error_norm"):  # the first step is the same
        assert first[0][name] == pytest.approx(first[1][name], abs=1e-5), name
    assert last[0]["loss"] == pytest.approx(last[1]["loss"], rel=1e-4)
    assert last[0]["loss"] == pytest.approx(objective(hinge.CRF(**parameters).fit(DICTS, Y), parameters.get("c1", 0), parameters.get("c2", 1)), rel=1e-5)
    assert last[0]["feature_norm"] == pytest.approx(last[1]["feature_norm"], rel=1e-2)
    assert last[0]["active_features"] == last[1]["active_features"]
    missing = {"linesearch_trials", "linesearch_step"}  # ours is another search
    assert set(theirs.iterations[0]) - set(ours.iterations[0]) == missing
    assert [iteration["num"] for iteration in ours.iterations] == list(range(1, len(ours.iterations) + 1))
    losses = [iteration["loss"] for iteration in ours.iterations]
    assert losses == sorted(losses, reverse=True)


def test_the_training_log_is_pickled_and_that_of_a_loaded_model_is_empty():
    crf = hinge.CRF("pa", max_iterations=3).fit(DICTS, Y)
    assert pickle.loads(pickle.dumps(crf)).training_log_ == crf.training_log_
    assert crf.training_log_.last_iteration["loss"] == crf.history_[-1]["violation"]
    assert hinge.CRF.from_bytes(crf.to_bytes()).training_log_.last_iteration is None


def test_modelfile_has_the_model(tmp_path):
    crf = hinge.CRF("ap", max_iterations=3)
    assert crf.modelfile.name is None and crf.modelfile.auto
    name = crf.fit(DICTS, Y).modelfile.name
    assert Path(name).read_bytes() == crf.to_bytes()
    with hinge.crfsuite.Tagger().open(name) as tagger:
        assert tagger.tag(DICTS[0]) == crf.predict_single(DICTS[0])
    copy = pickle.loads(pickle.dumps(crf))
    assert copy.modelfile.name != name and Path(copy.modelfile.name).read_bytes() == crf.to_bytes()
    crf.modelfile.refresh()
    assert not os.path.exists(name) and Path(crf.modelfile.name).read_bytes() == crf.to_bytes()
    before = crf.modelfile.name
    crf.set_params(max_iterations=1).fit(DICTS, Y)
    assert not os.path.exists(before) and Path(crf.modelfile.name).read_bytes() == crf.to_bytes()
    last = crf.modelfile.name
    del crf
    gc.collect()
    assert not os.path.exists(last)
    path = str(tmp_path / "a.model")
    assert hinge.CRF("ap", max_iterations=1, model_filename=path).fit(DICTS, Y).modelfile.name == path
    kept = hinge.CRF("ap", max_iterations=1, keep_tempfiles=True).fit(DICTS, Y).modelfile.name
    gc.collect()
    assert os.path.exists(kept)
    os.unlink(kept)


def test_scorers_are_those_of_sklearn_crfsuite():
    from sklearn.model_selection import cross_val_score

    crf = hinge.CRF("ap", max_iterations=2).fit(DICTS, Y)
    wrong = [["D"] * len(y) for y in Y[:3]] + Y[3:]
    for name in ("flat_accuracy", "sequence_accuracy"):
        ours, theirs = getattr(hinge.scorers, name), getattr(sklearn_crfsuite.scorers, name)
        assert ours(crf, DICTS, wrong) == theirs(crf, DICTS, wrong) < 1
        assert (cross_val_score(crf, DICTS, Y, scoring=ours, cv=3) == cross_val_score(crf, DICTS, Y, scoring=theirs, cv=3)).all()


def test_progress_without_a_limit_of_iterations_shows_none(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    hinge.CRF(verbose=True).fit(DICTS, Y)
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("epoch")]
    assert re.fullmatch(r"epoch 2  objective [0-9.]+  gradient norm [0-9.]+  change -[0-9.]+ %  [0-9.]+ s", lines[1])
    hinge.CRF(verbose=True, max_iterations=3).fit(DICTS, Y)
    assert "epoch 2/3  objective" in capsys.readouterr().err
    totals = []

    class Bar:
        def __init__(self, total, unit):
            totals.append(total)

        def update(self):
            pass

        def set_postfix_str(self, text):
            assert text.startswith("objective "), text

        close = update

    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    hinge.CRF(verbose=True).fit(DICTS, Y)
    hinge.CRF(verbose=True, max_iterations=3).fit(DICTS, Y)
    assert totals == [None, 3]


def test_saves_and_takes_generators(tmp_path):
    crf = hinge.CRF("ap", max_iterations=5).fit((x for x in DICTS), (y for y in Y))
    crf.save(tmp_path / "crf.model")
    for same in (hinge.CRF.load(tmp_path / "crf.model"), hinge.CRF.from_bytes(crf.to_bytes())):
        assert same.predict(iter(DICTS)).tolist() == crf.predict(DICTS).tolist()
        assert same.algorithm == "ap"


WORDS = [[{"word": w, "low": w.lower()} for w in s] for s in X]  # "word" is also the name of a column of words
NAMES = [[["w=" + w, "bias"] for w in s] for s in X]


@pytest.mark.parametrize("data", [DICTS, WORDS, NAMES, [hinge.crfsuite.ItemSequence(s) for s in DICTS]], ids=["dicts", "words", "lists", "items"])
def test_one_sentence_in_place_of_a_list_is_named(data):
    crf = hinge.CRF(max_iterations=2).fit(data, Y)
    for method, single in ((crf.predict, "predict_single"), (crf.predict_marginals, "predict_marginals_single")):
        with pytest.raises(hinge.InputError, match=f"^X is a list of sentences; use {method.__name__}, or give one sentence$"):
            getattr(crf, single)(data)
        if data is not NAMES:
            with pytest.raises(hinge.InputError, match=f"^X is one sentence; give a list of sentences, or use {single}$"):
                method(iter(data[0]) if data is DICTS else data[0])
    if data is NAMES:
        with pytest.raises(hinge.InputError, match="^X is one sentence, or its tokens are words and not features; .*, or use predict_single$"):
            crf.predict(data[0])
        return
    for fit in (lambda: crf.fit(data[0], Y[0]), lambda: crf.fit(data, Y, data[0], Y[0]), lambda: crf.score(data[0], Y[0])):
        with pytest.raises(hinge.InputError, match="^X is one sentence; give a list of sentences"):
            fit()
    with pytest.raises(TypeError, match="a sentence must be a list of tokens, not dict"):
        crf.predict_single(data[0][0])


def test_other_estimators_name_one_sentence_too():
    tagger = hinge.SequenceTagger(epochs=1).fit(DICTS, Y)
    parser = hinge.DependencyParser(epochs=1).fit([[("a", "D"), ("b", "N")]] * 4, [[2, 0]] * 4)
    for call in (lambda: tagger.predict(DICTS[0]), lambda: tagger.fit(WORDS[0], Y[0]), lambda: parser.predict([{"form": "a", "upos": "D"}])):
        with pytest.raises(hinge.InputError, match="^X is one sentence; give a list of sentences$"):
            call()
    array = np.ones((3, 2))
    for estimator in (hinge.SequenceTagger(epochs=1), hinge.CRF(max_iterations=1)):
        with pytest.raises(hinge.InputError, match="^X is one sentence; give a list of sentences"):
            estimator.fit([array, array], [list("aba")] * 2).predict(array)
    with pytest.raises(hinge.InputError, match="^X is one sentence; give a list of sentences, or use predict_single$"):
        hinge.CRF(max_iterations=1).fit(X, Y).predict(X[0])
    with pytest.raises(hinge.InputError, match="there is no column of words, tokens or words; there are: text, tags; if X is one sentence, give a list"):
        tagger.predict([{"text": ["a", "b"], "tags": ["N", "V"]}])


def test_sentences_may_be_iterators_and_labels_bytes(tmp_path):
    crf = hinge.CRF(max_iterations=3).fit(DICTS, Y)
    raw = [[label.encode() for label in y] for y in Y]
    for X_, Y_ in (([iter(s) for s in DICTS], [iter(y) for y in Y]), (DICTS, raw), (DICTS, [np.array(y) for y in raw])):
        assert hinge.CRF(max_iterations=3).fit(X_, Y_).to_bytes() == crf.to_bytes()
    assert crf.predict(iter(s) for s in DICTS).tolist() == crf.predict(DICTS).tolist()
    assert crf.score(DICTS, raw) == crf.score([iter(s) for s in DICTS], Y)
    with pytest.raises(hinge.InputError, match=r"b'\\xff' is not UTF-8"):
        crf.fit(DICTS[:1], [[b"\xff", b"N", b"V"]])
    trainer = hinge.crfsuite.Trainer("ap", verbose=False)
    trainer.append(DICTS[0], [label.encode() for label in Y[0]])
    trainer.train(tmp_path / "a.model")
    assert hinge.CRF.load(tmp_path / "a.model").classes_ == Y[0]


def test_has_nbest_lists_and_explanations():
    crf = hinge.CRF(c2=0.1).fit(DICTS, Y)
    tagger = hinge.SequenceTagger.from_bytes(crf.to_bytes())
    assert crf.predict_nbest(DICTS[:2], 2, probabilities=True) == tagger.predict_nbest(DICTS[:2], 2, probabilities=True)
    assert crf.explain(DICTS[0]) == tagger.explain(DICTS[0]) and crf.explain(iter(DICTS[0]))[0].label == Y[0][0]
