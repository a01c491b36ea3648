"""Code written for sklearn-crfsuite and python-crfsuite runs: their own tests pass."""

import re

import pytest

import peer_suites
from conftest import ROOT


@pytest.mark.parametrize("name", list(peer_suites.SUITES))
def test_passes_the_suite_of(name):
    try:
        done = peer_suites.run(peer_suites.SUITES[name], ROOT / "build/peers")
    except peer_suites.Unreachable as error:
        pytest.skip(f"no network: {error}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= {"sklearn-crfsuite": 40, "python-crfsuite": 30}[name]
