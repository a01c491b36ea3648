"""The tutorial runs block by block and prints the output it shows."""

import contextlib
import io
import re

from conftest import ROOT

BLOCK = re.compile(r"```python\n(.*?)```(?:\n+```text\n(.*?)```)?", re.DOTALL)


def test_the_tutorial(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall((ROOT / "docs/python.md").read_text())
    assert len(blocks) > 8
    names = {}
    for code, expected in blocks:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, "docs/python.md", "exec"), names)
        if expected:
            assert out.getvalue() == expected, code
