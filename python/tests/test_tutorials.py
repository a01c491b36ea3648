"""The notebook of the tutorial prints what is stored in it."""

import json
import subprocess
import sys

from conftest import ROOT


def test_the_notebook():
    path = ROOT / "docs/tutorial.ipynb"
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 6
    done = subprocess.run([sys.executable, ROOT / "scripts/notebook", "--check", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
