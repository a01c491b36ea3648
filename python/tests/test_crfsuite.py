import inspect
import pickle
import warnings

import pycrfsuite
import pytest
from pycrfsuite._logparser import TrainLogParser
from sklearn import metrics as sklearn_metrics
from sklearn_crfsuite.trainer import LinePerIterationTrainer

import hinge
from hinge import crfsuite, metrics
from test_crf import DICTS
from test_inputs import Y


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    trainer = crfsuite.Trainer("lbfgs", {"c2": 0.1}, verbose=False)
    for x, y in zip(DICTS, Y):
        trainer.append(crfsuite.ItemSequence(x), y)
    path = tmp_path_factory.mktemp("crfsuite") / "a.model"
    trainer.train(path)
    assert trainer.logparser.last_iteration["num"] == len(trainer.logparser.iterations) > 1
    return path


def test_a_trainer_learns_what_crf_learns(model):
    expected = hinge.CRF("lbfgs", c2=0.1).fit(DICTS, Y)
    with crfsuite.Tagger().open(model) as tagger:
        assert [tagger.tag(x) for x in DICTS] == expected.predict(DICTS).tolist()
        assert tagger.labels() == expected.classes_
        assert tagger.info().state_features == expected.state_features_
        assert tagger.info().transitions == expected.tagger_.info().transitions
    with pytest.raises(ValueError, match="the tagger has no model"):
        tagger.labels()


def test_probabilities_of_sequences_sum_to_one(model):
    tagger = crfsuite.Tagger().open_inmemory(model.read_bytes())
    x = DICTS[0][:2]
    tagger.set(x)
    assert tagger.probability([b"D", b"N"]) == tagger.probability(["D", "N"]) and tagger.marginal(b"D", 0) == tagger.marginal("D", 0)
    pairs = {(a, b): tagger.probability([a, b]) for a in tagger.labels() for b in tagger.labels()}
    assert sum(pairs.values()) == pytest.approx(1.0, abs=1e-5)
    for label in tagger.labels():
        assert tagger.marginal(label, 1) == pytest.approx(sum(p for (_, b), p in pairs.items() if b == label), abs=1e-5)
    assert tagger.tag(x) == list(max(pairs, key=pairs.get))
    with pytest.raises(hinge.InputError, match="has 2 tokens, but y has 1 labels"):
        tagger.probability(["D"])
    with pytest.raises(ValueError, match="has no label 'Q'"):
        tagger.marginal("Q", 0)


def test_holds_a_group_out_and_tells_what_it_does():
    lines = []

    class Telling(crfsuite.Trainer):
        def message(self, message):
            lines.append(message)

    trainer = Telling("ap")
    for k, (x, y) in enumerate(zip(DICTS, Y)):
        trainer.append(x, y, group=k % 2)
    trainer.set("max_iterations", 2)
    trainer.train("held.model", holdout=1)
    assert any("accuracy" in line for line in lines) and "type: CRF1d\n" in lines
    with pytest.raises(hinge.InputError, match="xseq has 1 tokens, but yseq has 2 labels"):
        trainer.append([{"a": 1}], ["A", "B"])
    trainer.clear()
    with pytest.warns(UserWarning, match="no sentences to train on"):
        trainer.train("held.model")


def trained(trainer, model="a.model", holdout=-1):
    for k, (x, y) in enumerate(zip(DICTS, Y)):
        trainer.append(x, y, group=k % 2)
    trainer.train(model, holdout)
    return trainer


@pytest.mark.parametrize("algorithm", crfsuite.ALGORITHMS)
@pytest.mark.parametrize("holdout", [-1, 1])
def test_prints_what_crfsuite_prints(algorithm, holdout, capsys):
    """Their parser of CRFsuite's log understands ours."""
    trainer = trained(crfsuite.Trainer(algorithm, {"max_iterations": 4}), holdout=holdout)
    parser = TrainLogParser()
    for line in capsys.readouterr().out.splitlines(keepends=True):
        parser.feed(line)
    assert [event for event, _, _ in parser.events] == ["start", "featgen_end", "prepared", *["iteration"] * 4, "optimization_end", "end"]
    for ours, theirs in zip(trainer.logparser.iterations, parser.iterations, strict=True):
        assert theirs.pop("scores") == {}
        for name, value in theirs.items():
            assert ours[name] == pytest.approx(value, abs=1e-3 if name == "time" else 1e-6), name
    names = {"feature_norm", "error_norm", "active_features"} if algorithm == "lbfgs" else set()
    if holdout >= 0:
        names |= {"item_accuracy", "item_accuracy_float", "instance_accuracy", "instance_accuracy_float"}
    assert set(parser.last_iteration) == {"num", "loss", "time", *names}
    assert (trainer.logparser.featgen_num_features, parser.featgen_num_features) == (None, None)
    for name in ("featgen_seconds", "training_seconds"):
        assert getattr(trainer.logparser, name) == pytest.approx(getattr(parser, name), abs=1e-3)


HELD_OUT = ("scores", "avg_precision", "avg_recall", "avg_f1", "item_accuracy", "item_accuracy_float", "instance_accuracy", "instance_accuracy_float")


@pytest.mark.parametrize("held_out", [Y, [[label + "X" if t else label for t, label in enumerate(y)] for y in Y], [["D"] * len(y) for y in Y]],
                         ids=["right", "labels that training lacks", "one label"])
def test_the_last_iteration_has_crfsuites_figures_of_the_sentences_held_out(held_out, capsys):
    logs = []
    for module in (crfsuite, pycrfsuite):
        trainer = module.Trainer("lbfgs", {"c2": 0.1}, verbose=module is crfsuite)
        for x, y, other in zip(DICTS, Y, held_out):
            trainer.append(x, y, 0)
            trainer.append(x, other, 1)
        trainer.train("a.model", 1)
        logs.append(trainer.logparser)
    ours, theirs = (log.last_iteration for log in logs)
    for name in HELD_OUT[1:]:
        assert ours[name] == pytest.approx(theirs[name], abs=1e-6), name
    for label, score in theirs["scores"].items():  # their parser leaves out labels that only the model uses
        assert ours["scores"][label]._asdict() == pytest.approx(score._asdict(), abs=1e-4), label
    assert {label for label, score in ours["scores"].items() if score.ref} == {label for label, score in theirs["scores"].items() if score.ref}
    printed = [[line for line in log if line.startswith(("    ", "Macro"))] for log in (capsys.readouterr().out.splitlines(True), logs[1].log)]
    assert printed[0][-len(ours["scores"]) - 1:] == printed[1][-len(ours["scores"]) - 1:]
    assert all("instance_accuracy" in iteration for iteration in logs[0].iterations) and logs[0].iterations[0]["scores"] == {}
    crf = hinge.CRF(c2=0.1).fit(DICTS, Y, iter(DICTS), iter(held_out))
    assert {name: crf.training_log_.last_iteration[name] for name in HELD_OUT} == {name: ours[name] for name in HELD_OUT}
    assert pickle.loads(pickle.dumps(crf)).training_log_ == crf.training_log_


def test_warnings_have_the_names_of_crfsuite():
    trainer = crfsuite.Trainer("pa", {"type": 2, "feature.possible_states": False, "max_iterations": 1}, verbose=False)
    trainer.append(DICTS[0], Y[0])
    with pytest.warns(UserWarning, match="^type=2 has no effect with pa: there is no PA-II here") as caught:
        trainer.train("a.model")
    assert caught[0].filename == __file__


def test_the_loss_that_is_printed_falls(capsys):
    theirs = pycrfsuite.Trainer("lbfgs", {"max_iterations": 4}, verbose=False)
    for x, y in zip(DICTS, Y):
        theirs.append(x, y)
    theirs.train("theirs.model")
    trained(crfsuite.Trainer("lbfgs", {"max_iterations": 4}))
    losses = [float(line.split()[1]) for line in capsys.readouterr().out.splitlines() if line.startswith("Loss: ")]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] == pytest.approx(theirs.logparser.iterations[0]["loss"], abs=1e-5)


EVENTS = ["on_start", "on_featgen_progress", "on_featgen_end", "on_prepared", "on_iteration", "on_optimization_end", "on_end"]


def test_trainers_have_the_hooks_of_pycrfsuite(capsys):
    hooks = {name for name in vars(pycrfsuite.Trainer) if name.startswith("on_")}
    assert hooks == {name for name in vars(crfsuite.Trainer) if name.startswith("on_")} == {*EVENTS, "on_prepare_error"}
    for name in hooks:
        assert inspect.signature(getattr(crfsuite.Trainer, name)).parameters.keys() == HOOKS.get(name, {"self": 0, "log": 0}).keys()
    seen = []

    class Listening(crfsuite.Trainer):
        pass

    for name in EVENTS:
        setattr(Listening, name, lambda self, log, *details, name=name: seen.append((name, log, details)))
    trainer = trained(Listening("ap", {"max_iterations": 3}))
    assert [name for name, _, _ in seen] == [*EVENTS[:4], *["on_iteration"] * 3, *EVENTS[5:]]
    assert [details[0]["num"] for name, log, details in seen if name == "on_iteration"] == [1, 2, 3]
    assert all(log and log.endswith("\n") for _, log, _ in seen)
    assert capsys.readouterr().out == "" and len(trainer.logparser.iterations) == 3
    trained(Listening("ap", {"max_iterations": 3}, verbose=False))
    assert len(seen) == len(EVENTS) + 2  # as theirs: only if verbose


HOOKS = {"on_iteration": {"self": 0, "log": 0, "info": 0}, "on_featgen_progress": {"self": 0, "log": 0, "percent": 0}}


def test_the_trainer_of_sklearn_crfsuite_works(capsys):
    class OneLine(crfsuite.Trainer):
        on_iteration = LinePerIterationTrainer.on_iteration

    trained(OneLine("lbfgs", {"max_iterations": 2}))
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Iter ")]
    assert len(lines) == 2 and "active=22" in lines[1] and "feature_norm=" in lines[1]


def test_a_base_trainer_prints_if_verbose(capsys):
    trained(crfsuite.BaseTrainer("ap", {"max_iterations": 2}))
    assert "***** Iteration #2 *****" in capsys.readouterr().out
    trained(crfsuite.BaseTrainer("ap", {"max_iterations": 2}, verbose=False))
    assert capsys.readouterr().out == ""


def test_failed_training_is_a_crfsuite_error(capsys):
    with pytest.raises(crfsuite.CRFSuiteError, match="cannot be written") as caught:
        trained(crfsuite.Trainer("ap", {"max_iterations": 2}), model="no/such/folder/a.model")
    assert isinstance(caught.value, OSError) and isinstance(caught.value.code, int)
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, crfsuite.CRFSuiteError) and str(again) == str(caught.value)
    seen = []

    class Listening(crfsuite.Trainer):
        def on_prepare_error(self, log):
            seen.append(log)

    with pytest.raises(crfsuite.CRFSuiteError, match="c2 is -1.0") as caught:
        trained(Listening("lbfgs", {"c2": -1}))
    assert isinstance(caught.value, hinge.OptionError)
    assert seen == [f"lbfgs terminated with error: {caught.value}\n"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_parameters_are_those_of_the_algorithm():
    trainer = crfsuite.Trainer("passive-aggressive")
    assert trainer.get("c") == 1.0 and "c2" not in trainer.params()
    with pytest.raises(ValueError, match="pa has no parameter 'max_iteration', did you mean 'max_iterations'"):
        trainer.set("max_iteration", 5)
    trainer.set("averaging", "0")
    assert trainer.get("averaging") is False
    with pytest.raises(ValueError, match="c is 'x' but must be of type float"):
        trainer.set("c", "x")
    for name in crfsuite.ALGORITHMS:
        defaults = crfsuite.Trainer(name)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # defaults have no effect to warn of
            defaults.set_params({k: v for k, v in defaults.get_params().items() if k != "max_iterations"})
            defaults.set("max_iterations", 2)
            for x, y in zip(DICTS, Y):
                defaults.append(x, y)
            defaults.verbose = False
            defaults.train("b.model")


def test_dumps_labels_attributes_and_weights(model, tmp_path, capsys):
    tagger = crfsuite.Tagger().open(model)
    tagger.dump(tmp_path / "dump.txt")
    text = (tmp_path / "dump.txt").read_text()
    assert "LABELS = {" in text and "w:cat --> N: " in text and "D --> N: " in text
    tagger.dump()
    assert capsys.readouterr().out == text + "\n"


def test_items_are_flat():
    items = crfsuite.ItemSequence([{"a": {"b": [b"c", "d"], "e": True}}, ["x", "x"]])
    assert items.items() == [{"a:b:c": 1.0, "a:b:d": 1.0, "a:e": 1.0}, {"x": 2.0}]
    assert items[1] == {"x": 2.0} and len(items) == 2
    for bad in ("text", {"a": 1}, [{1: 2}], [[["a"]]], ["text"]):
        with pytest.raises(TypeError):
            crfsuite.ItemSequence(bad)


def test_metrics_are_those_of_flat_lists():
    gold, found = [["B", "O"], ["O"]], [["B", "B"], ["O"]]
    flat = (["B", "O", "O"], ["B", "B", "O"])
    assert metrics.flat_accuracy_score(gold, found) == sklearn_metrics.accuracy_score(*flat)
    assert metrics.flat_f1_score(gold, found, average="macro") == sklearn_metrics.f1_score(*flat, average="macro")
    assert metrics.flat_precision_score(gold, found, pos_label="B") == 0.5
    assert metrics.flat_recall_score(gold, found, pos_label="B") == 1.0
    assert metrics.flat_fbeta_score(gold, found, 2.0, pos_label="B") == pytest.approx(5 / 6)
    assert metrics.flat_classification_report(gold, found, labels=["B"]) == sklearn_metrics.classification_report(*flat, labels=["B"])
    assert metrics.sequence_accuracy_score(gold, found) == 0.5
    assert metrics.sequence_accuracy_score([], []) == 0
    with pytest.raises(ValueError, match="have 2 and 1 sequences"):
        metrics.sequence_accuracy_score(gold, found[:1])


def test_weights_as_text_and_in_colour():
    crf = hinge.CRF(c2=0.1).fit(DICTS, Y)
    tables = crf.explain_weights(top=(2, 1))
    assert tables.labels == crf.classes_
    number = {label: k for k, label in enumerate(tables.labels)}
    for (a, b), weight in crf.transition_features_.items():
        assert tables.transitions[number[a], number[b]] == weight
    for label, own in tables.features.items():
        weights = sorted(((w, name) for (name, y), w in crf.state_features_.items() if y == label), reverse=True)
        assert [w for _, w in own.positive] == [w for w, _ in weights if w > 0][:2]
        assert [w for _, w in own.negative] == [w for w, _ in reversed(weights) if w < 0][:1]
        assert own.more_positive == sum(w > 0 for w, _ in weights) - len(own.positive)
    text, page = str(tables), tables._repr_html_()
    best = tables.features["N"].positive[0]
    assert f"{best[1]:+8.3f}  {best[0]}" in text and "Features of N:" in text
    assert "background:hsl(120" in page and best[0] in page and "more positive" in page
    only = crf.explain_weights(targets=["V"], feature_re="^end:")
    assert only.transitions.shape == (1, 1) and list(only.features) == ["V"]
    assert all(name.startswith("end:") for name, _ in only.features["V"].positive)
    with pytest.raises(hinge.InputError, match="has no label 'Q'"):
        crf.explain_weights(targets=["Q"])
    nasty = hinge.CRF(c2=0.1).fit([[{"<b>": 1}], [{"b": 1}]], [["<i>"], ["B"]]).explain_weights().to_html()
    assert "<b>" not in nasty and "<i>" not in nasty.replace("<td style=\"text-align:left\"><i>", "")
