"""Objects found in an image: outlines in pixels with a class and a score, and as features on the ground."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import geopandas as gpd
    from numpy.typing import NDArray

COLUMNS = (
    "detection_id", "class_name", "score", "length_m", "width_m", "heading_deg", "model", "source", "pixels",
)  # fmt: skip
"""Columns of a table of detections beside the geometry. `pixels` is the outline as WKT, x right, y down."""


@dataclass(frozen=True)
class Detection:
    """One object: its outline in pixels of the whole image (column, row), what it is and how sure that is."""

    outline: NDArray[np.float64]
    """(n, 2), n at least 3; an oriented box has 4 corners."""
    class_name: str
    score: float


def features(found: Iterable[Detection], image: Path, *, model: str, source: str) -> gpd.GeoDataFrame:
    """Detections as features in EPSG:4326, best first, with lengths in metres measured on the ground.

    For an image without a place the geometry is empty, lengths are missing, and only `pixels` says where.
    """
    import geopandas as gpd
    from shapely.geometry import Polygon

    from data.vision.ground import ground_of

    ranked = sorted(found, key=lambda each: (-each.score, *each.outline[0].tolist()))
    ground = ground_of(image)
    rows: list[dict[str, Any]] = []
    shapes: list[Any] = []
    for number, each in enumerate(ranked, start=1):
        size = ground.size_m(each.outline) if ground is not None else None
        rows.append(
            {
                "detection_id": number,
                "class_name": each.class_name,
                "score": round(float(each.score), 4),
                "length_m": None if size is None else round(size.length_m, 2),
                "width_m": None if size is None else round(size.width_m, 2),
                "heading_deg": None if size is None else round(size.heading_deg, 1),
                "model": model,
                "source": source,
                "pixels": Polygon(np.round(each.outline, 2)).wkt,
            }
        )
        shapes.append(None if ground is None else ground.shape(each.outline))
    frame = gpd.GeoDataFrame(rows, columns=list(COLUMNS), geometry=shapes, crs="EPSG:4326")
    numbers = ("length_m", "width_m", "heading_deg")
    return frame.astype({**dict.fromkeys(numbers, "float64"), "score": "float64", "detection_id": "int64"})


def is_detections(columns: Sequence[str]) -> bool:
    """Whether a table holds detections."""
    return {"detection_id", "class_name", "score"} <= set(columns)
