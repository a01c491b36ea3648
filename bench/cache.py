"""Data larger than memory: the table `cache` of bench/README.md. Called by bench/run, which writes every row as it comes.

Sampled corpora of some gigabytes of text, trained with --cache under a hard limit of memory, and, where both fit, in memory.
"""

import contextlib
import json
import os
import shutil
import tempfile
from pathlib import Path

import measure

LIMIT = 2_000_000_000  # bytes
GROUPS = Path("/sys/fs/cgroup")
FEW = 20_000  # sentences, to learn how long they are
DISK = {"tag": 15, "classify": 4}  # bytes that text, cache and what compiling needs for a moment take, per byte of text
TASKS = {"tag": ("--features", "chunk", "-p", "hash_bits=18"), "classify": ("-p", "hash_bits=20")}
WITHOUT = ("--learner", "perceptron", "--objective", "never", "--threads", "1", "-q")


@contextlib.contextmanager
def limited():
    """What to put before a command so that it has LIMIT bytes of memory; None if this machine does not allow it."""
    first, limit = ("memory/hinge-bench", "memory.limit_in_bytes") if (GROUPS / "memory").is_dir() else ("hinge-bench", "memory.max")
    group = GROUPS / first
    try:
        group.mkdir(exist_ok=True)
        (group / limit).write_text(str(LIMIT), encoding="utf-8")
    except OSError:
        yield None
        return
    try:
        yield ("sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "limited")
    finally:
        group.rmdir()


def sample(hinge, task, gigabytes, path):
    """A corpus of about this size."""
    measure.run(hinge, "sample", task, "--sentences", FEW, "--seed", "1", "-o", path)
    sentences = int(gigabytes * 1e9 / os.path.getsize(path) * FEW)
    measure.run(hinge, "sample", task, "--sentences", sentences, "--seed", "1", "-o", path)
    return sentences


def trained(hinge, task, epochs, text, folder, *flags, before=()):
    """What a run costs: the step, the seconds of an epoch, and those before the first and after the last one."""
    log = f"{folder}/log"
    step = measure.run(*before, hinge, "train", task, text, *TASKS[task], *WITHOUT, "--epochs", epochs, "-o", f"{folder}/model", "--log", log, *flags)
    history = [json.loads(line) for line in Path(log).read_text(encoding="utf-8").splitlines()]
    return step, sum(epoch["epoch_seconds"] for epoch in history) / len(history), step.seconds - history[-1]["elapsed_seconds"]


def table(hinge, gigabytes, say):
    for task in TASKS:
        for size in gigabytes:
            with tempfile.TemporaryDirectory() as folder, limited() as before:
                if DISK[task] * size * 1e9 > shutil.disk_usage(folder).free:
                    say(f"cache: {task}, {size} GB is left out: the disk is too small")
                    continue
                text, cache = f"{folder}/text", f"{folder}/cache"
                say(f"cache: {task}, {size} GB")
                sentences = sample(hinge, task, size, text)
                flags, wrapped = ("--cache", cache), before or ()
                first, _, compiled = trained(hinge, task, 1, text, folder, *flags, before=wrapped)
                os.sync()  # else the system writes the new cache while the next run reads it
                second, epoch, start = trained(hinge, task, 2, text, folder, *flags, before=wrapped)
                row = {"task": task, "text_gb": os.path.getsize(text) / 1e9, "sentences": sentences, "cache_gb": os.path.getsize(cache) / 1e9,
                       "limit": "2 GB" if before else "none", "compile_seconds": compiled, "compile_mb": first.peak_mb, "epoch": epoch,
                       "peak_mb": second.peak_mb, "start": start}
                memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
                if os.path.getsize(cache) < memory / 3:
                    trained(hinge, task, 1, text, folder, *flags)  # the system keeps the cache in memory
                    _, kept, _ = trained(hinge, task, 2, text, folder, *flags)
                    os.remove(cache)
                    step, inside, _ = trained(hinge, task, 2, text, folder)
                    row |= {"kept_epoch": kept, "memory_epoch": inside, "memory_mb": step.peak_mb, "ratio": epoch / inside, "kept_ratio": kept / inside}
                yield row
