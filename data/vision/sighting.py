"""Objects of an image by the detector that suits its modality: a network, or CFAR for ships in radar."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from data.progress import Progress
from data.raster.errors import RasterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data.vision.detect import Detected

DETECTING = ("oriented-object-detection", "object-detection", "instance-segmentation")
"""The tasks of models that find objects."""
SHIPS = "ships-cfar"
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

    return detect(progress, image, classes=classes, folder=models)


def detector_for(image: Path, modality: str | None, folder: Path | None) -> str | None:
    """The model that `sighted` looks for objects with; None where none suits the image."""
    from data.models.choosing import choose, image_facts
    from data.models.registry import registry

    if modality is None:
        return None
    if modality == "sar":
        return SHIPS
    try:
        return choose(registry(folder), DETECTING, image_facts(image)).name
    except RasterError:
        return None


def _ships(progress: Progress, image: Path) -> Detected:
    from data.vision.detect import Detected
    from data.vision.ships import MIN_SCORE, find_ships

    found = find_ships(progress, image)
    return Detected(found.found, SHIPS, found.tiles, 0, 1.0, MIN_SCORE, ("ship",), found.notes)
