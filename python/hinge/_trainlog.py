"""What CRFsuite's trainer logs, from the epochs of Hinge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hinge._training import Epoch

TITLES = {"lbfgs": "L-BFGS optimization", "l2sgd": "Stochastic Gradient Descent (SGD)", "ap": "Averaged perceptron",
          "pa": "Passive Aggressive", "arow": "Adaptive Regularization Of Weights (AROW)"}


@dataclass
class TrainingLog:
    """The commonly used part of python-crfsuite's log."""

    iterations: list[Epoch] = field(default_factory=list)  # as in history_, with what iteration_of() adds

    @property
    def last_iteration(self) -> Epoch | None:
        return self.iterations[-1] if self.iterations else None


def iteration_of(epoch: Epoch, algorithm: str, C: float) -> Epoch:
    """With the names and scale of CRFsuite.

    The loss of lbfgs is its objective, c1 |w|_1 + c2 |w|^2 + sum of losses, which is Hinge's divided
    by C; that of ap is the number of wrong labels, of the others their own loss, without the regularizer.
    """
    iteration = {**epoch, "num": epoch["epoch"], "time": epoch["epoch_seconds"], "scores": {}}
    if algorithm == "lbfgs":
        iteration.update(loss=epoch["objective"] / C, feature_norm=epoch["weight_norm"], error_norm=epoch["gradient_norm"] / C,
                         active_features=int(epoch["active_weights"]))
    elif algorithm != "ap":
        iteration["loss"] = epoch["violation"]
    if "dev_accuracy" in epoch:
        iteration["item_accuracy_float"] = epoch["dev_accuracy"] / 100.0
    return iteration


def start_text(holdout: int, sentences: int, parameters: Mapping[str, Any]) -> str:
    lines = [f"Holdout group: {holdout + 1}", ""] if holdout >= 0 else []
    features = [f"{name}: {_shown(value)}" for name, value in parameters.items() if name.startswith("feature.")]
    return "\n".join([*lines, "Feature generation", "type: CRF1d", f"sentences: {sentences}", *features]) + "\n"


def prepared_text(algorithm: str, parameters: Mapping[str, Any]) -> str:
    own = [f"{name}: {_shown(value)}" for name, value in parameters.items() if not name.startswith("feature.")]
    return "\n".join([TITLES[algorithm], *own, "", ""])


def iteration_text(iteration: Epoch, algorithm: str) -> str:
    """What CRFsuite prints, as far as it is known here."""
    lines = [f"***** {'Epoch' if algorithm == 'l2sgd' else 'Iteration'} #{iteration['num']} *****", f"Loss: {iteration['loss']:f}"]
    for name, title in (("feature_norm", "Feature norm"), ("error_norm", "Error norm")):
        if name in iteration:
            lines.append(f"{title}: {iteration[name]:f}")
    if "active_features" in iteration:
        lines.append(f"Active features: {iteration['active_features']}")
    lines.append(f"Seconds required for this iteration: {iteration['time']:.3f}")
    held_out = [f"{name[4:]} {value:.2f}" for name, value in iteration.items() if name.startswith("dev_")]
    if held_out:
        lines.append(f"Holdout evaluation in percent: {', '.join(held_out)}")
    return "\n".join([*lines, "", ""])


def end_text(last: Epoch, algorithm: str) -> str:
    title = TITLES[algorithm].removesuffix(" optimization")
    why = "with the stopping criteria" if last.get("stop") == "converged" else "with the maximum number of iterations"
    return f"{title} terminated {why}\nTotal seconds required for training: {last['training_seconds']:.3f}\n\n"


def _shown(value: Any) -> str:
    return f"{value:f}" if isinstance(value, float) else str(int(value) if isinstance(value, bool) else value)
