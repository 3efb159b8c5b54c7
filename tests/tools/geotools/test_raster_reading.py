"""What is said of a raster and of its values."""

from __future__ import annotations

import numpy as np
import pytest
import rasterio

from copilot.bench.build.example_files import FOLDER
from state.model import State
from tests.tools.prepared import DEM, RASTER, SCENE
from tests.tools.world import run
from tools.base import World
from tools.geotools.raster_reading import raster_info, raster_stats


def test_a_raster_is_described_in_a_sentence_and_in_facts(ready: tuple[World, State]) -> None:
    step = run(*ready, raster_info, raster=SCENE.id)
    assert step.observation == (
        "Scene: 96 x 96 pixels of 10 x 10 m, 6 bands (blue, green, red, nir, swir16 and swir22), uint16, "
        "nodata 0, EPSG:32631 (WGS 84 / UTM zone 31N). It covers 0.9221 km²."
    )
    wanted = {
        "raster": SCENE.id, "width_px": 96, "height_px": 96, "bands": 6, "dtype": "uint16", "nodata": 0.0,
        "crs": "EPSG:32631", "unit": "m", "pixel_x": 10.0, "pixel_y": 10.0, "format": "GTiff",
        "bounds": [594000.0, 5762040.0, 594960.0, 5763000.0], "compression": "deflate",
        "tags": {"ACQUISITIONDATETIME": "2023-07-14T10:40:00Z"},
    }  # fmt: skip
    assert {key: step.data[key] for key in wanted} == wanted
    assert step.data["pixel_m"] == pytest.approx(10 / 0.99971, rel=1e-4)  # the zone's scale at 1.37° off
    assert step.data["band_list"][3] == {
        "band": 4, "name": "nir", "dtype": "uint16", "unit": None, "scale": 0.0001, "offset": 0.0,
    }  # fmt: skip
    assert step.state == ready[1]


def test_a_raster_in_degrees_has_its_pixels_in_metres_too(ready: tuple[World, State]) -> None:
    """At 51.5° N a degree of longitude is 69,442 m and four rows of 0.25° span 111,255 m (WGS84)."""
    step = run(*ready, raster_info, raster=RASTER.id)
    assert step.data["pixel_m"] == pytest.approx(69_442 / 4, rel=1e-3)
    assert step.data["area_km2"] == pytest.approx(69.442 * 111.255, rel=1e-3)
    assert "4 x 4 pixels of 0.25 x 0.25 degrees (about 17,36" in step.observation


def test_statistics_are_those_of_the_valid_pixels(ready: tuple[World, State]) -> None:
    step = run(*ready, raster_stats, raster=SCENE.id, bands="nir, 3")
    with rasterio.open(FOLDER / "scene.tif") as source:
        nir = source.read(4)
    valid = nir[nir > 0]
    row = step.data["statistics"][0]
    assert (row["band"], row["name"], row["valid"], row["nodata"]) == (4, "nir", valid.size, 2)
    assert [row[key] for key in ("min", "max", "mean", "std", "median", "p2", "p98")] == pytest.approx(
        [valid.min(), valid.max(), valid.mean(), valid.std(), *np.percentile(valid, [50, 2, 98])], rel=1e-6
    )
    assert [each["band"] for each in step.data["statistics"]] == [4, 3]
    assert step.data["mean"] == row["mean"]
    assert step.observation.startswith("Scene: band 4 (nir) from 181 to 5,073, mean 2,684.68, median 3,108,")


def test_gdalinfo_counts_the_same(ready: tuple[World, State]) -> None:
    import shutil
    import subprocess

    if shutil.which("gdalinfo") is None:
        pytest.skip("gdalinfo is not on this machine")
    text = subprocess.run(
        ["gdalinfo", "-stats", "--config", "GDAL_PAM_ENABLED", "NO", str(FOLDER / "dem.tif")],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    found = dict(line.strip().split("=") for line in text.splitlines() if "STATISTICS_" in line)
    row = run(*ready, raster_stats, raster=DEM.id).data
    for ours, theirs in (("min", "MINIMUM"), ("max", "MAXIMUM"), ("mean", "MEAN"), ("std", "STDDEV")):
        assert row[ours] == pytest.approx(float(found[f"STATISTICS_{theirs}"]), rel=1e-6)


def test_a_band_that_is_not_there_is_answered_with_those_that_are(ready: tuple[World, State]) -> None:
    step = run(*ready, raster_stats, raster=SCENE.id, bands=["thermal"])
    assert step.failed and step.observation == (
        "There is no band 'thermal'; the raster has 1 blue, 2 green, 3 red, 4 nir, 5 swir16, 6 swir22."
    )
