"""Type hints, and the files generated from the library's tables."""

import subprocess
import sys
from pathlib import Path

import pytest

import hinge
from conftest import ROOT
from hinge import _generate

pytest.importorskip("mypy")

USER = """
from typing import Any

import hinge

tagger = hinge.SequenceTagger("dcd", C=0.1, epochs=3, constraints="none")
labels: list[list[str]] = tagger.fit([["a"]], [["A"]]).predict([["a"]])
score: float = tagger.score([["a"]], [["A"]])
data: bytes = tagger.to_bytes()
again: hinge.SequenceTagger = hinge.SequenceTagger.from_bytes(data)
margin: float = tagger.explain(["a"])[0].margin
head: int = hinge.DependencyParser().explain(["a"])[0].head
choice: list[int] = hinge.Reranker().predict([])
parts: list[tuple[str, float]] = hinge.Reranker().explain([]).parts
trees: list[tuple[Any, ...]] = hinge.ConstituencyParser(vertical=2).predict(["a b"])
brackets: list[str] = hinge.ConstituencyParser().predict([["a"]], output="brackets")
best: tuple[str, float] = hinge.ConstituencyParser().predict_nbest([["a"]], 2, output="brackets")[0][0]
label, begin, end, p = hinge.ConstituencyParser().predict_marginals([hinge.from_brackets("(A a)")])[0][0]
reason: str = hinge.TextClassifier(chars="3-5").explain("a").rival
summaries: list[str] = hinge.Summarizer(words=50).predict([["a b."]])
place: int = hinge.Summarizer().predict_origins([["a b."]])[0].sentences[0].position
loss: float = hinge.Summarizer().explain(["a b."])[0].loss
C: float | None = tagger.C
bits: int = tagger.hash_bits
c2: float | None = hinge.CRF().c2
attributes: list[str] | None = hinge.CRF().attributes_
summary: str = hinge.learners()["mira"]["summary"]
option: str = hinge.tasks()["tag"]["options"][0]["name"]


class Mine:
    def features(self, x: str, y: str) -> dict[str, float]:
        return {x + y: 1.0}

    def loss(self, gold: str, y: str) -> float:
        return float(gold != y)

    def decode(self, x: str, score: hinge.custom.Score, augment: hinge.custom.Augment | None) -> str:
        return max("AB", key=lambda y: score(self.features(x, y)) + (augment(y) if augment else 0.0))


hinge.StructuredPredictor(Mine(), learner="mira").fit(["a"], ["A"])
"""

WRONG = """
import hinge

hinge.SequenceTagger(C="large")
hinge.SequenceTagger(colour=1)
names: list[int] = hinge.SequenceTagger().predict([])
C: str = hinge.SequenceTagger().C
hinge.learners()["mira"]["colour"]
"""


def mypy(*arguments, cwd):
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", *arguments], capture_output=True, text=True, cwd=cwd)


def test_the_package_itself_is_checked():
    result = mypy("-p", "hinge", cwd=ROOT)
    assert result.returncode == 0, result.stdout


def test_a_program_of_a_user_is_checked(tmp_path):
    (tmp_path / "user.py").write_text(USER)
    result = mypy("user.py", cwd=tmp_path)
    assert result.returncode == 0, result.stdout


def test_mistakes_of_a_user_are_found(tmp_path):
    (tmp_path / "wrong.py").write_text(WRONG)
    result = mypy("wrong.py", cwd=tmp_path)
    assert "Found 5 errors" in result.stdout, result.stdout


def test_the_stub_is_that_of_the_extension(tmp_path):
    stub = Path(hinge.__file__).with_name("_hinge.pyi")
    pytest.importorskip("nanobind")
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "hinge._hinge", "-o", tmp_path / "_hinge.pyi"],
                   check=True)
    assert stub.read_text() == (tmp_path / "_hinge.pyi").read_text(), "run scripts/python-generate"


@pytest.mark.parametrize("name", list(_generate.sources()))
def test_parameters_are_those_of_the_tables(name):
    written = Path(hinge.__file__).parent / "_parameters" / name
    assert written.read_text() == _generate.sources()[name], "run scripts/python-generate"
