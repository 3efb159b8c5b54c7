"""Whether an image is one that a model's answer means something on: one place, before every model.

The limits stand in the models' cards (`data.models.card.Limits` and `Input`). What lies outside is refused,
with what would help; who asks to go on all the same is told so before the answer. What is doubtful, and not
outside, is said before the answer too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from data.models.card import Card, Values
from data.raster.errors import RasterError

if TYPE_CHECKING:
    from data.vision.modality import Modality

COLOURS = ("red", "green", "blue")
SURE = 0.75
"""How sure it must be what kind of sensor an image is from, for it not to be said."""
_LIKELY = 0.6
"""How sure it must be that an image is radar, for what takes no radar to refuse it."""
TOLERANCE = 1.05
"""A pixel of 5.002 m is one of 5 m."""
_RATIO = 2.0
"""How many times the pixels of one image of a pair may be larger than the other's."""
_EMPTY = 0.02
"""From this share on, pixels of nought in all bands without a word are taken for no data, and said."""
_KINDS = {
    "sar": "a radar image", "optical": "a picture in colour", "multispectral": "a multispectral image",
    "panchromatic": "a grey picture",
}  # fmt: skip
_OF_OTHER = {
    ("sar", "oriented-object-detection"): "sar_detection finds ships in it",
    ("sar", "object-detection"): "sar_detection finds ships in it",
    ("optical", "oriented-object-detection"): "optical_detection finds ships in it",
    ("optical", "object-detection"): "optical_detection finds ships in it",
    ("sar", "water-extraction"): "water_extraction finds water in it by its backscatter",
}
"""What to do with an image of another kind, by its kind and the model's first task."""


@dataclass(frozen=True)
class Concern:
    """What of an image is outside of what a model is for, or may be."""

    about: Literal["modality", "pixel size", "bands", "values", "no data", "pair"]
    said: str
    """A sentence without its full stop: what is so, and what the model is for."""
    way: str = ""
    """What would help, half a sentence."""
    stops: bool = True
    """Whether it is refused unless asked to go on; else it is said alone."""
    offers: bool = True
    """Whether the refusal says that one may go on; of what is no image at all nothing can come."""


def concerns(card: Card, image: Path, *, gsd_m: float | None = None) -> tuple[Concern, ...]:
    """What of an image is outside of what a model is for, the gravest first; `gsd_m` is the user's word.

    Raises RasterError for a file that is no raster.
    """
    from data.vision.modality import modality_of

    if card.limits.anything:
        return ()
    told = modality_of(image)
    if told.name is None:
        said = (
            "Things on the ground are found in a colour, multispectral, panchromatic or radar image, and "
            f"{image.name} holds {told.instead}"
        )
        return (Concern("modality", said, offers=False),)
    found = [
        *_modality(card, image, told),
        *_bands(card, image, told),
        *_pixel_size(card, image, gsd_m),
        *_values(card, image, told),
        *_empty(image),
    ]
    return tuple(sorted(found, key=lambda each: not each.stops))


def settle(found: Sequence[Concern], card: Card, anyway: bool) -> tuple[str, ...]:
    """What is said before the answer. Raises RasterError for what is refused, unless asked to go `anyway`."""
    stopping = [each for each in found if each.stops]
    if stopping and not anyway:
        first = stopping[0]
        help_ = f"; {first.way}" if first.way else ""
        more = "".join(f" Also, {_lower(each.said)}." for each in stopping[1:] if each.said != first.said)
        on = " With anyway=true it is done, and said so first." if first.offers else ""
        raise RasterError(f"{first.said}{help_}.{more}{on}")
    outside = [f"{each.said}, so the answer may mean nothing." for each in found if each.stops]
    return (*outside, *(f"{each.said}." for each in found if not each.stops))


def checked(card: Card, image: Path, anyway: bool = False, *, gsd_m: float | None = None) -> tuple[str, ...]:
    """What is said before a model's answer on an image. Raises RasterError for one outside of its limits."""
    return settle(concerns(card, image, gsd_m=gsd_m), card, anyway)


def pair_concerns(card: Card, before: Path, after: Path) -> tuple[Concern, ...]:
    """What of two images, each of which a model takes, does not go together."""
    from data.models.choosing import image_facts
    from data.vision.modality import modality_of

    kinds = [modality_of(each).name for each in (before, after)]
    if ("sar" in kinds) != (kinds == ["sar", "sar"]):
        first, second = (_KINDS.get(str(each), "no image") for each in kinds)
        said = f"{before.name} is {first} and {after.name} {second}"
        return (Concern("pair", said, "two images of one kind can be compared"),)
    one, other = (image_facts(each).gsd_m for each in (before, after))
    if one and other and max(one, other) / min(one, other) > _RATIO * TOLERANCE:
        said = f"The pixels of {before.name} are {one:.3g} m and those of {after.name} {other:.3g} m"
        help_ = "raster_resample brings the finer one to the coarser one's pixels"
        return (Concern("pair", said, help_, False),)
    return ()


def likeness_concerns(card: Card, likeness: float | None) -> tuple[Concern, ...]:
    """What the correlation of a pair that was brought together says of a comparison by the model."""
    limits = card.limits.likeness
    if limits is None or likeness is None or likeness >= limits[1]:
        return ()
    if likeness < limits[0]:
        said = (
            f"The two images agree by a correlation of {likeness:.2f} only, so nothing in them shows that "
            "they are of one place and lie on each other"
        )
        return (Concern("pair", said, "coregister moves one onto the other"),)
    said = (
        f"The two images agree by a correlation of {likeness:.2f} only (unchanged ground in like images has "
        f"{limits[1]:g} or more), so season, light and another sensor may be taken for change, and change "
        "be missed among them"
    )
    return (Concern("pair", said, "", False),)


def pair_checked(name: str, likeness: float | None, anyway: bool) -> tuple[str, ...]:
    """What is said before a comparison by the card of that name, of how well a pair agrees.

    Raises RasterError for a pair that agrees too little, unless asked to go on.
    """
    from data.models.registry import registry

    card = registry(None).get(name).card
    return settle(likeness_concerns(card, likeness), card, anyway)


def _modality(card: Card, image: Path, told: Modality) -> list[Concern]:
    from data.models.choosing import image_facts

    takes, kind = set(card.input.modality), str(told.name)
    sure = "" if told.confidence >= SURE else f" (confidence {told.confidence:g})"
    if "sar" not in takes if kind == "sar" else takes == {"sar"}:
        doubtful = told.confidence < (_LIKELY if kind == "sar" else SURE)
        if doubtful and len(image_facts(image).bands) <= 2:
            other = _KINDS[kind]
            said = f"Whether {image.name} is radar or {other} is not sure" if kind != "sar" else (
                f"{image.name} may be a radar image"
            )  # fmt: skip
            return [Concern("modality", f"{said} (confidence {told.confidence:g})", "", False)]
        wanted = " and ".join(each for each in card.input.modality if each != "sar") or "radar"
        said = f"{image.name} is {_KINDS[kind]}{sure}, and {card.name} is for {wanted} images"
        return [Concern("modality", said, _OF_OTHER.get((kind, card.tasks[0]), "classify_image says why"))]
    found = []
    if kind == "panchromatic" and "panchromatic" not in takes and card.limits.grey != "fine":
        said = f"{image.name} is a grey picture, and {card.name} tells by colour"
        refused = card.limits.grey == "refused"
        found.append(Concern("modality", said, "a picture in colour would do", refused))
    if kind == "panchromatic" and "sar" not in takes and _wordless(image):
        said = (
            f"{image.name} is a grey picture that says nothing of its sensor, and smooth radar looks so too"
        )
        found.append(Concern("modality", said, "", False))
    elif kind in ("sar", "panchromatic") and told.confidence < SURE:
        said = f"It is not sure that {image.name} is {_KINDS[kind]} (confidence {told.confidence:g})"
        found.append(Concern("modality", said, "", False))
    return found


def _wordless(image: Path) -> bool:
    """Whether a grey picture is of bytes without a name for its band."""
    from data.models.choosing import image_facts
    from data.raster.files import opened

    with opened(image) as source:
        return source.dtypes[0] == "uint8" and "pan" not in image_facts(image).bands


def _pixel_size(card: Card, image: Path, given: float | None) -> list[Concern]:
    from data.models.choosing import image_facts

    limits, taken = card.limits.gsd_m, card.input.gsd_m
    low, high = limits or ((0.0, taken[1]) if taken else (0.0, float("inf")))
    if high == float("inf"):
        return []
    told = image_facts(image).gsd_m or given
    wanted = f"{low:g} to {high:g} m" if low else f"{high:g} m or finer"
    if told is None:
        if card.limits.unknown_gsd == "fine":
            return []
        said = f"{image.name} says no pixel size, and {card.name} is for pixels of {wanted}"
        refused = card.limits.unknown_gsd == "refused"
        return [Concern("pixel size", said, "place_raster gives it a place and a pixel size", refused)]
    if low / TOLERANCE <= told <= high * TOLERANCE:
        return []
    coarse = told > high
    than = "coarser" if coarse else "finer"
    said = f"The pixels of {image.name} are {told:.3g} m, {than} than {card.name} is for ({wanted})"
    help_ = "a finer image would do" if coarse else "raster_resample makes them coarser"
    return [Concern("pixel size", said, help_)]


def _bands(card: Card, image: Path, told: Modality) -> list[Concern]:
    """Bands are taken by their place where nothing says which is which: of a picture of three alone."""
    from data.models.choosing import image_facts
    from data.raster.bands import find_band

    wanted = set(card.input.bands) or (set(COLOURS) if card.input.modality == ("optical",) else set())
    if told.name in ("sar", "panchromatic") or not wanted or not wanted <= set(COLOURS):
        return []
    names = image_facts(image).bands
    missing = [each for each in COLOURS if find_band(names, each) is None]
    if not missing or len(names) < 3:
        return []
    count = len(names)
    help_ = 'name_bands says it, as in name_bands bands="red=3,green=2,blue=1" or sensor="Landsat 8"'
    if any(names):
        there = ", ".join(each or "one without a name" for each in names[:8])
        said = f"{image.name} has no {' and no '.join(missing)} (its bands: {there})"
        return [Concern("bands", said, help_)]
    if count == 3:
        said = f"Nothing says which band of {image.name} is which; they were taken as red, green and blue"
        return [Concern("bands", said, help_, False)]
    said = f"Nothing says which of the {count} bands of {image.name} are red, green and blue"
    return [Concern("bands", said, help_)]


def _values(card: Card, image: Path, told: Modality) -> list[Concern]:
    if not card.limits.values:
        return []
    kind = values_of(image)
    if kind in card.limits.values:
        return []
    found = {
        "bytes": "bytes without a scale, which are no reflectance",
        "numbers": "numbers that are no reflectance, such as counts of the sensor",
        "scaled": "whole numbers without a scale",
        "reflectance": "values of 0 to 1",
        "decibel": "values below nought, as decibels",
        "amplitude": "amplitudes",
    }[kind]
    said = f"{image.name} holds {found}, and the limits of {card.name} are of {_wanted(card.limits.values)}"
    help_ = "radiometric_calibration or a product of surface reflectance would do"
    return [Concern("values", said, help_, card.limits.other_values == "refused")]


def _wanted(values: Sequence[str]) -> str:
    return "reflectance" if "reflectance" in values else " or ".join(values)


def values_of(image: Path) -> Values:
    """How an image's values are stored, by its type, its scale and samples."""
    try:
        return _stored(image, image.stat().st_mtime_ns)
    except OSError:
        raise RasterError(f"{image.name} cannot be read.") from None


@lru_cache(maxsize=256)
def _stored(image: Path, _changed: int) -> Values:
    from data.raster.files import opened
    from data.vision.blocks import samples
    from data.vision.modality import modality_of

    with opened(image) as source:
        scaled = any(each != 1.0 for each in source.scales) or any(source.offsets)
        kind = np.dtype(source.dtypes[0])
    if modality_of(image).name == "sar":
        values = np.concatenate([each[0].ravel() for each in samples(image, most=4, numbers=(1,))])
        return "decibel" if np.nanmedian(values) < 0 else "amplitude"
    if scaled:
        return "reflectance"
    if kind == np.uint8:
        return "bytes"
    values = np.concatenate([each.ravel() for each in samples(image, most=4)])
    values = values[np.isfinite(values)]
    if not values.size:
        return "numbers"
    low, high = (float(each) for each in np.percentile(values, (1, 98)))
    if kind.kind == "f" and low >= -0.2 and high <= 1.6:
        return "reflectance"
    # Ten thousandths: bright cloud reaches 16,000 of them; 16-bit counts, and Landsat's collection 2, more.
    return "scaled" if low >= -2000 and 100 < high <= 16_000 and kind.kind in "iu" else "numbers"


def _empty(image: Path) -> list[Concern]:
    """Pixels of nought in every band that no nodata value or mask leaves out."""
    share = _noughts(image, image.stat().st_mtime_ns)
    if share < _EMPTY:
        return []
    said = (
        f"{100 * share:.0f} % of {image.name} is nought in every band, and nothing in the file says that "
        "this is no data, so it counts as ground"
    )
    return [Concern("no data", said, "", False)]


@lru_cache(maxsize=256)
def _noughts(image: Path, _changed: int) -> float:
    """The share of pixels at the image's edge or in blocks there that are nought in all of several bands."""
    from scipy.ndimage import label

    from data.raster.files import opened

    with opened(image) as source:
        if source.nodata is not None or source.count < 3:
            return 0.0  # dark water in one band is no frame
        shrink = min(1.0, 512 / max(source.width, source.height))
        shape = (source.count, max(1, round(source.height * shrink)), max(1, round(source.width * shrink)))
        colours = [at for at, each in enumerate(source.colorinterp) if each.name != "alpha"]
        values, masks = source.read(out_shape=shape), source.read_masks(out_shape=shape)
    nought = (values[colours] == 0).all(axis=0) & (masks[colours] > 0).all(axis=0)
    parts, count = label(nought)
    edge = np.unique(np.concatenate([parts[0], parts[-1], parts[:, 0], parts[:, -1]]))
    return float(np.isin(parts, edge[edge > 0]).mean()) if count else 0.0


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
