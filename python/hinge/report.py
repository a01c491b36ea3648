"""Learning curves and the table of `hinge compare`, for people.

Logs are compare.jsonl or curves.csv of `hinge compare`, the file of `hinge
train --log`, or the history_ of estimators.
"""

from __future__ import annotations

import csv
import html
import json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hinge._hinge import InputError

Epoch = dict[str, Any]
Log = list[Epoch]
COLORS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5", "#9c6b4e", "#9498a0")
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 460, 280, 60, 40, 26


def read_log(path: str | os.PathLike[str]) -> Log:
    """The epochs in a file, or in compare.jsonl of a folder."""
    path = Path(path)
    if path.is_dir():
        path = path / "compare.jsonl"
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":
        return [_from_csv(row) for row in csv.DictReader(text.splitlines())]
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: is no log of hinge: {error}") from None


def _from_csv(row: dict[str, str]) -> Epoch:
    names = {"seconds": "training_seconds", "dev": "dev_score"}
    numbers = {names.get(name, name): float(text) for name, text in row.items() if name not in ("learner", "loss") and text}
    return {"learner": row["learner"], **numbers, "epoch": int(row["epoch"])}


def as_log(source: Any) -> Log:
    """A path, epochs, or a dict of name -> fitted estimator or history."""
    if isinstance(source, (str, os.PathLike)):
        return read_log(source)
    if isinstance(source, Mapping):
        return [{**epoch, "learner": name} for name, run in source.items() for epoch in as_log(run)]
    return list(getattr(source, "history_", source))


def by_learner(log: Log) -> dict[str, Log]:
    runs: dict[str, Log] = {}
    for epoch in log:
        runs.setdefault(str(epoch.get("learner", "")), []).append(epoch)
    if not runs:
        raise InputError("the log has no epochs")
    return runs


def dev_name(log: Log) -> str | None:
    return next((name for epoch in log for name in epoch if name.startswith("dev_")), None)


def table(source: Any) -> list[dict[str, Any]]:
    """A row a learner: epochs, the last dev score, objective and gap, and seconds."""
    log = as_log(source)
    dev = dev_name(log)
    rows = []
    for learner, epochs in by_learner(log).items():
        last = epochs[-1]
        rows.append({"learner": learner, "epochs": len(epochs), "dev": last.get(dev) if dev else None,
                     "objective": last.get("primal"), "gap": last.get("gap"), "seconds": last.get("training_seconds")})
    return rows


def panels(source: Any) -> list[tuple[str, str, dict[str, list[tuple[float, float]]]]]:
    """Title, name of the x axis, and points by learner, of every chart there is data for."""
    log = as_log(source)
    result = []
    for title, y in ((dev_name(log) or "dev", dev_name(log)), ("objective", "primal"), ("loss met in the epoch", "loss")):
        for label, x in (("seconds of training", "training_seconds"), ("epochs", "epoch")):
            curves = {learner: [(float(e[x]), float(e[y])) for e in epochs if y in e and x in e]
                      for learner, epochs in by_learner(log).items()} if y else {}
            curves = {learner: points for learner, points in curves.items() if points}
            if curves:
                result.append((title.removeprefix("dev_") if y != "loss" else title, label, curves))
    return result


def write_html(source: Any, path: str | os.PathLike[str], title: str = "Hinge: learners compared") -> None:
    """One file with everything in it: the table and the curves, drawn as SVG."""
    Path(path).write_text(to_html(source, title), encoding="utf-8")


def to_html(source: Any, title: str = "Hinge: learners compared") -> str:
    log = as_log(source)
    rows = table(log)
    head = "".join(f"<th>{name}</th>" for name in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row.values()) + "</tr>" for row in rows)
    charts = "\n".join(_svg(*panel, colors=_colors(log)) for panel in panels(log))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>
<style>body{{font:15px sans-serif;margin:2em auto;max-width:960px}}table{{border-collapse:collapse}}
td,th{{padding:.3em .8em;border-bottom:1px solid #ddd;text-align:right}}td:first-child,th:first-child{{text-align:left}}
svg text{{font:11px sans-serif;fill:#333}}</style></head>
<body><h1>{html.escape(title)}</h1>
<table><tr>{head}</tr>{body}</table>
{charts}
</body></html>
"""


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else html.escape(str(value))


def _colors(log: Log) -> dict[str, str]:
    return {learner: COLORS[k % len(COLORS)] for k, learner in enumerate(by_learner(log))}


def _ticks(low: float, high: float) -> list[float]:
    step = 10.0 ** math.floor(math.log10((high - low) / 2 or 1.0))
    step *= next((k for k in (1, 2, 5) if (high - low) / (k * step) <= 6), 10)
    return [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _range(values: Iterable[float]) -> tuple[float, float]:
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _svg(title: str, x_label: str, curves: dict[str, list[tuple[float, float]]], colors: dict[str, str]) -> str:
    x_low, x_high = _range(x for points in curves.values() for x, _ in points)
    y_low, y_high = _range(y for points in curves.values() for _, y in points)

    def place(x: float, y: float) -> tuple[float, float]:
        return (LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - 10),
                HEIGHT - BOTTOM - (y - y_low) / (y_high - y_low) * (HEIGHT - BOTTOM - TOP))

    parts = [f'<svg width="{WIDTH}" height="{HEIGHT + 16 * len(curves)}" role="img">',
             f'<text x="{LEFT}" y="14"><tspan font-weight="bold">{html.escape(title)}</tspan></text>']
    for value in _ticks(x_low, x_high):
        parts.append(f'<text x="{place(value, y_low)[0]:.1f}" y="{HEIGHT - 24}" text-anchor="middle">{value:g}</text>')
    for value in _ticks(y_low, y_high):
        y = place(x_low, value)[1]
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{y:.1f}" y2="{y:.1f}" stroke="#eee"/>'
                     f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle">{html.escape(x_label)}</text>')
    for k, (learner, points) in enumerate(curves.items()):
        line = " ".join("{:.1f},{:.1f}".format(*place(x, y)) for x, y in points if math.isfinite(x + y))
        color = colors[learner]
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>'
                     f'<rect x="{LEFT}" y="{HEIGHT + 16 * k}" width="10" height="10" fill="{color}"/>'
                     f'<text x="{LEFT + 16}" y="{HEIGHT + 16 * k + 9}">{html.escape(learner)}</text>')
    return "".join(parts) + "</svg>"


def figures(source: Any) -> list[Any]:
    """The same curves as matplotlib's figures."""
    from matplotlib.figure import Figure

    result = []
    for title, x_label, curves in panels(source):
        figure = Figure(figsize=(6, 4))
        axes = figure.add_subplot()
        for learner, points in curves.items():
            axes.plot(*zip(*points), marker=".", label=learner)
        axes.set(title=title, xlabel=x_label)
        axes.legend()
        result.append(figure)
    return result
