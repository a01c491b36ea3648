"""Sampled corpora, and the command line to compare with."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import hinge
from browser import Browser

ROOT = Path(__file__).resolve().parents[2]


class Command:
    """Runs the hinge program."""

    def __init__(self, binary):
        self.binary = binary

    def __call__(self, *arguments):
        return subprocess.run([self.binary, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="session")
def command():
    binary = Path(os.environ.get("HINGE_BINARY", ROOT / "build/release/hinge"))
    if not binary.exists():
        pytest.skip("needs the command line: set HINGE_BINARY")
    return Command(binary)


@pytest.fixture(scope="session")
def tag_files(command, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tag")
    command("sample", "tag", "--sentences", 200, "--seed", 1, "-o", folder / "train.txt")
    command("sample", "tag", "--sentences", 50, "--seed", 2, "-o", folder / "dev.txt")
    return folder / "train.txt", folder / "dev.txt"


def split(path):
    """A file in columns as X and y."""
    rows = hinge.read_columns(path)
    return [[row[:-1] for row in sentence] for sentence in rows], [[row[-1] for row in sentence] for sentence in rows]


@pytest.fixture(scope="session")
def chunks(tag_files):
    """X, y, X_dev, y_dev of tuples (word, pos)."""
    return (*split(tag_files[0]), *split(tag_files[1]))


@pytest.fixture(scope="session")
def tagger(chunks):
    return hinge.SequenceTagger("dcd", epochs=3).fit(*chunks)


@pytest.fixture(scope="session")
def trees(command, tmp_path_factory):
    folder = tmp_path_factory.mktemp("dep")
    for name, seed in (("train", 1), ("dev", 2)):
        command("sample", "dep", "--sentences", 80, "--seed", seed, "-o", folder / f"{name}.conllu")
    return folder / "train.conllu", folder / "dev.conllu"


@pytest.fixture
def browser(tmp_path):
    return Browser(tmp_path)


@pytest.fixture
def python():
    """Runs code in a fresh Python process."""

    def run(code, **environment):
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env={**os.environ, **environment})

    return run
