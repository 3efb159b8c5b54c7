"""Read the hand-written intents, and say what is wrong with one before tasks are made of it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from copilot.bench.build.slots import PARTS, BadSlot, Slot
from copilot.bench.task import KINDS, GoldCall, Kind
from tools.toolbox import Toolbox

FOLDER = Path(__file__).resolve().parent.parent / "intents"
LEAST_WORDINGS = 4
NEEDS = ("network", "upload")
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
BRACES = re.compile(r"\{([^{}]*)\}")
_SLOT = re.compile(r"([a-z_][a-z0-9_]*(?:@[2-9])?)(?:\.([a-z]+))?")
RESULT = re.compile(r"(s?)(\d+)\.(text|data(?:\.[A-Za-z0-9_]+)+)")
"""`3.data.count`: out of the third call's result; `s1.data.table`: out of the first call of the setup."""
_KEYS = {"id", "category", "request", "slots", "setup", "calls", "also", "reply", "needs"}


class BadIntents(ValueError):
    """A file of intents that cannot be read, in one sentence."""


@dataclass(frozen=True)
class Intent:
    """One thing that an analyst wants, as it is written by hand."""

    id: str
    category: Kind
    requests: tuple[str, ...]
    slots: Mapping[str, Slot]
    calls: tuple[GoldCall, ...]
    reply: str
    setup: tuple[GoldCall, ...] = ()
    also: tuple[tuple[GoldCall, ...], ...] = ()
    needs: tuple[str, ...] = ()
    file: str = field(default="", compare=False)

    @cached_property
    def loads(self) -> tuple[str, ...]:
        """The data sets that its calls name, where no slot does: rows are drawn from these."""
        texts = [
            text
            for call in (*self.setup, *self.calls)
            if call.tool == "db_load"
            for text in strings(call.args)
        ]
        return tuple(dict.fromkeys(text for text in texts if "{" not in text))

    @property
    def held_out(self) -> bool:
        """Whether its tasks are kept from whoever develops an agent."""
        return held_out(self.id)


def held_out(intent_id: str) -> bool:
    """Which half an intent is of: an odd hash of its id is held out, an even one is for development."""
    return sha256(intent_id.encode()).digest()[-1] % 2 == 1


def load_intents(files: Sequence[Path] = ()) -> tuple[Intent, ...]:
    """The intents of some files, or all. Raises BadIntents for one that cannot be read."""
    found = []
    for path in files or sorted(FOLDER.glob("*.toml")):
        try:
            entries = tomllib.loads(path.read_text(encoding="utf-8")).get("intent", [])
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise BadIntents(f"{path.name} cannot be read: {error}.") from error
        found += [intent_of(entry, path.name) for entry in entries]
    return tuple(found)


def intent_of(entry: Mapping[str, Any], file: str = "") -> Intent:
    """The intent of one entry. Raises BadIntents."""
    name = f"{file}: {entry.get('id', 'an intent without id')}"
    if unknown := sorted(set(entry) - _KEYS):
        raise BadIntents(f"{name} has the key '{unknown[0]}'; there are {', '.join(sorted(_KEYS))}.")
    if missing := sorted({"id", "category", "request", "calls", "reply"} - set(entry)):
        raise BadIntents(f"{name} lacks {', '.join(missing)}.")
    try:
        return Intent(
            id=entry["id"],
            category=entry["category"],
            requests=tuple(entry["request"]),
            slots={slot: Slot.declared(slot, kind) for slot, kind in entry.get("slots", {}).items()},
            calls=_calls(entry["calls"]),
            reply=entry["reply"],
            setup=_calls(entry.get("setup", [])),
            also=tuple(_calls(chain) for chain in entry.get("also", [])),
            needs=tuple(entry.get("needs", [])),
            file=file,
        )
    except BadSlot as error:
        raise BadIntents(f"{name}: {error}") from error
    except (AttributeError, KeyError, TypeError) as error:
        raise BadIntents(f'{name} has a call that is not {{ tool = "…", args = {{ … }} }}.') from error


def _calls(entries: Iterable[Mapping[str, Any]]) -> tuple[GoldCall, ...]:
    return tuple(GoldCall(each["tool"], dict(each.get("args", {}))) for each in entries)


def strings(value: Any) -> Iterator[str]:
    """Every text in plain values."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from strings(each)


def slot_of(inside: str) -> tuple[str, str] | None:
    """(slot, part) of what stands between braces; None when it is no slot."""
    match = _SLOT.fullmatch(inside)
    return None if match is None else (match[1], match[2] or "")


def problems(intent: Intent, tools: Toolbox) -> list[str]:
    """What can be said against an intent without filling it."""
    return [*_form(intent), *_wordings(intent), *_slots(intent), *_tools(intent, tools)]


def _form(intent: Intent) -> Iterator[str]:
    if not isinstance(intent.id, str) or not _ID.fullmatch(intent.id):
        yield f"the id {intent.id!r} is not made of small letters, digits and single hyphens"
    if intent.category not in KINDS:
        yield f"the category '{intent.category}' is none of {', '.join(KINDS)}"
    if not intent.calls:
        yield "it has no calls"
    if not intent.reply.strip():
        yield "the reply is empty"
    for need in intent.needs:
        if need not in NEEDS:
            yield f"it needs '{need}'; there are {', '.join(NEEDS)}"


def _wordings(intent: Intent) -> Iterator[str]:
    distinct = {" ".join(text.lower().split()) for text in intent.requests}
    if len(distinct) < LEAST_WORDINGS:
        yield f"it is said in {len(distinct)} ways; there should be at least {LEAST_WORDINGS}"
    elif len(distinct) < len(intent.requests):
        yield "two of its wordings are the same"
    needed = {slot for slot, _ in _used(intent.calls)}
    for text in intent.requests:
        said = {found[0] for inside in BRACES.findall(text) if (found := slot_of(inside))}
        if missing := sorted(needed - said):
            yield f"the wording {text!r} does not say {', '.join(f'{{{each}}}' for each in missing)}"


def _slots(intent: Intent) -> Iterator[str]:
    chains = (intent.setup, intent.calls, *intent.also)
    texts = [*intent.requests, intent.reply, *(text for chain in chains for text in _texts(chain))]
    used = set()
    for text in texts:
        if "{" in BRACES.sub("", text) or "}" in BRACES.sub("", text):
            yield f"the braces of {text!r} do not match"
        for inside in BRACES.findall(text):
            found = slot_of(inside)
            if RESULT.fullmatch(inside) or (inside == "count" and text == intent.reply):
                continue
            if found is None or found[0] not in intent.slots:
                known = ", ".join(intent.slots) or "there are none"
                yield f"{text!r} has {{{inside}}}, which is no slot ({known})"
                continue
            slot = intent.slots[found[0]]
            used.add(slot.name)
            if found[1] and found[1] not in PARTS.get(slot.kind, ()):
                yield f"{text!r} has {{{inside}}}; a {slot.kind} has the parts {PARTS.get(slot.kind, ())}"
    for name in intent.slots:
        if name not in used:
            yield f"the slot '{name}' is not used"


def _tools(intent: Intent, tools: Toolbox) -> Iterator[str]:
    for call in (call for chain in (intent.setup, intent.calls, *intent.also) for call in chain):
        if call.tool not in tools:
            yield f"there is no tool '{call.tool}'"
            continue
        known = tools.get(call.tool).arguments.model_fields
        for name in call.args:
            if name not in known:
                yield f"{call.tool} has no argument '{name}'; it has {', '.join(known) or 'none'}"


def _texts(calls: Sequence[GoldCall]) -> Iterator[str]:
    return (text for call in calls for text in strings(call.args))


def _used(calls: Sequence[GoldCall]) -> set[tuple[str, str]]:
    found = (
        slot_of(inside)
        for text in _texts(calls)
        for inside in BRACES.findall(text)
        if not RESULT.fullmatch(inside)
    )
    return {each for each in found if each is not None}


if __name__ == "__main__":
    from copilot.bench.build.trial import main

    main()
