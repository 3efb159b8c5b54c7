"""A raster becomes a COG in the background: the same pixels, in one step, or it stays as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio

from data.uploads.cog import is_cog, make_cog_later, wait_for_cogs
from data.uploads.gdal import quiet_gdal
from tests.data.uploads.samples import raster


def large(path: Path, dtype: str = "uint16", **profile: object) -> Path:
    values = np.random.default_rng(1).integers(0, 200, (2, 700, 900)).astype(dtype)
    return raster(path, values=values, **profile)


def read(path: Path) -> tuple[np.ndarray, dict[str, object], dict[str, str], tuple[str | None, ...]]:
    with quiet_gdal(), rasterio.open(path) as source:
        form = {key: source.profile[key] for key in ("crs", "transform", "nodata", "dtype", "count")}
        return source.read(), form, {"a": source.tags()["A"]}, source.descriptions


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "complex64"])
def test_the_cog_has_the_same_pixels_place_and_words(tmp_path: Path, dtype: str) -> None:
    path = large(tmp_path / "a.tif", dtype, nodata=7)
    with rasterio.open(path, "r+") as target:
        target.update_tags(A="said")
        target.descriptions = ("one", "two")
    before = read(path)
    assert not is_cog(path)
    make_cog_later(path)
    wait_for_cogs()
    after = read(path)
    assert is_cog(path)
    assert (after[0] == before[0]).all() and after[1:] == before[1:]
    with rasterio.open(path) as source:
        assert source.overviews(1) == [2]
    assert [each.name for each in tmp_path.iterdir()] == ["a.tif"]


def test_one_that_is_small_or_has_overviews_is_left_alone(tmp_path: Path) -> None:
    small, path = raster(tmp_path / "small.tif"), large(tmp_path / "a.tif")
    make_cog_later(path)
    wait_for_cogs()
    before = [(each, each.stat().st_ino) for each in (small, path)]
    for each in (small, path):
        make_cog_later(each)
    wait_for_cogs()
    assert [(each, each.stat().st_ino) for each in (small, path)] == before and is_cog(path)


def test_it_is_done_in_the_background(tmp_path: Path) -> None:
    path = large(tmp_path / "a.tif")
    make_cog_later(path)
    wait_for_cogs()
    assert is_cog(path)
    assert [each.name for each in tmp_path.iterdir()] == ["a.tif"]


def test_a_file_that_is_gone_or_broken_stays_so(tmp_path: Path) -> None:
    broken = large(tmp_path / "broken.tif")
    content = broken.read_bytes()[:60_000]
    broken.write_bytes(content)
    make_cog_later(broken)
    make_cog_later(tmp_path / "gone.tif")
    wait_for_cogs()
    assert broken.read_bytes() == content
    assert [each.name for each in tmp_path.iterdir()] == ["broken.tif"]
