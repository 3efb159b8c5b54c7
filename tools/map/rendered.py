"""Pictures of the sample's records: rendered scenes, never imagery, made when they are first looked at."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data.catalogue.base import Catalogue
from tools.base import World

if TYPE_CHECKING:
    from data.rendered import Kept, Subject

SUBJECTS_KEPT = 256


def samples(catalogue: Catalogue) -> frozenset[str]:
    """The names of the data sets that are samples."""
    return frozenset(info.name for info in catalogue.datasets() if info.origin == "sample")


def shown_rendered(world: World, record: Mapping[str, Any]) -> bool:
    """Whether the pixels of a record are a rendered scene, where such are made."""
    return world.rendered is not None and has_rendering(world.catalogue, record)


def has_rendering(catalogue: Catalogue, record: Mapping[str, Any]) -> bool:
    """Whether a record is an image of the sample, which has no pixels of its own."""
    return _version(catalogue, record) is not None


def rendered_raster(world: World, record: Mapping[str, Any]) -> Path | None:
    """A sample record as a GeoTIFF at its own pixels; None where the record does not say its size."""
    found = subject(world.catalogue, record)
    if found is None or world.rendered is None:
        return None
    from data.rendered import keep_raster

    return keep_raster(world.rendered, found).path


def rendered_picture(
    catalogue: Catalogue, folder: Path, record: Mapping[str, Any], *, near: bool = False, most_px: int = 512
) -> Kept | None:
    """A sample record as a picture kept in a folder, all of it or from near; None for other records."""
    found = subject(catalogue, record)
    if found is None:
        return None
    from data.rendered import keep_picture

    return keep_picture(folder, found, near=near, most_px=most_px)


def subject(catalogue: Catalogue, record: Mapping[str, Any]) -> Subject | None:
    """What of a sample record is drawn; None for other records."""
    version = _version(catalogue, record)
    if version is None:
        return None
    return _read(catalogue, str(record["image_id"]), version)  # type: ignore[arg-type]  # each hashes by itself


def _version(catalogue: Catalogue, record: Mapping[str, Any]) -> str | None:
    """Which rows the data set of a sample's image has; None for one that has pixels or is of no sample."""
    if record.get("kind") != "image" or record.get("path") or record.get("quicklook"):
        return None
    info = next((each for each in catalogue.datasets() if each.name == record["dataset"]), None)
    return info.version if info is not None and info.origin == "sample" else None


@lru_cache(maxsize=SUBJECTS_KEPT)
def _read(catalogue: Catalogue, image_id: str, _version: str) -> Subject | None:
    from data.rendered import subject_of

    record = catalogue.image(image_id)
    if record is None:
        return None
    rows = catalogue.image_detections(image_id).to_dict("records") if record.get("detections") else []
    return subject_of(record, ({str(key): value for key, value in row.items()} for row in rows))
