"""ConstituencyParser against the command line and itself."""

import copy
import json
import pickle

import numpy as np
import pytest

import hinge
from hinge import from_brackets, to_brackets

SMALL = {"epochs": 3, "hash_bits": 14}
DOG = ("S", ("NP", ("DT", "The"), ("NN", "dog")), ("VP", ("VBZ", "barks")))
DOG_BRACKETS = "(S (NP (DT The) (NN dog)) (VP (VBZ barks)))"


class Nltk(list):
    """Like nltk.Tree."""

    def __init__(self, label, children):
        super().__init__(children)
        self._label = label

    def label(self):
        return self._label


class Lazy:
    """Only what is needed: label(), and children from a generator."""

    def __init__(self, tree):
        self.tree = tree

    def label(self):
        return self.tree[0]

    def __iter__(self):
        return (child if isinstance(child, str) else Lazy(child) for child in self.tree[1:])


def to_nltk(tree):
    return Nltk(tree[0], [child if isinstance(child, str) else to_nltk(child) for child in tree[1:]])


def over_lines(tree):
    return to_brackets(tree).replace(" (", "\n\t  (")


def words_of(tree):
    return [word for child in tree[1:] for word in ([child] if isinstance(child, str) else words_of(child))]


def tags_of(tree):
    return [tree[0]] if isinstance(tree[1], str) else [tag for child in tree[1:] for tag in tags_of(child)]


def phrases_of(tree, begin=0):
    """(label, begin, end) of every phrase, in preorder."""
    if isinstance(tree[1], str):
        return []
    result = [(tree[0], begin, begin + len(words_of(tree)))]
    for child in tree[1:]:
        result += phrases_of(child, begin)
        begin += len(words_of(child))
    return result


def kinds(trees):
    """The trees as every kind of input, and mixed."""
    ways = [tuple, to_brackets, over_lines, to_nltk, Lazy]
    return [list(map(way, trees)) for way in ways] + [[ways[k % len(ways)](tree) for k, tree in enumerate(trees)]]


@pytest.fixture(scope="module")
def files(command, tmp_path_factory):
    folder = tmp_path_factory.mktemp("const")
    for name, seed in (("train", 1), ("dev", 2)):
        command("sample", "const", "--sentences", 120, "--seed", seed, "-o", folder / f"{name}.mrg")
    return folder / "train.mrg", folder / "dev.mrg"


@pytest.fixture(scope="module")
def trees(files):
    return hinge.read_brackets(files[0])


@pytest.fixture(scope="module")
def dev(files):
    return hinge.read_brackets(files[1])


@pytest.fixture(scope="module")
def parser(trees):
    return hinge.ConstituencyParser(**SMALL).fit(trees)


def test_learns(parser, trees, dev):
    assert parser.score(dev) > 0.6
    scores = parser.evaluate(dev)
    assert list(scores)[:3] == ["f1", "precision", "recall"]
    assert parser.score(dev) == scores["f1"] / 100
    assert {"S", "NP", "VP"} <= set(parser.classes_) and "NN" not in parser.classes_
    assert len(parser.history_) == 3


def test_all_kinds_of_trees_give_the_same_model(parser, trees, files):
    expected = parser.to_bytes()
    for given in (files[0], str(files[0]), *kinds(trees), iter(trees), (tree for tree in trees), tuple(trees),
                  np.array([to_brackets(tree) for tree in trees])):
        assert hinge.ConstituencyParser(**SMALL).fit(given).to_bytes() == expected


def test_sentences_and_trees_give_the_same_model(parser, trees):
    expected = parser.to_bytes()
    for X in ([words_of(tree) for tree in trees], [" ".join(words_of(tree)) for tree in trees], trees,
              (np.array(words_of(tree)) for tree in trees)):
        assert hinge.ConstituencyParser(**SMALL).fit(X, trees).to_bytes() == expected
    assert parser.evaluate([words_of(tree) for tree in trees], iter(kinds(trees)[-1])) == parser.evaluate(trees)


def test_all_kinds_of_sentences_give_the_same_trees(parser, dev, files):
    expected = parser.predict(dev)
    assert [words_of(tree) for tree in expected] == [words_of(tree) for tree in dev]
    for X in ([words_of(tree) for tree in dev], [" ".join(words_of(tree)) for tree in dev], *kinds(dev), files[1],
              [np.array(words_of(tree)) for tree in dev], (words_of(tree) for tree in dev),
              [f"\n {'  '.join(words_of(tree))}\t\r\n" for tree in dev]):
        assert parser.predict(X) == expected


def test_is_what_the_command_line_does(parser, command, files, dev, tmp_path):
    command("train", "const", files[0], "--epochs", 3, "-p", "hash_bits=14", "-q", "-o", tmp_path / "const.model")
    assert (tmp_path / "const.model").read_bytes() == parser.to_bytes()
    parser.save(tmp_path / "ours.model")
    brackets = command("predict", tmp_path / "ours.model", files[1]).splitlines()
    assert brackets == parser.predict(dev, output="brackets")
    assert brackets == [to_brackets(tree) for tree in parser.predict(dev)]
    plain = tmp_path / "plain.txt"
    plain.write_text("".join(" ".join(words_of(tree)) + "\n" for tree in dev) + "\n")
    assert command("predict", tmp_path / "ours.model", plain).splitlines() == parser.predict(plain, "brackets")
    loaded = hinge.ConstituencyParser.load(tmp_path / "const.model")
    assert loaded.predict(dev) == parser.predict(dev)
    assert (loaded.epochs, loaded.hash_bits, loaded.tags) == (3, 14, "chart")


def test_n_best_trees(parser, dev, command, tmp_path):
    best = parser.predict_nbest(dev, 5)
    assert [trees[0][0] for trees in best] == parser.predict(dev)
    for tree, found in zip(dev, best):
        scores = [score for _, score in found]
        assert scores == sorted(scores, reverse=True)
        assert len({to_brackets(tree) for tree, _ in found}) == len(found) <= 5
        assert all(words_of(other) == words_of(tree) for other, _ in found)
    assert parser.predict_nbest(dev, 2, output="brackets") == [[(to_brackets(tree), score) for tree, score in found[:2]]
                                                               for found in best]
    parser.save(tmp_path / "const.model")
    (tmp_path / "one.txt").write_text(to_brackets(dev[0]))
    lines = command("predict", tmp_path / "const.model", tmp_path / "one.txt", "--nbest", 5).split("\n")
    assert lines[1:10:2] == [to_brackets(tree) for tree, _ in best[0]]
    assert lines[0:9:2] == [f"# {rank} {score:.6f}" for rank, (_, score) in enumerate(best[0], 1)]


def test_probabilities_of_phrases(parser, dev):
    for tree, phrases in zip(parser.predict(dev), parser.predict_marginals(dev)):
        assert tree[0] == "ROOT"
        assert [phrase[:3] for phrase in phrases] == phrases_of(tree)[1:]
        assert all(0.0 < p <= 1.0 for *_, p in phrases)


def test_explains(parser, dev):
    for tree, found in zip(dev[:20], parser.predict_nbest(dev[:20], 3)):
        for rank, (rival, score) in enumerate(found[1:], 2):
            why = parser.explain(words_of(tree), rank)
            assert (why.tree, why.rival) == (found[0][0], rival)
            assert why.margin == pytest.approx(found[0][1] - score, abs=1e-6)
            assert sum(amount for *_, amount in why.parts) == pytest.approx(why.margin, abs=1e-3)
            assert f" by {why.margin:.3f}\n" in str(why)
    for wrong, error in ((1, hinge.OptionError), ("x", hinge.OptionError), (10**5, hinge.InputError)):
        with pytest.raises(error):
            parser.explain("the", wrong)
    for wrong, error in (([], hinge.InputError), ("", hinge.InputError), (5, TypeError), (["a b"], hinge.InputError)):
        with pytest.raises(error):
            parser.explain(wrong)


@pytest.mark.parametrize("parameters", [
    {"grammar": "none"}, {"features": "lexical+aux"}, {"features": "span+neural", "learner": "ops", "hidden": 16},
    {"features": "generative"}, {"vertical": 2, "horizontal": 2}, {"exact": True, "folds": 1, "longest": 12}, {"learner": "crf"}])
def test_other_models(parameters, trees, dev):
    short = [tree for tree in dev if len(words_of(tree)) <= 15]
    parser = hinge.ConstituencyParser(**{**SMALL, **parameters}).fit(trees)
    found = parser.predict(short)
    assert parser.score(short) > 0.3
    assert {"S", "NP", "VP"} <= set(parser.classes_)
    assert [trees[0][0] for trees in parser.predict_nbest(short, 3)] == found
    for tree, phrases in zip(found, parser.predict_marginals(short)):
        assert [phrase[:3] for phrase in phrases] == phrases_of(tree)[1:]
        assert all(0.0 < p <= 1.0 for *_, p in phrases)
    same = hinge.ConstituencyParser.from_bytes(parser.to_bytes())
    assert same.predict(short) == found and same.get_params()["features"] == parser.features


def test_threads_never_change_results(trees, dev):
    one, two = (hinge.ConstituencyParser(threads=threads, **SMALL).fit(trees, X_dev=dev) for threads in (1, 2))
    assert one.to_bytes() == two.to_bytes()
    assert one.predict_nbest(dev, 3) == two.predict_nbest(dev, 3)
    assert one.predict_marginals(dev) == two.predict_marginals(dev)
    assert one.evaluate(dev) == two.evaluate(dev)


def test_development_data(trees, dev):
    parser = hinge.ConstituencyParser(**SMALL).fit(trees, X_dev=iter(dev))
    assert parser.history_[-1]["dev_f1"] == pytest.approx(100 * parser.score(dev))
    words = [words_of(tree) for tree in dev]
    same = hinge.ConstituencyParser(**SMALL).fit(trees, X_dev=words, y_dev=dev)
    assert same.history_[-1]["dev_f1"] == parser.history_[-1]["dev_f1"]


def test_given_tags(trees, dev):
    parser = hinge.ConstituencyParser(tags="gold", **SMALL).fit(trees)
    found = parser.predict(dev)
    assert [tags_of(tree) for tree in found] == [tags_of(tree) for tree in dev]
    assert parser.evaluate(dev)["tags"] == 100
    rows = [" ".join(f"({tag} {word})" for tag, word in zip(tags_of(tree), words_of(tree))) for tree in dev]
    assert parser.predict(rows) == found
    assert parser.predict([[]]) == [()]
    with pytest.raises(hinge.InputError, match="sentence 2: has no tags"):
        parser.predict([dev[0], words_of(dev[1])])
    with pytest.raises(hinge.InputError, match="sentence 1, word 1: the tag is 'ZZ' in X, but 'DT' in y"):
        parser.score([f"(ZZ {DOG[1][1][1]}) (NN dog) (VBZ barks)"], [DOG])
    assert hinge.ConstituencyParser(**SMALL).fit(["(A The) (A dog) (A barks)"], [DOG]).score([DOG]) == 1.0


def test_saves_and_pickles(parser, dev, tmp_path):
    parser.save(tmp_path / "const.model")
    for same in (hinge.ConstituencyParser.load(tmp_path / "const.model"), pickle.loads(pickle.dumps(parser)),
                 hinge.ConstituencyParser.from_bytes(parser.to_bytes()), copy.deepcopy(parser)):
        assert same.to_bytes() == parser.to_bytes()
        assert same.predict(dev) == parser.predict(dev)
        assert same.classes_ == parser.classes_
    with pytest.raises(hinge.ModelError, match="is a model of the task const, not dep"):
        hinge.DependencyParser.from_bytes(parser.to_bytes())


def test_continues(parser, trees):
    again = pickle.loads(pickle.dumps(parser)).partial_fit(trees)
    assert again.to_bytes() != parser.to_bytes()
    assert again.score(trees) >= parser.score(trees) - 0.01


def test_sentences_without_words(parser, dev):
    empty = [[], "", " \n", (), np.array([], dtype=str)]
    assert parser.predict(empty) == [()] * len(empty)
    assert parser.predict(empty, output="brackets") == [""] * len(empty)
    assert parser.predict_nbest(empty, 2) == parser.predict_marginals(empty) == [[]] * len(empty)
    assert parser.predict([]) == parser.predict_nbest([]) == parser.predict_marginals([]) == []
    assert parser.predict([[], dev[0], ()]) == [(), *parser.predict(dev[:1]), ()]
    assert parser.evaluate([[], *dev], [(), *dev]) == parser.evaluate(["", *dev]) == parser.evaluate(dev)
    assert to_brackets(()) == to_brackets("") == "" and from_brackets(" ") == ()


def test_a_sentence_that_the_grammar_does_not_have():
    parser = hinge.ConstituencyParser(**SMALL).fit([DOG, DOG])
    words = ["dog"] * 4
    flat = ("S", *(("NN", word) for word in words))
    assert parser.predict([words]) == [flat]
    assert parser.predict_nbest([words]) == [[(flat, -np.inf)]]
    assert parser.predict_marginals([words]) == [[("S", 0, 4, 0.0)]]


def test_brackets_and_tuples():
    for tree in (DOG_BRACKETS, DOG, to_nltk(DOG), Lazy(DOG), over_lines(DOG), f" {DOG_BRACKETS}\n"):
        assert to_brackets(tree) == DOG_BRACKETS
    assert from_brackets(DOG_BRACKETS) == from_brackets(over_lines(DOG)) == DOG
    penn = "( (S (NP-SBJ-1 (-NONE- *)) (VP (VB Go)) (. .)))"  # nothing is left out
    assert to_brackets(from_brackets(penn)) == penn
    assert from_brackets(penn)[0] == "" and from_brackets(penn)[1][1] == ("NP-SBJ-1", ("-NONE-", "*"))
    assert from_brackets("(NN é)") == ("NN", "é")
    assert to_brackets(("X", ("-LRB-", "("), ("NN", "f(x)"), (":", ":)"))) == "(X (-LRB- -LRB-) (NN f-LRB-x-RRB-) (: :-RRB-))"
    with pytest.raises(TypeError, match="brackets must be a str, not tuple"):
        from_brackets(DOG)


def test_reads_files_of_brackets(tmp_path, trees):
    (tmp_path / "x.mrg").write_text("\n\n".join(over_lines(tree) for tree in trees))
    assert hinge.read_brackets(tmp_path / "x.mrg") == trees
    (tmp_path / "x.mrg").write_text("(S (A a)\n(B b)")
    with pytest.raises(hinge.InputError, match="x.mrg:1: .* never closed"):
        hinge.read_brackets(tmp_path / "x.mrg")


def test_brackets_in_words():
    tree = ("S", ("X", ("-LRB-", "("), ("NN", "f(x)"), ("-RRB-", ")")), ("V", "is"))
    parser = hinge.ConstituencyParser(**SMALL).fit([tree] * 3)
    assert parser.to_bytes() == hinge.ConstituencyParser(**SMALL).fit([to_brackets(tree)] * 3).to_bytes()
    for sentence in (["(", "f(x)", ")", "is"], "-LRB- f-LRB-x-RRB- -RRB- is", tree):
        assert parser.predict([sentence]) == [from_brackets(to_brackets(tree))]
    assert parser.score([words_of(tree)], [tree]) == 1.0


def test_leaves_out_functions_and_empty_elements(trees):
    penn = "( (S (NP-SBJ (DT The) (NN dog)) (VP (VBZ barks) (NP (-NONE- *)))))"
    parser = hinge.ConstituencyParser(**SMALL).fit([penn] * 3)
    assert parser.predict(["The dog barks", penn]) == [("", DOG)] * 2
    assert parser.score([["The", "dog", "barks"]], [penn]) == 1.0
    keeps = hinge.ConstituencyParser(keep_functions=True, keep_empty=True, **SMALL).fit([penn] * 3)
    assert keeps.predict([penn], "brackets") == [penn]
    with pytest.raises(hinge.InputError, match="sentence 1: X has 3 words, but the tree in y has 4"):
        keeps.score([["The", "dog", "barks"]], [penn])


class Endless:
    def __init__(self, down):
        self.down = down

    def label(self):
        return "X"

    def __iter__(self):
        while True:
            yield self if self.down else ("A", "a")


class Odd:
    def __init__(self, label):
        self.label = label

    def __iter__(self):
        raise LookupError("no children today")


@pytest.mark.parametrize("tree, error, message", [
    ("S", hinge.InputError, "tree 2: 'S' is outside the brackets"),
    ("(S (A a)", hinge.InputError, "tree 2: a bracket is never closed"),
    ("(S (A a)))", hinge.InputError, "tree 2: "),
    ("(S (A a b))", hinge.InputError, "tree 2: a bracket holds a word and more"),
    ("(S (A a) (B))", hinge.InputError, r"tree 2: the bracket '\(B\)' is empty"),
    ("(S ((A a) (B b)) (C c))", hinge.InputError, "tree 2: a (bracket|phrase) has no label"),
    ("(A a) (B b)", hinge.InputError, "tree 2: there are 2 trees in one str"),
    ("(A a\0)", hinge.InputError, "tree 2: the text has a NUL byte"),
    ("(A \ud800)", UnicodeEncodeError, "surrogates"),
    (("S",), hinge.InputError, "tree 2: 'S' has no children"),
    (Nltk("S", []), hinge.InputError, "tree 2: 'S' has no children"),
    (("S", ()), hinge.InputError, r"tree 2: a phrase is \(\)"),
    (("S", "a", "b"), hinge.InputError, "tree 2: 'S' has a word and more"),
    (("S", "a", ("B", "b")), hinge.InputError, "tree 2: 'S' has a word and more"),
    (("S", ("B", "b"), "a"), hinge.InputError, "tree 2: 'S' has a word and more"),
    (("S", ("A", "")), hinge.InputError, "tree 2: a word is empty"),
    (("S", ("A", "a b")), hinge.InputError, "tree 2: the word 'a b' has a blank"),
    (("S", ("A", "a\n")), hinge.InputError, "tree 2: the word .* has a blank"),
    (("S", ("A", "a\0")), hinge.InputError, "tree 2: the word has a NUL byte"),
    (("S", ("", "a")), hinge.InputError, "tree 2: a label is empty"),
    (("", "a"), hinge.InputError, "tree 2: a word has no tag"),
    (("N P", ("A", "a")), hinge.InputError, "tree 2: the label 'N P' has a blank"),
    (("S", ("A)", "a")), hinge.InputError, r"tree 2: the label 'A\)' has a bracket"),
    (("S", ("A\ud800", "a")), UnicodeEncodeError, "surrogates"),
    ((5, "a"), TypeError, "tree 2: a label must be a str, not int"),
    (Nltk(None, ["a"]), TypeError, "tree 2: a label must be a str, not NoneType"),
    (("S", 5), TypeError, "tree 2: a child is a str, a tuple or an object with label.., not int"),
    (("S", ["A", "a"]), TypeError, "tree 2: a child is .*, not list"),
    (["S", ("A", "a")], TypeError, "tree 2: a tree is .*, not list"),
    (None, TypeError, "tree 2: a tree is .*, not NoneType"),
    (b"(A a)", TypeError, "tree 2: a tree is .*, not bytes"),
    (Odd("S"), TypeError, "tree 2: a tree is .*, not Odd"),
    (Odd(lambda: "S"), LookupError, "no children today"),
    (Nltk, TypeError, "missing 1 required"),
    (Endless(down=True), hinge.InputError, "tree 2: phrases are more than 1000 deep"),
    (Endless(down=False), hinge.InputError, "tree 2: has more than 1000 words"),
])
def test_trees_that_are_none(tree, error, message):
    for call in (lambda: hinge.ConstituencyParser(**SMALL).fit([DOG, tree]),
                 lambda: hinge.ConstituencyParser(**SMALL).fit([DOG], X_dev=[DOG, tree])):
        with pytest.raises(error, match=message):
            call()
    with pytest.raises(error, match=message.replace("tree 2", "the tree")):
        to_brackets(tree)


@pytest.mark.parametrize("X, y, error, message", [
    ([], None, hinge.InputError, "X is empty"), ([()], None, hinge.InputError, "has no trees"),
    ("missing.mrg", None, hinge.InputError, "missing.mrg"), ("missing.mrg", [DOG], hinge.InputError, "leave y out"),
    (DOG, None, hinge.InputError, "tree 1: 'S' is outside"), (to_nltk(DOG), None, TypeError, "X must be a list of trees, not a tree"),
    ({"tree": DOG}, None, TypeError, "X must be a list"), (5, None, TypeError, "X must be a list"), ([["The", "dog"]], None, TypeError, "not list"),
    (["The dog barks"], [], hinge.InputError, "X has 1 sentences, but y has 0 trees"),
    (["The dog"], [DOG], hinge.InputError, "sentence 1: X has 2 words, but the tree in y has 3"),
    (["The cat barks"], [DOG], hinge.InputError, "sentence 1, word 2: the word is 'cat' in X, but 'dog' in y"),
    (["The dog barks"], DOG, hinge.InputError, "X has 1 sentences, but y has 3"), (["The dog barks"], 5, TypeError, "y must be a list"),
])
def test_data_that_cannot_be_learned_from(X, y, error, message):
    with pytest.raises(error, match=message):
        hinge.ConstituencyParser(**SMALL).fit(X, y)


@pytest.mark.parametrize("sentence, error, message", [
    (5, TypeError, "sentence 2 must be a list, not int"), ({"a": 1}, TypeError, "sentence 2 must be a list, not dict"),
    (["a", 5], TypeError, "sentence 2: a word must be a str, not int"), (["a", ""], hinge.InputError, "sentence 2: a word is empty"),
    (["a b"], hinge.InputError, "sentence 2: the word 'a b' has a blank"), (["a\0"], hinge.InputError, "sentence 2: the word has a NUL"),
    ("a \0", hinge.InputError, "sentence 2: the text has a NUL"), (["\ud800"], UnicodeEncodeError, "surrogates"),
    (("the", "dog", "barks"), hinge.InputError, "sentence 2: 'the' has a word and more; .* words without a tree are a list"),
    ("(S (A a)", hinge.InputError, "sentence 2: a bracket is never closed"), (("S", ("A", 5)), TypeError, "sentence 2: a child is"),
    (["a"] * 1001, hinge.InputError, "sentence 2: has 1001 words; the most is 1000"),
])
def test_sentences_that_cannot_be_parsed(parser, sentence, error, message):
    for method in (parser.predict, parser.predict_nbest, parser.predict_marginals):
        with pytest.raises(error, match=message):
            method([["a"], sentence])


def test_parameters_that_cannot_be(parser):
    for n in (0, -1, 2.5, "x", 10**30):
        with pytest.raises(hinge.OptionError):
            parser.predict_nbest(["a"], n)
    for output in ("tree", None, 1, []):
        with pytest.raises(hinge.OptionError, match="must be 'tuples' or 'brackets'"):
            parser.predict(["a"], output=output)
    with pytest.raises(hinge.OptionError, match="features"):
        hinge.ConstituencyParser(features="none").fit([DOG])


class Clears(Nltk):
    """Loses its children while they are read."""

    def label(self):
        self.clear()
        return super().label()


class ClearsParent(Nltk):
    def label(self):
        self.parent.clear()
        return super().label()


def test_trees_that_change_while_read():
    with pytest.raises(hinge.InputError, match="'S' has no children"):
        to_brackets(Clears("S", [("A", "a " * 99)]))
    child = ClearsParent("A" * 99, ["a" * 99])
    child.parent = Nltk("S", [("B", "b" * 99), child, ("C", "c")])
    assert to_brackets(child.parent) == f"(S (B {'b' * 99}) ({'A' * 99} {'a' * 99}))"
    examples = [child, DOG]
    child.parent = examples
    with pytest.raises(IndexError):
        hinge.ConstituencyParser(**SMALL).fit(examples)


def test_in_scikit_learn(trees):
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score

    words = [words_of(tree) for tree in trees]
    model = hinge.ConstituencyParser(threads=1, **SMALL)
    assert all(score > 0.4 for score in cross_val_score(model, words, trees, cv=2))
    found = cross_val_predict(model, words, trees, cv=2)
    half = len(trees) // 2
    assert found[:half].tolist() == clone(model).fit(trees[half:]).predict(words[:half])
    search = GridSearchCV(model, {"learner": ["dcd", "perceptron"]}, cv=2).fit(words, trees)
    assert search.best_score_ > 0.4


def test_probabilities_of_trees_are_those_of_the_command_line(trees, dev, command, tmp_path):
    parser = hinge.ConstituencyParser("crf", epochs=2).fit(trees)
    sentences = dev[:5]
    parser.save(tmp_path / "a.model")
    (tmp_path / "text").write_text("".join(" ".join(words_of(tree)) + "\n" for tree in sentences))
    theirs = [json.loads(line)["nbest"] for line in
              command("predict", tmp_path / "a.model", tmp_path / "text", "--nbest", 3, "--json").splitlines()]
    found = parser.predict_nbest([words_of(tree) for tree in sentences], 3, output="brackets", probabilities=True)
    assert len(found) == len(theirs) == 5
    for ours, lines in zip(found, theirs):
        assert [tree for tree, _ in ours] == [line["tree"] for line in lines]
        assert [p for _, p in ours] == pytest.approx([line["probability"] for line in lines], rel=1e-6)
        assert 0 < sum(p for _, p in ours) <= 1 + 1e-6
    with pytest.raises(hinge.OptionError, match="probabilities of trees need a model of likelihoods, but this one is by mira"):
        hinge.ConstituencyParser("mira", epochs=1).fit(trees).predict_nbest(["a b"], probabilities=True)


def test_sentences_without_a_tree_have_one_in_every_chunk():
    parser = hinge.ConstituencyParser(**SMALL).fit([DOG, DOG])
    known, unknown = ["The", "dog", "barks"], ["dog"] * 4
    found = parser.predict_nbest([known, unknown] * 600 + [unknown, known] * 600, 2)
    assert found == (found[:2] * 600) + (found[1::-1] * 600)
