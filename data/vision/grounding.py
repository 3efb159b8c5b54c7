"""Which objects or regions of an image a phrase means: by class, colour, size, place, order, neighbour."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from data.progress import Progress
from data.raster.errors import RasterError
from data.vision.answering import _inside, objects_of
from data.vision.cover import COVERS
from data.vision.detections import Detection
from data.vision.facts import Facts
from data.vision.measuring import area_px, box_of, colour_name, spoken
from data.vision.questions import subjects_of, zone_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

METHOD = "grounding-words"
COLOURS = {
    "white": ("white",), "black": ("black", "dark"), "grey": ("grey", "gray", "silver"), "red": ("red",),
    "green": ("green",), "blue": ("blue",), "yellow": ("yellow",), "orange": ("orange",), "brown": ("brown",),
    "beige": ("beige", "tan", "sandy"), "purple": ("purple", "violet"),
}  # fmt: skip
_LIKE = {"white": {"white", "beige"}, "grey": {"grey", "white"}, "orange": {"orange", "brown", "red"},
         "brown": {"brown", "beige", "orange"}, "beige": {"beige", "brown"}, "black": {"black"}}  # fmt: skip
"""Names that a colour may be measured as, too: shade and light shift them."""
_ORDINALS = {
    "first": 0,
    "second": 1,
    "third": 2,
    "fourth": 3,
    "fifth": 4,
    "2nd": 1,
    "3rd": 2,
    "4th": 3,
    "5th": 4,
}
_SIZES = (
    (r"\b(large|larg|bigg|long)(e?st)\b|\blargest\b|\bbiggest\b|\blongest\b|\bhuge\b|\bmain\b", 1),
    (r"\bsmallest\b|\bshortest\b|\btiniest\b", -1),
    (r"\b(large|big|long)\b", 2),
    (r"\b(small|little|tiny|short)\b", -2),
)
_SUPERLATIVE_PLACES = (
    (r"\b(left|western)-?\s?most\b|\bfurthest (left|west)\b", (-1.0, 0.0)),
    (r"\b(right|eastern)-?\s?most\b|\bfurthest (right|east)\b", (1.0, 0.0)),
    (r"\b(top|northern|upper)-?\s?most\b|\bfurthest (up|north)\b", (0.0, -1.0)),
    (r"\b(bottom|southern|lower)-?\s?most\b|\bfurthest (down|south)\b", (0.0, 1.0)),
)
_RELATION = re.compile(
    r"\b(next to|near(?:est)?(?: to)?|beside|close(?:st)?(?: to)?|by|adjacent to"
    r"|along(?:side)?)\b (?:the |a |an )?(.+)"
)
_NEAR_BOXES = 1.5
"""Next to: nearer than so many lengths of the two things."""


@dataclass(frozen=True)
class Phrase:
    """What a referring phrase says."""

    subject: str
    """A class of objects or a cover."""
    word: str
    colour: str | None = None
    size: int = 0
    """1 largest, -1 smallest, 2 large, -2 small, 0 any."""
    zone: tuple[int | None, int | None] | None = None
    towards: tuple[float, float] | None = None
    """Leftmost is (-1, 0), southernmost (0, 1)."""
    order: int = 0
    every: bool = False
    count: int | None = None
    beside: Phrase | None = None
    nearest: bool = False


@dataclass(frozen=True)
class Candidate:
    """An object or region that a phrase may mean."""

    outline: NDArray[np.float64]
    name: str
    score: float
    cells: Any = None
    """Of a region: (rows, columns) of the cover's cells that are its."""

    @property
    def centre(self) -> tuple[float, float]:
        """Its middle, pixels of the file."""
        box = box_of(self.outline)
        return ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)


@dataclass(frozen=True)
class Grounded:
    """What a phrase means in an image."""

    found: tuple[Detection, ...]
    why: tuple[str, ...]
    """What each word left over: sentences."""
    model: str
    is_region: bool
    there_is: str = ""
    """What is there instead, where nothing was found: a sentence."""
    said: tuple[str, ...] = ()
    """What goes before the answer."""


def parse_phrase(phrase: str) -> Phrase:
    """What a phrase refers to. Raises RasterError for one that names nothing that is told apart."""
    text = " ".join(phrase.casefold().replace("-", " ").split())
    relation = _RELATION.search(text)
    head, other, nearest = text, None, False
    if relation is not None and subjects_of(relation[2]) and subjects_of(text[: relation.start()]):
        head, nearest = text[: relation.start()], relation[1].startswith(("nearest", "closest"))
        other = parse_phrase(relation[2])
    named = subjects_of(head)
    if not named:
        raise RasterError(
            f"{phrase[:80]!r} names nothing that is told apart here; a phrase such as 'the largest ship "
            f"in the "
            "north' or 'the green field' would have worked."
        )
    subject, word = named[-1] if not re.search(r"\bof\b|\bin\b|\bon\b|\bat\b|\bwith\b", head) else named[0]
    if subject == "field":
        subject = "bare ground" if re.search(r"\b(bare|brown|ploughed|plowed)\b", head) else "vegetation"
    bare = head.replace(word, " ") if subject in COVERS else head
    colour = next(
        (name for name, words in COLOURS.items() if re.search(rf"\b({'|'.join(words)})\b", bare)), None
    )
    plural = re.search(rf"\b{re.escape(word)}(?:e?s)\b", head) is not None
    number = re.search(r"\b(two|three|four|five|six|\d{1,3})\b", re.sub(r"\b(2nd|3rd|4th|5th)\b", "", head))
    words = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
    return Phrase(
        subject,
        word,
        colour,
        next((size for pattern, size in _SIZES if re.search(pattern, head)), 0),
        zone_of(re.sub(r"\b\w+most\b|furthest \w+", "", head)),
        next((way for pattern, way in _SUPERLATIVE_PLACES if re.search(pattern, head)), None),
        next((at for each, at in _ORDINALS.items() if re.search(rf"\b{each}\b", head)), 0),
        bool(re.search(r"\b(all|every|each|both)\b", head)) or plural,
        words.get(number[1]) or (int(number[1]) if number[1].isdigit() else None) if number else None,
        other,
        nearest,
    )


def ground(
    progress: Progress, image: Path, phrase: Phrase, models: Path | None = None, anyway: bool = False
) -> Grounded:
    """The objects or regions that a phrase means. Raises RasterError where its class cannot be looked for."""
    facts = Facts(image, progress, models=models, anyway=anyway)
    facts.overview  # noqa: B018
    return grounded(facts, phrase)


def grounded(facts: Facts, phrase: Phrase) -> Grounded:
    """What a phrase means by the facts of an image."""
    chosen, why, every = chosen_of(facts, phrase)
    region = phrase.subject in COVERS
    model = _model(facts, region)
    found = tuple(Detection(each.outline, each.name, each.score) for each in chosen)
    there = "" if found else _there_is(facts, phrase, every)
    return Grounded(found, tuple(why), model, region, there, tuple(facts.said))


def chosen_of(facts: Facts, phrase: Phrase) -> tuple[list[Candidate], list[str], list[Candidate]]:
    """The candidates that a phrase chooses, why, and all that there were of its class."""
    seen = facts.overview
    every = candidates(facts, phrase)
    left, why = list(every), [f"{len(every):,} {spoken(phrase.word, len(every))} to choose from."]

    def keep(kept: list[Candidate], said: str) -> None:
        nonlocal left
        left = kept
        why.append(f"{said}: {len(kept):,} left.")

    if phrase.zone is not None:
        keep(
            [each for each in left if _inside(each.centre, phrase.zone, seen.width, seen.height)],
            "In that part of the image",
        )
    if phrase.colour is not None and left:
        measured = [(each, _colour(facts, each)) for each in left]
        allowed = _LIKE.get(phrase.colour, {phrase.colour})
        exact = [each for each, name in measured if name == phrase.colour]
        keep(
            exact or [each for each, name in measured if name in allowed],
            f"Measured as {phrase.colour} inside the outline",
        )
    if phrase.beside is not None and left:
        others, _, _ = chosen_of(facts, replace(phrase.beside, every=True))
        keep(
            _beside(left, others, nearest=phrase.nearest),
            f"Beside {spoken(phrase.beside.word)} ({len(others):,})",
        )
    if phrase.size in (2, -2) and len(left) > 1:
        middle = float(np.median([area_px(each.outline) for each in every]))
        kept = [each for each in left if (area_px(each.outline) >= middle) == (phrase.size > 0)]
        keep(kept or left, f"{'Larger' if phrase.size > 0 else 'Smaller'} than the median")
    return _ordered(left, phrase, why), why, every


def _ordered(left: list[Candidate], phrase: Phrase, why: list[str]) -> list[Candidate]:
    """The candidates in the phrase's order, cut to how many it means."""
    if phrase.towards is not None:
        way = phrase.towards
        left = sorted(left, key=lambda each: -(way[0] * each.centre[0] + way[1] * each.centre[1]))
    elif phrase.size in (1, -1):
        left = sorted(left, key=lambda each: -phrase.size * area_px(each.outline))
        why.append(f"By {'the largest' if phrase.size > 0 else 'the smallest'} outline.")
    else:
        left = sorted(left, key=lambda each: (-each.score, each.centre))
    superlative = phrase.towards is not None or phrase.size in (1, -1)
    if phrase.count is not None:
        return left[: phrase.count]
    if phrase.order:
        return left[phrase.order : phrase.order + 1]
    if superlative and not phrase.every:
        return left[:1]
    if superlative:
        return left[:1] if phrase.subject in COVERS else left[: max(1, min(3, len(left)))]
    if phrase.every or phrase.nearest:
        return left[:1] if phrase.nearest and not phrase.every else left
    # "the ship" of one thing means the likeliest, and of a region the largest.
    if phrase.subject in COVERS:
        return sorted(left, key=lambda each: -area_px(each.outline) * each.score)[:1]
    return left[:1]


def candidates(facts: Facts, phrase: Phrase) -> list[Candidate]:
    """All objects or regions of the phrase's class. Raises RasterError where they cannot be looked for."""
    if phrase.subject not in COVERS:
        if phrase.subject in ("road", "cloud"):
            raise RasterError(
                f"A single {phrase.subject} is not grounded; {phrase.subject}_extraction or _detection "
                f"maps them all."
                if phrase.subject == "road"
                else "Clouds are mapped by cloud_detection."
            )
        return [
            Candidate(each.outline, each.class_name, each.score) for each in objects_of(facts, phrase.word)
        ]
    if facts.modality.name in (None, "sar") and phrase.subject != "water":
        raise RasterError(f"{phrase.word.capitalize()} is told in optical images alone.")
    return _regions(facts, phrase)


def _regions(facts: Facts, phrase: Phrase) -> list[Candidate]:
    """The connected parts of a cover; with a colour, the parts of it that are of that colour."""
    from scipy.ndimage import find_objects, label

    from data.vision.cover import CELL_PX

    best = facts.cover.best
    here = best == COVERS.index(phrase.subject)
    if phrase.colour is not None:
        here &= _cells_of_colour(facts, phrase.colour, best.shape)
    labelled, count = label(here)
    sizes = np.bincount(labelled.ravel(), minlength=count + 1)
    likely = facts.cover.likely[COVERS.index(phrase.subject)]
    side = CELL_PX * facts.cover.scale
    found = []
    for at, place in enumerate(find_objects(labelled), start=1):
        if sizes[at] < 4:
            continue
        inside = labelled == at
        outline = _hull(inside[place]) * side + np.array([place[1].start, place[0].start]) * side
        found.append(Candidate(outline, phrase.subject, round(float(np.nanmean(likely[inside])), 4), inside))
    return found


def _hull(part: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The box around a part's cells, as corners."""
    rows, columns = np.nonzero(part)
    left, right, top, bottom = columns.min(), columns.max() + 1, rows.min(), rows.max() + 1
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], dtype=np.float64)


def _cells_of_colour(facts: Facts, colour: str, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    from data.vision.cover import CELL_PX

    rgb = facts.overview.rgb
    allowed = _LIKE.get(colour, {colour})
    made = np.zeros(shape, bool)
    for row in range(shape[0]):
        for column in range(shape[1]):
            cell = rgb[row * CELL_PX : (row + 1) * CELL_PX, column * CELL_PX : (column + 1) * CELL_PX]
            made[row, column] = cell.size > 0 and colour_name(cell.mean(axis=(0, 1))[None]) in allowed
    return made


def _colour(facts: Facts, candidate: Candidate) -> str:
    """The commonest colour inside an outline: of a region in the overview, of an object in the file."""
    if candidate.cells is not None:
        from data.vision.cover import CELL_PX

        mask = np.kron(candidate.cells, np.ones((CELL_PX, CELL_PX), bool))
        part = facts.overview.rgb[: mask.shape[0], : mask.shape[1]]
        return colour_name(part[mask[: part.shape[0], : part.shape[1]]])
    chip, mask = chip_of(facts.image, candidate.outline)
    return colour_name(chip[mask]) if mask.any() else "grey"


def chip_of(
    image: Path, outline: NDArray[np.float64], margin: float = 0.0
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """The pixels of the file around an outline (rows, columns, 3), and which of them are inside it."""
    from rasterio.windows import Window
    from skimage.draw import polygon2mask

    from data.raster.files import opened
    from data.vision.blocks import visible_bands

    visible = visible_bands(image)
    with opened(image) as source:
        bands = visible or (1,)
        left, top, right, bottom = box_of(outline)
        more = margin * max(right - left, bottom - top)
        x0, y0 = max(0, int(left - more)), max(0, int(top - more))
        x1, y1 = (
            min(source.width, int(np.ceil(right + more))),
            min(source.height, int(np.ceil(bottom + more))),
        )
        if x1 <= x0 or y1 <= y0:
            return np.zeros((0, 0, 3), np.uint8), np.zeros((0, 0), bool)
        values = source.read(bands, window=Window(x0, y0, x1 - x0, y1 - y0)).astype(np.float32)
        dtype = source.dtypes[bands[0] - 1]
    if dtype != "uint8":
        low, high = np.nanpercentile(values, (1, 99)) if np.isfinite(values).any() else (0.0, 1.0)
        values = np.clip((np.nan_to_num(values) - low) / max(high - low, 1e-9), 0, 1) * 255
    picture = values.transpose(1, 2, 0).astype(np.uint8)
    if picture.shape[2] == 1:
        picture = np.repeat(picture, 3, axis=2)
    corners = outline[:, ::-1] - (y0 + 0.5, x0 + 0.5)
    inside = polygon2mask((y1 - y0, x1 - x0), corners)  # type: ignore[no-untyped-call]
    return np.ascontiguousarray(picture), np.asarray(inside, dtype=bool)


def _beside(left: Sequence[Candidate], others: Sequence[Candidate], *, nearest: bool) -> list[Candidate]:
    """Those that lie next to one of the others, the nearest first."""
    ranked = []
    for each in left:
        gaps = [_gap(each, other) for other in others if other is not each and other.centre != each.centre]
        if gaps:
            gap, reach = min(gaps)
            ranked.append((gap, gap <= _NEAR_BOXES * reach, each))
    ranked.sort(key=lambda each: each[0])
    if nearest:
        return [each for _, _, each in ranked[:1]]
    return [each for _, near, each in ranked if near]


def _gap(one: Candidate, two: Candidate) -> tuple[float, float]:
    """The distance between two boxes, and the longer side of the smaller."""
    a, b = box_of(one.outline), box_of(two.outline)
    across = max(0.0, max(a[0], b[0]) - min(a[2], b[2]))
    down = max(0.0, max(a[1], b[1]) - min(a[3], b[3]))
    return float(np.hypot(across, down)), min(max(a[2] - a[0], a[3] - a[1]), max(b[2] - b[0], b[3] - b[1]))


def _model(facts: Facts, region: bool) -> str:
    from data.vision.answering import cover_model

    return f"{METHOD} on {cover_model(facts) if region else facts.detected.model}"


def _there_is(facts: Facts, phrase: Phrase, every: Sequence[Candidate]) -> str:
    if every:
        colours = sorted({_colour(facts, each) for each in list(every)[:40]})
        said = (
            f"There {'is 1' if len(every) == 1 else f'are {len(every):,}'} {spoken(phrase.word, len(every))}"
        )
        return f"{said}, measured as {', '.join(colours)}, but none as asked."
    if phrase.subject in COVERS:
        shares = [f"{name} {100 * facts.cover.share(name):.0f} %" for name in COVERS]
        return f"There is no {phrase.word} in it; its cover is {', '.join(shares)}."
    counts = [each.sentence for each in facts.of("objects")]
    return f"There is no {phrase.word} in it. {' '.join(counts[:6])}"
