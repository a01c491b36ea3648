import pickle
import sys

import numpy as np
import pytest

import hinge


@pytest.fixture(scope="module")
def parser(trees):
    return hinge.DependencyParser("perceptron", epochs=3, hash_bits=14, label_bits=12).fit(*hinge.read_conllu(trees[0]))


def test_parses_as_the_command_line_does(parser, trees, command, tmp_path):
    command("train", "dep", trees[0], "--learner", "perceptron", "--epochs", 3, "-p", "hash_bits=14", "-p",
            "label_bits=12", "-q", "-o", tmp_path / "dep.model")
    theirs = hinge.DependencyParser.load(tmp_path / "dep.model")
    X, y = hinge.read_conllu(trees[1])
    assert parser.predict(X) == theirs.predict(X) == theirs.predict(trees[1])
    assert parser.evaluate(X, y) == theirs.evaluate(trees[1])
    parser.save(tmp_path / "ours.model")
    command("predict", tmp_path / "ours.model", trees[1], "-o", tmp_path / "out.conllu")
    assert hinge.read_conllu(tmp_path / "out.conllu")[1] == parser.predict(X)


def test_options_of_older_models_are_read_under_their_former_names():
    class Older:
        def meta(self):
            return '{"task": "dep", "learner": "cutting-plane", "task_options": {"loss": "head"}, "learner_options": {"loss": "l2"}}'

    parser = hinge.DependencyParser._from_model(Older())
    assert (parser.cost, parser.loss) == ("head", "l2")


def test_trees_and_their_probabilities(parser, trees):
    X = hinge.read_conllu(trees[1])[0][:20]
    for words, best, lists, table in zip(X, parser.predict(X), parser.predict_nbest(X, 3), parser.predict_marginals(X)):
        assert lists[0][0] == best
        assert table.shape == (len(words), len(words) + 1)
        np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=1e-3)


def one_head_apart(trees):
    """Pairs of trees that differ in one head: (number of the word, tree, score, other tree, its score)."""
    for one, score in trees:
        for other, other_score in trees:
            words = [m for m, (a, b) in enumerate(zip(one, other)) if a[0] != b[0]]
            if len(words) == 1:
                yield words[0], one, score, other, other_score


@pytest.mark.parametrize("options", [{"hash_bits": 14}, {"hash_bits": 0}])
def test_explanations_are_the_difference_of_two_trees(trees, options):
    X, y = hinge.read_conllu(trees[0])
    parser = hinge.DependencyParser("perceptron", epochs=3, label_bits=12, **options).fit(X, y)
    compared = 0
    for x in hinge.read_conllu(trees[1])[0][:5]:
        for m, one, score, other, other_score in one_head_apart(parser.predict_nbest([x], 10)[0]):
            compared += 1
            word = parser.explain(x, one, other)[m]
            assert (word.head, word.rival) == (one[m][0], other[m][0])
            assert word.margin == pytest.approx(score - other_score, abs=1e-3)
            assert word.margin == pytest.approx(sum(part.contribution for part in word.parts), abs=1e-6)
    assert compared > 20


def test_explains_the_predicted_tree_and_its_labels(parser, trees):
    x = hinge.read_conllu(trees[1])[0][0]
    tree = parser.predict([x])[0]
    words = parser.explain(x)
    assert [(word.head, word.label.label) for word in words] == tree
    assert parser.explain(x, [head for head, _ in tree]) == words
    assert parser.explain(x, tree, tree) == words  # rival equals y: compares with the next best
    for (form, *_), word in zip(x, words):
        assert word.rival != word.head and word.label.rival != word.label.label
        assert word.margin >= -1e-6 and word.margin == pytest.approx(sum(part.contribution for part in word.parts), abs=1e-6)
        assert word.label.margin >= 0
        assert word.label.margin == pytest.approx(sum(part.contribution for part in word.label.parts), abs=1e-6)
        assert any(f"m.form={form}" in part.feature.split() for part in word.parts)
        assert all(part.feature.startswith("label: ") for part in word.label.parts)
        assert str(word).startswith(f"{word.head} before {word.rival} by ")
    for m, word in enumerate(words):
        assert (word.rivals[m], len(word.rivals)) == (word.rival, len(tree))
        best = max((score for other, score in parser.predict_nbest([x], 1000)[0] if other[m][0] != word.head), default=None)
        if best is not None:
            assert word.margin == pytest.approx(parser.predict_nbest([x], 1)[0][0][1] - best, abs=1e-3)
    other = next(label for label in parser.classes_ if label != tree[0][1])
    assert parser.explain(x, tree, [(head, other) for head, _ in tree])[0].label.rival == other


def test_explains_second_order_and_models_without_labels(trees):
    X, y = hinge.read_conllu(trees[0])
    second = hinge.DependencyParser("perceptron", epochs=2, order=2, hash_bits=14, label_bits=12).fit(X, y)
    kinds = {part.feature.split()[0] for word in second.explain(X[0]) for part in word.parts}
    assert {"sibling:", "grand:"} <= kinds
    heads = [[head for head, _ in tree] for tree in y]
    unlabelled = hinge.DependencyParser("perceptron", epochs=2, hash_bits=14).fit(X, heads)
    assert all(word.label is None for word in unlabelled.explain(X[0], heads[0]))
    assert unlabelled.explain([]) == []


@pytest.mark.parametrize("tree, message", [
    ([(2, "x")], "y has 1 heads"), ([(3, "root"), (0, "root")], "token 1"), ([(2, "root"), (1, "root")], "has no root"),
    ([(2, "nothing"), (0, "root")], "the model has no label 'nothing'")])
def test_refuses_to_explain_what_is_no_tree(parser, tree, message):
    with pytest.raises(hinge.InputError, match=message):
        parser.explain([("a", "DET"), ("b", "NOUN")], tree)


def test_dicts_and_heads_alone(trees):
    X, y = hinge.read_conllu(trees[0])
    names = ("form", "lemma", "upos", "xpos", "feats")
    dicts = [[dict(zip(names, word)) for word in sentence] for sentence in X]
    heads = [[head for head, _ in tree] for tree in y]
    parser = hinge.DependencyParser("perceptron", epochs=2, hash_bits=14).fit(dicts, heads)
    assert all(isinstance(head, int) for tree in parser.predict(dicts[:5]) for head in tree)
    assert parser.predict(dicts[:5]) == parser.predict(X[:5])
    assert parser.score(dicts, heads) > 0.5
    assert pickle.loads(pickle.dumps(parser)).predict(X[:5]) == parser.predict(X[:5])


def test_hugging_face_columns(parser, trees):
    X, y = hinge.read_conllu(trees[0])
    names = ("tokens", "lemmas", "upos", "xpos", "feats")
    rows = [{**{name: [word[k] for word in x] for k, name in enumerate(names)},
             "head": [str(head) for head, _ in tree], "deprel": [label for _, label in tree]} for x, tree in zip(X, y)]
    same = hinge.DependencyParser("perceptron", epochs=3, hash_bits=14, label_bits=12).fit(rows)
    assert same.to_bytes() == parser.to_bytes()
    assert same.predict(rows) == parser.predict(X)
    assert same.evaluate(rows) == parser.evaluate(X, y)


LISTS = [[("a cat sat", {"lm": 1.0, "tm": 0.2}, -1.0), ("the cat sat", {"lm": 0.5, "tm": 0.9}, -2.0)],
         [("a dog ran", {"lm": 2.0, "tm": 0.1}, -1.0), ("the dog ran", {"lm": 1.5, "tm": 0.8}, -2.0)]] * 5
REFERENCES = ["the cat sat", "the dog ran"] * 5


def test_reranks_by_references_and_by_costs():
    for y in (REFERENCES, [[text, text] for text in REFERENCES], [[1, 0]] * 10):
        ranker = hinge.Reranker("mira", metric="chrf").fit(LISTS, y)
        assert ranker.predict(LISTS) == [1] * 10
        assert ranker.predict_nbest(LISTS, 1)[0][0][0] == 1
        assert ranker.score(LISTS, y) == pytest.approx(0.0 if isinstance(y[0][0], int) else 1.0)


METRICS = next(option["expected"] for option in hinge.tasks()["rerank"]["options"] if option["name"] == "metric")


@pytest.mark.parametrize("metric", METRICS.removeprefix("one of ").split(", "))
def test_higher_scores_are_better_whatever_the_metric(metric):
    lists = [[(text + " on the mat", features) for text, features, _ in hypotheses] for hypotheses in LISTS]
    ranker = hinge.Reranker("mira", metric=metric).fit(lists, REFERENCES)
    chosen = [hypotheses[k][0] for hypotheses, k in zip(lists, ranker.predict(lists))]
    assert ranker.score(lists, chosen) > ranker.score(lists, ["something else entirely"] * 10)


def test_hypotheses_as_dicts():
    dicts = [[{"text": t, "features": f, "score": s} for t, f, s in hypotheses] for hypotheses in LISTS]
    tuples = hinge.Reranker("mira", metric="chrf").fit(LISTS, REFERENCES)
    assert hinge.Reranker("mira", metric="chrf").fit(dicts, REFERENCES).to_bytes() == tuples.to_bytes()
    assert tuples.decision_function(dicts) == tuples.decision_function(LISTS)


@pytest.mark.parametrize("ngrams", [0, 2])
def test_explains_and_weighs_hypotheses(ngrams):
    ranker = hinge.Reranker("mira", metric="chrf", ngrams=ngrams).fit(LISTS, REFERENCES)
    (first, high), (second, low) = ranker.predict_nbest(LISTS[:1], 2)[0]
    why = ranker.explain(LISTS[0])
    assert (why.chosen, why.rival) == (first, second)
    assert why.margin == pytest.approx(high - low, abs=1e-5)
    assert sum(part for _, part in why.parts) == pytest.approx(why.margin)
    assert any(feature.startswith("ngram:") for feature, _ in why.parts) == (ngrams > 0)
    assert ranker.explain(LISTS[0], second).margin == pytest.approx(-why.margin)
    assert f"hypothesis {first} before {second}" in str(why)
    assert ranker.predict_marginals(LISTS[:1])[0].sum() == pytest.approx(1.0)
    for wrong in ((LISTS[0], 5), (LISTS[0], -1), (LISTS[0], 0, 2)):
        with pytest.raises(hinge.InputError, match="has 2 hypotheses"):
            ranker.explain(*wrong)
    with pytest.raises(hinge.InputError, match="no hypotheses"):
        ranker.explain([])


def test_lists_in_a_file(command, tmp_path):
    command("sample", "rerank", "--sentences", 20, "-o", tmp_path / "lists.txt", "--refs", tmp_path / "refs.txt")
    ranker = hinge.Reranker("mira", epochs=2, refs=str(tmp_path / "refs.txt")).fit(tmp_path / "lists.txt")
    ranker.save(tmp_path / "rank.model")
    command("predict", tmp_path / "rank.model", tmp_path / "lists.txt", "-o", tmp_path / "out.txt")
    texts = {}
    for line in (tmp_path / "lists.txt").read_text().splitlines():
        sentence, text = line.split(" ||| ")[:2]
        texts.setdefault(sentence, []).append(text.strip())
    chosen = [hypotheses[k] for hypotheses, k in zip(texts.values(), ranker.predict(tmp_path / "lists.txt"))]
    assert [line.strip() for line in (tmp_path / "out.txt").read_text().splitlines()] == chosen


def test_references_and_costs_in_arrays():
    expected = hinge.Reranker("mira", metric="chrf").fit(LISTS, REFERENCES).to_bytes()
    for y in (np.array(REFERENCES), np.array(REFERENCES)[:, None], np.array(REFERENCES, dtype=object)):
        assert hinge.Reranker("mira", metric="chrf").fit(LISTS, y).to_bytes() == expected
    costs = hinge.Reranker("mira").fit(LISTS, [[1, 0]] * 10)
    assert hinge.Reranker("mira").fit(LISTS, np.array([[1, 0]] * 10)).to_bytes() == costs.to_bytes()


def test_heads_of_any_integers(trees):
    words = [["a", "b", "c"], ["d", "e", "f"]]
    heads = [[2, 0, 2], [0, 1, 1]]

    def train(y):
        return hinge.DependencyParser("perceptron", epochs=2, hash_bits=8).fit(words, y)

    expected = train(heads).to_bytes()
    for y in (tuple(map(tuple, heads)), [[np.int64(head) for head in tree] for tree in heads],
              [np.array(tree) for tree in heads], np.array(heads)):
        assert train(y).to_bytes() == expected
        assert train(y).score(words, y) == train(heads).score(words, heads)
    pairs = [[(head, "x") for head in tree] for tree in heads]
    assert train([[(np.int64(head), "x") for head in tree] for tree in heads]).to_bytes() == train(pairs).to_bytes()


@pytest.mark.parametrize("change, message", [
    ({"head": ["0", "_"]}, "sentence 1, word 2: the head is '_'"),
    ({"head": ["0", None]}, "sentence 1, word 2: the head is None"),
    ({"head": ["0"]}, "sentence 1: has 2 words, but the column 'head' has 1"),
    ({"upos": ["X"]}, "sentence 1: has 2 words, but the column 'upos' has 1"),
    ({"deprel": ["root"]}, "sentence 1: has 2 words, but the column 'deprel' has 1"),
    ({"upos": "XY"}, "sentence 1: a list was expected in the column 'upos', not str"),
])
def test_columns_that_do_not_fit(change, message):
    row = {"tokens": ["a", "b"], "upos": ["X", "Y"], "head": ["0", "1"], "deprel": ["root", "x"]}
    with pytest.raises(hinge.InputError, match=message):
        hinge.DependencyParser().fit([{**row, **change}])


def conllu(*heads):
    return "".join(f"{k}\tw\t_\t_\t_\t_\t{head}\tx\t_\t_\n" for k, head in enumerate(heads, 1)) + "\n"


def test_conllu_without_heads(tmp_path):
    path = tmp_path / "x.conllu"
    path.write_text("\ufeff" + conllu(0, 1), encoding="utf-8")
    assert hinge.read_conllu(path) == ([[("w", "_", "_", "_", "_")] * 2], [[(0, "x"), (1, "x")]])
    path.write_text(conllu(0, 1) + conllu(0, "_"))
    with pytest.raises(hinge.InputError, match=r"x\.conllu:5: the word has no head"):
        hinge.read_conllu(path)
    parser = hinge.DependencyParser("perceptron", epochs=1, hash_bits=8).fit([["w", "w"]], [[0, 1]])
    assert len(parser.predict(path)) == 2
    path.write_text(conllu("_", "_"))
    assert hinge.read_conllu(path)[1] == [[]]
    path.write_text("1\tw\n")
    with pytest.raises(hinge.InputError, match="has 2 cells"):
        hinge.read_conllu(path)


def test_progress_of_a_reranker_is_in_the_metric(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    lists = [[("a cat sat", {"lm": 1.0}), ("the cat sat", {"lm": 0.5})]] * 5
    ranker = hinge.Reranker("mira", epochs=2, verbose=True).fit(lists, ["the cat sat"] * 5)
    epochs = [line for line in capsys.readouterr().err.splitlines() if line.startswith("epoch ")]
    assert all("  train bleu " in line and "loss" not in line for line in epochs)
    assert ranker.history_[-1]["train_bleu"] / 100 == pytest.approx(ranker.score(lists, ["the cat sat"] * 5))
    assert "train_bleu" not in hinge.Reranker("mira", epochs=2).fit(lists, ["the cat sat"] * 5).history_[-1]


def test_probabilities_of_trees_sum_to_one(trees):
    X, y = hinge.read_conllu(trees[0])
    short = [(x[:4], [(1 if m > 0 else 0, label) for m, (_, label) in enumerate(tree[:4])]) for x, tree in zip(X, y)]
    words, heads = [x for x, _ in short], [tree for _, tree in short]
    parser = hinge.DependencyParser("crf", epochs=3, hash_bits=10, labelled=False).fit(words, [[head for head, _ in tree] for tree in heads])
    for scored, likely in zip(parser.predict_nbest(words[:5], 1000), parser.predict_nbest(words[:5], 1000, probabilities=True)):
        assert [tree for tree, _ in scored] == [tree for tree, _ in likely]
        assert sum(p for _, p in likely) == pytest.approx(1.0, abs=1e-4)
        powers = np.exp([score - scored[0][1] for _, score in scored])
        np.testing.assert_allclose([p for _, p in likely], powers / powers.sum(), rtol=1e-3, atol=1e-6)
    margin = hinge.DependencyParser("mira", epochs=1, hash_bits=10).fit(words, heads)
    with pytest.raises(hinge.OptionError, match="probabilities of trees need a model of likelihoods, but this one is by mira; use crf"):
        margin.predict_nbest(words[:1], probabilities=True)
