"""Runs the test suites of sklearn-crfsuite and python-crfsuite with Hinge in their place.

    python python/tests/peer_suites.py [FOLDER]

The suites come from their source packages on PyPI, unmodified; FOLDER keeps the packages.
Only what `import` finds under their names is ours.
"""

import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from pip._internal.models.index import PyPI

INDEX = os.environ.get("PIP_INDEX_URL", PyPI.simple_url)
SECONDS = 20  # to wait for the network


@dataclass
class Suite:
    project: str
    archive: str
    sha256: str
    modules: dict  # file to import instead of theirs -> its text
    left_out: dict  # file of tests -> why


SUITES = {
    "sklearn-crfsuite": Suite(
        "sklearn-crfsuite", "sklearn_crfsuite-0.5.0.tar.gz", "136cb941ff5f7ce62a2c378988d1123ac1037241e73999ae404509a2135078e9",
        {"sklearn_crfsuite/__init__.py": "from hinge import CRF, metrics, scorers\n"}, {}),
    "python-crfsuite": Suite(
        "python-crfsuite", "python_crfsuite-0.9.12.tar.gz",
        "db37fccc3bd8f0c49c28a7697ca79c89d67b3fd5bf119122866169240ac4c480",
        {"pycrfsuite/__init__.py": "from hinge.crfsuite import *\n"},
        {"test_logparser.py": "reads the log of CRFsuite's own C code with the private module pycrfsuite._logparser"}),
}


class Unreachable(Exception):
    """The package cannot be downloaded."""


def download(suite: Suite, folder: Path) -> Path:
    """The source package, checked, from the folder if it is there."""
    path = folder / suite.archive
    if not path.exists():
        page = f"{INDEX.rstrip('/')}/{suite.project}/"
        try:
            with urllib.request.urlopen(page, timeout=SECONDS) as answer:
                links = re.findall(r'href="([^"]+)"', answer.read().decode())
            link = next(link for link in links if suite.archive in link)
            with urllib.request.urlopen(urllib.parse.urljoin(page, link), timeout=SECONDS) as answer:
                data = answer.read()
        except (OSError, StopIteration) as error:
            raise Unreachable(f"{suite.archive} cannot be downloaded from {urllib.parse.urlsplit(page).hostname}: {error}") from None
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    if hashlib.sha256(path.read_bytes()).hexdigest() != suite.sha256:
        path.unlink()
        raise ValueError(f"{suite.archive}: the checksum is wrong; it was deleted, try again")
    return path


def run(suite: Suite, archives: Path) -> subprocess.CompletedProcess:
    """Runs pytest on the tests of the package."""
    archive = download(suite, archives)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archive) as package:
            for member in package.getmembers():
                place = re.fullmatch(r"[^/]+/(tests/[\w.]+\.py)", member.name)
                if place and member.isfile():
                    target = Path(folder, place[1])
                    target.parent.mkdir(exist_ok=True)
                    target.write_bytes(package.extractfile(member).read())
        for name, text in suite.modules.items():
            Path(folder, "ours", name).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, "ours", name).write_text(text)
        ignored = [f"--ignore={Path(folder, 'tests', name)}" for name in suite.left_out]
        return subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", folder, *ignored, "tests"],
                              cwd=folder, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(Path(folder, "ours")), os.environ.get("PYTHONPATH")]))})


def main() -> int:
    archives = Path(sys.argv[1] if len(sys.argv) > 1 else "build/peers")
    failed = 0
    for name, suite in SUITES.items():
        try:
            done = run(suite, archives)
        except Unreachable as error:
            print(f"{name}: SKIPPED, {error}")
            continue
        failed |= done.returncode
        print(f"{name}: {done.stdout.splitlines()[-1]}")
        print("".join(f"  left out: {file}, which {why}\n" for file, why in suite.left_out.items()), end="")
        if done.returncode:
            print(done.stdout)
    return failed


if __name__ == "__main__":
    sys.exit(main())
