"""Prove examples: their calls work, and do something; nothing is asked twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from copilot.bench.check import Played, Player
from copilot.bench.check.output import answers
from copilot.bench.task import GoldCall
from copilot.language.bank.example import Example
from state.codec import canonical

ENDS = frozenset({"ask_user", "reject_task"})
"""Calls that end a turn: they are its last, and what comes before them stays done."""


def twice(examples: Iterable[Example]) -> list[str]:
    """What the same person could have said in the same session twice, and ids that are given twice."""
    said: dict[tuple[object, ...], str] = {}
    ids: Counter[str] = Counter()
    found = []
    for each in examples:
        ids[each.id] += 1
        key = (canonical([vars(call) for call in each.setup]), *(turn.say.casefold() for turn in each.turns))
        if (other := said.setdefault(key, each.id)) != each.id:
            found.append(f"{each.id}: the same is asked in {other}.")
    return found + [f"{name}: {count} examples have this id." for name, count in ids.items() if count > 1]


def problems_of(player: Player, example: Example) -> list[str]:
    """What is wrong with an example that is played as one session, a turn after the other."""
    return list(_problems(player, example))


def _problems(player: Player, example: Example) -> Iterator[str]:
    played = player.begin(example.setup)
    if wrong := [made for _, made, _ in played.past if not made.ok]:
        yield f"setup: {wrong[0].tool}: {wrong[0].text}"
        return
    for number, turn in enumerate(example.turns, 1):
        for way in turn.also:
            yield from _wrong(player, player.play(way, played), way, f"turn {number}, another way")
        after = player.play(turn.calls, played)
        wrong_here = list(_wrong(player, after, turn.calls, f"turn {number}"))
        yield from wrong_here
        if wrong_here:
            return
        played = after


def _wrong(player: Player, after: Played, calls: tuple[GoldCall, ...], where: str) -> Iterator[str]:
    for made in after.failed:
        yield f"{where}: {made.tool}: {made.text}"
    for call in calls[:-1]:
        if call.tool in ENDS:
            yield f"{where}: {call.tool} ends a turn, and {calls[-1].tool} comes after it."
    for made in after.steps:
        if made.ok and not made.touched and not answers(player.toolbox, made) and made.tool not in ENDS:
            yield f"{where}: {made.tool} changes nothing and brings no answer."
