"""Annotates many files on the workers of a Dask cluster: a text file, one sentence of words between
blanks per line, becomes a CoNLL-U file of the same name.

    python examples/dask_annotate.py upos.model dep.model 'texts/*.txt' annotated --workers 2

The first model finds UPOS of words, the second the trees; train them as docs/python.md
says. --scheduler tcp://HOST:8786 uses a cluster that runs already, instead of processes
of this machine; its workers need hinge and the folders of texts. A file is written under
another name and renamed, so one that exists is complete, and is left out the next time.
"""

import argparse
import glob
import os
from pathlib import Path

import dask
import dask.bag
from dask.distributed import Client, LocalCluster

import hinge


def conllu(words, tags, tree):
    rows = [[str(k), word, "_", tag, "_", "_", str(head), relation, "_", "_"]
            for k, (word, tag, (head, relation)) in enumerate(zip(words, tags, tree), start=1)]
    return "".join("\t".join(row) + "\n" for row in rows) + "\n"


def read(path):
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: is not UTF-8 (byte {error.start + 1}); convert it, for example with iconv") from None


def annotate(path, folder, tagger, parser):
    """Writes the trees of one file; returns its number of sentences, or None if they exist."""
    done = Path(folder, Path(path).stem + ".conllu")
    if done.exists():
        return None
    sentences = [line.split() for line in read(path).splitlines() if line.strip()]
    tags = tagger.predict(sentences)
    trees = parser.predict([list(zip(words, own)) for words, own in zip(sentences, tags)])
    unfinished = done.with_suffix(f".{os.getpid()}.tmp")
    unfinished.write_text("".join(map(conllu, sentences, tags, trees)), encoding="utf-8")
    unfinished.replace(done)
    return len(sentences)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("tagger")
    arguments.add_argument("parser")
    arguments.add_argument("texts", help="a pattern of files, in quotes")
    arguments.add_argument("folder")
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--scheduler", help="the address of a running cluster")
    given = arguments.parse_args()
    paths = sorted(glob.glob(given.texts))
    if not paths:
        arguments.error(f"{given.texts}: there is no such file")
    names = {}
    for path in paths:
        other = names.setdefault(Path(path).stem, path)
        if other != path:
            arguments.error(f"{other} and {path} would both become {Path(path).stem}.conllu; annotate them into different folders")
    Path(given.folder).mkdir(parents=True, exist_ok=True)
    models = [hinge.SequenceTagger.load(given.tagger), hinge.DependencyParser.load(given.parser)]
    for model in models:
        model.threads = 1  # the workers are the threads
    local = None if given.scheduler else LocalCluster(n_workers=given.workers, threads_per_worker=1, dashboard_address=None)
    with Client(given.scheduler or local) as client:
        # The models travel once to every worker, not with every file.
        tagger, parser = client.scatter(models, broadcast=True, hash=False)
        counts = dask.compute(*[dask.delayed(annotate)(path, os.path.abspath(given.folder), tagger, parser)
                                for path in map(os.path.abspath, paths)])
    if local is not None:
        local.close()
    print(f"{len(counts)} files, {counts.count(None)} of them annotated before, {sum(filter(None, counts))} sentences")


if __name__ == "__main__":
    main()
