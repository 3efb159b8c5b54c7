"""Records: each turn of the examples with the session that it was said into."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from copilot.bench.check import Played, Player
from copilot.bench.task import GoldCall
from copilot.language.bank.example import Example, Turn
from copilot.language.bank.wording import Wording
from copilot.language.view import Past
from state.codec import to_json
from state.model import State
from tools.columns import columns_of

Call = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Record:
    """A request with its right calls, and what was there before it."""

    id: str
    voice: str
    said: str
    calls: tuple[Call, ...]
    state: Mapping[str, Any]
    """As JSON."""
    past: tuple[Past, ...] = ()
    made: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """The ids and names of what each call brings."""
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Of the artifacts that have rows, by their ids."""


def records(examples: Iterable[Example], player: Player) -> Iterator[Record]:
    """The turns of some examples, each played after those before it."""
    for example in examples:
        played, past = player.begin(example.setup), tuple[Past, ...]()
        for number, turn in enumerate(example.turns):
            after = player.play(turn.calls, played)
            calls = _calls(turn.calls)
            state, made = to_json(played.state), _made(played, after)
            columns = columns_of(played.state.artifacts, played.files.get)
            yield Record(f"{example.id}/{number}", example.voice, turn.say, calls, state, past, made, columns)
            if after.failed:
                break
            played, past = after, (*past, Past(turn.say, calls, tuple(each.data for each in after.steps)))


def reworded(found: Iterable[Record], wordings: Iterable[Wording]) -> Iterator[Record]:
    """The records, then each of them as others say it."""
    known = {}
    for each in found:
        known[each.id] = each
        yield each
    for one in wordings:
        if one.record in known:
            yield replace(known[one.record], said=one.say, voice=one.voice)


def _calls(calls: Iterable[GoldCall]) -> tuple[Call, ...]:
    return tuple((each.tool, each.args) for each in calls)


def _made(before: Played, after: Played) -> dict[int, tuple[str, ...]]:
    found, last = {}, before.state
    for number, state in enumerate(after.states):
        found[number] = tuple(_new(last, state))
        last = state
    return found


def _new(before: State, after: State) -> Iterator[str]:
    known = {each for each, _ in _named(before)}
    for each, name in _named(after):
        if each not in known:
            yield from (each, name)


def _named(state: State) -> Iterator[tuple[str, str]]:
    yield from ((each.id, each.name) for each in state.artifacts)
    yield from ((each.id, each.name) for each in state.map.layers)


def of_tasks(tasks: Iterable[Mapping[str, Any]]) -> Iterator[Example]:
    """The tasks of a built benchmark, as its file has them, as examples: each a conversation of one turn."""
    for each in tasks:
        calls = tuple(GoldCall(one["tool"], one["args"]) for one in each["calls"])
        setup = tuple(GoldCall(one["tool"], one["args"]) for one in each["setup"])
        yield Example(each["id"], f"benchmark, {each['intent']}", (Turn(each["request"], calls),), setup)
