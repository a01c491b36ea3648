"""What CRFsuite's trainer logs, from the epochs of Hinge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from hinge._training import Epoch

TITLES = {"lbfgs": "L-BFGS optimization", "l2sgd": "Stochastic Gradient Descent (SGD)", "ap": "Averaged perceptron",
          "pa": "Passive Aggressive", "arow": "Adaptive Regularization Of Weights (AROW)"}


class LabelScore(NamedTuple):
    """Of one label on the sentences held out."""

    match: int  # tokens that have the label and were given it
    model: int  # tokens that were given it
    ref: int  # tokens that have it; if there are none, the following are None
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass
class TrainingLog:
    """The commonly used part of python-crfsuite's log."""

    iterations: list[Epoch] = field(default_factory=list)  # as in history_, with what iteration_of() adds
    featgen_num_features: int | None = None  # not known here
    featgen_seconds: float | None = None
    training_seconds: float | None = None

    @property
    def last_iteration(self) -> Epoch | None:
        return self.iterations[-1] if self.iterations else None


def iteration_of(epoch: Epoch, algorithm: str, C: float, held_out: tuple[int, int] = (0, 0)) -> Epoch:
    """With the names and scale of CRFsuite. held_out: how many tokens and sentences are held out.

    The loss of lbfgs is its objective, c1 |w|_1 + c2 |w|^2 + sum of losses, which is Hinge's divided
    by C; that of ap is the number of wrong labels, of the others their own loss, without the regularizer.
    """
    iteration = {**epoch, "num": epoch["epoch"], "time": epoch["epoch_seconds"], "scores": {}}
    if algorithm == "lbfgs":
        iteration.update(loss=epoch["objective"] / C, feature_norm=epoch["weight_norm"], error_norm=epoch["gradient_norm"] / C,
                         active_features=int(epoch["active_weights"]))
    elif algorithm != "ap":
        iteration["loss"] = epoch["violation"]
    for name, ours, total in zip(("item", "instance"), ("dev_accuracy", "dev_sentence_accuracy"), held_out):
        if ours in epoch and total > 0:
            iteration.update(_accuracy(name, round(epoch[ours] / 100.0 * total), total))
    return iteration


def _accuracy(name: str, right: int, total: int) -> Epoch:
    share = Fraction(right, max(1, total))
    return {f"{name}_accuracy": share, f"{name}_accuracy_float": float(share)}


def held_out_scores(predicted: Sequence[Sequence[str]], gold: Sequence[Sequence[str]], labels: Sequence[str]) -> Epoch:
    """What CRFsuite logs of the sentences held out. Its means are over all labels, also those that do not occur there."""
    pairs = [pair for a, b in zip(predicted, gold) for pair in zip(a, b)]
    model, ref = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    match = Counter(a for a, b in pairs if a == b)
    scores = {label: _label_score(match[label], model[label], ref[label]) for label in dict.fromkeys([*labels, *ref])}
    means = {f"avg_{name}": sum(getattr(score, name) or 0.0 for score in scores.values()) / max(1, len(scores))
             for name in ("precision", "recall", "f1")}
    whole = sum(list(a) == list(b) for a, b in zip(predicted, gold))
    return {"scores": scores, **means, **_accuracy("item", match.total(), len(pairs)), **_accuracy("instance", whole, len(gold))}


def _label_score(match: int, model: int, ref: int) -> LabelScore:
    if ref == 0:
        return LabelScore(match, model, ref, None, None, None)
    return LabelScore(match, model, ref, match / model if model else 0.0, match / ref, 2 * match / (model + ref))


def held_out_text(last: Epoch) -> str:
    """Of the last iteration, as CRFsuite prints it; empty if nothing is held out."""
    if not last["scores"]:
        return ""
    lines = ["Performance by label (#match, #model, #ref) (precision, recall, F1):"]
    for label, score in last["scores"].items():
        shares = "******, ******, ******" if score.ref == 0 else f"{score.precision:.4f}, {score.recall:.4f}, {score.f1:.4f}"
        lines.append(f"    {label}: ({score.match}, {score.model}, {score.ref}) ({shares})")
    lines.append(f"Macro-average precision, recall, F1: ({last['avg_precision']:f}, {last['avg_recall']:f}, {last['avg_f1']:f})")
    return "\n".join([*lines, "", ""])


def start_text(holdout: int, sentences: int, parameters: Mapping[str, Any]) -> str:
    lines = [f"Holdout group: {holdout + 1}", ""] if holdout >= 0 else []
    features = [f"{name}: {_shown(value)}" for name, value in parameters.items() if name.startswith("feature.")]
    return "\n".join([*lines, "Feature generation", "type: CRF1d", f"sentences: {sentences}", *features]) + "\n"


def prepared_text(algorithm: str, parameters: Mapping[str, Any]) -> str:
    own = [f"{name}: {_shown(value)}" for name, value in parameters.items() if not name.startswith("feature.")]
    return "\n".join([TITLES[algorithm], *own, "", ""])


def iteration_text(iteration: Epoch, algorithm: str, held_out: tuple[int, int]) -> str:
    """What CRFsuite prints, as far as it is known here."""
    lines = [f"***** {'Epoch' if algorithm == 'l2sgd' else 'Iteration'} #{iteration['num']} *****", f"Loss: {iteration['loss']:f}"]
    for name, title in (("feature_norm", "Feature norm"), ("error_norm", "Error norm")):
        if name in iteration:
            lines.append(f"{title}: {iteration[name]:f}")
    if "active_features" in iteration:
        lines.append(f"Active features: {iteration['active_features']}")
    lines.append(f"Seconds required for this iteration: {iteration['time']:.3f}")
    for name, total in zip(("item", "instance"), held_out):
        if (share := iteration.get(f"{name}_accuracy")) is not None:
            lines.append(f"{name.title()} accuracy: {share * total} / {total} ({float(share):.4f})")
    return "\n".join([*lines, "", ""])


def end_text(last: Epoch, algorithm: str) -> str:
    title = TITLES[algorithm].removesuffix(" optimization")
    why = "with the stopping criteria" if last.get("stop") == "converged" else "with the maximum number of iterations"
    return f"{title} terminated {why}\nTotal seconds required for training: {last['training_seconds']:.3f}\n\n"


def _shown(value: Any) -> str:
    return f"{value:f}" if isinstance(value, float) else str(int(value) if isinstance(value, bool) else value)
