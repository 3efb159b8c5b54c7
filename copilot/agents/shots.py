"""Worked examples for a model: turns that the user has confirmed, and a hand-written bank.

Both are chosen by how near their request is to the one at hand, in the encoder's space.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from copilot.planner.encoder import Floats
from copilot.planner.head import shared_encoder
from copilot.prompts import OURS, as_data
from copilot.retrieval.remembered import vectors_of
from state.log import Event, Turn, turns
from state.store import UnknownSession

if TYPE_CHECKING:
    from copilot.session import Session
    from state.store import Store

BANK = Path(__file__).with_name("bank")
MAX_SHOTS = 10
LOOKED_AT = 50
"""Of a user's sessions, how many of the last used are looked through for confirmed turns."""


@dataclass(frozen=True)
class Example:
    """A request with the calls that answered it, and the answer."""

    request: str
    calls: tuple[dict[str, Any], ...]
    """{tool, args} each."""
    reply: str
    given: str = ""
    """What was there before, where the request goes on from it."""
    setup: tuple[dict[str, Any], ...] = field(default=())
    """The calls that make what was there before: for the test that runs every example."""


def examples(session: Session, request: str, count: int) -> list[BaseMessage]:
    """The `count` worked examples nearest to a request, as messages marked so, the nearest last."""
    if count < 1:
        return []
    own = list(confirmed(session))
    known = [*own, *bank()]
    vectors = np.concatenate([_vectors(own, "confirmed"), _vectors(bank(), "examples")])
    nearness = vectors @ shared_encoder().recall([request])[0]
    chosen: dict[str, Example] = {}
    for row in np.argsort(-nearness, kind="stable"):
        chosen.setdefault(known[row].request.strip().lower(), known[row])
        if len(chosen) == min(count, MAX_SHOTS):
            break
    nearest_last = list(chosen.values())[::-1]
    return [message for number, each in enumerate(nearest_last, 1) for message in _shown(each, number)]


@cache
def bank() -> tuple[Example, ...]:
    """The hand-written examples."""
    lines = [line for file in sorted(BANK.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
    return tuple(_from_bank(json.loads(line)) for line in lines)


def confirmed(session: Session) -> Iterator[Example]:
    """The turns with a thumbs-up in the same owner's other sessions, those of the last used first."""
    store = session.engine.store
    for row in store.sessions(session.row.owner)[:LOOKED_AT]:
        # What this session holds stands in the conversation itself.
        if row.id != session.id and _is_own(store, row.parent, row.owner):
            yield from _confirmed_in(store.events(row.id))


def _vectors(known: Sequence[Example], name: str) -> Floats:
    return vectors_of([each.request for each in known], shared_encoder().encode, name)


def _is_own(store: Store, parent: str | None, owner: str) -> bool:
    """Whether a session began with nobody else's turns: a copy of a shared one brings words of others."""
    while parent is not None:
        try:
            row = store.session(parent)
        except UnknownSession:
            return False
        if row.owner != owner:
            return False
        parent = row.parent
    return True


def _confirmed_in(events: Sequence[Event]) -> Iterator[Example]:
    known = turns(events)
    rated = {
        each.data.get("turn"): each.data.get("rating")
        for turn in known
        for each in turn.calls
        if each.tool == "record_feedback" and each.ok
    }
    for turn in known:
        if rated.get(turn.number) == "up" and turn.request and turn.reply and turn.reply.outcome == "done":
            yield Example(turn.request, tuple(_worked(turn)), turn.reply.text)


def _worked(turn: Turn) -> Iterator[dict[str, Any]]:
    """The calls that did something: what failed, or was taken back and tried again, is no example."""
    taken_back = [index for index, each in enumerate(turn.calls) if each.tool == "undo" and each.ok]
    start = taken_back[-1] + 1 if taken_back and taken_back[-1] + 1 < len(turn.calls) else 0
    yield from ({"tool": each.tool, "args": each.args} for each in turn.calls[start:] if each.ok)


def _from_bank(plain: dict[str, Any]) -> Example:
    listed = {key: tuple(plain.get(key, ())) for key in ("calls", "setup")}
    return Example(**{**plain, **listed})


def _shown(example: Example, number: int) -> Iterator[BaseMessage]:
    """An example as an earlier turn, which says of itself that it is none of this conversation."""
    mark = {OURS: "example"}
    given = f" (there: {example.given})" if example.given else ""
    yield HumanMessage(
        f"Example {number}, no part of this conversation{given}: {example.request}", additional_kwargs=mark
    )
    for place, call in enumerate(example.calls, 1):
        call_id = f"example-{number}-{place}"
        asked = {"name": call["tool"], "args": call.get("args", {}), "id": call_id, "type": "tool_call"}
        yield AIMessage("", tool_calls=[asked])
        yield ToolMessage(as_data({"call": place, "data": "(of the example)"}), tool_call_id=call_id)
    yield AIMessage(example.reply)
