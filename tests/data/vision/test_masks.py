"""Masks: areas by class and outlines of patches, on the ground and in an image without a place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
import shapely
from affine import Affine
from pyproj import Geod

from data.raster.patches import Where, outlines
from data.uploads.gdal import quiet_gdal
from data.vision.masks import class_areas, outlines_of

CLASSES = {1: "water", 2: "town"}


def write(path: Path, crs: str | None, transform: Affine, magnitude: bool = False) -> Path:
    """20 x 20: a lake of 6 x 4 pixels, a town of 3 x 3 with a hole, a column that nothing is known of."""
    values = np.zeros((20, 20), np.uint8)
    values[2:6, 3:9] = 1
    values[10:13, 10:13] = 2
    values[11, 11] = 0
    values[:, 19] = 255
    bands = [values.astype(np.float32), np.tile(np.arange(20, dtype=np.float32), (20, 1))]
    count = 2 if magnitude else 1
    profile = {"driver": "GTiff", "width": 20, "height": 20, "count": count, "crs": crs, "nodata": 255}
    dtype = "float32" if magnitude else "uint8"
    with quiet_gdal(), rasterio.open(path, "w", transform=transform, dtype=dtype, **profile) as target:
        target.write(np.stack(bands[:count]).astype(dtype))
    return path


UTM = Affine(10, 0, 600_000, 0, -10, 5_760_000)


def test_areas_are_counted_among_the_pixels_with_a_value(tmp_path):
    water, town = class_areas(write(tmp_path / "m.tif", "EPSG:32631", UTM), CLASSES)
    assert (water.name, water.pixels, water.share_percent) == ("water", 24, round(100 * 24 / 380, 4))
    assert (town.name, town.pixels) == ("town", 8)
    assert water.area_m2 == pytest.approx(2400, rel=1e-3)


def test_an_area_in_degrees_is_the_geodesic_one(tmp_path):
    step = 0.001
    path = write(tmp_path / "m.tif", "EPSG:4326", Affine(step, 0, 10, 0, -step, 60))
    corners = [(10 + step * x, 60 - step * y) for x, y in ((3, 2), (3, 6), (9, 6), (9, 2))]
    expected = abs(Geod(ellps="WGS84").polygon_area_perimeter(*zip(*corners, strict=True))[0])
    assert class_areas(path, CLASSES)[0].area_m2 == pytest.approx(expected, rel=1e-5)
    assert outlines_of(path, CLASSES)["area_m2"][0] == pytest.approx(expected, rel=1e-5)


def test_outlines_agree_with_the_polygonizer_of_the_raster_tools(tmp_path):
    path = write(tmp_path / "m.tif", "EPSG:32631", UTM)
    mine, theirs = outlines_of(path, {1: "water"}), outlines(path, where=Where("=", 1))
    assert len(mine) == len(theirs) == 1
    assert mine["area_m2"][0] == pytest.approx(theirs["area_m2"][0], rel=1e-4)
    placed = theirs.to_crs("EPSG:4326").geometry[0]
    assert mine.geometry[0].symmetric_difference(placed).area < 1e-9 * placed.area


def test_a_patch_keeps_its_hole_its_outline_in_pixels_and_the_mean_of_another_band(tmp_path):
    path = write(tmp_path / "m.tif", "EPSG:32631", UTM, magnitude=True)
    frame = outlines_of(path, CLASSES, mean_of={"magnitude": 2})
    assert frame["class_name"].tolist() == ["water", "town"]
    assert frame["area_px"].tolist() == [24, 8]
    assert frame["magnitude"].tolist() == [5.5, 11.0]
    assert [shapely.from_wkt(each).area for each in frame["pixels"]] == [24, 8]


def test_an_image_without_a_place_has_outlines_in_pixels_alone(tmp_path):
    path = write(tmp_path / "m.tif", None, Affine.identity())
    frame = outlines_of(path, CLASSES, min_px=10)
    assert frame["area_px"].tolist() == [24]
    assert frame.geometry.isna().all() and frame["area_m2"].isna().all()
    assert class_areas(path, CLASSES)[0].area_m2 is None


def test_a_mask_with_nothing_in_it_has_no_outlines(tmp_path):
    path = write(tmp_path / "m.tif", "EPSG:32631", UTM)
    frame = outlines_of(path, {7: "nothing"})
    assert len(frame) == 0
    assert frame.columns.tolist() == ["class_name", "area_m2", "area_px", "pixels", "geometry"]
    assert class_areas(path, {7: "nothing"})[0].pixels == 0
