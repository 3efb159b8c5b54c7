"""Open water: by a water index, by radar backscatter, or by a network for colour pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from data.progress import Progress
from data.raster.digital import is_digital
from data.vision.masks import UNKNOWN
from data.vision.suits import refuse_no_radar

if TYPE_CHECKING:
    from numpy.typing import NDArray

Method = Literal["auto", "index", "radar", "network"]
WATER = {1: "water"}
INFRARED = {"NDWI": "near infrared", "MNDWI": "short-wave infrared"}
"""The band of an index in which water is dark."""
DIGITAL = (
    "The image holds digital numbers (bytes without a scale) and not reflectance, so no published limit of a "
    "water index holds for it; its {name} was parted into dark and bright instead, and shadows and wet "
    "asphalt can be as dark as water."
)
LIMITS = (-0.1, 0.3)
"""Where a threshold of the index may lie: water is above nought, and paved ground has about -0.14."""
NETWORK_TASKS = ("water-extraction", "semantic-segmentation", "land-cover")


@dataclass(frozen=True)
class Water:
    """How water was told from the rest."""

    method: str
    """"MNDWI by tiles", "NDWI by tiles", "near infrared by tiles", "short-wave infrared by tiles",
    "backscatter by tiles", or the network's architecture."""
    model: str
    """The card's name."""
    threshold: float | None = None
    """Of the index, decibels, or digital numbers; None for a network."""
    below: bool = False
    """Whether water lies under the threshold."""
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
    if facts.modality == "sar":
        return "radar"
    if len(facts.bands) <= 2 and not any(facts.bands):
        refuse_no_radar(source)
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
    threshold of the tiles that hold both classes where that lies between -0.1 and 0.3, else over 0. Bytes
    without a scale are no reflectance, and no limit of an index holds for them: there, water is what is dark
    in the infrared band alone (Work and Gilmer 1976, PE&RS 42, 685-694), by tiles the same way. "radar":
    backscatter without speckle (refined Lee), under the minimum-error threshold of its decibels (Kittler and
    Illingworth 1986, by tiles as in Martinis et al. 2009). "network": the water class of the best network.
    Patches under `min_px` pixels go to what surrounds them. Raises RasterError.
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
    if chosen == "index":
        return _by_index(progress, source, target, min_px)
    found = map_flood(progress, source, target, min_px=min_px, as_radar=True)
    return Water(found.method, "water-backscatter", found.threshold, notes=found.notes, below=True)


def _by_index(progress: Progress, source: Path, target: Path, min_px: int) -> Water:
    import numpy as np

    from data.raster.patches import sieve
    from data.raster.windows import Band, Block, Place, compute, grid_of
    from data.vision.blocks import followed, samples
    from data.vision.flood import optical_bands
    from data.vision.thresholds import by_tiles

    bands = optical_bands(source)
    assert bands is not None
    name, numbers = bands
    if is_digital(source, numbers):
        return _by_infrared(progress, source, target, min_px, numbers[1], INFRARED[name])

    def index(block: Block) -> Any:
        green, infrared = block
        with np.errstate(divide="ignore", invalid="ignore"):
            return (green - infrared) / (green + infrared)

    split = by_tiles([index(each) for each in samples(source, numbers=numbers)])
    fits = split is not None and LIMITS[0] <= split.threshold <= LIMITS[1]
    limit = split.threshold if split is not None and fits else 0.0

    def told(blocks: list[Block], place: Place) -> Any:
        values = index(blocks[0])
        return np.where(np.isfinite(values), (values > limit).astype(np.float32), np.float32(np.nan))

    grid, raw = grid_of(source), target.with_name(f"{target.stem}.raw.tif")
    try:
        function = followed(progress, "Looking for water", grid.width * grid.height, told)
        compute([Band(source, numbers)], raw, function, dtype="uint8", nodata=UNKNOWN)
        sieve(raw, target, min_px=max(1, min_px))
    finally:
        raw.unlink(missing_ok=True)
    note = f"{name} does not part into two classes near nought, so the published limit of 0 was taken."
    return Water(f"{name} by tiles", "water-index", limit, notes=() if fits else (note,))


def _by_infrared(
    progress: Progress, source: Path, target: Path, min_px: int, number: int, name: str
) -> Water:
    import numpy as np

    from data.raster.patches import sieve
    from data.raster.windows import Band, Block, Place, compute, grid_of
    from data.vision.blocks import followed, samples

    limit = infrared_limit(source, [each[0] for each in samples(source, numbers=(number,))], name)

    def told(blocks: list[Block], place: Place) -> Any:
        values = blocks[0][0]
        return np.where(np.isfinite(values), (values < limit).astype(np.float32), np.float32(np.nan))

    grid, raw = grid_of(source), target.with_name(f"{target.stem}.raw.tif")
    try:
        function = followed(progress, "Looking for water", grid.width * grid.height, told)
        compute([Band(source, (number,))], raw, function, dtype="uint8", nodata=UNKNOWN)
        sieve(raw, target, min_px=max(1, min_px))
    finally:
        raw.unlink(missing_ok=True)
    return Water(f"{name} by tiles", "water-index", limit, below=True, notes=(DIGITAL.format(name=name),))


def infrared_limit(source: Path, values: Sequence[NDArray[Any]], name: str) -> float:
    """The digital number under which infrared is water, from the tiles that hold both. Raises RasterError."""
    from data.raster.errors import RasterError
    from data.vision.thresholds import by_tiles

    split = by_tiles(list(values))
    if split is None:
        raise RasterError(
            f"{source.name} holds digital numbers (bytes without a scale) and no reflectance, and its {name} "
            "does not part into dark water and bright land, so water cannot be told; an image of reflectance "
            "would do."
        )
    return split.threshold


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
