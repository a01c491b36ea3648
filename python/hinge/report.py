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

from hinge._base import not_fitted, unreadable
from hinge._hinge import InputError, learners, version

Epoch = dict[str, Any]
Log = list[Epoch]
# The looks of `hinge compare`: colours that colour-blind people can distinguish (Okabe and Ito 2008),
# and for every six curves another dash and marker (SVG, then matplotlib).
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
DASHES = ("", "7 3", "2 2.5", "9 3 2 3")
MARKERS = ("m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0z", "m-2.3-2.3h4.6v4.6h-4.6z", "m0-3l3 5.2h-6z",
           "m0-3.2l3.2 3.2-3.2 3.2-3.2-3.2z")
LINESTYLES, PLOT_MARKERS = ("-", "--", ":", "-."), ("o", "s", "^", "D")
LARGEST = 1e300  # drawn; ranges of twice that are still finite
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 470, 280, 64, 40, 26


def read_log(path: str | os.PathLike[str]) -> Log:
    """The epochs in a file, or in compare.jsonl of a folder."""
    path = Path(path)
    if path.is_dir():
        path = path / "compare.jsonl"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise unreadable(InputError, path, error) from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not a log of hinge: {error}") from None
    try:
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
    """Title, name of the x axis, and points per learner, for every chart that has data. Objectives
    of different losses cannot be compared: there is a chart for each loss."""
    runs = by_learner(as_log(source))
    devs = dict.fromkeys(name for epochs in runs.values() if (name := dev_name(epochs)))
    charts = [(name.removeprefix("dev_"), name, runs) for name in devs]
    groups: dict[str, dict[str, Log]] = {}
    for learner, epochs in runs.items():
        groups.setdefault(_loss_of(learner), {})[learner] = epochs
    charts += [(f"objective, {loss} loss" if loss else "objective", "primal", group) for loss, group in groups.items()]
    charts.append(("loss during the epoch", "loss", runs))
    result = []
    for title, y, group in charts:
        for label, x in (("seconds of training", "training_seconds"), ("epochs", "epoch")):
            curves = {learner: points for learner, epochs in group.items() if (points := _points(epochs, x, y))}
            if curves:
                result.append((title, label, curves))
    return result


def _loss_of(learner: str) -> str:
    """The name of its loss; empty for a name that is not a learner's."""
    loss = str(learners().get(learner, {}).get("loss", ""))
    return "" if loss == "-" else loss


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
    best = _best_rows(rows)
    head = "".join(f"<th>{name}</th>" for name in rows[0])
    body = "".join(f'<tr{_BEST if k in best else ""}>' + "".join(f"<td>{_cell(value)}</td>" for value in row.values()) + "</tr>"
                   for k, row in enumerate(rows))
    looks = {learner: k for k, learner in enumerate(by_learner(log))}
    charts = "\n".join(_svg(*panel, looks=looks) for panel in panels(log))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>
<style>body{{font:15px sans-serif;color:#222;margin:2em auto;max-width:980px;padding:0 1em}}table{{border-collapse:collapse}}
td,th{{padding:.3em .8em;border-bottom:1px solid #ddd;text-align:right}}td:first-child,th:first-child{{text-align:left}}
tr.best{{font-weight:bold;background:#f2f7ff}}svg{{max-width:100%}}svg text{{font:11px sans-serif;fill:#333}}
.about,.legend{{font-size:13px;color:#444}}.legend span{{display:inline-block;min-width:9.5em;margin-right:1em;white-space:nowrap}}
.legend{{position:sticky;top:0;background:#fff;padding:.5em 0}}pre{{white-space:pre-wrap;font-size:12px}}</style></head>
<body><h1>{html.escape(title)}</h1>
{_about_html(source)}
<table><tr>{head}</tr>{body}</table>
<p class="about">Bold: the best on development data. A ring marks the best point of a chart.</p>
<div class="legend">{"".join(_legend_entry(learner, k) for learner, k in looks.items())}</div>
{charts}
</body></html>
"""


_BEST = ' class="best"'


def _best_rows(rows: list[dict[str, Any]]) -> set[int]:
    """The rows with the best dev score, one for each metric."""
    best: dict[Any, int] = {}
    for k, row in enumerate(rows):
        score, metric = _number(row["dev"]), row.get("metric")
        if score is None:
            continue
        if metric not in best or _better(metric or "", score, float(rows[best[metric]]["dev"])):
            best[metric] = k
    return set(best.values())


def _better(title: str, a: float, b: float) -> bool:
    """Objectives, losses and error rates are better when lower."""
    lower = title.startswith(("objective", "loss")) or title in ("ter", "wer")
    return a < b if lower else a > b


def about(source: Any) -> dict[str, Any]:
    """Version, seed and options, as far as they are known: from the folder of `hinge compare` or
    from estimators."""
    if isinstance(source, (str, os.PathLike)):
        path = Path(source) / "about.json"
        return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {"version": version}
    runs = source if isinstance(source, Mapping) else {"": source}
    known = {str(name): run.get_params(deep=False) for name, run in runs.items() if hasattr(run, "get_params")}
    seeds = {params["seed"] for params in known.values() if "seed" in params}
    result: dict[str, Any] = {"version": version}
    if len(seeds) == 1:
        result["seed"] = seeds.pop()
    if known:
        result["options"] = {name: {key: value for key, value in params.items() if value is not None} for name, params in known.items()}
    return result


def _about_html(source: Any) -> str:
    facts = about(source)
    options = facts.pop("options", {})
    line = ", ".join(f"{html.escape(str(name))} {html.escape(str(value))}" for name, value in facts.items())
    lines = "\n".join(html.escape(f"{name or 'options'}: " + " ".join(f"{key}={value}" for key, value in given.items()))
                      for name, given in options.items())
    details = f"<details><summary>options</summary><pre>{lines}</pre></details>" if lines else ""
    return f'<div class="about"><p>{line}</p>{details}</div>'


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else html.escape(str(value))


def _look(k: int) -> tuple[str, int]:
    """The colour of curve k, and the place of its dash and marker."""
    return COLORS[k % len(COLORS)], k // len(COLORS) % len(DASHES)


def _legend_entry(learner: str, k: int) -> str:
    color, pattern = _look(k)
    return (f'<span><svg width="36" height="10"><path d="M2 5h30" stroke="{color}" stroke-width="2" stroke-dasharray="{DASHES[pattern]}"/>'
            f'<path d="M17 5{MARKERS[pattern]}" fill="{color}"/></svg>{html.escape(learner)}</span>')


def _ticks(low: float, high: float) -> list[float]:
    step = 10.0 ** math.floor(math.log10((high - low) / 2 or 1.0))
    step *= next((k for k in (1, 2, 5) if (high - low) / (k * step) <= 6), 10)
    return [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _range(values: Iterable[float]) -> tuple[float, float]:
    given = list(values)
    low, high = min(given), max(given)
    size = max(1.0, abs(low), abs(high))
    return (low, high) if high - low > 1e-12 * size else (low - 0.5 * size, high + 0.5 * size)


class _Axis:
    """From values to pixels. Logarithmic if asked for and all values are positive and not extreme."""

    def __init__(self, values: list[float], begin: float, end: float, log: bool) -> None:
        self.log = log and 1e-100 < min(values) and max(values) < 1e100
        self.low, self.high = _range(math.log10(value) if self.log else value for value in values)
        if self.log and self.high - self.low < 1e-6:  # or one value: a factor of two around it
            middle = math.log10(max(values))
            self.low, self.high = middle - math.log10(2), middle + math.log10(2)
        self.begin, self.end = begin, end

    def place(self, value: float) -> float:
        at = math.log10(value) if self.log else value
        return self.begin + (at - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self) -> list[float]:
        if not self.log:
            return _ticks(self.low, self.high)
        stride = max(1, math.ceil((self.high - self.low) / 6))
        decades = range(math.floor(self.low), math.floor(self.high) + 1, stride)
        for factors in ((1,), (1, 3), (1, 2, 5)) if self.high - self.low > 2.5 else ((1, 2, 5),):
            ticks = [factor * 10.0**d for d in decades for factor in factors]
            ticks = [tick for tick in ticks if self.low <= math.log10(tick) <= self.high]
            if len(ticks) >= 3:
                return ticks
        # Within a small part of a decade even spacing says more.
        return [tick for tick in _ticks(10.0**self.low, 10.0**self.high) if tick > 0]


def _svg(title: str, x_label: str, curves: dict[str, list[tuple[float, float]]], looks: dict[str, int]) -> str:
    points = [point for curve in curves.values() for point in curve]
    x_axis = _Axis([x for x, _ in points], LEFT, WIDTH - 12, log=x_label.startswith("seconds"))
    y_axis = _Axis([y for _, y in points], HEIGHT - BOTTOM, TOP, log=title.startswith(("objective", "loss")))
    scale = " (log)" if x_axis.log else ""
    parts = [f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
             f'<text x="{LEFT}" y="14"><tspan font-weight="bold">{html.escape(title + (" (log)" if y_axis.log else ""))}</tspan></text>']
    for value in x_axis.ticks():
        parts.append(f'<text x="{x_axis.place(value):.1f}" y="{HEIGHT - 24}" text-anchor="middle">{value:g}</text>')
    for value in y_axis.ticks():
        y = y_axis.place(value)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{y:.1f}" y2="{y:.1f}" stroke="#eee"/>'
                     f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{html.escape(x_label)}{scale}</text>')
    best = points[0]
    for learner, curve in curves.items():
        color, pattern = _look(looks[learner])
        placed = [f"{x_axis.place(x):.1f},{y_axis.place(y):.1f}" for x, y in curve]
        parts.append(f'<g><title>{html.escape(learner)}</title><polyline points="{" ".join(placed)}" fill="none" stroke="{color}" '
                     f'stroke-width="1.6" stroke-dasharray="{DASHES[pattern]}"/>')
        if len(placed) <= 15:
            parts.append(f'<path d="{"".join(f"M{place}{MARKERS[pattern]}" for place in placed)}" fill="{color}"/>')
        parts.append("</g>")
        for point in curve:
            best = point if _better(title, point[1], best[1]) else best
    parts.append(f'<circle class="best" cx="{x_axis.place(best[0]):.1f}" cy="{y_axis.place(best[1]):.1f}" r="6.5" fill="none" '
                 f'stroke="#222" stroke-width="1.4"><title>best: {best[1]:g}</title></circle>')
    return "".join(parts) + "</svg>"


def figures(source: Any) -> list[Any]:
    """The same curves as matplotlib's figures."""
    from matplotlib.figure import Figure

    looks = {learner: k for k, learner in enumerate(by_learner(as_log(source)))}
    result = []
    for title, x_label, curves in panels(source):
        figure = Figure(figsize=(6, 4))
        axes = figure.add_subplot()
        for learner, points in curves.items():
            color, pattern = _look(looks[learner])
            axes.plot(*zip(*points), color=color, linestyle=LINESTYLES[pattern], marker=PLOT_MARKERS[pattern], markersize=4, label=learner)
        axes.set(title=title, xlabel=x_label)
        axes.legend()
        result.append(figure)
    return result
