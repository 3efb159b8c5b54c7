"""Train task inference on the phrases: python -m copilot.solutions.train

Without chance: the same phrases and encoder give the same weights up to rounding. What is printed is measured
on phrases that the weights in question did not see, in ten parts drawn from a fixed seed.
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
from copilot.solutions.space import RS_AGENT_TASKS, solutions

PARTS = 10


def training_set(names: Sequence[str]) -> tuple[Floats, Indices]:
    """The phrases' features, and the numbers of their tasks."""
    phrases = read_phrases()
    numbers = {name: number for number, name in enumerate(names)}
    inputs = task_features([normal(each.text) for each in phrases])
    return inputs, np.array([numbers[each.task] for each in phrases])


def unseen(inputs: Floats, wanted: Indices, names: tuple[str, ...]) -> tuple[Floats, float]:
    """(phrases, tasks) shares, each row by a head that did not learn from it, and the best temperature.

    The parts are drawn from a fixed seed: neighbours in a file are often variants of one another.
    """
    part = np.empty(len(wanted), dtype=int)
    part[np.random.default_rng(0).permutation(len(wanted))] = np.arange(len(wanted)) % PARTS
    scores = np.zeros((len(wanted), len(names)), dtype=np.float32)
    for each in range(PARTS):
        held = part == each
        weights, bias = fit(inputs[~held], wanted[~held], len(names))
        scores[held] = inputs[held] @ weights + bias
    # The scores are the features of a head whose weights are the identity.
    head = Head(names, np.eye(len(names), dtype=np.float32), np.zeros(len(names), np.float32), 1.0, 0.0, "")
    temperature = fit_temperature(head, scores, wanted)
    return replace(head, temperature=temperature).probabilities(scores), temperature


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
    asked = np.array([number for number, name in enumerate(names) if name in RS_AGENT_TASKS])
    of_them = np.isin(wanted, asked)
    told = asked[shares[np.ix_(of_them, asked)].argmax(axis=1)] == wanted[of_them]
    lines.append(f"Of RS-Agent's 18 tasks, told among them: {told.mean():.3f} of {len(told)} right")
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
