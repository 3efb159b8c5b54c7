"""Objects of an image by the detector that suits its modality: a network, or CFAR for ships in radar."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from data.progress import Progress
from data.raster.errors import RasterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data.vision.detect import Detected

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

    return detect(progress, image, classes=classes, folder=models)


def _ships(progress: Progress, image: Path) -> Detected:
    from data.vision.detect import Detected
    from data.vision.ships import MIN_SCORE, find_ships

    found = find_ships(progress, image)
    return Detected(found.found, SHIPS, found.tiles, 0, 1.0, MIN_SCORE, ("ship",))
