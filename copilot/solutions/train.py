"""Train task inference on the phrases: python -m copilot.solutions.train

Without chance: the same phrases and encoder give the same weights up to rounding. What is printed is measured
on phrases that the weights in question did not see, in five parts taken in turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from copilot.planner.encoder import Floats
from copilot.planner.head import Head
from copilot.planner.train import Indices, fit, fit_temperature
from copilot.solutions.bank import digest_of, read_phrases
from copilot.solutions.cues import task_features
from copilot.solutions.infer import WEIGHTS, normal
from copilot.solutions.space import solutions

PARTS = 5


def training_set(names: Sequence[str]) -> tuple[Floats, Indices]:
    """The phrases' features, and the numbers of their tasks."""
    phrases = read_phrases()
    numbers = {name: number for number, name in enumerate(names)}
    inputs = task_features([normal(each.text) for each in phrases])
    return inputs, np.array([numbers[each.task] for each in phrases])


def unseen(inputs: Floats, wanted: Indices, names: tuple[str, ...]) -> tuple[Floats, float]:
    """(phrases, tasks) shares, each row by a head that did not learn from it; and the best temperature."""
    shares = np.zeros((len(wanted), len(names)), dtype=np.float32)
    temperatures = []
    for part in range(PARTS):
        held = np.arange(len(wanted)) % PARTS == part
        weights, bias = fit(inputs[~held], wanted[~held], len(names))
        head = Head(names, weights, bias, 1.0, 0.0, "")
        temperatures.append(fit_temperature(head, inputs[held], wanted[held]))
        shares[held] = replace(head, temperature=temperatures[-1]).probabilities(inputs[held])
    return shares, float(np.mean(temperatures))


def train() -> tuple[Head, str]:
    """A head for the phrases as they are, and what the phrases it did not see say about its kind."""
    names = tuple(solutions())
    inputs, wanted = training_set(names)
    shares, temperature = unseen(inputs, wanted, names)
    weights, bias = fit(inputs, wanted, len(names))
    head = Head(names, weights, bias, temperature, threshold=0.0, digest=digest_of())
    return head, _report(shares, wanted, names)


def _report(shares: Floats, wanted: Indices, names: Sequence[str]) -> str:
    best = shares.argmax(axis=1)
    right = best == wanted
    among = (np.argsort(-shares, axis=1)[:, :3] == wanted[:, None]).any(axis=1)
    lines = [
        f"Unseen phrases: {right.mean():.3f} of {len(right)} right, {among.mean():.3f} among the best three"
    ]
    mixed = Counter((names[a], names[b]) for a, b in zip(wanted[~right], best[~right], strict=True))
    lines += [f"  {count} x {task} taken for {other}" for (task, other), count in mixed.most_common(25)]
    return "\n".join(lines)


def main() -> None:
    """Retrain, write the weights, and print how well phrases are read that were not learnt from."""
    head, said = train()
    head.save(WEIGHTS)
    print(said)


if __name__ == "__main__":
    main()
