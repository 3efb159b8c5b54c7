"""`python -m benches.unseen [voice_2 intent tool …]`: what is answered rightly of what was never read.

Each conversation is asked in a session of its own, one turn after the other, and held turn by turn against
its own calls. Only totals are printed, by number of calls; no request, no id, no tool. A turn is silently
wrong where it ends as done, wrongly, and the reply does not say that something was not understood or left
out.
Measured on the sample catalogue, on 15 January 2024, the web's tools answered by the benchmark's stand-in.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from copilot.answer import Answer
from copilot.bench.asked import asked, opened
from copilot.bench.build.steady import steady_player, steady_world
from copilot.bench.check import GoldFails, Player
from copilot.bench.standin import in_place
from copilot.bench.task import TODAY
from copilot.engine import Engine, default_engine
from copilot.language.bank.example import Example, read_examples

FOLDER = Path(__file__).parent
SETS = ("voice_2", "intent", "tool")
TOLD = ("did not understand", "left out", "left that out", "could not read")
"""How a reply says that it did not read something."""
MANY = 4


@dataclass(frozen=True)
class Judged:
    """What came of one turn."""

    calls: int
    """That the gold makes."""
    right: bool
    silent: bool
    seconds: float


def judged(example: Example, engine: Engine, player: Player) -> list[Judged]:
    """What came of each turn of a conversation. Raises GoldFails where the example itself does not work."""
    session = opened(example, engine)
    return [
        Judged(len(each.turn.calls), each.right, _silent(each.answer, each.right), each.seconds)
        for each in asked(example, session, player)
    ]


def _silent(answer: Answer | None, right: bool) -> bool:
    if right or answer is None or answer.outcome != "done":
        return False
    return not any(each in answer.reply for each in TOLD)


def table(name: str, conversations: Sequence[Sequence[Judged]]) -> str:
    """The totals of one set."""
    turns = [each for one in conversations for each in one]
    long = [one for one in conversations if len(one) > 1]
    lines = [
        f"{name}: {_share(turns)} of {len(turns)} turns right, {_silently(turns)} silently wrong",
        f"  single requests: {_share([one[0] for one in conversations if len(one) == 1])} right",
    ]
    if long:
        whole = sum(all(each.right for each in one) for one in long) / len(long)
        lines.append(
            f"  conversations: {_share([each for one in long for each in one])} of their turns right,"
            f" {whole:.1%} of {len(long)} from start to end"
        )
    for steps, count in sorted(Counter(min(each.calls, MANY) for each in turns).items()):
        some = [each for each in turns if min(each.calls, MANY) == steps]
        more = " or more" if steps == MANY else ""
        lines.append(
            f"  {steps}{more} calls: {_share(some)} of {count} right, {_silently(some)} silently wrong"
        )
    times = sorted(each.seconds for each in turns)
    median, most = times[len(times) // 2], times[int(len(times) * 0.95)]
    lines.append(f"  a turn: median {median:.2f} s, 95 % within {most:.2f} s")
    return "\n".join(lines)


def _share(turns: Sequence[Judged]) -> str:
    return f"{sum(each.right for each in turns) / max(len(turns), 1):.1%}"


def _silently(turns: Sequence[Judged]) -> str:
    return f"{sum(each.silent for each in turns) / max(len(turns), 1):.1%}"


def main(names: Iterable[str]) -> None:
    """Print the totals of these sets, of all when none is named."""
    address = default_engine().catalogue_address
    player = steady_player(steady_world(Engine.in_memory(address)))
    for name in names or SETS:
        found, broken = [], 0
        engine = Engine.in_memory(address, today=TODAY)
        with in_place():
            for example in read_examples([FOLDER / f"{name}.jsonl"]):
                try:
                    found.append(judged(example, engine, player))
                except GoldFails:
                    broken += 1
        print(
            table(name, found) + (f"\n  {broken} examples do not work any more" if broken else ""), flush=True
        )


if __name__ == "__main__":
    main(sys.argv[1:])
