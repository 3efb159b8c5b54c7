"""Statistics inside zones, against rasterstats."""

from __future__ import annotations

from pathlib import Path

import geopandas as gpd
import numpy as np
import pytest
import rasterio
import rasterstats
from shapely.geometry import Point, Polygon, box

from data.raster import zonal
from data.raster.errors import RasterError
from data.raster.scan import parts_of
from data.raster.stats import Collected
from data.raster.zonal import zonal_statistics
from tests.data.raster.test_windows import write

NAMES = ["count", "min", "max", "mean", "median", "std", "sum", "range", "majority", "minority"]
NAMES += ["percentile_10", "percentile_95"]


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    random = np.random.default_rng(7)
    values = random.integers(0, 12, (1, 60, 50)).astype(np.int16)
    values[0, 10:14, 5:30] = -1
    return write(tmp_path / "a.tif", values, nodata=-1)


@pytest.fixture
def zones() -> gpd.GeoDataFrame:
    """A disc, a slanted shape, one with a hole, one half outside, one of less than a pixel."""
    x, y = 500_000, 5_000_000
    hole = box(x + 300, y - 500, x + 450, y - 330)
    shapes = [
        Point(x + 200, y - 200).buffer(123),
        Polygon([(x + 33, y - 47), (x + 411, y - 102), (x + 260, y - 555)]),
        Polygon(hole.exterior.coords, [box(x + 340, y - 460, x + 400, y - 390).exterior.coords]),
        box(x + 420, y - 100, x + 900, y - 20),
        box(x + 101, y - 303, x + 104, y - 301),
    ]
    return gpd.GeoDataFrame(geometry=shapes, crs="EPSG:32633")


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # rasterstats multiplies places with *
@pytest.mark.parametrize("all_touched", [False, True])
def test_the_statistics_of_zones_are_rasterstats(
    scene: Path, zones: gpd.GeoDataFrame, all_touched: bool
) -> None:
    ours = zonal_statistics(scene, zones, [*NAMES, "variety"], all_touched=all_touched)
    shapes = list(zones.geometry)
    theirs = rasterstats.zonal_stats(shapes, str(scene), stats=[*NAMES, "unique"], all_touched=all_touched)
    with rasterio.open(scene) as source:
        pixels, place = source.read(1), source.transform
    every = rasterstats.zonal_stats(
        shapes, pixels, affine=place, nodata=-99, stats=["count"], all_touched=all_touched
    )
    for own, other, all_of_it in zip(ours, theirs, every, strict=True):
        assert own["variety"] == (other["unique"] or None)
        assert (own["count"], own["nodata"]) == (other["count"], all_of_it["count"] - other["count"])
        for name in NAMES[1:]:
            assert own[name] == (None if other[name] is None else pytest.approx(other[name], rel=1e-6)), name


def test_a_zone_in_many_windows_has_the_same_statistics(
    scene: Path, zones: gpd.GeoDataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = ["count", "mean", "std", "sum", "majority", "variety"]
    whole = zonal_statistics(scene, zones, [*wanted, "p90"])
    monkeypatch.setattr(zonal, "parts_of", lambda grid, window: parts_of(grid, window, 150))
    monkeypatch.setattr(zonal, "Collected", lambda: Collected(most=20))
    parts = zonal_statistics(scene, zones, [*wanted, "p90"])
    for one, two in zip(whole, parts, strict=True):
        for name in wanted:
            assert two[name] == (None if one[name] is None else pytest.approx(one[name])), name
        assert one["p90"] is None or abs(two["p90"] - one["p90"]) <= 1


def test_zones_in_another_projection_are_brought_to_the_rasters(scene: Path, zones: gpd.GeoDataFrame) -> None:
    degrees = zonal_statistics(scene, zones.to_crs("EPSG:4326"), ["count", "mean"])
    assert degrees == zonal_statistics(scene, zones, ["count", "mean"])


def test_a_zone_beside_the_raster_has_no_pixels(scene: Path) -> None:
    far = gpd.GeoDataFrame(geometry=[box(0, 0, 1, 1), Point(900_000, 0)], crs="EPSG:32633")
    nothing = {"count": 0, "mean": None, "median": None, "majority": None, "variety": None, "nodata": 0}
    assert zonal_statistics(scene, far, ["count", "mean", "median", "majority", "variety"]) == [nothing] * 2


def test_a_rotated_raster_is_met_where_it_lies(tmp_path: Path) -> None:
    from affine import Affine

    turned = Affine(10, 0, 500_000, 0, -10, 5_000_000) @ Affine.rotation(30)
    values = np.arange(40 * 40, dtype=np.float32).reshape(1, 40, 40)
    path = write(tmp_path / "a.tif", values, transform=turned)
    corners = [turned @ each for each in ((10, 20), (30, 20), (30, 25), (10, 25))]
    zone = gpd.GeoDataFrame(geometry=[Polygon(corners)], crs="EPSG:32633")
    found = zonal_statistics(path, zone, ["count", "mean"])[0]
    assert found == {"count": 100, "mean": pytest.approx(values[0, 20:25, 10:30].mean()), "nodata": 0}


@pytest.mark.parametrize(
    ("band", "names", "said"),
    [
        (2, ["mean"], "There is no band 2: a.tif has bands 1 to 1."),
        (1, ["mode"], "There is no statistic 'mode'; there are count, min, max,"),
        (1, ["p101"], "There is no statistic 'p101'"),
    ],
)
def test_what_is_not_there_is_said(
    scene: Path, zones: gpd.GeoDataFrame, band: int, names: list[str], said: str
) -> None:
    with pytest.raises(RasterError) as caught:
        zonal_statistics(scene, zones, names, band=band)
    assert said in str(caught.value)
