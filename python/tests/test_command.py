"""pip installs the program too, and the wheel says what it is."""

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import hinge_command


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True)


def test_pip_installs_the_command():
    installed = run(Path(sys.prefix, "bin", "hinge"), "--version")
    assert installed.returncode == 0
    assert installed.stdout == f"hinge {importlib.metadata.version('hinge')}\n"


def test_python_m_hinge_is_the_same_command():
    refused = run(sys.executable, "-m", "hinge", "trian")
    assert refused.returncode == 1
    assert "did you mean 'train'" in refused.stderr


def test_the_command_does_not_import_numpy():
    code = "import sys, hinge_command; assert 'numpy' not in sys.modules and 'hinge' not in sys.modules"
    assert run(sys.executable, "-c", code).returncode == 0


def test_the_program_is_in_the_wheel_and_may_be_run():
    assert os.access(hinge_command.PROGRAM, os.X_OK)
    files = {str(file) for file in importlib.metadata.files("hinge")}
    assert "hinge_command/hinge" in files


def test_the_wheel_names_its_licence_and_needs_only_numpy():
    metadata = importlib.metadata.metadata("hinge")
    assert metadata["License-Expression"] == "MIT"
    assert any(str(file).endswith("licenses/LICENSE") for file in importlib.metadata.files("hinge"))
    needed = [need for need in importlib.metadata.requires("hinge") if "extra ==" not in need]
    assert needed == ["numpy"]
