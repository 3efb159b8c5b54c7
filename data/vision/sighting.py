"""Objects of an image by the detector that suits its modality: a network, or CFAR for ships in radar."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from data.progress import Progress
from data.raster.errors import RasterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data.models.registry import Model
    from data.vision.detect import Detected

DETECTING = ("oriented-object-detection", "object-detection", "instance-segmentation")
"""The tasks of models that find objects."""
TOO_COARSE = 1.5
"""How many times a detector's coarsest pixel is too coarse for it."""
SHIPS = "cfar-ships"
"""The card of the method for ships in radar images."""


def sighted(
    progress: Progress,
    image: Path,
    modality: str | None,
    *,
    classes: Sequence[str] | None = None,
    models: Path | None = None,
) -> Detected:
    """The objects of an image, as sure as the detector wants. Raises RasterError where none suits it."""
    if modality is None:
        raise RasterError("Objects are looked for in images, and this raster holds none.")
    if modality == "sar":
        return _ships(progress, image)
    from data.vision.detect import detect

    _check_fine_enough(image, models)
    return detect(progress, image, classes=classes, folder=models)


def _check_fine_enough(image: Path, folder: Path | None) -> None:
    """Raises RasterError for pixels that are too coarse for every detector: what they find is chance."""
    from data.models.choosing import image_facts
    from data.models.registry import registry

    gsd_m = image_facts(image).gsd_m
    ranges = [each.card.input.gsd_m for each in registry(folder).of_task(*DETECTING) if _is_network(each)]
    if gsd_m is None or not ranges or None in ranges:
        return
    coarsest = max(each[1] for each in ranges if each is not None)
    if gsd_m > coarsest * TOO_COARSE:
        raise RasterError(
            f"Pixels of {gsd_m:.3g} m are too coarse to find objects in; the detectors take {coarsest:g} m "
            "at most."
        )


def _is_network(model: Model) -> bool:
    """Whether it is a detector for optical images that can be run."""
    return (
        model.ready and model.card.kind not in ("method", "chat") and "optical" in model.card.input.modality
    )


def _ships(progress: Progress, image: Path) -> Detected:
    from data.vision.detect import Detected
    from data.vision.ships import MIN_SCORE, find_ships

    found = find_ships(progress, image)
    return Detected(found.found, SHIPS, found.tiles, 0, 1.0, MIN_SCORE, ("ship",))
