"""How a model did on real images like the one at hand, of the class that it claims: what goes with an answer.

False alarms are part of it. What nobody measured is said to be so; a figure of another class, or of rendered
scenes, stands for nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.models.card import Card, FalseClaims, Measured

_MOST = 3
"""Classes that are spoken of one by one."""
_NEAR = 2.0
"""How many times a pixel may differ and the images still count as alike."""
_CLAIMS: Mapping[str, tuple[str, ...]] = {
    "optical_plane_type": ("plane",), "sar_plane_type": ("plane",), "sar_detection": ("ship",),
    "building_extraction": ("building",), "road_extraction": ("road",), "water_extraction": ("water",),
    "vegetation_extraction": ("vegetation",), "flood_mapping": ("water",), "burned_area": ("burned",),
    "change_detection": ("changed",), "building_damage_detection": ("damage",), "cloud_detection": ("cloud",),
    "referring_segmentation": ("",), "caption": ("",), "visual_question": ("",),
}  # fmt: skip
_FOUND = (
    "optical_detection", "horizontal_object_detection", "rotated_object_detection", "object_count",
    "semantic_segmentation", "land_use_classification", "visual_grounding",
)  # fmt: skip


@dataclass(frozen=True)
class _Kind:
    """What of an image makes it like others."""

    gsd_m: float | None
    modality: str | None
    mpx: float
    """Millions of pixels."""


def claims_of(tool: str, data: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The classes that a tool's answer claims, the most frequent first; "" for no class in particular.

    Where nothing was found, those that were looked for: that there is none is a claim too. None for a tool
    that changes or measures an image and claims nothing of the ground, and where it says that it can't tell.
    """
    if tool == "scene":
        return None if data.get("scene") is None else (str(data["scene"]),)
    if tool == "visual_question" and not data.get("can_tell", True):
        return None
    if tool not in _FOUND:
        return _CLAIMS.get(tool)
    by_class: Mapping[str, Any] = data.get("by_class") or {}
    counts = {
        name: float(each["share_percent"] if isinstance(each, Mapping) else each)
        for name, each in by_class.items()
    }
    found = [name for name in sorted(counts, key=lambda each: (-counts[each], each)) if counts[name]]
    return tuple(found or data.get("classes") or ("",))


def caveat(card: Card, image: Path, claims: Sequence[str]) -> str:
    """One or two sentences on how far an answer of a model may be trusted, by class and by image.

    Raises RasterError for a file that is no raster.
    """
    from data.models.choosing import image_facts
    from data.vision.modality import modality_of

    facts = image_facts(image)
    kind = _Kind(facts.gsd_m, modality_of(image).name, facts.width * facts.height / 1e6)
    said: dict[str, list[str]] = {}
    for name in claims[:_MOST]:
        said.setdefault(_words(_figure(card, name, kind), _alarms(card, name, kind)), []).append(_plain(name))
    parts = [
        f"{', '.join(each for each in names if each)}: {words}" if any(names) else words
        for words, names in said.items()
    ]
    return f"How far to trust {card.name}: {'; '.join(parts)}."


def _words(figure: str | None, alarms: str | None) -> str:
    if figure is None and alarms is None:
        return "not measured on real images, nor its false alarms"
    return (
        f"{figure or 'what it finds was not measured on real images'}, "
        f"{alarms or 'false alarms not measured on real images'}"
    )


def _figure(card: Card, name: str, kind: _Kind) -> str | None:
    """The best fitting figure of real images, of the class before one of all classes."""
    real = [each for each in card.measured if each.images == "real"]
    own = [each for each in real if name and _same(each.object, name)]
    known = own or [each for each in real if not each.object]
    if not known:
        return None
    alike = [each for each in known if _like(each.gsd_m, each.modality or card.input.modality[0], kind)]
    best = (alike or known)[0]
    what = "on real images" if own or not name else "of all its classes together, on real images"
    other = "" if alike else f", which are unlike this one ({_unlike(best, card, kind)})"
    return f"{what} ({best.data}, n = {best.n:,}) {best.metric} {best.value:.2f}{other}"


def _alarms(card: Card, name: str, kind: _Kind) -> str | None:
    """How often it claimed the class where there was none, in images as large as this one."""
    own = [each for each in card.false_claims if _same(each.object, name)]
    large = [each for each in own if each.from_mpx is not None and each.from_mpx <= kind.mpx]
    known = large or [each for each in own if each.from_mpx is None]
    alike = [each for each in known if _like(each.gsd_m, None, kind)] or known
    if not alike:
        return None
    whole = [each for each in alike if each.ground == "all"] or alike
    images, claimed = sum(each.images for each in whole), sum(each.claimed for each in whole)
    return (
        f"claimed in {claimed:,} of {images:,} real images without any ({_grounds(whole)}, pixels of "
        f"{min(each.gsd_m[0] for each in whole):g} to {max(each.gsd_m[1] for each in whole):g} m)"
    )


def _grounds(found: Sequence[FalseClaims]) -> str:
    names = list(dict.fromkeys(each.ground for each in found))
    return "all kinds of ground" if names == ["all"] else ", ".join(names)


def _like(gsd_m: tuple[float, float] | None, modality: str | None, kind: _Kind) -> bool:
    if modality is not None and kind.modality is not None and modality != kind.modality:
        return False
    if gsd_m is None or kind.gsd_m is None:
        return True
    return gsd_m[0] / _NEAR <= kind.gsd_m <= gsd_m[1] * _NEAR


def _unlike(measured: Measured, card: Card, kind: _Kind) -> str:
    modality = measured.modality or card.input.modality[0]
    if kind.modality is not None and modality != kind.modality:
        return f"{modality}, not {kind.modality}"
    low, high = measured.gsd_m or (0.0, 0.0)
    size = f"{low:g} m" if low == high else f"{low:g} to {high:g} m"
    return f"pixels of {size}, not {kind.gsd_m:.3g} m"


def _same(one: str, other: str) -> bool:
    return _plain(one) == _plain(other)


def _plain(name: str) -> str:
    return name.replace("-", " ").replace("_", " ").casefold()
