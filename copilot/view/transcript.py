"""The conversation and the trace, as plain values for the page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

from copilot.messages import number, t, tn
from copilot.messages.identifying import foreign, in_their_words
from copilot.view.cards import cards_of
from copilot.view.reply import folded
from state.log import Event, Turn
from state.model import State

MAX_SHOWN_CHARS = 4000
MAX_TURNS = 100
"""Older turns are in the trace, not in the chat."""


def conversation(
    turns: tuple[Turn, ...], state: State, running: bool, stopping: bool = False
) -> dict[str, Any]:
    """{turns, earlier, question}: what the chat shows, oldest first.

    `stopping` is a running turn that was asked to stop and has not ended yet.
    `question` stands on the last turn while it is not answered: its choices are the buttons.
    """
    following = (*turns[1:], None)[: len(turns)]
    kept = [each for each, after in zip(turns, following, strict=True) if not _goes_on(each, after)]
    shown = kept[-MAX_TURNS:]
    rated = ratings(turns)
    names = {each.id: each.name for each in state.artifacts}
    cards = [
        {
            **turn_card(each, running and each is turns[-1] and each.interrupted, stopping, names),
            "files": files_of(each, state),
            "sources": [asdict(card) for card in cards_of(each.calls)],
            "rating": rated.get(each.number),
        }
        for each in shown
        if not is_feedback(each)
    ]
    question = state.ui.question
    return {
        "turns": cards,
        "earlier": len(kept) - len(shown),
        "question": None
        if question is None or running
        else {"text": question.text, "choices": list(question.choices)},
    }


def _goes_on(turn: Turn, after: Turn | None) -> bool:
    """Whether a turn is a verdict on the page that another one follows: of a row of them the last shows."""
    return after is not None and _is_review(turn) and _is_review(after)


def _is_review(turn: Turn) -> bool:
    calls = turn.calls
    return (
        turn.request is None
        and bool(calls)
        and all(each.tool == "review_detection" and each.ok for each in calls)
    )


def notice(events: Sequence[Event], state: State) -> str | None:
    """What was said with `notify` and still stands; a refusal and a thank-you stand in the conversation."""
    if state.ui.notice is None:
        return None
    said = None
    for event in reversed(events):
        if event.state is None:
            continue
        if event.state["ui"]["notice"] != state.ui.notice:
            break
        said = event.tool
    return state.ui.notice if said == "notify" else None


def is_feedback(turn: Turn) -> bool:
    """Whether a turn is only a thumb: it shows at the turn it rates."""
    return turn.request is None and all(each.tool == "record_feedback" and each.ok for each in turn.calls)


def ratings(turns: tuple[Turn, ...]) -> dict[int, str]:
    """Turn number → the last thumb it got, "up" or "down"."""
    calls = (each for turn in turns for each in turn.calls)
    return {
        each.data["turn"]: str(each.data["rating"])
        for each in calls
        if each.tool == "record_feedback" and each.ok and each.data.get("turn") is not None
    }


def turn_card(
    turn: Turn, running: bool = False, stopping: bool = False, names: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """One turn: the request, its calls and thoughts, the reply and how it ended.

    Calls and thoughts carry their number in the log (`seq`): that is the order they came in. `beneath` is
    what is folded of the reply; `names` are those of artifacts by their ids.
    """
    reply = turn.reply
    said, beneath = folded(reply.text, (each.text for each in turn.calls), names) if reply else (None, "")
    return {
        "turn": turn.number,
        "request": turn.request,
        "at": turn.calls[0].at if turn.calls else (reply.at if reply else ""),
        "source": turn.calls[0].source if turn.calls else "",
        "calls": [call_line(each, number) for number, each in enumerate(turn.calls, 1)],
        "thoughts": [{"seq": each.seq, "text": each.text[:MAX_SHOWN_CHARS]} for each in thoughts(turn)],
        "summary": turn_summary(turn),
        "reply": said,
        "beneath": beneath,
        "outcome": reply.outcome if reply else None,
        "seconds": reply.seconds if reply else None,
        "running": running,
        "stopping": running and stopping,
        "interrupted": turn.interrupted and not running,
        "unread": _unread(turn),
    }


def _unread(turn: Turn) -> str | None:
    """The language of a request that was answered in it, as it is not read; None where it was read."""
    reply = turn.reply
    if turn.request is None or turn.calls or reply is None or reply.outcome != "rejected":
        return None
    code = foreign(turn.request)
    return code if code is not None and reply.text == in_their_words(code) else None


def trace_steps(turn: Turn) -> tuple[tuple[int | None, Event], ...]:
    """Calls and thoughts in the order they came in; a call with its number within the turn.

    That number is the one numbering of calls: references in answers, the trace and the public result have it.
    """
    numbers = {each.seq: number for number, each in enumerate(turn.calls, 1)}
    steps = sorted((*turn.calls, *thoughts(turn)), key=lambda each: each.seq)
    return tuple((numbers.get(each.seq), each) for each in steps)


_ID = re.compile(r"\b(?:document|figure|table|vector|detections|raster|reviews)-[0-9a-f]{4,64}\b")


def files_of(turn: Turn, state: State) -> list[dict[str, Any]]:
    """{id, name, said}: what can be downloaded of a turn's answer, `said` where the reply has the id.

    What the reply names, and what its calls made, as far as the session still has it.
    """
    if turn.reply is None:
        return []
    said = _ID.findall(turn.reply.text)
    made = [each for call in turn.calls if call.ok for each in _made(call)]
    known = {each.id: each.name for each in state.artifacts}
    return [
        {"id": each, "name": known[each], "said": each in said}
        for each in dict.fromkeys((*said, *made))
        if each in known
    ]


def _made(call: Event) -> list[str]:
    """The ids that a call tells of and was not given."""
    given = json.dumps(call.args)
    told = [each for each in call.data.values() if isinstance(each, str) and _ID.fullmatch(each)]
    return [each for each in told if each not in given]


def call_line(event: Event, number: int) -> dict[str, Any]:
    """One call in one line: what was called, how long it took, what came back."""
    return {
        "number": number,
        "seq": event.seq,
        "call": call_text(event.tool, event.args),
        "tool": event.tool,
        "time": duration(event.seconds),
        "ok": event.ok,
        "text": event.text[:MAX_SHOWN_CHARS],
        "layer": event.data.get("layer") if isinstance(event.data.get("layer"), str) else None,
    }


def call_text(tool: str, args: Mapping[str, Any]) -> str:
    """`filter_date(start="2018-05-01", end="2018-05-31")`."""
    said = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in args.items())
    return f"{tool}({said[:MAX_SHOWN_CHARS]})"


def turn_summary(turn: Turn) -> str:
    """`5 calls · 0.2 s · 1,240 tokens · $0.0031`: the work of a turn so far, and what it has cost."""
    worded = len(thoughts(turn))
    thought = tn("{n:,} thought", "{n:,} thoughts", worded) if worded and not turn.calls else ""
    parts = (thought, calls_summary(turn.calls), spent(turn))
    return " · ".join(part for part in parts if part)


def thoughts(turn: Turn) -> tuple[Event, ...]:
    """The thoughts that say something; others only count tokens."""
    return tuple(each for each in turn.thoughts if each.text.strip())


def spent(turn: Turn) -> str:
    """`1,240 tokens · $0.0031` so far; nothing where none were counted."""
    last = turn.reply or (turn.thoughts[-1] if turn.thoughts else None)
    if last is None:
        return ""
    tokens = last.tokens or last.data.get("prompt_tokens", 0) + last.data.get("completion_tokens", 0)
    cost = last.data.get("cost_usd")
    parts = (tn("{n:,} token", "{n:,} tokens", tokens) if tokens else "", "" if cost is None else price(cost))
    return " · ".join(part for part in parts if part)


def price(dollars: float) -> str:
    """US dollars as people read them: a turn costs a fraction of a cent, or several dollars."""
    if dollars < 0.0001:
        return t("under $0.0001") if dollars else "$0"
    return f"${number(dollars, '.4f')}" if dollars < 0.1 else f"${number(dollars, ',.2f')}"


def calls_summary(calls: tuple[Event, ...]) -> str:
    """`5 calls · 0.2 s`, and how many failed."""
    if not calls:
        return ""
    failed = sum(not each.ok for each in calls)
    said = f"{tn('{n:,} call', '{n:,} calls', len(calls))} · {duration(sum(each.seconds for each in calls))}"
    return f"{said} · {t('{failed} failed', failed=failed)}" if failed else said


def duration(seconds: float) -> str:
    """Seconds as people read them."""
    if seconds < 0.0095:
        return f"{number(seconds * 1000, '.1f')} ms"
    return f"{number(seconds * 1000, '.0f')} ms" if seconds < 0.95 else f"{number(seconds, '.1f')} s"


def as_python(events: tuple[Event, ...]) -> str:
    """The calls as Python that makes them again."""
    lines = ["from copilot import Session", "", "session = Session.open()"]
    for each in events:
        if each.kind == "request":
            lines.append(f"# {' '.join(each.text.split())}")
        elif each.kind == "call" and each.ok:
            said = "".join(f", {key}={value!r}" for key, value in each.args.items())
            lines.append(f"session.call({each.tool!r}{said})")
    return "\n".join(lines) + "\n"
