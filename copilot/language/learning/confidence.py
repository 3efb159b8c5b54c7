"""Fit the confidence: `python -m copilot.language.learning.confidence --policy policy.npz --held FILE …`.

Each turn of the files that were held out is read where the right calls of the turns before it led, and each
reading of it is played and held against the turn's own calls; so it is learned how probable a right one is,
which puts the readings of a request in order too: from all features, or from the likelihood alone where that
leaves more right and fewer silent errors of turns that it was not fitted on. Writes the policy's file anew,
with the vectors of what the tools say of themselves, and prints what would be right and what silently wrong
if only the surest were done.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from copilot.bench.build.steady import steady_player, steady_world
from copilot.bench.check import Player
from copilot.bench.standin import in_place
from copilot.bench.task import TODAY
from copilot.engine import Engine, default_engine
from copilot.language.bank.example import EXAMPLES, read_examples
from copilot.language.confidence import FEATURES, UNFITTED, Confidence
from copilot.language.interpreter import COMPOSED, Interpreter
from copilot.language.learning.rewards import play, reward
from copilot.language.learning.rollouts import Request, requests_of
from copilot.language.policy import Learned
from copilot.planner.head import shared_encoder
from tools.toolbox import toolbox

WORTH = 1.0
"""Right turns that a silently wrong one costs as much as, where the limit is set."""
FOLDS = 10
ALL = tuple(range(len(FEATURES)))
LIKELIHOOD = (FEATURES.index("log_probability"), FEATURES.index("probability"))


@dataclass(frozen=True)
class Judged:
    """A reading whose calls work."""

    features: tuple[float, ...]
    right: bool
    silent: bool
    """Whether it is wrong, and does something all the same."""


Turn = tuple[Judged, ...]
"""The readings of one request, the likeliest first."""


def judged(requests: Iterable[Request], interpreter: Interpreter, player: Player) -> Iterator[Turn]:
    """What comes of each reading of some requests."""
    for request in requests:
        found = []
        for reading in interpreter.read(request.shown):
            played = play(player, reading.calls, request.begun(player))
            if not played.failed:  # the reader passes over what does not work
                right = reward(request.gold, played) > 0
                does = not any(call.tool in COMPOSED for call in reading.calls)
                found.append(Judged(reading.features, right, does and not right))
        yield tuple(found)


def fitted(turns: Sequence[Turn], columns: Sequence[int] = ALL) -> Confidence:
    """The confidence that tells the right readings from the others by some features, with the limit that pays
    best."""
    readings = [each for turn in turns for each in turn]
    features = np.array([each.features for each in readings])[:, columns]
    scale = features.std(axis=0) + 1e-9
    model = LogisticRegression(C=1.0, max_iter=2000).fit(features / scale, [each.right for each in readings])
    weights = np.zeros(len(FEATURES))
    weights[list(columns)] = model.coef_[0] / scale
    unlimited = Confidence(tuple(map(float, weights)), float(model.intercept_[0]), 0.0)
    return replace(unlimited, least=_gain(surest(turns, unlimited))[1])


def _gain(done: Iterable[tuple[float, Judged]]) -> tuple[float, float]:
    """What pays best of doing the surest alone, in right turns, and from which probability on."""
    best, gained, limit = 0.0, 0.0, 1.0
    for probability, each in done:
        gained += each.right - WORTH * each.silent
        if gained > best:
            best, limit = gained, probability
    return best, limit


def surest(turns: Iterable[Turn], confidence: Confidence) -> list[tuple[float, Judged]]:
    """The reading of each turn that would be done, with how sure it is, the surest first."""
    rated = ([(confidence.of(each.features), each) for each in turn] for turn in turns)
    return sorted((max(each, key=_sure) for each in rated if each), key=_sure, reverse=True)


def _sure(rated: tuple[float, Judged]) -> float:
    return rated[0]


def validated(turns: Sequence[Turn], columns: Sequence[int]) -> list[tuple[float, Judged]]:
    """`surest`, each turn by a confidence that was fitted without it."""
    found: list[tuple[float, Judged]] = []
    for fold in range(FOLDS):
        others = [each for n, each in enumerate(turns) if n % FOLDS != fold]
        found += surest(turns[fold::FOLDS], fitted(others, columns))
    return sorted(found, key=_sure, reverse=True)


def curve(done: Sequence[tuple[float, Judged]], turns: int) -> Iterator[str]:
    """What is right and what silently wrong of so many turns, if only the surest are done."""
    ordered = sorted(done, key=_sure, reverse=True)
    for share in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        some = ordered[: round(share * turns)]
        right = sum(each.right for _, each in some) / turns
        silent = sum(each.silent for _, each in some) / turns
        yield f"{share:.0%} done: {right:.1%} right, {silent:.1%} silently wrong, from {some[-1][0]:.2f}"


def main() -> None:
    """Fit it, and write the file."""
    parser = argparse.ArgumentParser(prog="python -m copilot.language.learning.confidence")
    parser.add_argument("--policy", type=Path, required=True)
    parser.add_argument("--held", nargs="*", default=[], help="Files of the bank, without .jsonl.")
    parser.add_argument("--files", nargs="*", type=Path, default=[], help="Other files of examples.")
    asked = parser.parse_args()
    begun = replace(Learned.load(asked.policy), confidence=UNFITTED)
    learned = begun.with_texts(shared_encoder(), toolbox())
    address = default_engine().catalogue_address
    player = steady_player(steady_world(Engine.in_memory(address)))
    engine = Engine.in_memory(address, today=TODAY)
    interpreter = Interpreter.of(learned, shared_encoder(), toolbox())
    examples = read_examples([*(EXAMPLES / f"{name}.jsonl" for name in asked.held), *asked.files])
    with in_place():
        turns = list(judged(requests_of(examples, engine, player), interpreter, player))
    folds = {columns: validated(turns, columns) for columns in (LIKELIHOOD, ALL)}
    for columns, done in folds.items():
        print(f"By {', '.join(FEATURES[n] for n in columns)}, in {FOLDS} folds:")
        print("\n".join(curve(done, len(turns))))
    best, _ = max(folds.items(), key=lambda each: _gain(each[1])[0])
    confidence = fitted(turns, best)
    print(f"{len(turns)} turns; {confidence}")
    replace(learned, confidence=confidence).save(asked.policy)


if __name__ == "__main__":
    main()
