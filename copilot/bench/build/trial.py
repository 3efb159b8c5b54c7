"""Try intents out: fill each a few times, play it, and say what is wrong and which tools are not covered."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from copilot.bench.build.fill import Drawer, Filled, NotFilled, filled
from copilot.bench.build.intents import BadIntents, Intent, load_intents, problems
from copilot.bench.build.rows import pool_file, read_pool
from copilot.bench.build.slots import Filler
from copilot.bench.build.steady import steady_player, steady_world
from copilot.bench.lint import prove
from copilot.bench.spread import Bench
from copilot.bench.task import Task
from copilot.engine import default_engine
from state.codec import to_json

FILLS = 3


def trial(intent: Intent, drawer: Drawer, bench: Bench, fills: int = FILLS) -> list[str]:
    """What is wrong with an intent: on paper, and in some fills of it."""
    if (found := problems(intent, bench.player.toolbox)) or intent.needs:
        return found  # what needs the network or a file of the user's is only looked at on paper
    said: dict[str, None] = {}
    for number in range(fills):
        try:
            made = filled(intent, drawer, bench.player, Random(f"{intent.id}/{number}"))
        except NotFilled as error:
            return [str(error)]
        said |= dict.fromkeys(_proved(made, bench))
    return list(said)


def _proved(made: Filled, bench: Bench) -> tuple[str, ...]:
    """What cannot be proved of a task that is made of this fill."""
    task = Task(
        id="It",
        intent=made.intent.id,
        category=made.intent.category,
        request=made.said(made.intent.requests[0]),
        calls=made.calls,
        reply=made.reply,
        state=to_json(made.played.state),
        setup=made.setup,
        also=made.also,
    )
    return prove(bench, task).problems


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
    bench = Bench(world, steady_player(world))
    pool = read_pool(pool_file(world, 0, engine.home / "bench"))
    drawer = Drawer(pool, Filler(world.gazetteer, pool.words))
    ids = Counter(intent.id for intent in everything)
    wrong = 0
    for intent in intents:
        found = trial(intent, drawer, bench)
        if ids[intent.id] > 1:
            found.append("another intent has the same id")
        for each in found:
            print(f"{intent.file}: {intent.id}: {each}")
        wrong += bool(found)
    print(f"{len(intents)} intents, {wrong} with something wrong.")
    _coverage(everything, [each.name for each in bench.player.toolbox])
    bench.player.close()
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
