"""Fit the confidence: `python -m copilot.language.learning.confidence --policy policy.npz --held FILE …`.

Each turn of the files that were held out is read where the right calls of the turns before it led, and each
reading of it is played and held against the turn's own calls; so it is learned how probable a right one is,
which puts the readings of a request in order too. Writes the policy's file anew, and prints what would be
right and what silently wrong if only the surest were done.
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
from copilot.language.confidence import UNFITTED, Confidence
from copilot.language.interpreter import COMPOSED, Interpreter
from copilot.language.learning.rewards import play, reward
from copilot.language.learning.rollouts import Request, requests_of
from copilot.language.policy import Learned
from copilot.planner.head import shared_encoder
from tools.toolbox import toolbox

WORTH = 1.0
"""Right turns that a silently wrong one costs as much as, where the limit is set."""
FOLDS = 10


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


def fitted(turns: Sequence[Turn]) -> Confidence:
    """The confidence that tells the right readings from the others, with the limit that pays best."""
    readings = [each for turn in turns for each in turn]
    features = np.array([each.features for each in readings])
    scale = features.std(axis=0) + 1e-9
    model = LogisticRegression(C=1.0, max_iter=2000).fit(features / scale, [each.right for each in readings])
    weights = tuple(float(each) for each in model.coef_[0] / scale)
    unlimited = Confidence(weights, float(model.intercept_[0]), 0.0)
    best, gained, limit = 0.0, 0.0, 1.0
    for probability, each in surest(turns, unlimited):
        gained += each.right - WORTH * each.silent
        if gained > best:
            best, limit = gained, probability
    return replace(unlimited, least=limit)


def surest(turns: Iterable[Turn], confidence: Confidence) -> list[tuple[float, Judged]]:
    """The reading of each turn that would be done, with how sure it is, the surest first."""
    rated = ([(confidence.of(each.features), each) for each in turn] for turn in turns)
    return sorted((max(each, key=_sure) for each in rated if each), key=_sure, reverse=True)


def _sure(rated: tuple[float, Judged]) -> float:
    return rated[0]


def validated(turns: Sequence[Turn]) -> Iterator[tuple[float, Judged]]:
    """`surest`, each turn by a confidence that was fitted without it."""
    for fold in range(FOLDS):
        others = [each for n, each in enumerate(turns) if n % FOLDS != fold]
        yield from surest(turns[fold::FOLDS], fitted(others))


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
    parser.add_argument("--held", nargs="+", required=True, help="Files of the bank, without .jsonl.")
    asked = parser.parse_args()
    learned = replace(Learned.load(asked.policy), confidence=UNFITTED)
    address = default_engine().catalogue_address
    player = steady_player(steady_world(Engine.in_memory(address)))
    engine = Engine.in_memory(address, today=TODAY)
    interpreter = Interpreter.of(learned, shared_encoder(), toolbox())
    examples = read_examples(EXAMPLES / f"{name}.jsonl" for name in asked.held)
    with in_place():
        turns = list(judged(requests_of(examples, engine, player), interpreter, player))
    confidence = fitted(turns)
    print(f"{len(turns)} turns; {confidence}\nBy the likelihood alone:")
    print("\n".join(curve(surest(turns, UNFITTED), len(turns))))
    print(f"By the confidence, in {FOLDS} folds:")
    print("\n".join(curve(list(validated(turns)), len(turns))))
    replace(learned, confidence=confidence).save(asked.policy)


if __name__ == "__main__":
    main()
