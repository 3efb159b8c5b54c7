"""Wordings of a request: the intent's own, in the forms in which people put requests, in their spelling."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from copilot.bench.build.fill import Filled, Values, said
from copilot.bench.build.intents import BRACES, Intent, slot_of, strings
from copilot.bench.build.slots import LITERAL

CARRIERS = Path(__file__).with_name("carriers.toml")
_PLAIN_SHARE = 0.5
"""The share of requests that are said just as the intent has them."""
_LOWER_SHARE = 0.15
"""The share that is written without a capital."""
_QUOTED = re.compile(r"[\"'“‘].+[\"'”’]")


@dataclass(frozen=True)
class Carrier:
    """A form in which a request is put."""

    form: str
    to: str
    """What it fits: "order", "question" or "any"."""


@dataclass(frozen=True)
class Carriers:
    """All forms, and the verbs that orders begin with."""

    forms: tuple[Carrier, ...]
    verbs: frozenset[str]

    def fitting(self, wording: str) -> tuple[Carrier, ...]:
        """The forms that fit a wording."""
        kind = self._kind(wording)
        return tuple(each for each in self.forms if each.to in ("any", kind))

    def _kind(self, wording: str) -> str:
        if wording.rstrip().endswith("?"):
            return "question"
        first = re.match(r"[a-z-]+", wording.lower())
        return "order" if first is not None and first[0] in self.verbs else "statement"


@cache
def carriers() -> Carriers:
    """The forms of carriers.toml."""
    plain = tomllib.loads(CARRIERS.read_text(encoding="utf-8"))
    forms = tuple(Carrier(each["form"], each["to"]) for each in plain["carrier"])
    return Carriers(forms, frozenset(plain["verbs"].split()))


def worded(made: Filled, rng: Random) -> str:
    """A request: one of the intent's wordings, in a form, with the slots as a person says them."""
    wording = rng.choice(made.intent.requests)
    form = "{Request}"
    if rng.random() >= _PLAIN_SHARE:
        form = rng.choice(carriers().fitting(wording)).form
    lower = rng.random() < _LOWER_SHARE
    whole = wording if form.endswith("{Request}") else _ended(wording)
    text = form.replace("{request}", _small(wording)).replace("{Request}", whole)
    request = said(text, made.values)
    return _lower(request, made) if lower else request


def ways(intent: Intent) -> int:
    """In how many ways a request of an intent may be said, whatever its slots are."""
    return sum(1 + len(carriers().fitting(wording)) for wording in intent.requests)


def _ended(wording: str) -> str:
    """The wording as a sentence that another may follow."""
    text = wording.rstrip()
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _small(wording: str) -> str:
    """The wording as the second part of a sentence: no capital where it is a common word, no full stop."""
    first = wording.split(" ", 1)[0]
    text = wording.rstrip()
    text = text[:-1] if text.endswith(".") and not text.endswith("..") else text
    if first.isalpha() and first[1:] == first[1:].lower() and first not in ("I",):
        return text[0].lower() + text[1:]
    return text


def _lower(request: str, made: Filled) -> str:
    """The request in small letters, unless a name that is to be taken to the letter would be lost."""
    if _QUOTED.search(request):
        return request
    small = request.lower()
    return request if any(name in request and name not in small for name in _names(made)) else small


def _names(made: Filled) -> set[str]:
    """What a call takes as it is written: image ids, names, addresses; not places, classes or data sets."""
    given: set[str] = set()
    for call in (*made.intent.setup, *made.intent.calls):
        for text in strings(call.args):
            whole = BRACES.fullmatch(text)
            slot = made.intent.slots.get((slot_of(whole[1]) or ("", ""))[0]) if whole else None
            if slot is None:
                given.add(text)
            elif slot.kind in (LITERAL, "image"):
                given |= _said_and_meant(made.values, slot.name)
    return {text for text in given if any(letter.isupper() for letter in text)}


def _said_and_meant(values: Values, name: str) -> set[str]:
    value: Mapping[str, object] = {"say": values[name].say, "arg": values[name].arg}
    return {text for text in value.values() if isinstance(text, str)}
