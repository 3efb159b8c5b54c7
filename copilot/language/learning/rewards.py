"""What a frame is worth, told by the environment: its calls are played, and held against a right end.

After RemoteAgent, whose reward has the form of its reference: coordinates, numbers or labels. Here what the
calls change is graded too, as the benchmark's checker grades it, and silent errors have a price.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import exp
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from copilot.bench.check import Gold, Played, Player, Run, Settings, check
from copilot.bench.check.ends import wrong_aspects
from copilot.bench.check.gold import End
from copilot.bench.check.output import Facts, brings, missing
from copilot.bench.check.perception import Overlap
from copilot.bench.check.runs import Made
from copilot.bench.check.same import SETS, folded, is_number, matching
from copilot.bench.check.verdict import pair_of
from copilot.bench.task import GoldCall
from copilot.language.grounding import result_of
from copilot.language.interpreter import COMPOSED
from copilot.planner.answer_first import Done
from copilot.planner.situation import Call
from data.vision.boxes import iou_table
from state.codec import to_json

SILENT = 1.0
"""The price of a silent error: as much as a right turn gives (confidence.WORTH)."""
ASKED = 0.1
"""The price of a question, or a refusal, where the request could be done."""
FAILED = 0.2
"""The price of calls that do not work, or do nothing. It is seen, but helps less than a question."""
NEEDLESS, MOST_NEEDLESS = 0.05, 0.5
"""The price of each call that nobody needs where the end is right, and of all of them: else frames grow."""
STEEPNESS, FARTHEST = 3.0, 0.5
"""How fast a number loses worth with its relative error, and the error from which it has none."""
POINT_DEG = 0.5
"""How far the box goes, to each side, that stands for a point, which has no area."""
COORDINATES = frozenset({"bbox", "lon", "lat", "points"})
"""Arguments in degrees, west before south."""
Box = tuple[float, float, float, float]
"""West, south, east, north in degrees."""


def reward(gold: Gold, played: Played) -> float:
    """What calls are worth that were played where `gold` starts, from -1 to 1; above 0 if they end right.

    r = -FAILED           where one of them does not work: the reader does not make them then
        1 - min(n NEEDLESS, MOST_NEEDLESS)  where they end right, as `bench.check` tells, with n calls that
                          nobody needs; so do a question and a refusal where they are due
        -FAILED           where nothing is done
        -ASKED            where they ask or refuse, and it is not due
        mean(p) - SILENT  otherwise: they work, and end elsewhere, and nobody is told

    p are the parts of the right end that they come nearest to, each from 0 to 1 (`parts_of`).
    """
    if played.failed:
        return -FAILED
    toolbox = gold.ends[0].toolbox
    made = End(gold.start, played.state, played.steps, played.states, toolbox, frozenset())
    verdict = check(gold, Run(made.steps, "", to_json(made.state), made.outcome))
    if verdict.success:
        return 1 - min(NEEDLESS * len(verdict.check("needed_tools").wrong), MOST_NEEDLESS)
    if not any(made.needed):
        return -FAILED
    if made.outcome != "done":
        return -ASKED
    return fmean(parts_of(gold, gold.ends[verdict.end], made) or [0.0]) - SILENT


def play(player: Player, calls: Sequence[Call], start: Played) -> Played:
    """Play calls as one turn, up to the first that fails, asks or refuses.

    "@1.made" among the arguments is what the first of them made.
    """
    made, played = list[GoldCall](), player.play((), start)
    for call in calls:
        done = [Done(Call(each.tool, each.args), each.ok, each.text, each.data) for each in played.steps]
        made.append(GoldCall(call.tool, {name: result_of(value, done) for name, value in call.args.items()}))
        # From the start, so that all of them are one turn: the player remembers those that it made.
        played = player.play(made, start)
        if played.failed or call.tool in COMPOSED:
            break
    return played


def parts_of(gold: Gold, end: End, made: End) -> list[float]:
    """How far each part of a right end was come to, 0 to 1.

    One for each aspect of the state that the right calls change, or that is wrong; for each answer that they
    bring, the share of its facts; for each answer that nobody wants, 0; and one for each form that their
    arguments have: coordinates, numbers, labels.
    """
    brought = [brings(end.toolbox, each) for each in made.steps]
    pair = pair_of(gold, end, made.steps, brought, made.state, Settings())
    wrong = wrong_aspects(pair)
    # What is kept as an artifact is graded by what it brings, and by where it is shown.
    changed = sorted((end.touched - {"artifacts"}) | wrong.keys())
    return [
        *(float(name not in wrong) for name in changed),
        *_answers(end, made, brought, pair.epsilon),
        *_forms(end.steps, made.steps),
    ]


def _answers(end: End, made: End, brought: Sequence[Facts], epsilon: float) -> Iterator[float]:
    for facts in end.facts:
        if facts:
            yield 1 - len(missing(facts, brought, epsilon)) / len(facts)
    for facts in made.facts:
        if facts and len(missing(facts, end.facts, epsilon)) == len(facts):
            yield 0.0


def _forms(wanted: Sequence[Made], got: Sequence[Made]) -> Iterator[float]:
    if boxes := list(boxes_in(wanted)):
        yield overlap(boxes, list(boxes_in(got)))
    if numbers := list(_numbers(wanted, got)):
        yield fmean(numbers)
    if labels := _labels(wanted):
        yield Overlap.of(labels, _labels(got)).recall


def overlap(wanted: Sequence[Box], got: Sequence[Box]) -> float:
    """The summed IoU of the boxes, matched so that it is largest (Hungarian), as a share of the wanted."""
    if not got:
        return 0.0
    table = iou_table(_corners(wanted), _corners(got))
    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum()) / len(wanted)


def _corners(boxes: Sequence[Box]) -> NDArray[np.float64]:
    """(boxes, 4, 2)"""
    return np.array(boxes, np.float64)[:, [[0, 1], [2, 1], [2, 3], [0, 3]]]


def boxes_in(calls: Iterable[Made]) -> Iterator[Box]:
    """The boxes and points that calls name; one over the antimeridian goes on beyond 180 degrees."""
    for args in (each.args for each in calls):
        if args.get("bbox") is not None:
            west, south, east, north = args["bbox"]
            yield (west, south, east + 360 if east < west else east, north)
        if args.get("lon") is not None and args.get("lat") is not None:
            yield _around(args["lon"], args["lat"])
        # Elsewhere `points` is the name of what has them.
        if isinstance(args.get("points"), list):
            yield from (_around(lon, lat) for lon, lat in args["points"])


def _around(lon: float, lat: float) -> Box:
    return (lon - POINT_DEG, lat - POINT_DEG, lon + POINT_DEG, lat + POINT_DEG)


def _numbers(wanted: Sequence[Made], got: Sequence[Made]) -> Iterator[float]:
    """The worth of each number of the wanted calls; 0 for one that no call of the same tool has."""
    partners = matching(wanted, got, lambda one, other: one.tool == other.tool)
    for n, each in enumerate(wanted):
        others = dict(_numbers_in(got[partners[n]].args)) if n in partners else {}
        for place, number in _numbers_in(each.args):
            yield closeness(number, others[place]) if place in others else 0.0


def closeness(wanted: float, got: float) -> float:
    """What a number is worth: 1 if it is equal, 0 beyond half the right one, exp(-3 relative error) else."""
    if wanted == got:
        return 1.0
    off = abs(got - wanted) / abs(wanted) if wanted else np.inf
    return exp(-STEEPNESS * off) if off <= FARTHEST else 0.0


def _numbers_in(args: Mapping[str, Any]) -> Iterator[tuple[tuple[str, int], float]]:
    """The numbers among arguments, also of flat lists, by argument and place."""
    for name, value in args.items():
        if name not in COORDINATES:
            for place, each in enumerate(value if isinstance(value, list) else [value]):
                if is_number(each):
                    yield (name, place), each


def _labels(calls: Iterable[Made]) -> dict[str, int]:
    """The classes and other names that calls list, once each."""
    said = (value for each in calls for name, value in each.args.items() if name in SETS)
    return {folded(str(each)): 1 for value in said if isinstance(value, list) for each in value}
