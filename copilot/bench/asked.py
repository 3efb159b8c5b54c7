"""A conversation of the bank asked in a session of its own, each turn held against its own calls."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from copilot.answer import Answer
from copilot.bench.check import Player, Run, check, gold_after
from copilot.bench.task import Task
from copilot.language.bank.example import Example, Turn
from copilot.session import Session

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from copilot.engine import Engine


@dataclass(frozen=True)
class Asked:
    """What came of one turn."""

    turn: Turn
    answer: Answer | None
    """None where the answering crashed: a wrong answer, which must not hide the others."""
    right: bool
    seconds: float


def opened(example: Example, engine: Engine) -> Session:
    """A session with what was there before the conversation."""
    session = Session.open(name=example.id, engine=engine)
    for call in example.setup:
        session.call_tool(call.tool, dict(call.args))
    return session


def task_of(example: Example, turn: Turn) -> Task:
    """A turn as a task without a reply, for a session that stands where the turns before it led."""
    return Task(example.id, example.voice, "information", turn.say, turn.calls, "", {}, also=turn.also)


def asked(
    example: Example, session: Session, player: Player, model: BaseChatModel | None = None
) -> Iterator[Asked]:
    """Each turn, asked in that session. Raises GoldFails where the example itself does not work."""
    played = player.begin(example.setup)
    for turn in example.turns:
        gold = gold_after(player, task_of(example, turn), played)
        before, began = session.state, time.perf_counter()
        try:
            answer: Answer | None = session.ask(turn.say, model=model)
        except Exception:
            answer = None
        passed = time.perf_counter() - began
        right = answer is not None and check(gold, Run.of(answer, before)).success
        yield Asked(turn, answer, right, passed)
        played = player.play(turn.calls, played)
