"""Settings, options and progress that every estimator shares."""

from __future__ import annotations

import json
import operator
import re
import sys
from collections.abc import Callable
from typing import Any, TypedDict

import numpy as np

from hinge import _hinge
from hinge._base import guess

Epoch = dict[str, Any]  # a line of `hinge train --log`
Callback = Callable[[Epoch], Any]  # returning True ends training; the model is usable


class Option(TypedDict):
    name: str
    former_name: str  # in older models; "" for none
    type: str  # a Python type
    optional: bool  # a number that may be None
    default: str
    expected: str
    help: str


class LearnerRow(TypedDict):
    summary: str
    loss: str
    needs: str  # from a task
    options: list[Option]


class TaskRow(TypedDict):
    summary: str
    learner: str  # the default
    options: list[Option]


def learners() -> dict[str, LearnerRow]:
    """Name -> summary, loss and options of every learner."""
    return _hinge.learners()


def tasks() -> dict[str, TaskRow]:
    """Name -> summary and options of every task."""
    return _hinge.tasks()


LEARNERS = learners()
TASKS = tasks()
SETTINGS: list[Option] = _hinge.settings()  # of training, for all tasks and learners


def whole(value: Any, name: str) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise _hinge.OptionError(f"{name} is {value!r} but must be a whole number") from None
    if not -(2**63) <= number < 2**63:
        raise _hinge.OptionError(f"{name} is {value!r}, which is too large")
    return int(number)


def number(value: Any, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise _hinge.OptionError(f"{name} is {value!r} but must be a number") from None


def threads_of(estimator: Any) -> int:
    threads = 0 if estimator.threads is None else whole(estimator.threads, "threads")
    return max(-1, min(threads, 2**31 - 1))


def settings_of(estimator: Any) -> dict[str, str]:
    """As text for the table of settings."""
    values = {setting["name"]: getattr(estimator, setting["name"], None) for setting in SETTINGS}
    return {name: option_text(value) for name, value in values.items() if value is not None}


def option_text(value: Any) -> str:
    """A value as text for the option tables."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if hasattr(value, "__fspath__"):
        return str(value.__fspath__())
    if isinstance(value, (list, tuple)):
        return ",".join(option_text(item) for item in value)
    return str(value)


def find_learner(name: Any) -> LearnerRow:
    if not isinstance(name, str) or name not in LEARNERS:
        raise _hinge.OptionError(f"there is no learner {name!r}{guess(name, LEARNERS)}; there are: {', '.join(LEARNERS)}")
    return LEARNERS[name]


def learner_options(task: str) -> dict[str, tuple[str, str, list[str]]]:
    """Parameter -> name in the tables, type, learners that have it."""
    own = {option["name"] for option in TASKS[task]["options"]}
    result: dict[str, tuple[str, str, list[str]]] = {}
    for learner, row in LEARNERS.items():
        for option in row["options"]:
            parameter = f"learner_{option['name']}" if option["name"] in own else option["name"]
            _, kind, owners = result.get(parameter, ("", option["type"], []))
            kind = kind if kind == option["type"] else "float"
            result[parameter] = (option["name"], kind, [*owners, learner])
    return result


class Progress:
    """Shows what training says and every epoch, as a progress bar or lines, and passes epochs on to a callback."""

    def __init__(self, verbose: bool, callback: Callback | None) -> None:
        self.callback = callback
        self.verbose = self.train_scores = bool(verbose)
        self.stopped_after: int | None = None  # the epoch in which the callback ended training
        self.bar: Any = None

    def say(self, line: str) -> None:
        if self.verbose:
            print(line.replace("--features ", "features=").replace(", -p ", ", "), file=sys.stderr)

    def begins(self, epochs: int | None) -> None:
        if not self.verbose:
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        self.bar = tqdm(total=epochs, unit="epoch")

    def epoch(self, record: str, line: str, scores: str) -> bool:
        """A line of `hinge train --log`, one as on the terminal, and its part about the scores."""
        if self.stopped_after is not None:
            return True
        epoch: Epoch = json.loads(record)
        if self.bar is not None:
            self.bar.set_postfix_str(re.sub("  +", "  ", scores.strip()))
            self.bar.update()
        elif self.verbose:
            print(line, file=sys.stderr)
        if self.callback is not None and bool(self.callback(epoch)):
            self.stopped_after = epoch["epoch"]
        return self.stopped_after is not None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *exception: object) -> None:
        if self.bar is not None:
            self.bar.close()

    @property
    def wanted(self) -> bool:
        return self.verbose or self.callback is not None

    def history(self, lines: str) -> list[Epoch]:
        """All epochs except the aborted one that begins after the callback has ended training."""
        epochs: list[Epoch] = [json.loads(line) for line in lines.splitlines()]
        if self.stopped_after is None:
            return epochs
        kept = [epoch for epoch in epochs if epoch["epoch"] <= self.stopped_after]
        kept[-1]["stop"] = kept[-1].get("stop") or "callback"
        return kept
