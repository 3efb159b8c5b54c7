"""Land cover of each pixel: by a network for colour pictures, by spectral rules where infrared is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from data.progress import Progress
from data.raster.errors import RasterError
from data.vision.masks import UNKNOWN

if TYPE_CHECKING:
    from data.raster.windows import Place

TASKS = ("semantic-segmentation", "land-cover")
BLOCK_PX = 1_000_000
"""Pixels of a block: so many scores of a few classes are held at once by each thread."""
HALO_PX = 128
"""How far around a block the network looks, so that no seam shows."""

RULES = {
    1: "water",
    2: "dense vegetation",
    3: "sparse vegetation",
    4: "built-up",
    5: "bare soil",
    6: "snow or ice",
}
"""What land use by spectral rules tells apart."""
USES = {
    "building": "built-up",
    "road": "transport",
    "land": "bare or open land",
    "vegetation": "vegetation",
    "water": "water",
}
"""What a cover of the network is as land use."""
_DENSE, _SPARSE, _SNOW, _SOIL = 0.5, 0.2, 0.4, 0.1


@dataclass(frozen=True)
class Segmented:
    """What was made: the classes by their number in the mask, and what told them apart."""

    classes: Mapping[int, str]
    model: str
    method: str
    """A phrase: the network's architecture, or the rules and their sources."""


def land_cover(
    progress: Progress, source: Path, target: Path, *, model: str | None = None, models: Path | None = None
) -> Segmented:
    """Write each pixel's class by a network, from 1 in its card's order, and how sure that is in percent.

    The file has two bands of bytes: the class, and 100 x its probability (softmax of the network's scores).
    UNKNOWN in both where the image has no value. Raises RasterError where no model suits the image.
    """
    chosen = chosen_network(source, TASKS, model, models)
    names = chosen.card.output.classes
    return _by_network(progress, source, target, chosen, dict(enumerate(names, start=1)))


def class_mask(
    progress: Progress,
    source: Path,
    target: Path,
    class_name: str,
    tasks: Sequence[str],
    *,
    model: str | None = None,
    models: Path | None = None,
) -> Segmented:
    """Write 1 where a network says that class and 0 elsewhere, and 100 x the class's probability.

    Raises RasterError where no model suits the image, or the model does not know the class.
    """
    chosen = chosen_network(source, tasks, model, models)
    names = [each.lower() for each in chosen.card.output.classes]
    at = next((at for at, each in enumerate(names) if each.rstrip("s") == class_name), None)
    if at is None:
        raise RasterError(
            f"{chosen.name} does not tell {class_name} from other ground; it knows {', '.join(names)}."
        )
    return _by_network(progress, source, target, chosen, {1: class_name}, only=at)


def land_use(
    progress: Progress, source: Path, target: Path, *, model: str | None = None, models: Path | None = None
) -> Segmented:
    """Write each pixel's land use: by spectral rules where red, green and near infrared are told, else by
    a network, whose probabilities are averaged over 9 x 9 pixels first, since a use covers more than a pixel.

    The rules, in this order: snow where NDSI > 0.4 and near infrared > 0.11 (Hall, Riggs and Salomonson
    1995); water where MNDWI > 0 (Xu 2006), or NDWI > 0 without short-wave infrared (McFeeters 1996), and
    NDVI < 0.2; dense vegetation from NDVI 0.5 and sparse from 0.2 on (Sobrino, Jimenez-Munoz and Paolini
    2004); of the rest bare soil where BSI > 0.1 (Rikimaru, Roy and Miyatake 2002) or, without blue, where
    NDBI > 0.1 (Zha, Gao and Ni 2003), and built-up elsewhere. Without short-wave infrared what is neither
    water nor plants is not told apart: "built-up or bare". Raises RasterError.
    """
    classes = classes_for(source, use=True, model=model, models=models)
    if model is not None or (bands := _rule_bands(source)) is None:
        chosen = chosen_network(source, TASKS, model, models)
        return _by_network(progress, source, target, chosen, classes, smooth_px=9)
    return _by_rules(progress, source, target, bands, classes)


def classes_for(
    source: Path, *, use: bool, model: str | None = None, models: Path | None = None
) -> dict[int, str]:
    """What land_cover, or with `use` land_use, will call the classes of an image. Raises RasterError."""
    if use and model is None and (bands := _rule_bands(source)) is not None:
        plain = {1: RULES[1], 2: RULES[2], 3: RULES[3], 4: "built-up or bare"}
        return dict(RULES) if "swir16" in bands else plain
    names = chosen_network(source, TASKS, model, models).card.output.classes
    return {at: USES.get(each, each) if use else each for at, each in enumerate(names, start=1)}


def _rule_bands(source: Path) -> dict[str, int] | None:
    """The bands that the rules take; None for an image without green, red and near infrared."""
    from data.raster.bands import band_names, find_band
    from data.raster.files import opened

    with opened(source) as reader:
        names = band_names(reader)
    bands = {each: find_band(names, each) for each in ("blue", "green", "red", "nir", "swir16")}
    there = {name: number for name, number in bands.items() if number is not None}
    return there if {"green", "red", "nir"} <= set(there) else None


def chosen_network(source: Path, tasks: Sequence[str], model: str | None, models: Path | None) -> Any:
    """The best network for these tasks and the image, or the one that was asked for. Raises RasterError."""
    from data.models.choosing import choose, image_facts
    from data.models.registry import Registry, registry

    known = registry(models)
    layouts = ("logits", "probabilities")
    if model is not None and known.get(model).card.output.layout not in layouts:
        raise RasterError(f"{known.get(model).name} is no network that tells the classes of pixels.")
    fitting = Registry(tuple(each for each in known.models if each.card.output.layout in layouts))
    return choose(fitting, tasks, image_facts(source), model)


def ruled(bands: Mapping[str, NDArray[Any]]) -> NDArray[np.uint8]:
    """The land use of RULES by reflectance 0 to 1 of green, red and nir, and swir16 and blue where known."""
    green, red, nir = bands["green"], bands["red"], bands["nir"]
    swir, blue = bands.get("swir16"), bands.get("blue")
    ndvi = _ratio(nir, red)
    water = _ratio(green, nir if swir is None else swir) > 0
    said = np.full(ndvi.shape, 4, dtype=np.uint8)
    if swir is not None:
        soil = _ratio(swir, nir) if blue is None else _ratio(swir + red, nir + blue)
        said[soil > _SOIL] = 5
    said[ndvi >= _SPARSE] = 3
    said[ndvi >= _DENSE] = 2
    said[water & (ndvi < _SPARSE)] = 1
    if swir is not None:
        said[(_ratio(green, swir) > _SNOW) & (nir > 0.11)] = 6
    said[~np.isfinite(ndvi)] = UNKNOWN
    return said


def _ratio(one: NDArray[Any], two: NDArray[Any]) -> NDArray[Any]:
    """The normalised difference; 0 where both are 0."""
    total = one + two
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total == 0, 0.0, (one - two) / total)


def _by_rules(
    progress: Progress, source: Path, target: Path, bands: Mapping[str, int], classes: Mapping[int, str]
) -> Segmented:
    from data.raster.windows import Band, Block, compute, grid_of
    from data.vision.blocks import followed, samples

    names, numbers = tuple(bands), tuple(bands.values())
    brightest = max(
        (float(np.nanmax(each)) for each in samples(source, numbers=numbers) if np.isfinite(each).any()),
        default=1.0,
    )
    # Reflectance is stored as such, in bytes, or times 10,000.
    scale = 1.0 if brightest <= 2.0 else 1 / 255.0 if brightest <= 255.0 else 1e-4

    def told(blocks: list[Block], place: Place) -> NDArray[Any]:
        missing = ~np.isfinite(blocks[0]).all(axis=0)
        said = ruled({name: band * scale for name, band in zip(names, blocks[0], strict=True)})
        said[missing] = UNKNOWN
        return said

    grid = grid_of(source)
    function = followed(progress, "Telling land use by its spectrum", grid.width * grid.height, told)
    compute([Band(source, numbers)], target, function, dtype="uint8", nodata=UNKNOWN)
    indices = "NDVI, MNDWI, BSI and NDSI" if "swir16" in bands else "NDVI and NDWI"
    return Segmented(classes, "spectral-rules", f"rules on {indices}")


def _by_network(
    progress: Progress,
    source: Path,
    target: Path,
    model: Any,
    classes: Mapping[int, str],
    *,
    only: int | None = None,
    smooth_px: int = 0,
) -> Segmented:
    from data.raster.windows import Band, Block, compute, grid_of
    from data.vision.blocks import followed

    bands, probabilities = network_of(source, model)

    def told(blocks: list[Block], place: Place) -> NDArray[Any]:
        missing = ~np.isfinite(blocks[0]).all(axis=0)
        likely = probabilities(mirrored(blocks[0], place))
        if smooth_px:
            from scipy.ndimage import uniform_filter

            likely = np.stack([uniform_filter(each, smooth_px, mode="nearest") for each in likely])
        said = likely.argmax(axis=0)
        sure = likely.max(axis=0) if only is None else likely[only]
        made = np.stack([said + 1 if only is None else said == only, np.rint(100 * sure)])
        made[:, missing] = UNKNOWN
        return np.asarray(made, dtype=np.uint8)

    grid = grid_of(source)
    function = followed(progress, "Telling classes apart", grid.width * grid.height, told)
    compute(
        [Band(source, bands)],
        target,
        function,
        halo=HALO_PX,
        count=2,
        dtype="uint8",
        nodata=UNKNOWN,
        descriptions=("class" if only is None else classes[1], "probability, percent"),
        tags={"AZIMUTH_MODEL": model.name},
        pixels=BLOCK_PX,
    )
    return Segmented(classes, model.name, model.card.architecture)


def mirrored(block: NDArray[Any], place: Place) -> NDArray[Any]:
    """A block whose margin shows, beyond the image's edges, the image's mirror image: no frame, which a
    network would take for something."""
    rows, columns = block.shape[1:]
    top, left = max(0, -place.first_row), max(0, -place.first_column)
    bottom = max(0, place.first_row + rows - place.grid.height)
    right = max(0, place.first_column + columns - place.grid.width)
    inside = block[:, top : rows - bottom, left : columns - right]
    return np.pad(inside, ((0, 0), (top, bottom), (left, right)), mode="symmetric")


def network_of(
    source: Path, model: Any
) -> tuple[tuple[int, ...], Callable[[NDArray[Any]], NDArray[np.float32]]]:
    """The bands that a network takes of an image, and what makes a block of them into probabilities.

    That function takes (bands, rows, columns) as stored, not-a-number where there is no value, and gives
    (classes, rows, columns), which sum to 1. It may be called by several threads. Raises RasterError.
    """
    from data.models.choosing import bands_for, image_facts
    from data.models.serving import served

    card = model.card
    bands = bands_for(model, image_facts(source)) or (1, 2, 3)
    low, high = _limits(source, bands, card.input.scaling)
    mean = np.array(card.input.mean or (0.0,), dtype=np.float32)[:, None, None]
    spread = np.array(card.input.std or (1.0,), dtype=np.float32)[:, None, None]
    network, sides = served(model), max(1, card.input.multiple_px)

    def probabilities(block: NDArray[Any]) -> NDArray[np.float32]:
        rows, columns = block.shape[1:]
        values = np.clip((block - low) / (high - low), 0.0, 1.0)
        values = (np.nan_to_num(values, nan=0.5).astype(np.float32) - mean) / spread
        padded = np.pad(values, ((0, 0), (0, -rows % sides), (0, -columns % sides)), mode="symmetric")
        scores = network.run(padded[np.newaxis])[0][0, :, :rows, :columns]
        if card.output.layout == "logits":
            scores = np.exp(scores - scores.max(axis=0))
            scores /= scores.sum(axis=0)
        return np.asarray(scores, dtype=np.float32)

    return bands, probabilities


def _limits(source: Path, bands: Sequence[int], scaling: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """What becomes 0 and 1 in each band: bytes as they are, others by the 2nd and 98th percentile."""
    from data.models.preparing import ends_of
    from data.raster.files import opened
    from data.vision.blocks import samples

    with opened(source) as reader:
        whole = {reader.dtypes[number - 1] for number in bands} == {"uint8"}
    if scaling == "bytes" and whole:
        low, high = np.zeros(len(bands)), np.full(len(bands), 255.0)
    else:
        parts = samples(source, numbers=bands)
        low, high = ends_of(np.concatenate([each[at].ravel() for each in parts]) for at in range(len(bands)))
    return low.astype(np.float32)[:, None, None], high.astype(np.float32)[:, None, None]
