import warnings

import pytest
from sklearn import metrics as sklearn_metrics

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
    assert any("accuracy" in line for line in lines) and any("type: CRF1d" in line for line in lines)
    with pytest.raises(hinge.InputError, match="xseq has 1 tokens, but yseq has 2 labels"):
        trainer.append([{"a": 1}], ["A", "B"])
    trainer.clear()
    with pytest.warns(UserWarning, match="no sentences to train on"):
        trainer.train("held.model")


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
