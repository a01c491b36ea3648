"""Learning curves and the table of `hinge compare`, as HTML or figures.

A log is compare.jsonl or curves.csv of `hinge compare`, the file of `hinge
train --log`, or the history_ of an estimator.
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

from hinge._base import not_fitted
from hinge._hinge import InputError

Epoch = dict[str, Any]
Log = list[Epoch]
COLORS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#97bbf5", "#9c6b4e", "#9498a0")
LARGEST = 1e300  # drawn; ranges of twice that are still finite
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 460, 280, 60, 40, 26


def read_log(path: str | os.PathLike[str]) -> Log:
    """The epochs in a file, or in compare.jsonl of a folder."""
    path = Path(path)
    if path.is_dir():
        path = path / "compare.jsonl"
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".csv":
            return [_from_csv(row) for row in csv.DictReader(text.splitlines())]
        return _checked([json.loads(line) for line in text.splitlines() if line.strip()])
    except (ValueError, KeyError, TypeError, csv.Error) as error:
        reason = f"there is no column {error}" if isinstance(error, KeyError) else error
        raise InputError(f"{path}: is not a log of hinge: {reason}") from None


def _from_csv(row: dict[str, str]) -> Epoch:
    names = {"seconds": "training_seconds", "dev": "dev_score"}
    numbers = {names.get(name, name): float(text) for name, text in row.items() if name not in ("learner", "loss") and text}
    return {"learner": row["learner"], **numbers, "epoch": int(row["epoch"])}


def as_log(source: Any) -> Log:
    """A path, epochs, a fitted estimator, or a dict of name -> any of these."""
    if isinstance(source, (str, os.PathLike)):
        return read_log(source)
    if isinstance(source, Mapping):
        return [{**epoch, "learner": name} for name, run in source.items() for epoch in as_log(run)]
    if hasattr(source, "get_params") and not hasattr(source, "history_"):
        raise not_fitted(source)
    epochs = getattr(source, "history_", source)
    if not isinstance(epochs, Iterable):
        raise TypeError(f"a log is a path, epochs, a fitted estimator or a dict of these, not {type(epochs).__name__}")
    return _checked(list(epochs))


def _checked(epochs: list[Any]) -> Log:
    for k, epoch in enumerate(epochs):
        if not isinstance(epoch, Mapping):
            raise InputError(f"epoch {k + 1} of the log must be a dict, not {type(epoch).__name__}")
    return epochs


def by_learner(log: Log) -> dict[str, Log]:
    runs: dict[str, Log] = {}
    for epoch in log:
        runs.setdefault(str(epoch.get("learner", "")), []).append(epoch)
    if not runs:
        raise InputError("the log has no epochs")
    return runs


def dev_name(run: Log) -> str | None:
    """The name of the main score on development data."""
    return next((name for epoch in run for name in epoch if isinstance(name, str) and name.startswith("dev_")), None)


def table(source: Any) -> list[dict[str, Any]]:
    """One row per learner: epochs, the last dev score, objective and gap, and seconds; also
    the metric if learners were scored by different ones."""
    runs = by_learner(as_log(source))
    devs = {learner: dev_name(epochs) for learner, epochs in runs.items()}
    several = len({dev for dev in devs.values() if dev}) > 1
    rows = []
    for learner, epochs in runs.items():
        last, dev = epochs[-1], devs[learner]
        metric = {"metric": dev.removeprefix("dev_") if dev else None} if several else {}
        rows.append({"learner": learner, "epochs": len(epochs), **metric, "dev": last.get(dev) if dev else None,
                     "objective": last.get("primal"), "gap": last.get("gap"), "seconds": last.get("training_seconds")})
    return rows


def panels(source: Any) -> list[tuple[str, str, dict[str, list[tuple[float, float]]]]]:
    """Title, name of the x axis, and points per learner, for every chart that has data."""
    runs = by_learner(as_log(source))
    devs = dict.fromkeys(name for epochs in runs.values() if (name := dev_name(epochs)))
    charts = [(name.removeprefix("dev_"), name) for name in devs] + [("objective", "primal"), ("loss during the epoch", "loss")]
    result = []
    for title, y in charts:
        for label, x in (("seconds of training", "training_seconds"), ("epochs", "epoch")):
            curves = {learner: points for learner, epochs in runs.items() if (points := _points(epochs, x, y))}
            if curves:
                result.append((title, label, curves))
    return result


def _points(epochs: Log, x: str, y: str) -> list[tuple[float, float]]:
    """The points with both values, as numbers that can be drawn."""
    pairs = ((_number(epoch.get(x)), _number(epoch.get(y))) for epoch in epochs)
    return [(a, b) for a, b in pairs if a is not None and b is not None]


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if abs(number) <= LARGEST else None


def write_html(source: Any, path: str | os.PathLike[str], title: str = "Hinge: learners compared") -> None:
    """Writes one self-contained file: the table and the curves as SVG."""
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
    given = list(values)
    low, high = min(given), max(given)
    size = max(1.0, abs(low), abs(high))
    return (low, high) if high - low > 1e-12 * size else (low - 0.5 * size, high + 0.5 * size)


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
        line = " ".join("{:.1f},{:.1f}".format(*place(x, y)) for x, y in points)
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
