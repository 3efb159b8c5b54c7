"""Changes of buildings in a larger scene."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from numpy.typing import NDArray

from data.progress import Unheard
from data.scenes import Scene, pair
from data.vision import building_change
from data.vision.change import map_change


def write(scene: Scene, path: Path, rows: int) -> Path:
    """The upper rows of a scene."""
    scene.write(path)
    with rasterio.open(path) as source:
        values, profile = source.read()[:, :rows], {**source.profile, "height": rows}
    with rasterio.open(path, "w", **profile) as target:
        target.write(values)
    return path


def read(path: Path) -> NDArray[Any]:
    with rasterio.open(path) as source:
        values: NDArray[Any] = source.read()
    return values


@pytest.mark.parametrize(
    ("seed", "gsd_m", "rows", "strip_px"),
    [
        (33, 1.0, 300, 512 * 64),
    ],
)
def test_what_was_built_and_lost_does_not_depend_on_where_the_image_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, gsd_m: float, rows: int, strip_px: int
) -> None:
    made = pair(seed, "change", 560, gsd_m)
    before = write(made.before, tmp_path / "a.tif", rows)
    after = write(made.after, tmp_path / "b.tif", rows)
    map_change(Unheard(), before, after, tmp_path / "whole.tif", "buildings")
    monkeypatch.setattr(building_change, "_STRIP_PX", strip_px)
    map_change(Unheard(), before, after, tmp_path / "parts.tif", "buildings")
    whole, parts = read(tmp_path / "whole.tif"), read(tmp_path / "parts.tif")
    assert (whole[0] == 1).sum() > 500
    np.testing.assert_array_equal(whole, parts)
