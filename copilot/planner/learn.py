"""Make the worked cases from the benchmark's hand-written intents: python -m copilot.planner.learn [--dev]

With --dev only the half of the intents that is not held out is learnt: for measuring what is new to the planner.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from hashlib import sha256
from random import Random

import numpy as np

from copilot.bench.build.fill import Drawer, NotFilled
from copilot.bench.build.intents import BRACES, RESULT, Intent, load_intents, strings
from copilot.bench.build.rows import pool_file, read_pool
from copilot.bench.build.slots import LITERAL, Filler, Slot, Value
from copilot.bench.build.steady import steady_world
from copilot.bench.task import TODAY
from copilot.engine import default_engine
from copilot.planner.cases import FILE, Case, Cases, CaseSlot
from copilot.planner.head import shared_encoder
from copilot.planner.likeness import in_kilometres, masked_request, named_besides, signature
from copilot.planner.situation import Situation
from copilot.planner.spans import Reader, Span
from state.codec import to_json
from state.log import START
from tools.base import World

_BATCH = 256


def learnt(intents: Sequence[Intent], drawer: Drawer, world: World) -> Cases:
    """The cases of some intents: one a wording."""
    situation = Situation(to_json(START), TODAY, world.catalogue, world.gazetteer)
    reader = Reader(world.gazetteer, TODAY, situation.names())
    cases: list[Case] = []
    texts: list[str] = []
    for intent in intents:
        if intent.needs or _needs_the_setup(intent):
            continue
        for number, wording in enumerate(intent.requests):
            try:
                values = drawer.values(intent, Random(f"{intent.id}/case/{number}"))
            except NotFilled:
                continue
            text, stands = _filled(wording, values)
            spans = reader.read(text)
            cases.append(_case(intent, wording, spans, stands))
            texts.append(masked_request(text, spans))
    encoder = shared_encoder()
    vectors = [encoder.encode(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)]
    return Cases(tuple(cases), np.concatenate(vectors), source_of(intents))


def source_of(intents: Sequence[Intent]) -> str:
    """Digest of what cases are learnt from: the intents' wordings, slots and calls."""
    told = [(each.id, each.requests, str(each.slots), str(each.setup), str(each.calls)) for each in intents]
    return sha256(repr(told).encode()).hexdigest()


def _needs_the_setup(intent: Intent) -> bool:
    """Whether a call names something of the setup that is not simply the newest of its kind."""
    named = [text for call in intent.calls for text in strings(call.args)]
    results = [RESULT.fullmatch(inside) for text in named for inside in BRACES.findall(text)]
    of_the_setup = [result for result in results if result and result[1]]
    return bool(of_the_setup) and any(call.tool == "show_figure" for call in intent.calls)


def _filled(wording: str, values: dict[str, Value]) -> tuple[str, dict[str, tuple[int, int]]]:
    """A wording with values in its slots, and where each stands."""
    text, at = "", 0
    stands: dict[str, tuple[int, int]] = {}
    for brace in BRACES.finditer(wording):
        text += wording[at : brace.start()]
        name, _, part = brace[1].partition(".")
        value = values[name].parts[part] if part else values[name]
        stands.setdefault(name, (len(text), len(text) + len(value.say)))
        text += value.say
        at = brace.end()
    return text + wording[at:], stands


def _case(intent: Intent, wording: str, spans: Sequence[Span], stands: dict[str, tuple[int, int]]) -> Case:
    slots = {
        name: CaseSlot(
            "literal" if slot.kind == LITERAL else slot.kind,
            tuple((choice.say, choice.arg) for choice in slot.choices),
            _read_as(slot, stands.get(name), spans),
        )
        for name, slot in intent.slots.items()
    }
    calls = tuple((call.tool, call.args) for call in intent.calls)
    used = [
        [span for span in spans if span.kind == read.span[0]][read.span[1]]
        for read in slots.values()
        if read.span is not None
    ]
    return Case(
        intent.id, wording, slots, calls, not intent.setup, signature(spans), named_besides(spans, used)
    )


def _read_as(slot: Slot, at: tuple[int, int] | None, spans: Sequence[Span]) -> tuple[str, int] | None:
    """Which phrase a slot's text is read as, where it is read as one and nothing beside."""
    if at is None:
        return None
    for span in spans:
        whole = (span.start, span.end) == at
        inside = span.start <= at[0] and at[1] <= span.end
        if whole or (inside and _can_be_found_in_it(slot, span)):
            return span.kind, [each for each in spans if each.kind == span.kind].index(span)
    return None


def _can_be_found_in_it(slot: Slot, span: Span) -> bool:
    """ "From 2019", "at least 35 objects": the one year, the one number of a longer phrase."""
    if span.kind == "distance" and not in_kilometres(span):
        return False  # "2 metres or finer" is no radius
    pattern = r"\b(?:19|20)\d\d\b" if slot.kind == "year" else r"\d+(?:\.\d+)?"
    numeric = slot.kind == LITERAL and all(isinstance(each.arg, int | float) for each in slot.choices)
    return (slot.kind == "year" or numeric) and len(re.findall(pattern, span.text)) == 1


def main(arguments: Sequence[str]) -> None:
    """Write the file of cases and say how many there are."""
    engine = default_engine()
    world = steady_world(engine)
    pool = read_pool(pool_file(world, 0, engine.home / "bench"))
    intents = [each for each in load_intents() if "--dev" not in arguments or not each.held_out]
    cases = learnt(intents, Drawer(pool, Filler(world.gazetteer, pool.words)), world)
    cases.save()
    print(
        f"{len(cases.cases)} wordings of {len(cases.intents)} intents in {FILE}, {FILE.stat().st_size / 1e6:.1f} MB."
    )


if __name__ == "__main__":
    main(sys.argv[1:])
