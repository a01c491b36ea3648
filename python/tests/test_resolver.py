"""Coreference: the same models and clusters as the command line, from files and from memory."""

import pickle

import pytest

import hinge

STORY = """# newdoc id = story
# global.Entity = eid
1\tAnna\t_\tPROPN\tNNP\t_\t2\tnsubj\t_\tEntity=(e1)
2\tsaw\t_\tVERB\tVBD\t_\t0\troot\t_\t_
3\ta\t_\tDET\tDT\t_\t4\tdet\t_\tEntity=(e2
4\tcat\t_\tNOUN\tNN\t_\t2\tobj\t_\tEntity=e2)

1\tShe\t_\tPRON\tPRP\t_\t2\tnsubj\t_\tEntity=(e1)
2\tlikes\t_\tVERB\tVBZ\t_\t0\troot\t_\t_
3\tit\t_\tPRON\tPRP\t_\t2\tobj\t_\tEntity=(e2)

"""


@pytest.fixture(scope="module")
def files(command, tmp_path_factory):
    folder = tmp_path_factory.mktemp("coref")
    for name, seed in (("train", 1), ("dev", 2)):
        command("sample", "coref", "--sentences", 200, "--seed", seed, "-o", folder / f"{name}.conllu")
    return folder / "train.conllu", folder / "dev.conllu"


@pytest.fixture(scope="module")
def resolver(files):
    return hinge.CoreferenceResolver(epochs=3, hash_bits=16).fit(files[0])


def documents(path):
    return ["# newdoc" + part for part in path.read_text(encoding="utf-8").split("# newdoc")[1:]]


def test_models_and_output_are_those_of_the_command_line(command, files, resolver, tmp_path):
    command("train", "coref", files[0], "--learner", resolver.learner, "--epochs", 3, "-p", "hash_bits=16", "-q", "-o", tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == resolver.to_bytes()
    assert resolver.predict_text(files[1]) == command("predict", tmp_path / "m", files[1])
    assert resolver.to_html(files[1]) == command("predict", tmp_path / "m", files[1], "--html")


def test_documents_in_memory_are_like_those_of_a_file(files, resolver):
    again = hinge.CoreferenceResolver(epochs=3, hash_bits=16).fit(documents(files[0]), X_dev=documents(files[1]))
    assert again.to_bytes() == resolver.to_bytes()
    assert again.predict(documents(files[1])) == resolver.predict(files[1])
    assert again.evaluate(documents(files[1])) == resolver.evaluate(files[1])
    assert resolver.score(files[1]) == pytest.approx(resolver.evaluate(files[1])["conll"] / 100)


def test_clusters_are_spans_of_words():
    resolver = hinge.CoreferenceResolver(mentions="gold", min_count=1).fit([STORY] * 5)
    assert resolver.predict([STORY]) == [[[(0, 1), (4, 5)], [(2, 4), (6, 7)]]]
    assert resolver.evaluate([STORY])["conll"] == 100
    assert pickle.loads(pickle.dumps(resolver)).predict([STORY]) == resolver.predict([STORY])
    assert resolver.predict([]) == []


@pytest.mark.parametrize("hash_bits", [20, 0])
def test_explanations_add_up(hash_bits):
    resolver = hinge.CoreferenceResolver(mentions="gold", min_count=1, hash_bits=hash_bits).fit([STORY] * 5)
    why = resolver.explain(STORY, (4, 5))
    assert why.chosen == (0, 1)
    assert why.margin == pytest.approx(sum(amount for _, amount in why.parts))
    assert all(feature.startswith(("new ", "pair ", "typed ")) and "=" in feature for feature, _ in why.parts)
    assert "before" in str(why)
    other = resolver.explain(STORY, (4, 5), (2, 4))
    assert (other.chosen, other.rival) == ((2, 4), (0, 1))
    assert other.margin == pytest.approx(-resolver.explain(STORY, (4, 5), (0, 1)).margin) or other.margin < 0
    with pytest.raises(hinge.InputError, match="words 2 to 2 are no mention"):
        resolver.explain(STORY, (1, 2))


def test_wrong_data_is_refused(resolver):
    with pytest.raises(hinge.InputError, match="leave y out"):
        hinge.CoreferenceResolver().fit([STORY], [1])
    with pytest.raises(TypeError, match="document 1 must be a str"):
        hinge.CoreferenceResolver().fit([["a"]])
    with pytest.raises(hinge.InputError, match="has no mentions"):
        hinge.CoreferenceResolver().fit([STORY.replace("Entity=", "Other=")])
    with pytest.raises(hinge.ModelError, match="is a model of the task coref, not tag"):
        hinge.SequenceTagger.from_bytes(resolver.to_bytes())
