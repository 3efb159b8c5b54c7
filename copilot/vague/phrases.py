"""What people call things, covers, places and parts of an image, and what a phrase can single out."""

from __future__ import annotations

from copilot.vague.pictures import Box, Thing, Truth
from copilot.vague.wordings import Part

Names = dict[str, tuple[str, ...]]
ONE: dict[Part, Names] = {
    "train": {
        "plane": ("plane", "aeroplane", "airplane"), "ship": ("boat", "ship"), "vehicle": ("vehicle", "car"),
        "storage tank": ("tank", "storage tank"),
    },
    "test": {
        "plane": ("plane", "aircraft", "jet"), "ship": ("ship", "vessel", "boat"),
        "vehicle": ("vehicle", "car", "automobile"), "storage tank": ("tank", "oil tank", "storage tank"),
    },
}  # fmt: skip
COVER_WORDS: dict[Part, Names] = {
    "train": {
        "water": ("water",), "vegetation": ("greenery", "plants", "vegetation"),
        "bare ground": ("bare ground", "bare soil"), "paved ground": ("concrete", "tarmac", "asphalt"),
        "building": ("buildings", "houses", "roofs"),
    },
    "test": {
        "water": ("water",), "vegetation": ("vegetation", "greenery", "plants"),
        "bare ground": ("bare earth", "open soil", "bare ground"),
        "paved ground": ("asphalt", "paving", "concrete"), "building": ("buildings", "housing", "roofs"),
    },
}  # fmt: skip
PLACES: dict[str, tuple[tuple[str, ...], str]] = {
    "harbour": (("harbour", "port", "docks"), "ship"), "marina": (("marina", "harbour"), "ship"),
    "airport": (("airport", "airfield", "apron"), "plane"),
    "parking": (("car park", "parking lot", "parking"), "vehicle"),
}  # fmt: skip
"""By theme: what a place is called, and what makes it busy."""
PART_WORDS: dict[Part, Names] = {
    "train": {
        "top left": ("top left corner", "upper left"), "top right": ("top right corner", "upper right"),
        "bottom left": ("bottom left corner", "lower left"), "bottom right": ("bottom right corner",
        "lower right"),
        "left": ("left half", "left side"), "right": ("right half", "right side"),
        "top": ("top half", "upper part"), "bottom": ("bottom half", "lower part"), "middle": ("middle",
        "centre"),
    },
    "test": {
        "top left": ("north-west", "upper left corner"), "top right": ("north-east", "upper right corner"),
        "bottom left": ("south-west", "lower left corner"), "bottom right": ("south-east",
        "lower right corner"),
        "left": ("western half", "left half"), "right": ("eastern half", "right half"),
        "top": ("northern half", "top half"), "bottom": ("southern half", "bottom half"),
        "middle": ("centre", "middle"),
    },
}  # fmt: skip
REGION_WORDS = {
    "water": ("lake", "stretch of water"), "vegetation": ("green area", "patch of greenery"),
    "bare ground": ("piece of bare ground",), "paved ground": ("paved area",),
}  # fmt: skip


def plural(word: str) -> str:
    """Of a word of ONE."""
    return word if word == "aircraft" else f"{word}s"


def words_for(part: Part, thing: str, truth: Truth) -> tuple[str, ...]:
    """What the things of a name may be called in an image: who says car means no truck."""
    trucks = any(each.class_name == "large-vehicle" for each in truth.things)
    return tuple(each for each in ONE[part][thing] if not (trucks and each in ("car", "automobile")))


def singled_out(truth: Truth, thing: str) -> list[tuple[str, Box]]:
    """Phrases that mean exactly one object of that name, with a gap for its word, and its box."""
    found = [each for each in truth.things if each.name == thing]
    if len(found) == 1:
        return [("{}", found[0].box), ("only {}", found[0].box)]
    if not found:
        return []
    made: list[tuple[str, Box]] = []
    by_area = sorted(found, key=lambda each: -each.area_px)
    if by_area[0].area_px >= 1.25 * by_area[1].area_px:
        made += [("biggest {}", by_area[0].box), ("largest {}", by_area[0].box)]
    if by_area[-1].area_px <= 0.75 * by_area[-2].area_px:
        made += [("smallest {}", by_area[-1].box)]
    for axis, size, low, high in ((0, truth.width, "left", "right"), (1, truth.height, "top", "bottom")):
        ordered = sorted(found, key=lambda each: _middle(each, axis))
        if _middle(ordered[1], axis) - _middle(ordered[0], axis) >= 0.03 * size:
            made.append((f"{low}most {{}}" if axis else f"{{}} furthest {low}", ordered[0].box))
        if _middle(ordered[-1], axis) - _middle(ordered[-2], axis) >= 0.03 * size:
            made.append((f"{high}most {{}}" if axis else f"{{}} furthest {high}", ordered[-1].box))
    return made


def _middle(thing: Thing, axis: int) -> float:
    return (thing.box[axis] + thing.box[axis + 2]) / 2


def prevailing(truth: Truth, part: str) -> str | None:
    """The cover that has more than half of a part and twice the next; None where there is none."""
    ranked = sorted(truth.parts[part].items(), key=lambda each: -each[1])
    return ranked[0][0] if ranked[0][1] >= max(0.5, 2 * ranked[1][1]) else None


def there(truth: Truth, part: str, cover: str) -> bool | None:
    """Whether a part has a cover: 5 % or more; None between that and 0.2 %, which one may see either way."""
    share = truth.parts[part].get(cover, 0.0)
    return True if share >= 0.05 else False if share <= 0.002 else None


def side_of(truth: Truth, cover: str) -> str | None:
    """The side with the most of a cover: half as much again as opposite, and 5 % of it; None without."""
    opposite = {"left": "right", "right": "left", "top": "bottom", "bottom": "top"}
    share = {side: truth.parts[side].get(cover, 0.0) for side in opposite}
    best = max(share, key=lambda side: share[side] - share[opposite[side]])
    rest = max((share[side] for side in share if side not in (best, opposite[best])), default=0.0)
    clear = share[best] >= max(1.5 * share[opposite[best]], 0.05) and share[best] >= 1.15 * rest
    return best if clear else None
