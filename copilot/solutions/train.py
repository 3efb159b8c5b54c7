"""Train task inference on the phrases: python -m copilot.solutions.train

Multinomial logistic regression at its optimum, without chance: the same phrases and encoder give the same
weights up to rounding. What is printed is measured on phrases that the weights in question did not see.
Neighbours in a file are often variants of one another: they are held out together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from copilot.planner.encoder import Floats
from copilot.planner.head import Head
from copilot.planner.train import Indices, fit_temperature
from copilot.solutions.bank import digest_of, read_phrases
from copilot.solutions.cues import task_features
from copilot.solutions.infer import WEIGHTS, normal
from copilot.solutions.space import RS_AGENT_TASKS, solutions
from copilot.solutions.vary import varied

PARTS = 5
NEIGHBOURS = 12
"""Phrases of a file that are held out together."""
LOOSENESS = 10.0
"""The inverse of the penalty: half the squared length of the weights against the summed loss times this."""
ROUNDS = 300


def training_set(names: Sequence[str]) -> tuple[Floats, Indices, Indices]:
    """The features of the phrases and, after them, of each varied; the numbers of their tasks, and the parts
    they are held out with, twice too."""
    phrases = read_phrases()
    numbers = {name: number for number, name in enumerate(names)}
    texts = [normal(said) for said in (*(each.text for each in phrases), *map(varied, phrases))]
    inputs = task_features(texts)
    wanted = np.array([numbers[each.task] for each in phrases])
    within = np.concatenate([np.arange(count) for count in np.bincount(wanted)])
    groups = wanted * len(phrases) + within[np.argsort(np.argsort(wanted, kind="stable"))] // NEIGHBOURS
    _, numbered = np.unique(groups, return_inverse=True)
    dealt = np.random.default_rng(0).permutation(int(numbered.max()) + 1) % PARTS
    return inputs, np.tile(wanted, 2), np.tile(dealt[numbered], 2)


def fit(inputs: Floats, wanted: Indices, labels: int) -> tuple[Floats, Floats]:
    """Weights (inputs' columns, labels) and bias (labels,) of least loss; rare labels count more."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    counts = np.bincount(wanted, minlength=labels)
    share = (counts.mean() / counts)[wanted] ** 0.5
    model = LogisticRegression(C=LOOSENESS, max_iter=ROUNDS, tol=1e-3)
    model.fit(csr_matrix(inputs), wanted, sample_weight=share)
    return model.coef_.T.astype(np.float32), model.intercept_.astype(np.float32)


def unseen(inputs: Floats, wanted: Indices, part: Indices, names: tuple[str, ...]) -> tuple[Floats, float]:
    """(phrases, tasks) shares, each row by a head that did not learn from it, and the best temperature."""
    count = len(wanted) // 2  # what is varied is learnt from, and not asked
    scores = np.zeros((count, len(names)), dtype=np.float32)
    for each in range(PARTS):
        kept = part != each
        weights, bias = fit(inputs[kept], wanted[kept], len(names))
        held = np.flatnonzero(part[:count] == each)
        scores[held] = inputs[held] @ weights + bias
    # The scores are the features of a head whose weights are the identity.
    head = Head(names, np.eye(len(names), dtype=np.float32), np.zeros(len(names), np.float32), 1.0, 0.0, "")
    temperature = fit_temperature(head, scores, wanted[:count])
    return replace(head, temperature=temperature).probabilities(scores), temperature


def train() -> tuple[Head, str]:
    """A head for the phrases as they are, and what the phrases it did not see say about its kind."""
    names = tuple(solutions())
    inputs, wanted, part = training_set(names)
    shares, temperature = unseen(inputs, wanted, part, names)
    weights, bias = fit(inputs, wanted, len(names))
    head = Head(names, weights, bias, temperature, threshold=0.0, digest=digest_of())
    return head, _report(shares, wanted[: len(shares)], names)


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
