"""The user's own regression suite: a turn with a thumbs-down becomes a task, its right end the gold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from copilot.bench.build.taskfile import read_tasks
from copilot.bench.check.play import Player
from copilot.bench.run.tasks import mine_file
from copilot.bench.task import GoldCall, Kind, Task
from copilot.engine import Engine
from copilot.session import Session
from state.codec import canonical_bytes, digest, from_json, to_json
from state.log import Event, Turn, state_after
from state.model import State

_HISTORY = ("undo", "redo", "goto_turn")
_ASIDE = "record_feedback"


class CannotAdd(Exception):
    """A turn that cannot become a task, in one sentence that says what would help."""


@dataclass(frozen=True)
class _Step:
    """A call that stands: it worked, and was not taken back."""

    call: GoldCall
    turn: int
    changed: bool


def add(
    engine: Engine,
    session_id: str,
    *,
    turn: int | None = None,
    right_turn: int | None = None,
    fork: str | None = None,
    calls: Sequence[GoldCall] | None = None,
    reply: str | None = None,
) -> Task:
    """Make a task of a thumbs-down turn (the last one) and put it into the suite.

    Its gold is given in one of three ways: `right_turn`, a later turn whose end is right; `fork`, a session
    that went on from before the turn and ended right; or the `calls` themselves. Raises CannotAdd, and
    state.store.UnknownSession.
    """
    session = Session.open(session_id, engine=engine)
    wrong = _rated_down(session, turn)
    setup = [each for each in standing(session.events, wrong.number - 1) if each.changed]
    reply = reply if reply is not None else _right_reply(session, right_turn, fork, engine)
    if calls is not None:
        gold = tuple(calls)
    elif right_turn is not None:
        if right_turn <= wrong.number:
            raise CannotAdd(f"Turn {right_turn} cannot put turn {wrong.number} right: it is not later.")
        gold = _beyond(setup, session, right_turn)
    elif fork is not None:
        other = Session.open(fork, engine=engine)
        gold = _beyond(setup, other, other.turns[-1].number)
    else:
        raise CannotAdd(
            f"What would have been right in turn {wrong.number} ({wrong.request!r}) is not known. "
            "Give --expect-state-of TURN (a later turn that put it right), --fork SESSION (a fork that went "
            'right), or --calls FILE (JSON lines {"tool", "args"}).'
        )
    task = _played(engine, session, wrong, tuple(each.call for each in setup), gold, reply)
    if right_turn is not None and _lasting(_state(session, right_turn)) != _lasting(from_json(task.state)):
        raise CannotAdd(f"The calls up to turn {right_turn}, made again, do not end in its state.")
    return _kept(engine.home, task)


def standing(events: Sequence[Event], turn: int) -> list[_Step]:
    """The calls that worked up to the end of that turn, without what was taken back."""
    steps: list[_Step] = []
    led: dict[str, list[_Step]] = {digest(State()): []}
    for event in events:
        if event.turn > turn:
            break
        if event.kind != "call" or not event.ok:
            continue
        if event.tool in _HISTORY:
            steps = led.get(event.hash, [])
        elif event.tool != _ASIDE:
            steps = [
                *steps,
                _Step(GoldCall(event.tool, dict(event.args)), event.turn, event.state is not None),
            ]
        led.setdefault(event.hash, steps)
    return steps


def _rated_down(session: Session, number: int | None) -> Turn:
    """The turn that is meant, if its last thumb is down."""
    from copilot.view.transcript import ratings

    rated = ratings(session.turns)
    down = [each for each in session.turns if rated.get(each.number) == "down" and each.request]
    if number is None:
        if not down:
            raise CannotAdd(f"No turn of session {session.id} has a thumbs-down; rate the wrong one first.")
        return down[-1]
    for each in down:
        if each.number == number:
            return each
    raise CannotAdd(
        f"Turn {number} has no thumbs-down; "
        f"`copilot call record_feedback --session {session.id} rating=down turn={number}` gives it one."
    )


def _beyond(setup: Sequence[_Step], session: Session, turn: int) -> tuple[GoldCall, ...]:
    """The calls that lead from the setup to the end of that turn."""
    if turn not in {each.number for each in session.turns}:
        raise CannotAdd(f"Session {session.id} has no turn {turn}.")
    steps = standing(session.events, turn)
    changes = [each.call for each in steps if each.changed]
    if changes[: len(setup)] != [each.call for each in setup]:
        raise CannotAdd(
            f"Turn {turn} of session {session.id} does not go on from where the request was made: "
            "something from before it was taken back."
        )
    seen = 0
    gold = []
    for each in steps:
        seen += each.changed
        if (each.changed and seen > len(setup)) or (not each.changed and each.turn == turn):
            gold.append(each.call)
    if not gold:
        raise CannotAdd(f"Turn {turn} of session {session.id} made no call that could be the right one.")
    return tuple(gold)


def _right_reply(session: Session, right_turn: int | None, fork: str | None, engine: Engine) -> str:
    if fork is not None:
        turns = list(Session.open(fork, engine=engine).turns)
    else:
        turns = [each for each in session.turns if each.number == right_turn]
    return next((each.reply.text for each in reversed(turns) if each.reply), "")


def _played(
    engine: Engine,
    session: Session,
    wrong: Turn,
    setup: tuple[GoldCall, ...],
    gold: tuple[GoldCall, ...],
    reply: str,
) -> Task:
    """The task with its end, which is found by making the calls."""
    player = Player.over(engine)
    start = player.begin(setup)
    end = player.play(gold, start)
    for made in (*(made for _, made, _ in start.past), *end.steps):
        if not made.ok:
            raise CannotAdd(f"{made.tool} fails when it is made again: {made.text}")
    if _lasting(start.state) != _lasting(_state(session, wrong.number - 1)):
        raise CannotAdd(f"The calls before turn {wrong.number}, made again, do not lead to its start.")
    name = hashlib.sha256(canonical_bytes([wrong.request, [vars(each) for each in setup]])).hexdigest()[:10]
    return Task(
        id=f"mine-{name}",
        intent="mine",
        category=_category(engine, gold, start.state, end.state),
        request=str(wrong.request),
        calls=gold,
        reply=reply,
        state=to_json(end.state),
        setup=setup,
    )


def _state(session: Session, turn: int) -> State:
    return state_after(session.events, turn) or State()


def _lasting(state: State) -> State:
    """A state without what was only said."""
    return state.with_ui(question=None, notice=None)


def _category(engine: Engine, gold: Sequence[GoldCall], before: State, after: State) -> Kind:
    if before.map.layers != after.map.layers:
        return "load-filter-plot"
    kinds = {engine.toolbox.get(each.tool).category for each in gold}
    return "ui-web" if kinds <= {"ui", "web", "map"} else "information"


def _kept(home: Path, task: Task) -> Task:
    path = mine_file(home)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and any(each.id == task.id for each in read_tasks(path)):
        raise CannotAdd(f"This turn is task {task.id} already; to make it anew, remove its line in {path}.")
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(task.to_json(), ensure_ascii=False) + "\n")
    return task
