"""The answer to a question about an image, measured from its pixels, or why no pixel tells it."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from data.progress import Progress
from data.raster.errors import RasterError
from data.vision.cover import COVERS
from data.vision.facts import Fact, Facts
from data.vision.measuring import area_px, box_of, position_word, spoken
from data.vision.questions import OBJECT_WORDS, Question

if TYPE_CHECKING:
    from data.vision.detections import Detection

LEAST_SHARE = 1.0
"""A cover of less than this, percent, is not there: so much is mistaken for another."""
MUCH_SHARE = 25.0
"""A cover of so much, percent, is there whatever the scene network thinks."""
SEEN = {"water": "water", "vegetation": "trees", "building": "building"}
"""Covers that the scene network knows of, by its names."""
TREE_WORDS = ("tree", "forest", "wood", "woodland")
URBAN = 25.0
"""Built-up and paved ground from which an area counts as urban, percent."""
_SAYING = {
    "modality": ("modality", "modality"), "resolution": ("frame", "gsd"), "place": ("frame", "place"),
    "date": ("frame", "date"), "brightness": ("tone", "brightness"), "bands": ("frame", "bands"),
    "extent": ("frame", "extent"), "colour": ("tone", "colour"),
}  # fmt: skip
_SILENT = {
    "resolution": "the image has no place on the ground, so the size of its pixels is not known",
    "place": "the image has no place on the ground",
    "date": "its file names no date, and no pixel does",
    "extent": "the image has no place on the ground, so it can be measured in pixels alone",
    "colour": "it has one band and so no colour",
}


@dataclass(frozen=True)
class Answer:
    """What was asked, and what the pixels say."""

    text: str
    value: float | int | str | bool | None
    unit: str
    kind: str
    method: str
    facts: tuple[Fact, ...] = ()
    can_tell: bool = True
    said: tuple[str, ...] = ()
    """What goes before the answer."""


def answer(
    progress: Progress,
    image: Path,
    question: Question,
    models: Path | None = None,
    anyway: bool = False,
) -> Answer:
    """Answer a question of `data.vision.questions.parse`. Raises RasterError for a file that is none."""
    facts = Facts(image, progress, models=models, anyway=anyway)
    facts.overview  # noqa: B018  a file that cannot be read is told at once
    made = answered(facts, question)
    return replace(made, said=tuple(facts.said) if made.can_tell else ())


def answered(facts: Facts, question: Question) -> Answer:
    """Answer a question from the facts of an image."""
    kind = question.kind
    if kind == "unknowable":
        what = f" {question.unknown}" if question.unknown != "that" else " what was asked"
        return _silent(kind, f"pixels do not show{what}")
    if kind in _SAYING:
        group, fact_id = _SAYING[kind]
        fact = next((each for each in facts.of(group) if each.id == fact_id), None)
        if fact is None:
            return _silent(kind, _SILENT.get(kind, "it could not be measured"))
        return Answer(fact.sentence, fact.value, fact.unit, kind, fact.by, (fact,))
    if kind == "what":
        return _what(facts)
    if kind == "settlement":
        return _settlement(facts)
    if not question.subjects:
        return _silent(kind, "the question names nothing that is measured")
    try:
        made = {
            "presence": _presence, "count": _count, "amount": _amount, "comparison": _comparison,
            "position": _position, "size": _size,
        }[kind](facts, question)  # fmt: skip
    except RasterError as error:
        return _silent(kind, str(error)[:1].lower() + str(error)[1:].rstrip("."))
    return made


def _silent(kind: str, why: str) -> Answer:
    return Answer(f"I can't tell from the pixels: {why}.", None, "", kind, "none", (), False)


def _what(facts: Facts) -> Answer:
    from data.vision.caption import caption_of

    if facts.modality.name is None:
        return _silent("what", f"the raster is no image but holds {facts.modality.instead}")
    made = caption_of(facts)
    return Answer(made.plain, None, "", "what", "measured-facts", made.facts)


def _settlement(facts: Facts) -> Answer:
    if facts.modality.name == "sar":
        return _silent("settlement", "radar backscatter alone does not part built-up from open ground here")
    found = [each for each in facts.of("cover") if each.id in ("cover.building", "cover.paved_ground")]
    if not found:
        return _silent("settlement", facts.missing.get("cover", "land cover could not be told").rstrip("."))
    built = round(sum(float(each.value or 0) for each in found), 1)
    word = "urban" if built >= URBAN else "rural"
    limit = f"{'from' if word == 'urban' else 'under'} {URBAN:g} %"
    text = f"It is {word}: buildings and paved ground cover {built:g} % of it ({limit})."
    return Answer(text, word, "", "settlement", found[0].by, tuple(found))


def _presence(facts: Facts, question: Question) -> Answer:
    name, word = question.subjects[0], question.words[0]
    counted = _number(facts, question, name, word)
    there = counted.value is not None and float(counted.value) >= (LEAST_SHARE if counted.unit == "%" else 1)
    if question.least is not None and counted.unit != "%":
        there = float(counted.value or 0) > question.least
    said, facts_of = _lowered(counted.text), counted.facts
    if counted.unit == "%" and question.zone is None and (seen := _seen(facts, name, word)) is not None:
        there, fact = seen.decided(there, float(counted.value or 0)), seen.fact
        said, facts_of = f"{said} {fact.sentence}", (*facts_of, fact)
    return replace(
        counted,
        kind="presence",
        value=there,
        unit="",
        text=f"{'Yes' if there else 'No'}: {said}",
        facts=facts_of,
    )


@dataclass(frozen=True)
class _Seen:
    """What the scene network thinks of a thing being in an image."""

    likely: float
    present_least: float
    absent_most: float
    fact: Fact

    def decided(self, measured: bool, share: float) -> bool:
        """Whether it is there: as the network is sure, else as was measured; much of it is there in any
        case."""
        if self.likely >= self.present_least or share >= MUCH_SHARE:
            return True
        return measured and self.likely > self.absent_most


def _seen(facts: Facts, name: str, word: str) -> _Seen | None:
    """What the scene network thinks of a cover being there; None where it does not suit or does not know
    it."""
    from data.vision.scene import network_suits
    from data.vision.scene_network import NETWORK, calibration

    thing = SEEN.get(name)
    if thing is None or (name == "vegetation" and word not in TREE_WORDS) or not network_suits(facts):
        return None
    likely, how = facts.looked.present[thing], calibration()
    at = how.present.index(thing)
    said = f"The scene network gives {thing} a probability of {likely:.2f}."
    fact = Fact(f"present.{thing}", said, likely, "", NETWORK)
    return _Seen(likely, how.present_least[at], how.absent_most[at], fact)


def _count(facts: Facts, question: Question) -> Answer:
    made = _number(facts, question, question.subjects[0], question.words[0], counting=True)
    return replace(made, kind="count")


def _amount(facts: Facts, question: Question) -> Answer:
    made = _number(facts, question, question.subjects[0], question.words[0], amount=True)
    return replace(made, kind="amount")


def _comparison(facts: Facts, question: Question) -> Answer:
    first, second = (
        _number(facts, question, name, word)
        for name, word in zip(question.subjects[:2], question.words[:2], strict=True)
    )
    if first.unit != second.unit or first.value is None or second.value is None:
        return _silent(
            "comparison", f"{question.words[0]} and {question.words[1]} are not measured in one unit"
        )
    one, two = float(first.value), float(second.value)
    true = one < two if question.less else one > two
    word = "Yes" if true else "No, they are equal" if one == two else "No"
    return Answer(
        f"{word}: {_lowered(first.text)} "
        f"{second.text}", true, "", "comparison", first.method, (*first.facts, *second.facts)
    )  # fmt: skip


def _position(facts: Facts, question: Question) -> Answer:
    name, word = question.subjects[0], question.words[0]
    found = _parts(facts, question, name, word)
    if not found:
        return _silent("position", f"no {word} was found")
    chosen = (
        min(found, key=lambda each: each.size) if question.less else max(found, key=lambda each: each.size)
    )
    seen = facts.overview
    where = position_word(chosen.centre, seen.width, seen.height)
    lonlat = facts.lonlat(chosen.box)
    which = ("smallest " if question.less else "largest ") if len(found) > 1 else ""
    place = f", at {lonlat[0]:g}, {lonlat[1]:g} (longitude, latitude)" if lonlat else ""
    text = f"The {which}{word} lies in the {where} of the image{place}."
    fact = Fact(f"where.{name}", text, where, "", chosen.by, chosen.box, lonlat)
    return Answer(text, where, "", "position", chosen.by, (fact,))


def _size(facts: Facts, question: Question) -> Answer:
    name, word = question.subjects[0], question.words[0]
    if name in ("road", "cloud"):
        return replace(_number(facts, question, name, word), kind="size")
    found = _parts(facts, question, name, word)
    if not found:
        return _silent("size", f"no {word} was found")
    chosen = (
        min(found, key=lambda each: each.size) if question.less else max(found, key=lambda each: each.size)
    )
    which = ("smallest " if question.less else "largest ") if len(found) > 1 else ""
    if chosen.length_m is not None:
        text, value, unit = (
            f"The {which}{word} is {chosen.length_m:.1f} m long and {chosen.width_m:.1f} m wide.",
            chosen.length_m,
            "m",
        )
    elif chosen.area_m2 is not None:
        text, value, unit = f"The {which}{word} covers {chosen.area_m2:,.0f} m².", chosen.area_m2, "m²"
    else:
        text, value, unit = (
            f"The {which}{word} covers {chosen.size:,.0f} pixels; the image has no place to measure "
            f"metres by.",
            chosen.size,
            "px",
        )
    fact = Fact(f"size.{name}", text, round(value, 1), unit, chosen.by, chosen.box, facts.lonlat(chosen.box))
    return Answer(text, round(value, 1), unit, "size", chosen.by, (fact,))


@dataclass(frozen=True)
class Part:
    """One object or connected part that a word means."""

    size: float
    """Square pixels of the file."""
    box: tuple[float, float, float, float]
    centre: tuple[float, float]
    by: str
    length_m: float | None = None
    width_m: float | None = None
    area_m2: float | None = None


def _parts(facts: Facts, question: Question, name: str, word: str) -> list[Part]:
    from data.vision.ground import ground_of

    seen = facts.overview
    if name in COVERS:
        _check_cover(facts, name, word)
        total = seen.width * seen.height
        by = cover_model(facts)
        parts = [
            Part(each.share * total, each.box_px, each.centre_px, by, area_m2=each.area_m2)
            for each in facts.regions
            if each.cover == name
        ]
    else:
        ground = ground_of(facts.image)
        parts = []
        for each in objects_of(facts, word):
            size = ground.size_m(each.outline) if ground is not None else None
            box = box_of(each.outline)
            middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
            parts.append(
                Part(
                    area_px(each.outline),
                    box,
                    middle,
                    facts.detected.model,
                    None if size is None else size.length_m,
                    None if size is None else size.width_m,
                )
            )
    return [each for each in parts if _inside(each.centre, question.zone, seen.width, seen.height)]


def _inside(point: tuple[float, float], zone: Any, width: int, height: int) -> bool:
    """Whether a point lies in a zone; a side ("left") is a half, a corner or the middle a third."""
    if zone is None:
        return True
    for value, wanted, full in ((point[0], zone[0], width), (point[1], zone[1], height)):
        if wanted is None:
            continue
        part = value / max(full, 1)
        if (
            (wanted == 0 and part > 0.5)
            or (wanted == 2 and part < 0.5)
            or (wanted == 1 and not 1 / 3 <= part <= 2 / 3)
        ):
            return False
    return True


def objects_of(facts: Facts, word: str) -> list[Detection]:
    """The objects that a word means. Raises RasterError where the detector knows nothing of the kind."""
    from data.vision.classes import classes_for

    facts.of("objects")
    if "objects" in facts.missing:
        raise RasterError(facts.missing["objects"])
    known = facts.detected.wanted or tuple(dict.fromkeys(each.class_name for each in facts.objects))
    wanted = set(classes_for("ship" if word in OBJECT_WORDS["ship"].split("|") else word, known))
    if not wanted:
        there = ", ".join(spoken(each, 2) for each in known[:12]) or "nothing"
        raise RasterError(f"No detector here knows {word[:40]!r}; {facts.detected.model} knows {there}.")
    return [each for each in facts.objects if each.class_name in wanted]


def _number(
    facts: Facts, question: Question, name: str, word: str, *, counting: bool = False, amount: bool = False
) -> Answer:
    """The number that is asked of a subject: a count of objects, a share of a cover."""
    if name == "building" and counting:
        return _buildings(facts)
    if name == "road":
        fact = next(iter(facts.of("roads")), None)
        if fact is None:
            raise RasterError(facts.missing.get("roads", "Roads could not be told."))
        return Answer(fact.sentence, fact.value, fact.unit, "", fact.by, (fact,))
    if name == "cloud":
        fact = next(iter(facts.of("clouds")), None)
        if fact is None:
            raise RasterError(facts.missing.get("clouds", "Clouds could not be told."))
        return Answer(fact.sentence, fact.value, "%", "", fact.by, (fact,))
    if name == "field":
        raise RasterError("Fields are not told from other vegetation and bare ground.")
    if name in COVERS:
        if counting:
            parts = (
                [each for each in facts.regions if each.cover == name and each.share >= 0.002]
                if _check_cover(facts, name, word)
                else []
            )
            count = "is 1 connected part" if len(parts) == 1 else f"are {len(parts):,} connected parts"
            text = f"There {count} of {name} (each 0.2 % of the image or more)."
            return Answer(
                text,
                len(parts),
                "",
                "",
                cover_model(facts),
                (Fact(f"parts.{name}", text, len(parts), "", cover_model(facts)),),
            )
        return _share(facts, question, name, word)
    return _objects(facts, question, name, word)


def _objects(facts: Facts, question: Question, name: str, word: str) -> Answer:
    seen = facts.overview
    found = [
        each for each in objects_of(facts, word)
        if _inside(tuple(each.outline.mean(axis=0)), question.zone, seen.width, seen.height)
    ]  # fmt: skip
    count, model = len(found), facts.detected.model
    where = "" if question.zone is None else " in that part"
    plural = spoken(word, count)
    text = f"{count:,} {plural} {'was' if count == 1 else 'were'} detected{where}."
    fact = Fact(f"objects.{name}", text, count, "", model)
    return Answer(text, count, "", "", model, (fact,))


def _share(facts: Facts, question: Question, name: str, word: str) -> Answer:
    _check_cover(facts, name, word)
    best = facts.cover.best
    rows, columns = best.shape
    inside = (
        np.array(
            [
                [_inside((x + 0.5, y + 0.5), question.zone, columns, rows) for x in range(columns)]
                for y in range(rows)
            ]
        )
        if question.zone is not None
        else np.ones(best.shape, bool)
    )
    known = inside & (best >= 0)
    share = float((known & (best == COVERS.index(name))).sum() / max(int(known.sum()), 1))
    seen, by = facts.overview, cover_model(facts)
    area = ""
    if seen.area_m2 is not None:
        square = seen.area_m2 * share * float(known.sum()) / max(int((best >= 0).sum()), 1)
        area = f", {square / 1e6:,.3f} km²" if square >= 100_000 else f", {square:,.0f} m²"
    where = "of that part" if question.zone is not None else "of the image"
    verb = "Buildings cover" if name == "building" else f"{name.capitalize()} covers"
    text = f"{verb} {100 * share:.1f} % {where}{area}."
    fact = Fact(f"cover.{name.replace(' ', '_')}", text, round(100 * share, 2), "%", by)
    return Answer(text, round(100 * share, 2), "%", "", by, (fact,))


def _check_cover(facts: Facts, name: str, word: str) -> bool:
    """Raises RasterError where the image does not tell that cover."""
    if facts.modality.name == "sar" and name != "water":
        raise RasterError(f"Radar backscatter alone does not tell {word} from other land here.")
    if facts.modality.name is None:
        raise RasterError(f"The raster is no image but holds {facts.modality.instead}.")
    facts.cover  # noqa: B018  says why there is none
    return True


def _buildings(facts: Facts) -> Answer:
    from data.vision.buildings import building_mask, buildings_of

    if facts.modality.name in (None, "sar"):
        raise RasterError("Buildings are counted in optical images.")
    facts.checked_as("building_extraction")
    with tempfile.TemporaryDirectory() as folder:
        mask = Path(folder) / "buildings.tif"
        made = building_mask(facts.progress, facts.image, mask, models=facts.models)
        count = len(buildings_of(mask))
    text = f"{count:,} {'building was' if count == 1 else 'buildings were'} outlined."
    return Answer(text, count, "", "count", made.model, (Fact("buildings", text, count, "", made.model),))


def cover_model(facts: Facts) -> str:
    """What told the cover."""
    from data.vision.cover import MODEL

    return "water-backscatter" if facts.modality.name == "sar" else MODEL


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:] if text else text


def facts_json(found: Sequence[Fact]) -> list[dict[str, Any]]:
    """Facts as plain values, each once."""
    return [each.as_json() for each in dict.fromkeys(found)]
