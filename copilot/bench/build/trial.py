"""Try intents out: fill each a few times, play it, and say what is wrong and which tools are not covered."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

from copilot.bench.build.fill import Drawer, Filled, NotFilled, filled
from copilot.bench.build.intents import BadIntents, Intent, load_intents, problems
from copilot.bench.build.rows import pool_file, read_pool
from copilot.bench.build.slots import Filler
from copilot.bench.build.steady import steady_player, steady_world
from copilot.bench.check.play import Player
from copilot.engine import default_engine

FILLS = 3


def trial(intent: Intent, drawer: Drawer, player: Player, fills: int = FILLS) -> list[str]:
    """What is wrong with an intent: on paper, and in some fills of it."""
    if (found := problems(intent, player.toolbox)) or intent.needs:
        return found  # what needs the network or a file of the user's is only looked at on paper
    said: dict[str, None] = {}
    for number in range(fills):
        try:
            made = filled(intent, drawer, player, Random(f"{intent.id}/{number}"))
        except NotFilled as error:
            return [str(error)]
        said |= dict.fromkeys(_unneeded(made, player))
    return list(said)


def _unneeded(made: Filled, player: Player) -> Iterable[str]:
    """The calls that could be left out: the end would be the same."""
    for index, call in enumerate(made.calls):
        if not player.toolbox.get(call.tool).changes_state:
            continue
        rest = player.play((*made.calls[:index], *made.calls[index + 1 :]), made.begun)
        if not rest.failed and rest.state == made.played.state:
            yield f"{call.tool} is not needed: without it the end is the same"


def main(files: Sequence[str] | None = None) -> None:
    """`python -m copilot.bench.build.intents [FILE…]`: prints what is wrong, and exits with 1 then."""
    paths = [Path(each) for each in (sys.argv[1:] if files is None else files)]
    try:
        intents = load_intents(paths)
        everything = load_intents()
    except BadIntents as error:
        print(error)
        raise SystemExit(1) from error
    engine = default_engine()
    world = steady_world(engine)
    player = steady_player(world)
    pool = read_pool(pool_file(world, 0, engine.home / "bench"))
    drawer = Drawer(pool, Filler(world.gazetteer, pool.words))
    ids = Counter(intent.id for intent in everything)
    wrong = 0
    for intent in intents:
        found = trial(intent, drawer, player)
        if ids[intent.id] > 1:
            found.append("another intent has the same id")
        for each in found:
            print(f"{intent.file}: {intent.id}: {each}")
        wrong += bool(found)
    print(f"{len(intents)} intents, {wrong} with something wrong.")
    _coverage(everything, [each.name for each in player.toolbox])
    player.close()
    raise SystemExit(1 if wrong else 0)


def _coverage(intents: Sequence[Intent], names: Sequence[str]) -> None:
    used = Counter(name for intent in intents for name in {call.tool for call in intent.calls})
    lengths = [len(intent.calls) for intent in intents]
    long = [length for length in lengths if length >= 6]
    print(
        f"All files: {len(intents)} intents; by category {dict(Counter(each.category for each in intents))}."
    )
    mean, long_mean = (sum(each) / max(1, len(each)) for each in (lengths, long))
    print(
        f"Calls: {mean:.2f} on average, {len(long)} intents of 6 or more ({long_mean:.2f} on average), "
        f"{sum(each > 8 for each in lengths)} of more than 8."
    )
    print(f"Held out: {sum(each.held_out for each in intents)} of {len(intents)}.")
    print(f"Tools in no gold: {', '.join(name for name in names if not used[name]) or 'none'}.")
    print(f"Tools in one: {', '.join(name for name in names if used[name] == 1) or 'none'}.")
