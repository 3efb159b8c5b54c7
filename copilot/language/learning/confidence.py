"""Fit the confidence: `python -m copilot.language.learning.confidence --policy policy.npz --held FILE …`.

Each conversation of the files that were held out is asked, turn by turn, and held against its own calls; from
what is then known of each turn's reading it is learned how probable a right one is. Writes the policy's file
anew, and prints what would be right and what silently wrong if only the surest were done.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from copilot.bench.asked import asked, opened
from copilot.bench.build.steady import steady_player, steady_world
from copilot.bench.check import GoldFails, Player
from copilot.bench.standin import in_place
from copilot.bench.task import TODAY
from copilot.engine import Engine, default_engine
from copilot.language.bank.example import EXAMPLES, Example, read_examples
from copilot.language.confidence import UNFITTED, Confidence
from copilot.language.interpreter import Interpreter, Reading
from copilot.language.policy import Learned
from copilot.language.trial import trial
from copilot.planner.head import shared_encoder
from copilot.planner.model import EmbeddedPlanner
from copilot.planner.plan import Plan
from copilot.planner.situation import Call, Situation
from tools.toolbox import toolbox

WORTH = 1.0
"""Right turns that a silently wrong one costs as much as, where the limit is set."""


@dataclass(frozen=True)
class Turned:
    """What came of one turn."""

    features: tuple[float, ...]
    right: bool
    silent: bool


@dataclass
class _Noting:
    """An interpreter that remembers its last readings, and a trial that remembers which was taken."""

    interpreter: Interpreter
    readings: tuple[Reading, ...] = ()
    tried: list[tuple[Sequence[Call], bool]] = field(default_factory=list)

    def plan(self, request: str, situation: Situation) -> Plan:
        self.readings, self.tried = self.interpreter.readings(request, situation), []
        first, *others = map(self.interpreter.as_plan, self.readings)
        return replace(first, instead=tuple(others))

    @property
    def taken(self) -> Reading:
        worked = [calls for calls, works in self.tried if works]
        return next((each for each in self.readings if worked and each.calls == worked[0]), self.readings[0])


def turns(
    examples: Iterable[Example], interpreter: Interpreter, engine: Engine, player: Player
) -> Iterator[Turned]:
    """What comes of each turn of some conversations."""
    noting = _Noting(interpreter)
    for example in examples:
        session = opened(example, engine)
        works = trial(session)

        def noted(calls: Sequence[Call], works: object = works) -> bool:
            noting.tried.append((calls, found := works(calls)))  # type: ignore[operator]
            return bool(found)

        model = EmbeddedPlanner(
            planner=noting,
            catalogue=engine.catalogue,
            gazetteer=engine.gazetteer,
            tries_first=False,
            trial=noted,
            columns=session.columns,
        )
        with suppress(GoldFails):
            for each in asked(example, session, player, model):
                silent = not each.right and each.answer is not None and each.answer.outcome == "done"
                yield Turned(noting.taken.features, each.right, silent)


def fitted(seen: Sequence[Turned]) -> Confidence:
    """The confidence that tells the right ones from the others, with the limit that pays best."""
    features = np.array([each.features for each in seen])
    scale = features.std(axis=0) + 1e-9
    model = LogisticRegression(C=1.0, max_iter=2000).fit(features / scale, [each.right for each in seen])
    weights = tuple(float(each) for each in model.coef_[0] / scale)
    unlimited = Confidence(weights, float(model.intercept_[0]), 0.0)
    sure = sorted(((unlimited.of(each.features), each) for each in seen), key=lambda one: -one[0])
    best, gained, limit = 0.0, 0.0, 1.0
    for probability, each in sure:
        gained += each.right - WORTH * each.silent
        if gained > best:
            best, limit = gained, probability
    return replace(unlimited, least=limit)


def curve(seen: Sequence[Turned], confidence: Confidence) -> Iterator[str]:
    """What is right and what silently wrong of all turns, if only so many are done."""
    sure = sorted(seen, key=lambda each: -confidence.of(each.features))
    for share in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        done = sure[: round(share * len(sure))]
        right = sum(each.right for each in done) / len(sure)
        silent = sum(each.silent for each in done) / len(sure)
        yield (
            f"{share:.0%} done: {right:.1%} right, {silent:.1%} silently wrong,"
            f" from {confidence.of(done[-1].features):.2f}"
        )


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
        seen = list(turns(examples, interpreter, engine, player))
    confidence = fitted(seen)
    print(f"{len(seen)} turns; {confidence}")
    for line in curve(seen, confidence):
        print(line)
    replace(learned, confidence=confidence).save(asked.policy)


if __name__ == "__main__":
    main()
