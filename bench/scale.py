#!/usr/bin/env python3
"""Training on several processes: the tables `scale-*` of docs/scale.md. Called by bench/run, or by itself in pieces:

  bench/scale.py bytes --sentences 200       one piece on a sampled corpus, as JSON lines
  bench/scale.py                             lists the pieces

Needs build/release/hinge-mpi (make mpi). Processes run on this machine, more than it has cores if need be.
"""

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENV = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
LEARNERS = ("perceptron", "mira", "crf", "one-slack", "cpd", "cutting-plane", "egd", "dcd", "ocp", "bcfw", "ops", "sgd", "softmax-margin")
NAMESPACES = ("hinge-bench-a", "hinge-bench-b")
# What is measured on both: decoding is cheap in chunking, nearly everything in parsing.
CORPORA = {"tag": {"train": "tag/conll2000/train.txt", "test": "tag/conll2000/test.txt"},
           "dep": {"train": "dep/en_ewt-train.conllu", "test": "dep/en_ewt-test.conllu"}}


def mpirun(ranks, *more):
    return ["mpirun", "--quiet", "--oversubscribe", "-n", str(ranks), *more]


def job(folder, learner, epochs, output, *flags, objective="never", task="tag"):
    return [str(ROOT / "build/release/hinge-mpi"), "train", task, f"{folder}/{task}-train", "--learner", learner, "--epochs", str(epochs), "--threads", "1",
            "--objective", objective, "-o", f"{folder}/{output}", *flags]


def run(command):
    """Seconds, and what the program said."""
    start = time.perf_counter()
    done = subprocess.run(command, env=ENV, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
    return time.perf_counter() - start, done.stderr


def log_of(folder, ranks, *flags, **where):
    """What each epoch of a run logged."""
    log = f"{folder}/log"
    run(mpirun(ranks, *job(folder, *flags, "--log", log, "-q", **where)))
    return [json.loads(line) for line in Path(log).read_text(encoding="utf-8").splitlines()]


def seconds_of(log):
    """Of an epoch."""
    lines = [json.loads(line) for line in Path(log).read_text(encoding="utf-8").splitlines()]
    return lines[-1]["training_seconds"] / len(lines)


def ceiling(folder, task, epochs, *flags):
    """How much faster two runs, each on half of the data, are than one on all of it: what this machine allows, as they share nothing but it."""
    parts = Path(f"{folder}/{task}-train").read_text(encoding="utf-8").strip().split("\n\n")
    half = len(parts) // 2
    runs = {"whole": parts, "first": parts[:half], "second": parts[half:]}
    for name, sentences in runs.items():
        Path(f"{folder}/{name}").write_text("\n\n".join(sentences) + "\n\n", encoding="utf-8")

    def start(name):
        return subprocess.Popen([str(ROOT / "build/release/hinge"), "train", task, f"{folder}/{name}", "--learner", "perceptron", "--epochs", str(epochs), "--threads", "1",
                                 "--objective", "never", "-q", "-o", f"{folder}/{name}-model", "--log", f"{folder}/{name}-log", *flags])

    start("whole").wait()
    for process in [start("first"), start("second")]:
        process.wait()
    whole, first, second = (seconds_of(f"{folder}/{name}-log") for name in runs)
    return whole / max(first, second)


def scale_speed(folder, options):
    """Two processes on two cores against one: seconds of an epoch."""
    for task in CORPORA:
        flags = ["-p", "order=1"] if task == "dep" else []
        most = ceiling(folder, task, options.epochs, *flags)
        for learner in ("crf", "perceptron", "mira", "dcd"):
            one, two = (log_of(folder, ranks, learner, options.epochs, "model", *flags, task=task) for ranks in (1, 2))
            one, two = (lines[-1]["training_seconds"] / len(lines) for lines in (one, two))
            yield {"task": task, "learner": learner, "one": one, "two": two, "times": one / two, "ceiling": most}


def scale_target(folder, options):
    """Training until the gap is 1 %: one process without shards, two processes with two shards and with eight."""
    for task, learner in ((task, learner) for task in CORPORA for learner in ("dcd", "ocp")):
        one = None
        for ranks, shards in ((1, 1), (2, 2), (2, 8)):
            lines = log_of(folder, ranks, learner, 10 * options.epochs, "model", "--shards", str(shards), "--stop-gap", "0.01", objective="epoch", task=task)
            seconds, reached = lines[-1]["training_seconds"], 1 - lines[-1]["dual"] / lines[-1]["primal"] <= 0.01
            one = one or seconds
            yield {"task": task, "learner": learner, "processes": ranks, "shards": shards, "epochs": len(lines), "reached": reached, "seconds": seconds, "times": one / seconds}


def scale_bytes(folder, options):
    """The same bytes at any number of processes, and what the first of them sends per epoch."""
    for learner in LEARNERS:
        models = set()
        for ranks in (1, 2, 4, 8):
            _, said = run(mpirun(ranks, *job(folder, learner, options.epochs, "model")))
            models.add(Path(f"{folder}/model").read_bytes())
            sent = re.search(r"sent ([\d.]+) MB in (\d+) epochs", said)
            yield {"learner": learner, "processes": ranks, "mb_per_epoch": float(sent[1]) / int(sent[2]) if sent else 0.0, "same": len(models) == 1}


def scale_quality(folder, options):
    """The score of each learner with eight shards and with one, after as many epochs."""
    for learner in LEARNERS:
        row = {"learner": learner}
        for shards in (1, 8):
            run([str(ROOT / "build/release/hinge"), *job(folder, learner, options.epochs, "model", "--shards", str(shards), "-q")[1:]])
            scores = subprocess.run([ROOT / "build/release/hinge", "evaluate", f"{folder}/model", f"{folder}/tag-test", "--json"], capture_output=True, text=True, check=True)
            row[f"f1_{shards}"] = json.loads(scores.stdout)["f1"]
        yield row


def children_of(process):
    listing = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False)
    return [int(pid) for pid in listing.stdout.split()]


def scale_kills(folder, options):
    """kill -9 of a random process at a random moment: does the run end, and does it resume to the same bytes?"""
    chance, epochs = random.Random(1), 20 * options.epochs  # so that training takes longer than the start
    seconds, _ = run(mpirun(4, *job(folder, "perceptron", epochs, "straight", "-q")))
    straight = Path(f"{folder}/straight").read_bytes()
    for moment in range(options.kills):
        check = Path(f"{folder}/checkpoint")
        check.unlink(missing_ok=True)
        command = mpirun(4, *job(folder, "perceptron", epochs, "killed", "-q", "--checkpoint", str(check)))
        with subprocess.Popen(command, env=ENV, stderr=subprocess.PIPE, text=True) as process:
            time.sleep(seconds * chance.uniform(0.2, 0.9))
            ranks = children_of(process)
            if ranks:
                os.kill(chance.choice(ranks), signal.SIGKILL)
            killed = time.perf_counter()
            process.communicate()
            ended = time.perf_counter() - killed
        resumed = None  # ended before its first checkpoint, or before it was killed
        if check.exists():
            run(mpirun(chance.choice((1, 2, 3)), str(ROOT / "build/release/hinge-mpi"), "train", "--resume", str(check), "--threads", "1", "-q", "-o", f"{folder}/resumed"))
            resumed = Path(f"{folder}/resumed").read_bytes() == straight
        yield {"moment": moment + 1, "code": process.returncode, "ended_after": ended, "resumed_to_the_same_bytes": resumed}


def ip(*arguments):
    return subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)


def shape(name, device):
    """Limits what a device of a namespace sends, and says how; None if the kernel cannot."""
    for link, discipline in (("1 Gbit/s, 1 ms", "netem rate 1gbit delay 0.5ms"), ("1 Gbit/s, no delay", "tbf rate 1gbit burst 1mbit latency 50ms")):
        if ip("netns", "exec", name, "tc", "qdisc", "add", "dev", device, "root", *discipline.split()).returncode == 0:
            return link
    return None


def scale_link(folder, options):
    """Seconds per epoch between two network namespaces joined by a link of 1 Gbit/s, and 1 ms where the kernel can delay."""
    made = []
    try:
        for name in NAMESPACES:
            done = ip("netns", "add", name)
            if done.returncode != 0:
                yield {"link": "not measured: " + (done.stderr.strip() or "no network namespaces here")}
                return
            made.append(name)
        ip("link", "add", "hinge-a", "netns", NAMESPACES[0], "type", "veth", "peer", "name", "hinge-b", "netns", NAMESPACES[1])
        for number, (name, device) in enumerate(zip(NAMESPACES, ("hinge-a", "hinge-b"), strict=True), 1):
            ip("-n", name, "addr", "add", f"10.213.7.{number}/24", "dev", device)
            ip("-n", name, "link", "set", device, "up")
            ip("-n", name, "link", "set", "lo", "up")
            link = shape(name, device)
            if link is None:
                yield {"link": "not measured: this kernel shapes no traffic"}
                return
        # mpirun starts a process in each namespace through an agent in place of ssh.
        agent = Path(f"{folder}/agent")
        agent.write_text(f'#!/bin/sh\nhost=$1\nshift\n[ "$host" = 10.213.7.2 ] && exec ip netns exec {NAMESPACES[1]} sh -c "$*"\nexec sh -c "$*"\n', encoding="utf-8")
        agent.chmod(0o755)
        log = f"{folder}/log"
        for learner in ("crf", "perceptron", "dcd"):
            run(["ip", "netns", "exec", NAMESPACES[0], *mpirun(2, "--host", "10.213.7.1,10.213.7.2", "--mca", "plm_rsh_agent", str(agent), "--mca", "btl", "tcp,self",
                 *job(folder, learner, options.epochs, "model", "--log", log, "-q"))])
            yield {"link": link, "learner": learner, "seconds": seconds_of(log)}
    finally:
        for name in made:
            ip("netns", "delete", name)


PIECES = {"speed": scale_speed, "target": scale_target, "bytes": scale_bytes, "quality": scale_quality, "kills": scale_kills, "link": scale_link}


def rows(piece, options, data=None):
    """CoNLL-2000 and English EWT if there is data, else sampled corpora."""
    with tempfile.TemporaryDirectory() as folder:
        for task, files in CORPORA.items():
            for seed, (name, file) in enumerate(files.items(), 1):
                if data is not None:
                    Path(f"{folder}/{task}-{name}").symlink_to(Path(data(file)).resolve())
                else:
                    run([str(ROOT / "build/release/hinge"), "sample", task, "--sentences", str(options.sentences), "--seed", str(seed), "-o", f"{folder}/{task}-{name}"])
        yield from PIECES[piece](folder, options)


def table(piece, data, say):
    """For bench/run."""
    say(f"scale-{piece}")
    yield from rows(piece, argparse.Namespace(epochs=10, kills=20, sentences=0), data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pieces", nargs="*", metavar="PIECE", help="some of: " + ", ".join(PIECES))
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--kills", type=int, default=20)
    options = parser.parse_args()
    if not options.pieces:
        for name, piece in PIECES.items():
            print(f"{name:<8} {piece.__doc__}")
    for piece in options.pieces:
        if piece not in PIECES:
            sys.exit(f"scale.py: there is no piece '{piece}'; there are: {', '.join(PIECES)}")
        for row in rows(piece, options):
            print(json.dumps({"piece": piece, **row}), flush=True)


if __name__ == "__main__":
    main()
