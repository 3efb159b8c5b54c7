"""What a result is kept as, and when another one is the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from copilot.bench.knowflow.results import EXACT, REPAIRED, alike, kept, says_something
from tests.copilot.workflows.making import write_tiff


def a_lake(row: int = 20) -> np.ndarray:
    mask = np.zeros((96, 96), dtype=np.uint8)
    mask[row : row + 40, 30:70] = 1
    return mask


def test_a_mask_is_compared_where_it_lies(tmp_path: Path) -> None:
    gold = kept("raster", write_tiff(tmp_path / "a.tif", a_lake()), {})
    same = kept("raster", write_tiff(tmp_path / "b.tif", a_lake()), {})
    moved = kept("raster", write_tiff(tmp_path / "c.tif", a_lake(44)), {})
    assert alike(gold, same).right
    assert not alike(gold, moved, REPAIRED).right


def test_a_mask_of_coarser_pixels_of_the_same_ground_is_the_same(tmp_path: Path) -> None:
    import rasterio
    from affine import Affine

    gold = kept("raster", write_tiff(tmp_path / "a.tif", a_lake()), {})
    path = tmp_path / "coarse.tif"
    with rasterio.open(
        path, "w", driver="GTiff", count=1, height=48, width=48, dtype="uint8", crs="EPSG:32631",
        transform=Affine(20, 0, 594_000, 0, -20, 5_763_000),
    ) as target:  # fmt: skip
        target.write(a_lake()[::2, ::2], 1)
    assert alike(gold, kept("raster", path, {})).right


def test_a_surface_is_compared_by_its_blocks(tmp_path: Path) -> None:
    rows, columns = np.mgrid[0:64, 0:64]
    slope = (rows + 2 * columns).astype(np.float32)
    gold = kept("raster", write_tiff(tmp_path / "a.tif", slope), {})
    rough = slope + np.random.default_rng(1).normal(0, 1, slope.shape).astype(np.float32)
    assert gold["kind"] == "quantity"
    assert alike(gold, kept("raster", write_tiff(tmp_path / "b.tif", rough), {})).right
    assert not alike(gold, kept("raster", write_tiff(tmp_path / "c.tif", slope[:, ::-1].copy()), {})).right


def test_numbers_are_compared_within_the_tolerance() -> None:
    gold = kept("", None, {"area_km2": 12.0, "nested": {"count": 30}, "seconds": 4.0})
    assert gold["numbers"] == {"area_km2": 12.0, "nested.count": 30.0}
    assert alike(gold, kept("", None, {"area_km2": 12.1, "nested": {"count": 31}}), EXACT).right
    assert not alike(gold, kept("", None, {"area_km2": 14.0, "nested": {"count": 30}}), EXACT).right


@pytest.mark.parametrize("values", [np.zeros((20, 20), np.uint8), np.full((20, 20), 2.5, np.float32)])
def test_what_is_the_same_everywhere_says_nothing(tmp_path: Path, values: np.ndarray) -> None:
    assert not says_something(kept("raster", write_tiff(tmp_path / "a.tif", values), {}))
