"""What a worker does: each task of a chunk in a fresh session of the process's one engine."""

from __future__ import annotations

import itertools
import json
import logging
import multiprocessing
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any

from copilot.bench.build.steady import SteadyCatalogue
from copilot.bench.check.gold import GoldFails, gold_of
from copilot.bench.check.play import Player
from copilot.bench.run.judge import judged, not_judged
from copilot.bench.standin import CATEGORIES, standing_in
from copilot.bench.task import Task
from copilot.engine import Engine
from state.codec import digest, to_json
from tools.toolbox import Toolbox, toolbox

if TYPE_CHECKING:
    from copilot.session import Answer, Session
    from state.log import Event

WRITES = frozenset({"db_ingest"})
"""Tools that change the catalogue itself, for every session."""
MOST_LOGGED = 5
"""Lines of the log that a worker writes; the traces have every failure."""

_log = logging.getLogger(__name__)
_opening = threading.Lock()
_of_thread = threading.local()


@dataclass(frozen=True)
class Work:
    """What all chunks of a run share."""

    catalogue: str
    today: str
    agent: str
    model: str
    shots: int
    epsilon: float


def run_chunk(plain: Sequence[dict[str, Any]], work: Work) -> list[dict[str, Any]]:
    """The results of some tasks, as rows of the run's table."""
    with _opening:  # the threads of a worker share one engine
        _log_few()
        engine = _engine(work.catalogue, work.today)
    return [run_task(Task.from_json(each), work, engine) for each in plain]


def run_task(task: Task, work: Work, engine: Engine) -> dict[str, Any]:
    """One task from the opening of its session to its verdict; the session is gone afterwards."""
    from copilot.session import Session

    try:
        gold = gold_of(_player(engine), task)
    except GoldFails as error:
        return _ungraded(task, str(error))
    session = Session.open(engine=engine)
    try:
        for call in task.setup:
            session.call_tool(call.tool, call.args, source="bench")
        answer = _asked(session, task, work)
        return _row(task, session, answer, judged(gold, answer, work.epsilon))
    finally:
        engine.remove_session(session.id)


def _asked(session: Session, task: Task, work: Work) -> Answer:
    """The agent's answer; a task at which the agent itself breaks has failed, and the next ones go on."""
    from copilot.agents import UnknownAgent
    from copilot.models import ModelNotConfigured
    from copilot.session import Answer

    try:
        return session.ask(task.request, agent=work.agent, model=work.model, shots=work.shots, source="bench")
    except (UnknownAgent, ModelNotConfigured):
        raise  # no task can be answered
    except Exception as error:
        _log.exception("the agent broke at task %s", task.id)
        said = f"The agent broke: {type(error).__name__}."
        return Answer(task.request, said, (), session.state, "failed", 0.0)


def _player(engine: Engine) -> Player:
    """This thread's player of golds over that engine's catalogue."""
    if getattr(_of_thread, "engine", None) is not engine:
        _of_thread.engine, _of_thread.player = engine, Player.over(engine)
    found: Player = _of_thread.player
    return found


@cache
def _log_few() -> None:
    """A model that cannot be reached fails in every task: a worker's process tells the first times only."""
    if multiprocessing.parent_process() is None:
        return  # a worker inside of another program, whose log is not ours to cut
    told = itertools.count()
    handlers = (*logging.getLogger().handlers, logging.lastResort)
    for handler in handlers:
        if handler is not None:
            handler.addFilter(lambda record: next(told) < MOST_LOGGED)


@dataclass
class _BenchEngine(Engine):
    """An engine whose sessions leave the catalogue as it is: an agent may try anything."""

    @property
    def toolbox(self) -> Toolbox:
        """Every tool but those that write to the catalogue; those of the web and of models ask a stand-in."""
        return _reading_tools()


@cache
def _reading_tools() -> Toolbox:
    kept = (each for each in toolbox() if each.name not in WRITES)
    return Toolbox(tuple(standing_in(each) if each.category in CATEGORIES else each for each in kept))


@cache
def _engine(catalogue: str, today: str) -> Engine:
    engine = _BenchEngine.in_memory(catalogue, date.fromisoformat(today))
    if engine.catalogue_root is not None:
        engine.__dict__["catalogue"] = SteadyCatalogue(engine.catalogue_root)
    return engine


def _row(task: Task, session: Session, answer: Answer, verdict: dict[str, Any]) -> dict[str, Any]:
    number = session.events[-1].turn if session.events else 0
    reply = next((each for each in session.events if each.turn == number and each.kind == "reply"), None)
    return {
        **_about(task),
        "trace": _json([_line(each) for each in session.events if each.turn == number]),
        "reply": answer.reply,
        "outcome": answer.outcome,
        "state_hash": digest(answer.state),
        "state": _json(to_json(answer.state)),
        "seconds": answer.seconds,
        "tokens": answer.tokens,
        "estimated_tokens": answer.estimated_tokens,
        "usd": reply.data.get("cost_usd") if reply else None,
        "unanswered": bool(reply and reply.data.get("unanswered")),
        **verdict,
    }


def _ungraded(task: Task, why: str) -> dict[str, Any]:
    """The row of a task that is not put to the agent, because its gold does not work here."""
    nothing = dict.fromkeys(("state_hash", "state", "usd"))
    zero = {"seconds": 0.0, "tokens": 0, "estimated_tokens": 0, "unanswered": False}
    left = {"trace": "[]", "reply": why, "outcome": None, **zero}
    return {**_about(task), **nothing, **left, **not_judged()}


def _about(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "intent": task.intent,
        "category": task.category,
        "complexity": task.complexity,
        "request": task.request,
        "setup": _json([vars(call) for call in task.setup]),
        "gold": _json([vars(call) for call in task.calls]),
        "gold_reply": task.reply,
    }


def _line(event: Event) -> dict[str, Any]:
    """An event as the trace keeps it: without the states, which are the replay's to make again."""
    line: dict[str, Any] = {"kind": event.kind, "text": event.text}
    if event.kind == "call":
        line |= {"tool": event.tool, "args": event.args, "ok": event.ok, "seconds": event.seconds}
    if event.tokens:
        line["tokens"] = event.tokens
    return line


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
