"""Summaries: the same models and sentences as the command line, from files and from memory."""

import copy
import json
import pickle

import pytest

import hinge

FACT = "The old harbor has a large white lighthouse."
DOCUMENTS = [f"{FACT} My aunt likes green tea.", f"We came by train. {FACT}"]
SETTINGS = {"words": 30, "epochs": 3}


class Tree(list):
    """As NLTK's."""

    def __init__(self, label, children):
        super().__init__(children)
        self._label = label

    def label(self):
        return self._label


def as_tree(tuples):
    return tuples if isinstance(tuples, str) else Tree(tuples[0], [as_tree(child) for child in tuples[1:]])


BRACKETS = "(S (NP (DT the) (NN {})) (VP (VBD was) (ADJP (JJ clean)) (PP (IN on) (NP (DT the) (JJ last) (NN day)))))"
TREE = as_tree(hinge.from_brackets(BRACKETS.format("room")))


@pytest.fixture(scope="module")
def files(command, tmp_path_factory):
    folder = tmp_path_factory.mktemp("summarize")
    for name, seed in (("train", 1), ("dev", 2)):
        command("sample", "summarize", "--sentences", 300, "--seed", seed, "-o", folder / f"{name}.jsonl")
    return folder / "train.jsonl", folder / "dev.jsonl"


@pytest.fixture(scope="module")
def summarizer(files):
    return hinge.Summarizer(**SETTINGS).fit(files[0])


@pytest.fixture(scope="module")
def counting():
    """Knows only in how many documents a bigram is, so its summaries are clear beforehand."""
    return hinge.Summarizer(features="documents", words=8).fit([DOCUMENTS] * 2, [FACT] * 2)


def topics(path):
    """A file as X and y."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row["docs"] for row in rows], [row["refs"] for row in rows]


def test_models_and_summaries_are_those_of_the_command_line(command, files, summarizer, tmp_path):
    command("train", "summarize", files[0], "--learner", summarizer.learner, "--epochs", 3, "-p", "words=30", "-q", "-o", tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == summarizer.to_bytes()
    rows = [json.loads(line) for line in command("predict", tmp_path / "m", files[1], "--scores").splitlines()]
    assert summarizer.predict(files[1]) == [row["summary"] for row in rows]
    for summary, row in zip(summarizer.predict_origins(files[1]), rows, strict=True):
        assert [(s.document + 1, s.position + 1, s.text) for s in summary.sentences] == [
            (s["document"], s["sentence"], s["text"]) for s in row["sentences"]]
        assert (summary.words, summary.exact) == (row["words"], row["exact"])
        assert summary.score == pytest.approx(row["score"])
        assert summary.bound == pytest.approx(row["bound"])
        assert summary.words <= 30


def test_topics_in_memory_are_like_those_of_a_file(files, summarizer):
    X, y = topics(files[0])
    X_dev, y_dev = topics(files[1])
    again = hinge.Summarizer(**SETTINGS).fit(X, y, X_dev, y_dev)
    assert again.to_bytes() == summarizer.to_bytes()
    assert again.predict(X_dev) == summarizer.predict(files[1])
    assert again.evaluate(X_dev, y_dev) == summarizer.evaluate(files[1])
    assert next(iter(again.evaluate(X_dev, y_dev))) == "rouge2"
    assert again.score(X_dev, y_dev) == pytest.approx(summarizer.evaluate(files[1])["rouge2"] / 100)


def test_a_folder_of_topics(counting, tmp_path):
    for kind, texts in (("docs", DOCUMENTS), ("refs", [FACT])):
        (tmp_path / "topic" / kind).mkdir(parents=True)
        for k, text in enumerate(texts):
            (tmp_path / "topic" / kind / f"{k}.txt").write_text(text)
    assert counting.predict(tmp_path) == [FACT]
    assert counting.score(str(tmp_path)) == 1


def test_threads_do_not_change_summaries(files, summarizer):
    X, y = topics(files[0])
    for threads in (1, 3):
        again = hinge.Summarizer(**SETTINGS, threads=threads).fit(X, y)
        assert again.to_bytes() == summarizer.to_bytes()
        assert again.predict(X) == summarizer.predict(X)


def test_what_several_documents_say_is_the_summary(counting):
    assert counting.predict([DOCUMENTS]) == [FACT]
    summary = counting.predict_origins([DOCUMENTS])[0]
    assert str(summary) == FACT
    assert summary.exact
    assert summary.sentences == [hinge.SummarySentence(document=0, position=0, text=FACT, cut=False)]
    assert counting.score([DOCUMENTS], [[FACT]]) == 1
    assert counting.score([DOCUMENTS], ["Nothing of it"]) == 0


def test_given_sentences_are_not_split(counting):
    sentence = "We sat down. It was late."
    assert counting.predict([[["", f" {sentence}\n"], [sentence]]]) == [sentence]
    assert counting.predict_origins([[["", sentence], [sentence]]])[0].sentences[0].position == 1
    assert counting.predict_origins([[sentence, sentence]])[0].sentences[0].text == "We sat down."


def test_sentences_may_be_trees_which_can_be_cut(command, tmp_path):
    brackets = [BRACKETS.format(noun) for noun in ("room", "garden")] * 4
    references = [f"the {noun} was clean" for noun in ("room", "garden")] * 4
    file = tmp_path / "trees.jsonl"
    file.write_text("".join(json.dumps({"documents": [{"trees": [tree]}] * 2, "refs": [reference]}) + "\n"
                            for tree, reference in zip(brackets, references, strict=True)))
    command("train", "summarize", file, "-p", "compress=true", "--learner", hinge.Summarizer().learner, "-q", "-o", tmp_path / "m")
    for kind in (hinge.from_brackets, lambda tree: as_tree(hinge.from_brackets(tree))):
        X = [[[kind(tree)]] * 2 for tree in brackets]
        summarizer = hinge.Summarizer(compress=True).fit(X, references)
        assert summarizer.to_bytes() == (tmp_path / "m").read_bytes()
        assert summarizer.predict(X) == summarizer.predict(file) == references
        assert summarizer.predict_origins(X)[0].sentences[0].cut
        assert summarizer.explain(X[0])[0].sentence.cut


def test_compression_needs_trees():
    with pytest.raises(hinge.InputError, match="has no trees, so compress=true has nothing to drop"):
        hinge.Summarizer(compress=True).fit([DOCUMENTS], [FACT])


def test_topics_without_words_have_empty_summaries(counting):
    assert counting.predict([]) == []
    assert counting.predict([[], [""], [[]], [["", "..."]]]) == [""] * 4
    assert counting.explain([""]) == []


def test_explanations_add_up(files, summarizer):
    for x in topics(files[1])[0]:
        why = summarizer.explain(x)
        assert [of.sentence for of in why] == summarizer.predict_origins([x])[0].sentences
        for of in why:
            assert of.loss == pytest.approx(of.own + sum(amount for _, amount, shared in of.parts if not shared), abs=1e-6)
            assert [abs(amount) for _, amount, _ in of.parts] == sorted((abs(amount) for _, amount, _ in of.parts), reverse=True)
            assert of.sentence.text in str(of)


def test_explanations_name_bigrams(counting):
    (why,) = counting.explain(DOCUMENTS)
    assert ("The old", "white lighthouse") == (why.parts[0][0], why.parts[-1][0])
    assert not any(shared for _, _, shared in why.parts)


def test_models_are_saved_pickled_and_continued(files, summarizer, tmp_path):
    summarizer.save(tmp_path / "m")
    loaded = hinge.Summarizer.load(tmp_path / "m")
    assert (loaded.words, loaded.epochs) == (30, 3)
    expected = summarizer.predict(files[1])
    for same in (loaded, pickle.loads(pickle.dumps(summarizer)), copy.deepcopy(summarizer)):
        assert same.predict(files[1]) == expected
    assert loaded.partial_fit(files[0]).to_bytes() != summarizer.to_bytes()


def test_in_cross_validation(files):
    selection = pytest.importorskip("sklearn.model_selection")
    X, y = topics(files[0])
    scores = selection.cross_val_score(hinge.Summarizer(**SETTINGS), X, y, cv=2)
    assert all(0 < score < 1 for score in scores)
    assert len(selection.cross_val_predict(hinge.Summarizer(**SETTINGS), X, y, cv=2)) == len(X)


@pytest.mark.parametrize("X, y, error, message", [
    (["a b"], ["a b"], TypeError, "topic 1 of X must be a list, not str"),
    ([["a b"], [3]], ["a b", "a b"], TypeError, "topic 2, document 1: must be a str or a list of sentences, not int"),
    ([[["a b", 3]]], ["a b"], TypeError, "topic 1, document 1: a sentence must be a str or a tree, not int"),
    ([[["a b", ("S", ("NN", "a"))]]], ["a b"], hinge.InputError, "topic 1, document 1: some of its sentences are trees"),
    ([[[("S", ("NN", "a"), "b")]]], ["a b"], hinge.InputError, "topic 1, document 1, sentence 1: 'S' has a word and more"),
    ([[TREE]], ["a b"], TypeError, "topic 1, document 1: is a tree; a document is a list of them"),
    ([["a b"]], [3], TypeError, "topic 1 of y must be a list, not int"),
    ([["a b"]], [[3]], TypeError, "topic 1 of y: a reference must be a str, not int"),
    ([["a b"]], [], hinge.InputError, "X has 1 topics, but y has references for 0"),
    ([["a b"]], [[]], hinge.InputError, "the training data: topic 1: has no references"),
    ([["a b"]], None, hinge.InputError, "the training data: topic 1: has no references"),
    ([["a\0b"]], ["a b"], hinge.InputError, "topic 1: is not UTF-8 or has a NUL byte"),
    ([[["a\0b"]]], ["a b"], hinge.InputError, "topic 1: is not UTF-8 or has a NUL byte"),
    ([], [], hinge.InputError, "X is empty"),
    ("topics.jsonl", ["a b"], hinge.InputError, "leave y out"),
])
def test_wrong_data_is_refused(X, y, error, message):
    with pytest.raises(error, match=message):
        hinge.Summarizer().fit(X, y)


def test_models_of_other_tasks_are_refused(counting, tagger):
    with pytest.raises(hinge.ModelError, match="is a model of the task summarize, not tag"):
        hinge.SequenceTagger.from_bytes(counting.to_bytes())
    with pytest.raises(hinge.ModelError, match="is a model of the task tag, not summarize"):
        hinge.Summarizer.from_bytes(tagger.to_bytes())
