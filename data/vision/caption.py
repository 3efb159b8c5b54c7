"""A caption of an image: sentences put together from measured facts, each numbered by the fact it quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from data.progress import Progress
from data.raster.errors import RasterError
from data.vision.facts import Fact, Facts
from data.vision.scene import SceneTold, scene_of

METHOD = "measured-facts"
_LEAST_SHARE = 3.0
"""A cover of less, percent, is left out."""
_MOST_CLASSES = 4


@dataclass(frozen=True)
class Caption:
    """Sentences about an image, and the facts behind them."""

    text: str
    """Each sentence ends with the numbers, from 1 and in brackets, of the facts it quotes."""
    plain: str
    """The same without the numbers."""
    facts: tuple[Fact, ...]
    """In the order of their numbers."""
    missing: tuple[str, ...]
    """What could not be measured: sentences."""
    said: tuple[str, ...] = ()
    """What goes before the answer."""


def tell_caption(
    progress: Progress, image: Path, models: Path | None = None, anyway: bool = False
) -> Caption:
    """Describe an image from its pixels. Raises RasterError for a raster that is no image."""
    facts = Facts(image, progress, models=models, anyway=anyway)
    if facts.modality.name is None:
        raise RasterError(
            f"{image.name} is no image but holds {facts.modality.instead}; there is nothing to describe."
        )
    return caption_of(facts)


def caption_of(facts: Facts) -> Caption:
    """The caption that the facts make, the same for the same facts."""
    told = scene_of(facts)
    facts.of("frame", "tone", "cover", "objects", "clouds")
    writer = _Writer(facts)
    writer.say(_opening(facts, told), ("modality", "gsd", "extent"))
    if told.name is not None:
        writer.say(f"It looks like {_article(told.name)}", told.deciding)
    elif told.between:
        writer.say(
            f"It is not sure what place it is: perhaps {' or '.join(map(_article, told.between))}",
            told.deciding,
        )
    writer.say(*_covers(facts))
    for name in ("water", "vegetation"):
        part = facts.get(f"largest.{name}")
        if part is not None and isinstance(part.value, float) and part.value >= _LEAST_SHARE:
            writer.say(part.sentence.rstrip("."), (part.id,))
    writer.say(*_objects(facts))
    clouds = facts.get("clouds")
    if clouds is not None and isinstance(clouds.value, float) and clouds.value >= 1:
        writer.say(clouds.sentence.rstrip("."), (clouds.id,))
    brightness = facts.get("brightness")
    if brightness is not None and facts.modality.name != "sar":
        writer.say(brightness.sentence.rstrip("."), (brightness.id,))
    return Caption(
        " ".join(writer.numbered),
        " ".join(writer.plain),
        tuple(writer.facts),
        tuple(facts.missing.values()),
        tuple(facts.said),
    )


class _Writer:
    """Numbers facts in the order in which they are first quoted."""

    def __init__(self, facts: Facts) -> None:
        self.facts: list[Fact] = []
        self.numbered: list[str] = []
        self.plain: list[str] = []
        self._known = facts

    def say(self, sentence: str, ids: Sequence[str | Fact]) -> None:
        """One sentence without its full stop, and the facts it quotes; nothing for an empty one."""
        if not sentence:
            return
        named = (self._known.get(each) if isinstance(each, str) else each for each in ids)
        quoted = [fact for fact in named if fact is not None]
        for fact in quoted:
            if fact not in self.facts:
                self.facts.append(fact)
        marks = "".join(f"[{self.facts.index(fact) + 1}]" for fact in quoted)
        self.plain.append(f"{sentence}.")
        self.numbered.append(f"{sentence} {marks}." if marks else f"{sentence}.")


def _opening(facts: Facts, told: SceneTold) -> str:
    from data.vision.measuring import KIND_WORDS

    seen = facts.overview
    what = KIND_WORDS[str(facts.modality.name)]
    said = f"{what[:1].upper()}{what[1:]}"
    if seen.area_m2 is not None and seen.gsd_m is not None:
        ground = f"{seen.area_m2 / 1e6:,.3f} km²" if seen.area_m2 >= 100_000 else f"{seen.area_m2:,.0f} m²"
        return f"{said} of {ground} of ground at {seen.gsd_m:.3g} m a pixel"
    return f"{said} of {seen.width:,} x {seen.height:,} pixels"


def _covers(facts: Facts) -> tuple[str, list[str]]:
    found = [
        each
        for each in facts.of("cover")
        if each.id.startswith("cover.") and float(each.value or 0) >= _LEAST_SHARE
    ]
    found.sort(key=lambda each: (-float(each.value or 0), each.id))
    if not found:
        return "", []
    parts = [
        f"{each.id.removeprefix('cover.').replace('_', ' ')} {float(each.value or 0):.0f} %" for each in found
    ]
    parts = [
        "buildings" + each.removeprefix("building") if each.startswith("building") else each for each in parts
    ]
    return f"Of the ground, {_listed(parts)} (estimated)", [each.id for each in found]


def _objects(facts: Facts) -> tuple[str, list[str]]:
    from data.vision.measuring import spoken

    every = facts.get("objects")
    if every is None:
        return "", []
    found = [each for each in facts.of("objects") if each.id.startswith("objects.")][:_MOST_CLASSES]
    if not found:
        return f"No objects were detected with {every.by}", ["objects"]
    parts = []
    for each in found:
        name, count = each.id.removeprefix("objects.").replace("_", " "), int(each.value or 0)
        parts.append(f"{count:,} {spoken(name, count)}")
    largest = facts.get(f"largest.{found[0].id.removeprefix('objects.')}")
    said = f"{_listed(parts)} {'was' if len(found) == 1 and found[0].value == 1 else 'were'} detected"
    ids = [each.id for each in found]
    if largest is not None:
        said += f"; {largest.sentence[:1].lower()}{largest.sentence[1:].rstrip('.')}"
        ids.append(largest.id)
    return f"{said[:1].upper()}{said[1:]}", ids


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _article(name: str) -> str:
    if name in ("open water", "farmland", "grassland", "bare land", "scrubland", "storage tanks"):
        return {"storage tanks": "a place with storage tanks"}.get(name, name)
    if name in (
        "residential",
        "dense residential",
        "sparse residential",
        "commercial",
        "industrial",
        "dense urban",
    ):
        return f"{'an' if name == 'industrial' else 'a'} {name} area"
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
