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
