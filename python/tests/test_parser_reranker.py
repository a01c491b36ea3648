import pickle

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


def test_trees_and_their_probabilities(parser, trees):
    X = hinge.read_conllu(trees[1])[0][:20]
    for words, best, lists, table in zip(X, parser.predict(X), parser.predict_nbest(X, 3), parser.predict_marginals(X)):
        assert lists[0][0] == best
        assert table.shape == (len(words), len(words) + 1)
        np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=1e-3)


def one_head_apart(trees):
    """(number of the word, one tree with its score, the other with its) of trees that differ in one head."""
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
    assert parser.explain(x, tree, tree) == words  # no other: the nearest
    for (form, *_), word in zip(x, words):
        assert word.rival != word.head and word.label.rival != word.label.label
        assert word.label.margin >= 0
        assert word.label.margin == pytest.approx(sum(part.contribution for part in word.label.parts), abs=1e-6)
        assert any(f"m.form={form}" in part.feature.split() for part in word.parts)
        assert all(part.feature.startswith("label: ") for part in word.label.parts)
        assert str(word).startswith(f"{word.head} before {word.rival} by ")
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


def test_hypotheses_as_dicts():
    dicts = [[{"text": t, "features": f, "score": s} for t, f, s in hypotheses] for hypotheses in LISTS]
    tuples = hinge.Reranker("mira", metric="chrf").fit(LISTS, REFERENCES)
    assert hinge.Reranker("mira", metric="chrf").fit(dicts, REFERENCES).to_bytes() == tuples.to_bytes()
    assert tuples.decision_function(dicts) == tuples.decision_function(LISTS)


def test_explains_and_weighs_hypotheses():
    ranker = hinge.Reranker("mira", metric="chrf").fit(LISTS, REFERENCES)
    first, second = (score for _, score in ranker.predict_nbest(LISTS[:1], 2)[0])
    assert sum(part for _, part in ranker.explain(LISTS[0])) == pytest.approx(first - second, abs=1e-5)
    assert ranker.predict_marginals(LISTS[:1])[0].sum() == pytest.approx(1.0)
    with pytest.raises(hinge.InputError, match="has 2 hypotheses"):
        ranker.explain(LISTS[0], 5)
