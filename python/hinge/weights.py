"""What a tagger has learned: weights of label pairs, and the heaviest features of every label."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hinge import _hinge
from hinge._training import whole

Features = list[tuple[str, float]]  # name, weight


@dataclass
class LabelWeights:
    """The heaviest features that speak for a label and against it."""

    positive: Features  # the largest first
    negative: Features  # the smallest first
    more_positive: int  # not shown
    more_negative: int


@dataclass
class WeightTables:
    """Prints as text; notebooks show it in colour."""

    labels: list[str]
    transitions: npt.NDArray[np.float64]  # [from, to]
    features: dict[str, LabelWeights]

    def __str__(self) -> str:
        width = max([5, *map(len, self.labels)]) + 1
        lines = ["Transitions, from the label on the left to that above:",
                 " " * width + "".join(label.rjust(width) for label in self.labels)]
        lines += [label.ljust(width) + "".join(f"{weight:+.2f}".rjust(width) if weight else "0".rjust(width) for weight in row)
                  for label, row in zip(self.labels, self.transitions)]
        for label, own in self.features.items():
            lines += ["", f"Features of {label}:", *(f"  {weight:+8.3f}  {name}" for name, weight in own.positive)]
            lines += [f"  ... {count} more {kind}" for count, kind in _left_out(own)]
            lines += [f"  {weight:+8.3f}  {name}" for name, weight in reversed(own.negative)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """Two kinds of tables; the stronger the colour, the larger the weight. Green speaks for, red against."""
        most = float(np.abs(self.transitions).max(initial=0.0))
        head = "".join(f"<th>{html.escape(label)}</th>" for label in self.labels)
        rows = "".join(f"<tr><th>{html.escape(label)}</th>" + "".join(_cell(weight, most) for weight in row) + "</tr>"
                       for label, row in zip(self.labels, self.transitions.tolist()))
        tables = "".join(_features_html(label, own) for label, own in self.features.items())
        return (f"<table><caption>From the label on the left to that above</caption><tr><td></td>{head}</tr>{rows}</table>"
                f'<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start">{tables}</div>')


def _left_out(own: LabelWeights) -> list[tuple[int, str]]:
    return [(count, kind) for count, kind in ((own.more_positive, "positive"), (own.more_negative, "negative")) if count]


def _cell(weight: float, most: float) -> str:
    share = abs(weight) / most if most else 0.0
    colour = f"hsl({120 if weight > 0 else 0}, 80%, {100 - 40 * share:.0f}%)"
    return f'<td style="background:{colour};color:black;text-align:right">{weight:+.3f}</td>'


def _features_html(label: str, own: LabelWeights) -> str:
    most = max((abs(weight) for _, weight in own.positive + own.negative), default=0.0)

    def row(name: str, weight: float) -> str:
        return f'<tr>{_cell(weight, most)}<td style="text-align:left"><code>{html.escape(name)}</code></td></tr>'

    left_out = "".join(f'<tr><td></td><td style="text-align:left"><i>{count} more {kind}</i></td></tr>'
                       for count, kind in _left_out(own))
    return (f"<table><caption>{html.escape(label)}</caption>" + "".join(row(*part) for part in own.positive) + left_out
            + "".join(row(*part) for part in reversed(own.negative)) + "</table>")


def weight_tables(model: Any, top: int | tuple[int, int], targets: list[str] | None, feature_re: str | None) -> WeightTables:
    labels: list[str] = model.labels
    try:
        pattern = re.compile(feature_re or "")
    except re.error as error:
        raise _hinge.OptionError(f"feature_re is {feature_re!r}, which is not a regular expression: {error}") from None
    shown = labels if targets is None else list(targets)
    for target in shown:
        if target not in labels:
            raise _hinge.InputError(f"the model has no label {target!r}; it has: {', '.join(labels)}")
    positive, negative = (max(0, whole(n, "top")) for n in (top if isinstance(top, tuple) else (top, top)))
    by_label: dict[str, Features] = {label: [] for label in labels}
    for name, label, weight in model.state_weights():
        if pattern.search(name):
            by_label[label].append((name, weight))
    number = {label: k for k, label in enumerate(labels)}
    table = np.zeros((len(labels), len(labels)))
    for before, after, weight in model.transitions():
        table[number[before], number[after]] = weight
    order = [number[label] for label in shown]
    return WeightTables(shown, table[np.ix_(order, order)],
                        {label: _heaviest(by_label[label], positive, negative) for label in shown})


def _heaviest(features: Features, positive: int, negative: int) -> LabelWeights:
    ranked = sorted(features, key=lambda part: (-part[1], part[0]))
    above = [part for part in ranked if part[1] > 0]
    below = [part for part in reversed(ranked) if part[1] < 0]
    return LabelWeights(above[:positive], below[:negative], len(above) - len(above[:positive]), len(below) - len(below[:negative]))
