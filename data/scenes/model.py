"""What a rendered scene is: its pixels, and the exact truth about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from affine import Affine
from numpy.typing import NDArray

from data.schema import RENDERED

Kind = Literal["optical", "multispectral", "sar"]
Where = Literal["utm", "geographic", "rotated"]

CLASSES = ("plane", "ship", "small-vehicle", "large-vehicle", "storage-tank")
"""What a detector is asked for, in the order of its scores."""
COVERS = (
    "water", "grass", "crops", "trees", "soil", "sand", "road", "paved", "building", "burned", "snow",
)  # fmt: skip
"""Land covers; a scene's land-cover map holds their places in this list."""
LEVELS = ("no-damage", "minor-damage", "major-damage", "destroyed")
"""Damage levels of a building, as xBD names them; `Placed.level` is the place in this list."""


@dataclass(frozen=True)
class Placed:
    """One object of a scene. Pixels are (column, row) of the corner grid: (0, 0) is the image's upper left
    corner."""

    class_name: str
    type_name: str
    outline: NDArray[np.float64]
    """(4, 2): the box along its heading around what shows of it inside the image."""
    box: tuple[float, float, float, float]
    """Axis-aligned: least column, least row, greatest column, greatest row of what shows inside the image."""
    length_m: float
    """From bow or nose to stern, of the whole object."""
    width_m: float
    height_m: float
    heading_deg: float
    """Where its front points, clockwise from the image's top."""
    visible: float
    """Share of its length times width inside the image, 0 to 1."""
    level: int = 0
    """Damage, a place in LEVELS."""


@dataclass(frozen=True)
class Scene:
    """A rendered scene: no imagery. Maps are (h, w); instance n is objects[n - 1], building n is
    buildings[n - 1]."""

    pixels: NDArray[Any]
    """(bands, h, w): uint8 for optical, uint16 reflectance times 10,000 for multispectral, float32
    amplitude for SAR."""
    bands: tuple[str, ...]
    transform: Affine
    crs: str
    kind: Kind
    theme: str
    season: str
    gsd_m: float
    objects: tuple[Placed, ...]
    buildings: tuple[Placed, ...]
    instances: NDArray[np.int32]
    building_map: NDArray[np.int32]
    landcover: NDArray[np.uint8]
    clean: NDArray[Any]
    """The pixels without cloud, haze, blur, noise, speckle and compression."""
    cloud_transmission: NDArray[np.float32]
    """Share of the ground's light that comes through clouds, 0 to 1."""
    haze_transmission: NDArray[np.float32]
    facts: Mapping[str, float] = field(default_factory=dict)
    """Sun's azimuth and elevation in degrees, looks of a radar, and so on."""

    @property
    def clouds(self) -> NDArray[np.bool_]:
        """Where a cloud hides a quarter of the ground's light or more."""
        return np.asarray(self.cloud_transmission <= 0.75)

    def write(self, path: Path) -> Path:
        """Write the pixels as a tiled GeoTIFF that says it is rendered."""
        import rasterio

        count, height, width = self.pixels.shape
        profile = {
            "driver": "GTiff", "count": count, "height": height, "width": width, "dtype": self.pixels.dtype,
            "crs": self.crs, "transform": self.transform, "compress": "deflate",
        }  # fmt: skip
        if min(height, width) >= 256:
            profile |= {"tiled": True, "blockxsize": 256, "blockysize": 256}
        with rasterio.open(path, "w", **profile) as target:
            target.write(self.pixels)
            target.descriptions = self.bands
            target.update_tags(source=RENDERED, theme=self.theme, gsd_m=str(self.gsd_m))
        return path


@dataclass(frozen=True)
class Pair:
    """The same place before and after something happened. Maps lie on the pixels of `before`."""

    before: Scene
    after: Scene
    kind: str
    changed: NDArray[np.bool_]
    """Where the ground is something else: built, torn down, damaged, flooded, burned."""
    buildings: tuple[Placed, ...]
    """Every building of either, `level` as it is afterwards."""
    building_map: NDArray[np.int32]
    added: tuple[int, ...]
    """Places in `buildings` of those that stand only afterwards."""
    removed: tuple[int, ...]
    shift_px: tuple[float, float]
    """(columns, rows) by which the ground of `after` lies further right and down than in `before`."""
