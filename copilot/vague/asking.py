"""What a vague wish is about: the thing, cover, part and phrase that it or an earlier turn names."""

from __future__ import annotations

from dataclasses import dataclass, replace

from copilot.vague.tasks import PARTS, THING_OF_CLASS
from data.raster.errors import RasterError
from data.vision.grounding import Phrase, parse_phrase
from data.vision.questions import subjects_of, zone_of

CALLED = {
    "green area": "vegetation", "green areas": "vegetation", "paved area": "paved ground",
    "car park": "parking", "parking lot": "parking", "aeroplanes": "planes",
}  # fmt: skip
"""Words that mean something else than the parts they are made of, by what is said instead."""
PLACES = {
    "harbour": "ship", "harbor": "ship", "port": "ship", "marina": "ship", "docks": "ship", "dock": "ship",
    "quay": "ship", "airport": "plane", "airfield": "plane", "apron": "plane", "runway": "plane",
    "parking": "vehicle", "street": "vehicle", "motorway": "vehicle", "depot": "storage tank",
}  # fmt: skip
"""What makes a place busy."""
ZONES = {
    (0, 0): "top left", (2, 0): "top right", (0, 2): "bottom left", (2, 2): "bottom right", (None, 0): "top",
    (None, 2): "bottom", (0, None): "left", (2, None): "right", (1, 1): "middle",
}  # fmt: skip
BEFORE, AFTER = 4, 3
"""How many words around a thing's say which one is meant."""
STOPS = '.,;:!?()"'


@dataclass(frozen=True)
class Asked:
    """What the words are about; None for what they do not name."""

    thing: str | None = None
    """One of THINGS."""
    word: str | None = None
    """What the asker calls it."""
    covers: tuple[str, ...] = ()
    part: str | None = None
    """One of PARTS."""
    phrase: str | None = None
    """Which one thing or region is meant, in the asker's words."""


def asked(said: str) -> Asked:
    """What one request is about."""
    text = _plain(said)
    subjects = subjects_of(text)
    thing, word = next(
        ((_thing(name), word) for name, word in subjects if _thing(name) is not None), (None, None)
    )
    if thing is None:
        place = next((each for each in text.split() if each.strip(STOPS) in PLACES), None)
        thing = PLACES[place.strip(STOPS)] if place else None
    covers = tuple(dict.fromkeys(name for name, _ in subjects if name in COVER_NAMES))
    zone = zone_of(text)
    part = ZONES.get(zone) if zone is not None else None
    return Asked(thing, word, covers, part if part in PARTS else None, _phrase(text, subjects))


def in_turns(said: tuple[str, ...], *, goes_on: bool = False) -> Asked:
    """What the last of several requests is about: what it does not name is what the one before was about.

    Where it only `goes_on` with what was asked ("and the trees?"), the part and the cover are so too.
    """
    now = asked(said[-1])
    for earlier in reversed(said[:-1]):
        before = asked(earlier)
        if goes_on:
            now = replace(now, part=now.part or before.part, covers=now.covers or before.covers)
        if now.thing is None and not (goes_on and now.covers):
            now = replace(now, thing=before.thing, word=before.word)
        if now.phrase is None and before.phrase is not None:
            size = next((each for each in SIZES if each in said[-1].casefold()), None)
            now = replace(now, phrase=f"{size} {now.word}" if size and now.word else before.phrase)
    return now


COVER_NAMES = ("water", "vegetation", "bare ground", "paved ground", "building")
SIZES = ("biggest", "largest", "smallest", "longest")


def _thing(name: str) -> str | None:
    return name if name == "vehicle" else THING_OF_CLASS.get(name)


def _plain(said: str) -> str:
    text = " ".join(said.casefold().split())
    for word, instead in CALLED.items():
        text = text.replace(word, instead)
    return text


def _phrase(text: str, subjects: list[tuple[str, str]]) -> str | None:
    """The words around the first thing or cover that can be singled out, as far as they are one phrase."""
    for name, word in subjects:
        if name in ("road", "cloud", "field"):
            continue
        at = text.find(word)
        before = text[:at].split()[-BEFORE:]
        after = text[at:].split()[: AFTER + len(word.split()) - 1]
        while any(_ends(each) for each in before):
            before = before[next(i for i, each in enumerate(before) if _ends(each)) + 1 :]
        cut = next((i for i, each in enumerate(after) if _ends(each)), len(after) - 1)
        words = [each.strip(STOPS) for each in (*before, *after[: cut + 1])]
        if parsed(said := " ".join(each for each in words if each)) is not None:
            return said
    return None


def _ends(word: str) -> bool:
    return word[-1] in ".,;:!?"


def parsed(phrase: str) -> Phrase | None:
    """What a phrase refers to; None where it names nothing that is told apart."""
    try:
        return parse_phrase(phrase)
    except RasterError:
        return None
