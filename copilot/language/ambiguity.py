"""Ambiguity: a place of a request that may be any of several, asked about with these as choices.

The choice takes the name's place in the request, which is then read anew: whatever it wanted, it wants there.
"""

from __future__ import annotations

from dataclasses import dataclass

from copilot.language.mentions import names_in
from copilot.planner.situation import Call, Situation
from copilot.planner.spans import Reader
from tools.places import own_label

MOST = 6
"""Places that are offered."""


@dataclass(frozen=True)
class Several:
    """A name of a request, text[start:end], that several places have."""

    start: int
    end: int
    name: str
    choices: tuple[str, ...]
    """Of each place a name that no other has."""

    def question(self) -> Call:
        """Which of them is meant."""
        name = self.name[:1].upper() + self.name[1:]
        return Call("ask_user", {"question": f"Which {name} do you mean?", "choices": list(self.choices)})

    def is_meant_by(self, call: Call) -> bool:
        """Whether a call is given the bare name, which no tool takes."""
        names = [value for value in call.args.values() if isinstance(value, str)]
        return any(each.casefold() == self.name.casefold() for each in names)


def several_places(request: str, situation: Situation) -> Several | None:
    """The first name of a request that several places have, where the selection is of none of them."""
    reader = Reader(situation.gazetteer, situation.today, situation.names())
    for span in names_in(request, reader):
        if span.kind != "place" or not span.value.resolution.ambiguous:
            continue
        candidates = span.value.resolution.candidates[:MOST]
        choices = dict.fromkeys(own_label(situation.gazetteer, each.place) for each in candidates)
        if situation.filters.get("place") not in choices:
            return Several(span.start, span.end, span.text, tuple(choices))
    return None


def with_choice(request: str, choice: str, situation: Situation) -> str | None:
    """The request with the place that was chosen in its words; None where that was no question of it."""
    several = several_places(request, situation)
    if several is None or choice not in several.choices:
        return None
    return f"{request[: several.start]}{choice}{request[several.end :]}"
