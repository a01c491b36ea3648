"""Word alignment: the table `mt-align` of bench/README.md. Called by bench/run, which writes every row as it comes.

Multi30k has no alignments made by hand, so the reference is another program's: links that eflomal finds in both
directions are sure, links it finds in one are possible (Och and Ney 2003).
"""

import gzip
import tempfile
from pathlib import Path

import measure

TRAIN = "mt/multi30k/train.{}.gz"
PAIRS = (("de", "en"), ("fr", "en"), ("cs", "en"))
TOGETHER = ("-p", "agree=true", "-p", "align_alpha=0")  # both directions on links they agree on, by maximum likelihood
MODELS = (("ibm2", ()), ("ibm2", TOGETHER), ("hmm", ()), ("hmm", TOGETHER))
NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def read(path):
    """A set of (source, target) per line."""
    return [{tuple(map(int, link.split("-"))) for link in line.split()} for line in Path(path).read_text(encoding="utf-8").splitlines()]


def grow(forward, reverse):
    """grow-diag-final-and of one pair of sentences, visited as in hinge/mt/symmetrize.h."""
    kept, either, grown = forward & reverse, forward | reverse, True
    sources, targets = {s for s, _ in kept}, {t for _, t in kept}

    def keep(link):
        kept.add(link)
        sources.add(link[0])
        targets.add(link[1])

    while grown:
        grown = False
        for s, t in sorted(either):
            for ds, dt in NEIGHBOURS if (s, t) in kept else ():
                link = (s + ds, t + dt)
                if link in either and link not in kept and not (link[0] in sources and link[1] in targets):
                    keep(link)
                    grown = True
    for direction in (forward, reverse):
        for link in sorted(direction):
            if link[0] not in sources and link[1] not in targets:
                keep(link)
    return kept


def scores(sure, possible, links):
    """Alignment error, precision and recall, in percent."""
    made, wanted = sum(map(len, links)), sum(map(len, sure))
    hits = sum(len(a & s) for a, s in zip(links, sure))
    near = sum(len(a & p) for a, p in zip(links, possible))
    return {"links": made, "aer": 100 * (1 - (hits + near) / (made + wanted)), "precision": 100 * near / made, "recall": 100 * hits / wanted}


def agreement(a, b):
    """F1 of the links of two alignments, in percent."""
    return 200 * sum(len(x & y) for x, y in zip(a, b)) / (sum(map(len, a)) + sum(map(len, b)))


def plain(path, to):
    Path(to).write_bytes(gzip.decompress(Path(path).read_bytes()))
    return to


def systems(hinge, eflomal, text):
    """(name, command) of all aligners; OUT stands for the file of links, which eflomal has one of per direction."""
    yield "eflomal", (eflomal, "--overwrite", "-s", text[0], "-t", text[1], "-f", "OUT", "-r", "OUT.reverse")
    for model, flags in MODELS:
        yield (f"hinge {model}{', trained to agree' if flags else ''}",
               (hinge, "mt", "align", *text, "--threads", "1", "-q", "-p", f"aligner={model}", *flags, "-o", "OUT"))


def table(hinge, eflomal, data, say, pairs=PAIRS):
    """One row per pair of languages and system; `eflomal` is the program eflomal-align."""
    with tempfile.TemporaryDirectory() as folder:
        done = []  # scored at the end: while programs run, this process must be small (measure.py)
        for source, target in pairs:
            text = [plain(data(TRAIN.format(side)), f"{folder}/{side}") for side in (source, target)]
            for system, command in systems(hinge, eflomal, text):
                say(f"mt-align: {source}-{target} {system}")
                out = f"{folder}/{len(done)}"
                done.append((f"{source}-{target}", system, out, measure.run(*(str(part).replace("OUT", out) for part in command))))
        for pair, system, out, step in done:
            links = read(out)
            if system == "eflomal":
                reverse = read(f"{out}.reverse")
                sure, possible = [a & b for a, b in zip(links, reverse)], [a | b for a, b in zip(links, reverse)]
                links = theirs = [grow(a, b) for a, b in zip(links, reverse)]
            yield {"pair": pair, "system": system, "seconds": step.cpu_seconds, "peak_mb": step.peak_mb, "f1": agreement(links, theirs),
                   **scores(sure, possible, links)}
