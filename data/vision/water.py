"""Open water: by a water index, by radar backscatter, or by a network for colour pictures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from data.progress import Progress

Method = Literal["auto", "index", "radar", "network"]
WATER = {1: "water"}
NETWORK_TASKS = ("water-extraction", "semantic-segmentation", "land-cover")


@dataclass(frozen=True)
class Water:
    """How water was told from the rest."""

    method: str
    """"MNDWI by tiles", "NDWI by tiles", "backscatter by tiles", or the network's architecture."""
    model: str
    """The card's name."""
    threshold: float | None = None
    """Of the index, or decibels; None for a network."""
    notes: tuple[str, ...] = ()


def suited(source: Path) -> Literal["index", "radar", "network"]:
    """The method for an image: the index where green and infrared are told, the network for a picture in
    colour, radar for one or two bands. Raises RasterError for an image that none suits."""  # fmt: skip
    from data.models.choosing import image_facts
    from data.raster.bands import find_band
    from data.raster.errors import RasterError

    facts = image_facts(source)
    infrared = find_band(facts.bands, "swir16") or find_band(facts.bands, "nir")
    if find_band(facts.bands, "green") is not None and infrared is not None:
        return "index"
    if facts.modality == "sar" or (len(facts.bands) <= 2 and not any(facts.bands)):
        return "radar"
    if facts.modality == "optical" or (len(facts.bands) >= 3 and not any(facts.bands)):
        return "network"
    there = ", ".join(each or "one without a name" for each in facts.bands[:12])
    raise RasterError(
        "Water is found in green with near or short-wave infrared, in red, green and blue, or in radar; "
        f"{source.name} has {there}."
    )


def water_mask(
    progress: Progress,
    source: Path,
    target: Path,
    *,
    method: Method = "auto",
    min_px: int = 8,
    models: Path | None = None,
) -> Water:
    """Write a mask of bytes: 1 water, 0 none, 255 where the image has no value.

    "index": MNDWI (Xu 2006), or NDWI (McFeeters 1996) without short-wave infrared, over the minimum-error
    threshold of the tiles that hold both classes, kept within 0.25 of nought. "radar": backscatter without
    speckle (refined Lee), under the minimum-error threshold of its decibels (Kittler and Illingworth 1986,
    by tiles as in Martinis et al. 2009). "network": the water class of the best network. Patches under
    `min_px` pixels go to what surrounds them. Raises RasterError.
    """
    chosen = suited(source) if method == "auto" else method
    if chosen == "network":
        return _by_network(progress, source, target, min_px, models)
    from data.raster.errors import RasterError
    from data.vision.flood import map_flood, optical_bands

    if (optical_bands(source) is None) != (chosen == "radar"):
        raise RasterError(
            f"{source.name} is {'no radar image' if chosen == 'radar' else 'no image in green and infrared'}"
            "; method=auto takes the one that suits it."
        )
    found = map_flood(progress, source, target, min_px=min_px)
    model = "water-backscatter" if chosen == "radar" else "water-index"
    return Water(found.method, model, found.threshold, found.notes)


def _by_network(progress: Progress, source: Path, target: Path, min_px: int, models: Path | None) -> Water:
    from data.raster.patches import sieve
    from data.vision.segment import class_mask

    raw = target.with_name(f"{target.stem}.raw.tif")
    try:
        made = class_mask(progress, source, raw, "water", NETWORK_TASKS, models=models)
        sieve(raw, target, min_px=max(1, min_px))
    finally:
        raw.unlink(missing_ok=True)
    return Water(made.method, made.model)
