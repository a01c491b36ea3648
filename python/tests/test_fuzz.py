"""A few seconds of python/tests/fuzz.py, which is meant to run longer."""

import subprocess
import sys
from pathlib import Path


def test_random_objects_are_refused_without_a_crash():
    result = subprocess.run([sys.executable, "-X", "faulthandler", Path(__file__).with_name("fuzz.py"), "3"],
                            capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "no crash" in result.stdout
