"""What was done in the session so far, taken from its record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from state.log import Turn, turns
from state.model import State
from tools.base import Step, World, tool
from tools.phrases import groups_in_words, listed, number_of, one_line

_SHOWN_CALLS = 6
_SHOWN_TURNS = 20
"""How many turns are told in words, the newest."""
_KEPT_TURNS = 100
_RESULT_CHARS = 160


@tool("langchain")
def summarize_history(
    state: State,
    world: World,
    *,
    last: Annotated[
        int | None, Field(ge=1, le=1_000, description="Only so many turns back; all of them when left out.")
    ] = None,
) -> Step:
    """Summarise what was asked and done in this session: each request, its calls and what came of them.

    Extractive: every word is taken from the record, which has each call with its arguments and its result, so
    that nothing is made up. An undo is a turn of its own.

    Example: copilot call summarize_history last=3

    Asked as: what have we done so far | summarise the conversation | recap the session | which steps led here
    | give me a summary of the history | what did I ask before | remind me what you did
    """
    made = [each for each in turns(world.log) if each.request is not None or each.calls]
    shown = made if last is None else made[-last:]
    facts = [_facts(each) for each in shown[-_KEPT_TURNS:]]
    calls = [call for each in shown for call in each.calls]
    used = Counter(call.tool for call in calls)
    tools = sorted(used.items(), key=lambda item: (-item[1], item[0]))
    failed = sum(not call.ok for call in calls)
    now = _now(state)
    data: dict[str, Any] = {
        "turns": len(shown),
        "of": len(made),
        "calls": len(calls),
        "failed": failed,
        "tools": [{"key": name, "count": count} for name, count in tools],
        "history": facts,
        "now": now,
    }
    if not shown:
        return Step(state, f"Nothing was done in this session yet. {_now_in_words(now)}", data)
    which = f"the last {len(shown)} of {number_of(len(made), 'turn')}" if len(shown) < len(made) else "all"
    told = facts[-_SHOWN_TURNS:]
    earlier = len(shown) - len(told)
    words = " ".join(_in_words(each) for each in told)
    if earlier:
        words = f"The {number_of(earlier, 'earlier turn')} are counted and not told. {words}"
    said = (
        f"{number_of(len(shown), 'turn')} ({which}) with {number_of(len(calls), 'call')}, "
        f"{failed:,} of them failed: {groups_in_words(tools)}. {words} {_now_in_words(now)}"
    )
    return Step(state, said, data)


def _facts(turn: Turn) -> dict[str, Any]:
    """A turn as the record has it, in plain values."""
    request = one_line(turn.request) if turn.request is not None else None
    return {
        "turn": turn.number,
        "request": request,
        "calls": [
            {"tool": call.tool, "args": call.args, "ok": call.ok, "result": _first_sentence(call.text)}
            for call in turn.calls
        ],
        "outcome": turn.reply.outcome if turn.reply is not None else None,
        "reply": _first_sentence(turn.reply.text) if turn.reply is not None else None,
    }


def _in_words(turn: dict[str, Any]) -> str:
    asked = f"«{turn['request']}»" if turn["request"] else "without a request"
    calls: Sequence[dict[str, Any]] = turn["calls"]
    if not calls:
        told = f"answered «{turn['reply']}»" if turn["reply"] else "nothing was called"
        return f"Turn {turn['turn']}, {asked}: {told}."
    parts = [
        f"{call['tool']}{'' if call['ok'] else ' (failed)'}: {call['result'].rstrip('.')}"
        for call in calls[:_SHOWN_CALLS]
    ]
    more = f"; {len(calls) - _SHOWN_CALLS} more calls" if len(calls) > _SHOWN_CALLS else ""
    return f"Turn {turn['turn']}, {asked}: {'; '.join(parts)}{more}."


def _first_sentence(text: str) -> str:
    """The first sentence of a result, on one line; a full stop within a number or a name ends none."""
    plain = " ".join("".join(each if each.isprintable() else " " for each in text[:2_000]).split())
    end = next(
        (at for at in range(len(plain) - 1) if plain[at] in ".!?" and plain[at + 1] == " "), len(plain)
    )
    sentence = plain[: end + 1]
    return sentence if len(sentence) <= _RESULT_CHARS else f"{sentence[:_RESULT_CHARS]}…"


def _now(state: State) -> dict[str, Any]:
    return {
        "loaded": list(state.database.loaded),
        "count": state.database.count,
        "layers": [one_line(each.name) for each in state.map.layers],
        "artifacts": [
            {"id": each.id, "kind": each.kind, "name": one_line(each.name)} for each in state.artifacts[-20:]
        ],
    }


def _now_in_words(now: dict[str, Any]) -> str:
    loaded = listed(now["loaded"]) or "no data set"
    kinds = Counter(each["kind"] for each in now["artifacts"])
    made = listed([number_of(count, kind) for kind, count in sorted(kinds.items())]) or "nothing"
    layers = listed(now["layers"]) or "none"
    return f"Now: {loaded} with {now['count']:,} selected, layers: {layers}, kept: {made}."


TOOLS = (summarize_history,)
