"""Polygons of patches and the sieve, against GDAL's programs, shapely and areas known on the ellipsoid."""

from __future__ import annotations

from pathlib import Path

import geopandas as gpd
import numpy as np
import pytest
import rasterio
from affine import Affine
from pyproj import Geod
from rasterio import features
from scipy.ndimage import gaussian_filter
from shapely.geometry import box

from data.raster import patches, sieving
from data.raster.clip import clip
from data.raster.errors import RasterError
from data.raster.patches import Where, outlines, sieve
from data.vision.masks import mark_nothing
from tests.data.raster.made import UTM, gdal, needs, read, write
from tests.real_files import real


def classes(side: int = 60, seed: int = 3) -> np.ndarray:
    """Blobs of four classes, 0 without a value, with single pixels among them."""
    random = np.random.default_rng(seed)
    smooth = gaussian_filter(random.normal(size=(side, side)), 3)
    blobs = np.digitize(smooth, np.quantile(smooth, [0.25, 0.5, 0.75])).astype(np.uint8) + 1
    blobs[random.random((side, side)) < 0.03] = 4
    blobs[:4, :10] = 0
    return blobs


@needs("gdal_polygonize.py")
@pytest.mark.parametrize("connectivity", [4, 8])
def test_the_polygons_are_those_of_gdal_polygonize(
    tmp_path: Path, connectivity: patches.Connectivity
) -> None:
    source = write(tmp_path / "classes.tif", classes(), nodata=0)
    eight = ["-8"] if connectivity == 8 else []
    gdal("gdal_polygonize.py", "-q", *eight, source, "-b", "1", tmp_path / "theirs.gpkg", "out", "value")
    theirs = gpd.read_file(tmp_path / "theirs.gpkg")
    ours = outlines(source, connectivity=connectivity)
    assert len(ours) == len(theirs) > 50
    # Each polygon of one has its equal in the other: same value, same pixels.
    key = sorted(zip(theirs["value"], theirs.area.round(3), theirs.centroid.x.round(3), strict=True))
    assert sorted(zip(ours["value"], ours.area.round(3), ours.centroid.x.round(3), strict=True)) == key


def test_areas_are_those_on_the_ellipsoid_and_the_largest_comes_first(tmp_path: Path) -> None:
    values = np.zeros((20, 20), np.uint8)
    values[2:12, 2:12] = 7
    values[15, 15] = 5
    frame = outlines(write(tmp_path / "two.tif", values, pixel=10, nodata=0))
    assert frame["value"].tolist() == [7.0, 5.0]
    # On the central meridian of UTM lengths are multiplied with 0.9996.
    np.testing.assert_allclose(frame["area_m2"], np.array([10_000, 100]) / 0.9996**2, rtol=1e-5)
    np.testing.assert_allclose(frame["area_ha"], frame["area_m2"] / 10_000, atol=1e-6)


def test_a_long_row_of_pixels_in_degrees_has_the_area_between_its_parallels(tmp_path: Path) -> None:
    values = np.ones((1, 90), np.uint8)
    source = write(tmp_path / "band.tif", values, crs="EPSG:4326", transform=Affine(1, 0, 135, 0, -10, 70))
    (area,) = outlines(source)["area_m2"]
    # The zone between 60 and 70 degrees north, a quarter of it, across the antimeridian: from the authalic
    # latitudes of WGS84 (Snyder 1987, 3-12), R = 6371007.181 m.
    e = np.sqrt(0.00669437999014)

    def q(degrees: float) -> float:
        s = np.sin(np.radians(degrees))
        return (1 - e**2) * (s / (1 - (e * s) ** 2) - np.log((1 - e * s) / (1 + e * s)) / (2 * e))

    expected = 6_378_137.0**2 * (np.pi / 4) * (q(70) - q(60))
    assert area == pytest.approx(expected, rel=1e-5)


def test_a_condition_keeps_one_polygon_a_patch_that_meets_it(tmp_path: Path) -> None:
    index = np.linspace(-1, 1, 400, dtype=np.float32).reshape(20, 20)
    index[0, 0] = np.nan
    source = write(tmp_path / "index.tif", index, nodata=float("nan"))
    frame = outlines(source, where=Where(">", 0.4))
    assert frame["value"].tolist() == [1.0]
    assert frame.area.sum() == 100 * (index > 0.4).sum()
    assert outlines(source, where=Where("<", -2)).empty
    small = outlines(source, where=Where(">", 0.4), min_area_m2=1e6)
    assert small.empty and list(small.columns) == ["value", "geometry", "area_m2", "area_ha"]


def marked(path: Path) -> Path:
    """The file of a mask as our tools write it: it says that 0 stands for nothing."""
    mark_nothing(path)
    return path


@pytest.mark.parametrize("side", [20, 3000])
def test_what_a_mask_marks_as_nothing_has_no_outline_unless_it_is_asked_for(
    tmp_path: Path, side: int
) -> None:
    values = np.zeros((side, side), np.uint8)
    values[2:12, 2:12] = 1
    plain = write(tmp_path / "mask.tif", values)
    values[15, 15] = 2
    classed = marked(write(tmp_path / "classes.tif", values, nodata=255))
    found = outlines(plain)
    assert found["value"].tolist() == [1.0] and found.area.tolist() == [10_000]
    assert outlines(classed)["value"].tolist() == [1.0, 2.0]
    assert outlines(classed).attrs["background"] == 0
    assert set(outlines(plain, background=True)["value"]) == {0.0, 1.0}
    assert set(outlines(classed, background=True)["value"]) == {0.0, 1.0, 2.0}
    assert outlines(classed, where=Where("=", 0)).area.sum() == 100 * (values == 0).sum()


def test_a_piece_of_a_mask_and_one_without_specks_are_masks_still(tmp_path: Path) -> None:
    values = np.zeros((20, 20), np.uint8)
    values[2:12, 2:12], values[15, 15], values[17, 17] = 1, 2, 3
    mask = marked(write(tmp_path / "classes.tif", values, nodata=255))
    sieve(mask, tmp_path / "sieved.tif", min_px=2)
    corner = gpd.GeoDataFrame(geometry=[box(500_000, 5_699_810, 500_190, 5_700_000)], crs=UTM)
    clip(mask, tmp_path / "piece.tif", corner, rectangle=True)
    assert outlines(tmp_path / "sieved.tif")["value"].tolist() == [1.0]
    assert outlines(tmp_path / "piece.tif")["value"].tolist() == [1.0, 2.0, 3.0]


def test_classes_that_no_file_calls_a_mask_are_outlined_all_of_them(tmp_path: Path) -> None:
    values = np.zeros((20, 20), np.uint8)
    values[2:12, 2:12], values[15, 15] = 1, 2
    frame = outlines(write(tmp_path / "classes.tif", values))
    assert sorted(set(frame["value"])) == [0.0, 1.0, 2.0] and frame.attrs["background"] is None


def test_simplified_neighbours_still_touch_and_keep_the_area_of_their_pixels(tmp_path: Path) -> None:
    source = write(tmp_path / "classes.tif", classes(), nodata=0)
    exact, thin = outlines(source), outlines(source, simplify=40)
    assert thin.geometry.count_coordinates().sum() < 0.8 * exact.geometry.count_coordinates().sum()
    assert thin.geometry.is_valid.all()
    assert thin.union_all().area == pytest.approx(thin.area.sum(), rel=1e-9)
    np.testing.assert_array_equal(thin["area_m2"], exact["area_m2"])


def test_noise_and_odd_pixels_are_refused_with_what_would_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patches, "MAX_CORNERS", 500)
    noise = np.random.default_rng(0).random((60, 60)).astype(np.float32)
    with pytest.raises(RasterError, match="too many patches"):
        outlines(write(tmp_path / "noise.tif", noise))
    with pytest.raises(RasterError, match="give a condition"):
        outlines(write(tmp_path / "double.tif", noise.astype(np.float64)))
    with pytest.raises(RasterError, match="no CRS"):
        outlines(write(tmp_path / "nowhere.tif", np.ones((3, 3), np.uint8), crs=None))
    with pytest.raises(RasterError, match="whole numbers"):
        sieve(write(tmp_path / "noise.tif", noise), tmp_path / "out.tif", min_px=4)


@pytest.mark.parametrize("hole", [(0, 0), (20, 7), (59, 59)])
def test_a_pixel_without_a_value_has_no_polygon_in_whichever_strip_it_lies(
    tmp_path: Path, hole: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.full((60, 60), 9, np.uint8)
    values[30:, 40:] = 8
    values[hole] = 0
    source = write(tmp_path / "classes.tif", values, nodata=0)
    real = patches.windows
    monkeypatch.setattr(patches, "windows", lambda grid: real(grid, 60 * 7))
    frame = outlines(source)
    assert set(frame["value"]) == {8.0, 9.0} and frame.area.sum() == 100 * 3599
    assert patches._corners(values.astype(np.int32), values > 0, 0, 0) == corners_by_strips(source)


def corners_by_strips(source: Path) -> int:
    with patches._patches(source, 1, None) as (_, _, corners):
        return corners


@needs("gdal_sieve.py")
@pytest.mark.parametrize("connectivity", [4, 8])
def test_the_sieve_gives_gdal_sieves_classes_and_leaves_nodata(
    tmp_path: Path, connectivity: patches.Connectivity
) -> None:
    source = write(tmp_path / "classes.tif", classes(), nodata=0)
    gdal("gdal_sieve.py", "-q", "-st", 9, f"-{connectivity}", source, tmp_path / "theirs.tif")
    changed = sieve(source, tmp_path / "ours.tif", min_px=9, connectivity=connectivity)
    ours, theirs = read(tmp_path / "ours.tif"), read(tmp_path / "theirs.tif")
    np.testing.assert_array_equal(ours, theirs)
    assert changed == (np.nan_to_num(ours) != np.nan_to_num(read(source))).sum() > 20
    assert np.isnan(ours[:4, :10]).all()
    with rasterio.open(tmp_path / "ours.tif") as made:
        assert (made.dtypes[0], made.nodata, made.crs) == ("uint8", 0, "EPSG:32631")


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32"])
def test_a_sieve_by_strips_is_gdals_of_the_whole(
    tmp_path: Path, connectivity: patches.Connectivity, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(11)
    for side, wide, kinds, least in ((70, 55, 2, 30), (41, 90, 5, 4), (64, 64, 3, 60), (30, 1, 2, 3)):
        smooth = gaussian_filter(random.normal(size=(side, wide)), 0.7)
        values = np.digitize(smooth, np.quantile(smooth, np.linspace(0, 1, kinds + 1)[1:-1])).astype(dtype)
        source = write(tmp_path / "classes.tif", values, nodata=0 if kinds > 2 else None)
        expected = features.sieve(
            values, least, mask=values != 0 if kinds > 2 else None, connectivity=connectivity
        )
        monkeypatch.setattr(sieving, "STRIP_PX", 7 * wide)
        changed = sieve(source, tmp_path / "out.tif", min_px=least, connectivity=connectivity)
        with rasterio.open(tmp_path / "out.tif") as made:
            np.testing.assert_array_equal(made.read(1), expected)
        assert changed == (values != expected).sum() > 0


def test_small_patches_without_a_large_neighbour_stay_and_more_than_can_be_numbered_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = np.indices((20, 20)).sum(0).astype(np.uint8) % 2 + 1
    source = write(tmp_path / "board.tif", board)
    assert sieve(source, tmp_path / "out.tif", min_px=4) == 0
    monkeypatch.setattr(patches, "MAX_SIEVED", 399)
    with pytest.raises(RasterError, match="breaks into over 399 patches"):
        sieve(source, tmp_path / "out.tif", min_px=4)


def test_areas_add_up_to_that_of_the_whole_raster() -> None:
    source = real("elevation/hag.tif")
    high, low = (outlines(source, where=Where(sign, 5)) for sign in (">", "<="))
    with rasterio.open(source) as reader:
        valid = int((reader.read_masks(1) != 0).sum())
        left, bottom, right, top = reader.bounds
    ring = gpd.GeoSeries.from_xy([left, right, right, left], [bottom, bottom, top, top], crs="EPSG:26918")
    around = ring.to_crs("EPSG:4326")
    whole = abs(Geod(ellps="WGS84").polygon_area_perimeter(around.x, around.y)[0])
    share = valid / (reader.width * reader.height)
    assert high["area_m2"].sum() + low["area_m2"].sum() == pytest.approx(whole * share, rel=1e-4)
