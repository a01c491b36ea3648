"""Pages as Chromium draws them, for the tests."""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

# What a look at the page would find: texts of a drawing that cover each other or leave it.
LOOK = """
<script>
const box = element => element.getBoundingClientRect();
const cover = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
const found = {texts: 0, covered: [], outside: []};
for (const drawing of document.querySelectorAll("svg")) {
  const texts = [...drawing.querySelectorAll("text")], frame = box(drawing);
  found.texts += texts.length;
  texts.forEach((text, k) => {
    const at = box(text);
    if (at.left < frame.left - 1 || at.right > frame.right + 1 || at.top < frame.top - 1 || at.bottom > frame.bottom + 1) found.outside.push(text.textContent);
    for (const other of texts.slice(k + 1)) if (cover(at, box(other))) found.covered.push(text.textContent + " / " + other.textContent);
  });
}
const page = document.documentElement;
for (const element of document.querySelectorAll("body *"))
  if (!element.closest("div.tree") && box(element).right > page.clientWidth + 1) found.outside.push(element.textContent);
if (page.scrollWidth > page.clientWidth) found.outside.push("the page is " + page.scrollWidth + " wide, not " + page.clientWidth);
document.body.textContent = "found " + JSON.stringify(found) + " end";
</script>
"""


class Browser:
    """Draws pages; skips the test if there is no browser."""

    def __init__(self, folder):
        self.program = shutil.which("chromium")
        if self.program is None:
            pytest.skip("chromium is not installed, so nobody has looked at this page")
        self.folder = folder
        self.artefacts = pathlib.Path(os.environ.get("HINGE_ARTEFACTS", folder))
        self.artefacts.mkdir(parents=True, exist_ok=True)

    def run(self, page, *flags):
        return subprocess.run([self.program, "--headless", "--no-sandbox", "--disable-gpu", *flags, str(page)], check=True, capture_output=True,
                              text=True, timeout=120).stdout

    def draw(self, page, name, size=(1100, 1400)):
        """The picture of a page; HINGE_ARTEFACTS=FOLDER keeps it."""
        picture = self.artefacts / f"{name}.png"
        self.run(page, f"--screenshot={picture}", f"--window-size={size[0]},{size[1]}")
        return picture

    def look(self, page):
        """How many texts the drawings of a page have, which of them cover each other, and what does not fit."""
        copy = self.folder / f"looked-at-{page.name}"
        copy.write_text(page.read_text().replace("</body>", LOOK + "</body>"))
        said = self.run(copy, "--dump-dom", "--window-size=1100,1400")
        return json.loads(html.unescape(re.search("found (.*) end", said, re.S).group(1)))
