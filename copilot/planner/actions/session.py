"""The session itself, the catalogue's contents, and requests that no tool can do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from copilot.planner.actions.show import ordinal
from copilot.planner.asking import Ask, Reject
from copilot.planner.clauses import Clause
from copilot.planner.reading.text import COUNT, one_of, whole_number
from copilot.planner.situation import KIND_OF_PLOT, Call, Situation
from state.codec import to_json
from state.log import START

_BEGINNING = to_json(START)
_NAMED = re.compile(
    r"\b(?:as|to|called|named|name|it|under)\s+(?:the name\s+)?[\"'“‘]?([^\"'”’]+?)[\"'”’]?\s*[.!?]*$", re.I
)
_BAD = re.compile(
    r"\b(?:down|bad|wrong|incorrect|not (?:right|what|correct|good)|useless|terrible|poor|false|no good)\b",
    re.I,
)
_NOTE = re.compile(r"(?:[:,–-]|\bbecause|\bsince|\bas)\s+(.{3,})$", re.I | re.S)
_PARTS = (
    (r"\b(?:dates?|time|years?|temporal|period|when|months?)\b", ("date",)),
    (
        r"\b(?:place|area|location|region|spatial|bbox|where|everywhere|geograph\w*|country|"
        r"city|box|worldwide|radius)\b",
        ("place",),
    ),
    (r"\b(?:class(?:es)?|object|objects|types?)\b", ("class",)),
    (r"\b(?:attributes?|cloud|clouds|sensors?|gsd|resolution|split|conditions?)\b", ("attribute",)),
)


def load(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Data sets loaded beside what is there."""
    names = sorted({name for span in clause.of("dataset") for name in span.value})
    if re.search(r"\b(?:except|but not|other than|without)\b", clause.text, re.I) and situation.loaded:
        return
    for span in clause.of("plot"):
        if names and span.value in KIND_OF_PLOT:
            if not set(names) <= situation.loaded:
                yield Call("db_load", {"names": names})
            yield Call(span.value)
            return
    if re.search(r"\b(?:all|every(?:thing)?|each)\b", clause.text, re.I) and not names:
        names = sorted(situation.datasets)
    if not names and situation.loaded and clause.spans:
        return
    if not names:
        said = re.search(r"\bload (?:the )?[\"']?([A-Za-z][\w-]{3,})[\"']?\W*$", clause.text, re.I)
        unknown = f"The catalogue holds no data set '{said[1]}'. " if said and not clause.spans else ""
        raise Ask(f"{unknown}Which data set should I load?", sorted(situation.datasets)[:8])
    if missing := [name for name in names if name not in situation.datasets]:
        raise Ask(
            f"The catalogue does not hold {', '.join(missing)}. Which data set do you mean?",
            sorted(situation.datasets)[:8],
        )
    if not set(names) <= situation.loaded:
        yield Call("db_load", {"names": names})
    elif not any(call.tool == "db_load" for call in situation.planned):
        situation.notes.append(f"{listed_names(names)} {'is' if len(names) == 1 else 'are'} loaded already.")


def unload(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Data sets out of the selection."""
    names = sorted({name for span in clause.of("dataset") for name in span.value})
    kept = re.search(r"\b(?:all|everything) (?:but|except|other than)\b", clause.text, re.I)
    if kept and names:
        names = sorted(situation.loaded - set(names))
    if names and not set(names) & situation.loaded:
        raise Reject(f"{listed_names(names)} {'is' if len(names) == 1 else 'are'} not loaded.")
    names = [name for name in names if name in situation.loaded]
    yield Call("db_unload", {"names": names} if names else {})


def listed_names(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def listed(clause: Clause, situation: Situation) -> Iterator[Call]:
    """What the catalogue holds."""
    yield Call("db_list")


def schema(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Which columns there are."""
    dataset = clause.first("dataset")
    yield Call("db_schema", {"name": dataset.value[0]} if dataset else {})


def ingest(clause: Clause, situation: Situation) -> Iterator[Call]:
    """A folder or file of the user's."""
    path = clause.first("path") or clause.first("quoted")
    if path is None:
        raise Ask("Which file or folder should I bring in? Give its path.", ())
    match = re.search(
        r"\b(?:as|called|named|name it|call it)\s+(?!an?\b|the\b)[\"'“]?([a-z][\w-]*)",
        clause.text[path.end - clause.start :],
        re.I,
    )
    yield Call("db_ingest", {"path": str(path.value)} | ({"name": match[1]} if match else {}))
    if re.search(r"\b(?:layer|on the map)\b", clause.text, re.I):
        yield Call("footprint_plot")


def clear_filters(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Some filters away, or all of them."""
    fields = [field for pattern, names in _PARTS if re.search(pattern, clause.text, re.I) for field in names]
    if fields and re.search(
        r"\b(?:all|every\w*)\b.*\b(?:except|but|other than|besides)\b", clause.text, re.I
    ):
        kept = set(fields)
        yield Call("filter_clear", {"fields": sorted({"date", "place", "class", "attribute"} - kept)})
        return
    named = [str(span.value) for span in clause.of("field") if span.value in ("cloud_pct", "gsd_m", "sensor")]
    if named:
        fields = [field for field in fields if field != "attribute"] + named
    if clause.of("date") and "date" not in fields:
        fields.append("date")
    if clause.of("place") and "place" not in fields:
        fields.append("place")
    if clause.of("class") and "class" not in fields:
        fields.append("class")
    if (
        re.search(
            r"\b(?:all|every|everything)\b (?:the |my |of the )?filters?\b|\bfilters\b$", clause.text, re.I
        )
        and not clause.spans
    ):
        fields = []
    if not fields and _THAT_ONE.search(clause.text) and (last := _last_part(situation)) is not None:
        fields = [last]
    if fields and not situation.filters:
        situation.notes.append(f"There is no {' or '.join(sorted(set(fields)))} filter to drop.")
        return
    yield Call("filter_clear", {"fields": sorted(set(fields))} if fields else {})


_THAT_ONE = re.compile(
    r"\b(?:that|this|the last|last|previous|latest|newest) (?:\w+ )?(?:filter|limit|restriction|constraint|condition|criterion|one)\b",
    re.I,
)


def _last_part(situation: Situation) -> str | None:
    """The part of the filters, or the field, that was set last in this conversation and still holds."""
    there = set(situation.filters) | {str(each["field"]) for each in situation.filters.get("attributes", [])}
    for turn in reversed(situation.past):
        for call in reversed(turn.calls):
            part = (
                str(call.args.get("field", ""))
                if call.tool == "filter_attribute"
                else _PART_OF.get(call.tool)
            )
            if part and (part in there or there & _HELD_BY.get(part, frozenset())):
                return part
    return None


_PART_OF = {
    "filter_date": "date",
    "filter_coords": "place",
    "filter_class": "class",
    "filter_lccclass": "class",
}
_HELD_BY = {
    "date": frozenset({"start", "end"}),
    "place": frozenset({"place", "bbox", "geometry", "center"}),
    "class": frozenset({"classes"}),
}


def start_over(clause: Clause, situation: Situation) -> Iterator[Call]:
    """As on the first day."""
    if situation.filters:
        yield Call("filter_clear")
    if situation.loaded:
        yield Call("db_unload")
    if situation.layers:
        yield Call("clear_layers")
    yield Call("reset_map")


_TIMES = {"twice": 2, "both": 2, "a couple of": 2, "a couple": 2, "thrice": 3, "a few": 3}
_HOW_OFTEN = re.compile(
    rf"\b(?P<always>twice|thrice|both)\b|\b(?P<n>{one_of(_TIMES)}|(?!one\b){COUNT})"
    r"(?=(?: (?:more|last|previous))? (?:steps?|times|turns?|changes?|moves?|actions?|things|of (?:them|those)|back)\b|\W*(?:please\W*)?$)",
    re.I,
)
_EVERY_CHANGE = re.compile(
    r"^\W*(?:undo|revert|take back|reverse|roll back|cancel) (?:it |them |absolutely |really )?(?:all|everything)\b"
    r"(?! (?:the )?(?:filters?|layers?|drawings?)\b)|\btake (?:everything|it all|all of it|all of that) back\b|\b(?:undo|revert) (?:all|every)\b.*\b(?:changes?|steps?|done|did)\b",
    re.I,
)
_MOST_TIMES = 12


def _times(clause: Clause) -> int:
    """How often a clause wants a change taken back or done again: "go back 3 steps", "undo twice"."""
    said = _HOW_OFTEN.search(clause.text)
    words = (said["always"] or said["n"]).lower() if said else "1"
    number = _TIMES.get(words) or whole_number(words) or 1
    if number > _MOST_TIMES:
        raise Ask(
            f"That is {number} steps at once; I take at most {_MOST_TIMES}. To which turn should I go back?",
            ("to the start",),
        )
    return max(1, number)


def undo(clause: Clause, situation: Situation) -> Iterator[Call]:
    """The last change taken back, the last few, or every one."""
    # What was done by clicks is in no turn: only a session that is as it began has nothing to undo.
    if not situation.past and situation.state == _BEGINNING:
        raise Reject("There is nothing to undo yet.")
    if _EVERY_CHANGE.search(clause.text):
        yield Call("goto_turn", {"turn": 0})
        return
    for _ in range(_times(clause)):
        yield Call("undo")


def redo(clause: Clause, situation: Situation) -> Iterator[Call]:
    """What was undone, done again."""
    last = situation.last_calls()
    gone = [name for call in last if call.tool == "db_unload" for name in call.args.get("names", [])]
    if gone and re.search(r"\breload\b", clause.text, re.I):
        yield Call("db_load", {"names": gone})
        return
    if not situation.past and situation.state == _BEGINNING:
        raise Reject("There is nothing to redo: nothing was undone.")
    for _ in range(_times(clause)):
        yield Call("redo")


def goto_turn(clause: Clause, situation: Situation) -> Iterator[Call]:
    """As it was at the end of a turn."""
    number = clause.first("count")
    digits = re.search(r"\b(?:turn|step|request)\s*(?:number\s*|#\s*)?(\d+)", clause.text, re.I)
    turn = int(digits[1]) if digits else int(number.value.value) if number else ordinal(clause.text)
    if turn is None and re.search(r"\b(?:beginning|start)\b", clause.text, re.I):
        turn = 1
    if turn is None:
        raise Ask(
            "To which turn should I go back?", [str(n) for n in range(1, min(6, len(situation.past)) + 1)]
        )
    yield Call("goto_turn", {"turn": turn})


def save(clause: Clause, situation: Situation) -> Iterator[Call]:
    """The session under a name."""
    quoted = clause.first("quoted")
    match = _NAMED.search(clause.text)
    name = str(quoted.value) if quoted else match[1].strip() if match else ""
    if re.fullmatch(r"(?:this|the|my)?\s*(?:session|conversation|work|chat|workspace)?", name, re.I):
        name = ""
    yield Call("save_session", {"name": name} if name else {})


def feedback(clause: Clause, situation: Situation) -> Iterator[Call]:
    """A verdict on the last answer."""
    note = _NOTE.search(clause.text)
    rating = "down" if _BAD.search(clause.text) else "up"
    yield Call("record_feedback", {"rating": rating} | ({"note": note[1].strip()} if note else {}))


def reject(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Nothing here can do it."""
    raise Reject(
        f"'{clause.text.strip()}' is outside what my tools do. They find, filter, map, count, "
        "chart and export "
        "images of the catalogue."
    )


def keep(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Nothing to do: what is not asked for stays as it is."""
    yield from ()


ACTIONS = {
    "keep": keep,
    "db_load": load,
    "db_unload": unload,
    "db_list": listed,
    "db_schema": schema,
    "db_ingest": ingest,
    "filter_clear": clear_filters,
    "start_over": start_over,
    "undo": undo,
    "redo": redo,
    "goto_turn": goto_turn,
    "save_session": save,
    "record_feedback": feedback,
    "reject": reject,
}
