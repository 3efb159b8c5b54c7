"""Which model suits an image best, and what of the image decides that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from data.models.registry import Model, Registry
from data.raster.errors import RasterError

if TYPE_CHECKING:
    import rasterio

POLARISATIONS = ("vv", "vh", "hh", "hv")


@dataclass(frozen=True)
class ImageFacts:
    """What of an image decides which model suits it."""

    modality: str | None
    """optical, multispectral, panchromatic or sar; None where its bands do not say."""
    bands: tuple[str | None, ...]
    """Common names or polarisations, in the file's order; None where nothing says it."""
    gsd_m: float | None
    """The side of a pixel on the ground, metres; None for an image without a place."""
    width: int
    height: int


def image_facts(image: Path) -> ImageFacts:
    """What an image is, out of its bands and its place. Raises RasterError for a file that is none."""
    from data.raster.bands import band_names
    from data.raster.files import opened

    with opened(image) as source:
        names = _names(source, band_names(source))
        return ImageFacts(
            _modality(source, names), names, ground_sample_m(image), source.width, source.height
        )


def ground_sample_m(image: Path) -> float | None:
    """The side of a pixel in the middle of an image, metres; None for an image without a place."""
    import numpy as np

    from data.raster.files import opened
    from data.vision.ground import ground_of

    ground = ground_of(image)
    if ground is None:
        return None
    with opened(image) as source:
        x, y = source.width / 2, source.height / 2
    size = ground.size_m(np.array([[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]]))
    side = math.sqrt(size.length_m * size.width_m)
    return side if math.isfinite(side) and side > 0 else None


def choose(
    models: Registry, tasks: str | Sequence[str], facts: ImageFacts | None, wanted: str | None = None
) -> Model:
    """The best model for a task on an image, or the wanted one. Raises RasterError saying what is missing.

    Those that are ready, take the image's modality and find their bands in it; of these the ones whose
    range of resolutions holds the image's (else the nearest), the user's own first, then the best measured.
    A wanted model is taken whatever its figures, as long as it is for the task and has its bands.
    """
    asked = (tasks,) if isinstance(tasks, str) else tuple(tasks)
    if wanted is not None:
        model = models.get(wanted)
        _check(model, asked, facts)
        return model
    known = models.of_task(*asked)
    here = [each for each in known if each.ready and _runs_here(each)]
    fitting = [each for each in here if facts is None or misfit(model=each, facts=facts) is None]
    if fitting:
        return min(fitting, key=lambda each: _rank(each, asked, facts))
    what = asked[0].replace("-", " ")
    if here and facts is not None:
        raise RasterError(f"No model for {what} suits this image: {misfit(here[0], facts)}.")
    if known:
        raise RasterError(
            f"The models for {what} have no weights here yet; "
            f"`copilot models pull {known[0].name}` fetches them."
        )
    raise RasterError(f"There is no model for {what}; put one into the models folder.")


def misfit(model: Model, facts: ImageFacts) -> str | None:
    """Why a model cannot work on an image: half a sentence; None when it can."""
    takes = model.card.input
    modality = facts.modality
    if modality is not None and not _takes(takes.modality, modality):
        return f"{model.name} is for {' and '.join(takes.modality)} images and this one is {modality}"
    if takes.bands and bands_for(model, facts) is None:
        there = ", ".join(each or "?" for each in facts.bands[:14])
        return f"{model.name} needs the bands {', '.join(takes.bands)} and the image has {there}"
    return None


def bands_for(model: Model, facts: ImageFacts) -> tuple[int, ...] | None:
    """The numbers, from 1, of an image's bands in the model's order; None when it lacks one.

    Bands without names are taken by their place: three or more as red, green, blue, and near infrared
    fourth; a single one stands for each.
    """
    from data.raster.bands import find_band

    wanted = model.card.input.bands
    count = len(facts.bands)
    if not wanted:
        return tuple(range(1, count + 1))
    numbers = [find_band(facts.bands, each) for each in wanted]
    if all(number is not None for number in numbers):
        return tuple(number for number in numbers if number is not None)
    if count == 1 or facts.modality == "panchromatic":
        grey = find_band(facts.bands, "pan") or 1
        return tuple(grey for _ in wanted) if _grey_will_do(model) else None
    if not any(facts.bands) and count >= 3:
        by_place = {"red": 1, "green": 2, "blue": 3, **({"nir": 4} if count >= 4 else {})}
        placed = [by_place.get(each) for each in wanted]
        return tuple(at for at in placed if at) if all(placed) else None
    if facts.modality == "sar" and any(each in POLARISATIONS or each == "sar" for each in wanted):
        return tuple(1 for _ in wanted)
    return None


def _grey_will_do(model: Model) -> bool:
    """Whether one band may stand for the model's: for visible colours and for radar."""
    return set(model.card.input.bands) <= {"red", "green", "blue", "pan", "sar", *POLARISATIONS}


def _runs_here(model: Model) -> bool:
    """Whether what runs the model is installed."""
    needs = {"ultralytics": ("torch", "ultralytics"), "torchscript": ("torch",)}
    libraries = {**needs, "transformers": ("torch", "transformers")}.get(model.card.kind, ())
    return all(find_spec(each) is not None for each in libraries)


def _takes(modalities: Sequence[str], modality: str) -> bool:
    """A multispectral image has visible bands, and a panchromatic one stands for grey."""
    return modality in modalities or (
        modality in ("multispectral", "panchromatic") and "optical" in modalities
    )


def _check(model: Model, asked: Sequence[str], facts: ImageFacts | None) -> None:
    if not set(asked) & set(model.card.tasks):
        does = ", ".join(each.replace("-", " ") for each in model.card.tasks)
        raise RasterError(f"{model.name} is for {does}, not for {asked[0].replace('-', ' ')}.")
    if model.broken:
        raise RasterError(model.broken)
    if not model.ready:
        raise RasterError(
            f"The weights of {model.name} are not here yet; `copilot models pull {model.name}` fetches them."
        )
    reason = misfit(model, facts) if facts is not None else None
    if reason is not None:
        raise RasterError(f"{reason[:1].upper()}{reason[1:]}.")


def _rank(model: Model, asked: Sequence[str], facts: ImageFacts | None) -> tuple[float, ...]:
    """Smaller is better: the task's place, how far the resolution is, whose it is, how good, how cheap."""
    task = min(asked.index(each) for each in model.card.tasks if each in asked)
    exact = 0.0 if facts is None or facts.modality in (*model.card.input.modality, None) else 1.0
    kinds = ("onnx", "ultralytics", "torchscript", "transformers", "method", "chat")
    return (
        float(task),
        round(resolution_gap(model, facts.gsd_m if facts else None), 3),
        exact,
        0.0 if model.own else 1.0,
        -model.card.score,
        float(kinds.index(model.card.kind)),
    )


def resolution_gap(model: Model, gsd_m: float | None) -> float:
    """How many times finer or coarser an image is than the model's range, as a logarithm; 0 inside it."""
    allowed = model.card.input.gsd_m
    if allowed is None or gsd_m is None:
        return 0.0
    return max(0.0, math.log2(allowed[0] / gsd_m), math.log2(gsd_m / allowed[1]))


def _names(source: rasterio.DatasetReader, names: tuple[str | None, ...]) -> tuple[str | None, ...]:
    """With the polarisations that descriptions speak of: "VV", "Sigma0_VH"."""
    found = list(names)
    for at, text in enumerate(source.descriptions):
        words = (text or "").lower().replace("_", " ").replace("-", " ").split()
        polarisation = next((each for each in POLARISATIONS if each in words), None)
        if polarisation is not None and polarisation not in found:
            found[at] = polarisation
    return tuple(found)


def _modality(source: rasterio.DatasetReader, names: tuple[str | None, ...]) -> str | None:
    if any(each in POLARISATIONS for each in names) or source.dtypes[0].startswith("complex"):
        return "sar"
    about = " ".join(f"{key} {value}" for key, value in source.tags().items()).lower()
    if any(word in about for word in ("sentinel-1", "radarsat", "terrasar", "polarisation", "polarization")):
        return "sar"
    known = {each for each in names if each}
    if known - {"red", "green", "blue", "pan"}:
        return "multispectral"
    if {"red", "green", "blue"} <= known:
        return "optical"
    if known == {"pan"}:
        return "panchromatic"
    return None
