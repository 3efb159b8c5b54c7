"""Images brought onto one another by shifts that were made, and orthorectified by RPCs that GDAL wrote."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from rasterio.transform import RPCTransformer
from rasterio.windows import Window
from scipy.ndimage import fourier_shift, gaussian_filter

from data.raster.coregister import _moved, coregister
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.rpc import orthorectify
from data.raster.shifting import Beside
from data.raster.windows import Grid
from tests.data.raster.made import gdal, needs, read, write
from tests.real_files import real

NO_PLACE = "ignore::rasterio.errors.NotGeoreferencedWarning"
"""An image with RPCs has no geotransform, which is the point of it."""


def texture(side: int = 160, seed: int = 6) -> np.ndarray:
    return (
        100 + 40 * gaussian_filter(np.random.default_rng(seed).normal(size=(side, side)), 2, mode="wrap") * 5
    )


def shifted(image: np.ndarray, rows: float, columns: float) -> np.ndarray:
    return np.fft.ifftn(fourier_shift(np.fft.fftn(image), (rows, columns))).real


@pytest.mark.parametrize(("rows", "columns"), [(0.0, 0.0), (1.37, -0.62), (-12.25, 7.5)])
def test_a_shift_that_was_made_is_found_to_a_twentieth_of_a_pixel(
    tmp_path: Path, rows: float, columns: float
) -> None:
    image = texture()
    one = write(tmp_path / "one.tif", image.astype(np.float32))
    other = write(tmp_path / "other.tif", shifted(image, rows, columns).astype(np.float32))
    shift = coregister(one, other, tmp_path / "out.tif")
    assert (shift.rows, shift.columns) == pytest.approx((-rows, -columns), abs=0.05)
    assert (shift.east_m, shift.north_m) == pytest.approx((-columns * 10, rows * 10), abs=0.5)
    inside = (slice(20, -20), slice(20, -20))
    assert np.corrcoef(read(tmp_path / "out.tif")[inside].ravel(), image[inside].ravel())[0, 1] > 0.995
    assert shift.correlation_after >= shift.correlation_before


def test_an_image_in_another_projection_and_pixel_size_lands_on_the_grid(tmp_path: Path) -> None:
    image = texture()
    one = write(tmp_path / "one.tif", image.astype(np.float32))
    gdal(
        "gdalwarp", "-q", "-t_srs", "EPSG:3857", "-tr", 9, 9, "-r", "cubic", "-dstnodata", "nan", one,
        tmp_path / "warped.tif",
    )  # fmt: skip
    with rasterio.open(tmp_path / "warped.tif", "r+") as moved:
        moved.transform = Affine.translation(40, -25) @ moved.transform
    shift = coregister(one, tmp_path / "warped.tif", tmp_path / "out.tif")
    # 40 m in Web Mercator at 51.4 degrees north are 25 m on the ground.
    scale = np.cos(np.radians(51.45))
    assert (shift.east_m, shift.north_m) == pytest.approx((-40 * scale, 25 * scale), abs=1.0)
    with rasterio.open(tmp_path / "out.tif") as made, rasterio.open(one) as reference:
        assert (made.crs, made.transform, made.shape) == (reference.crs, reference.transform, reference.shape)


def test_two_years_of_a_real_scene_agree_better_after_a_shift_that_was_made(tmp_path: Path) -> None:
    with rasterio.open(real("landsat/2015.tif")) as source:
        image, grid = source.read(2), source.transform
    there = {"crs": "EPSG:4326", "transform": grid, "nodata": 0}
    one = write(tmp_path / "one.tif", image, **there)
    other = write(tmp_path / "other.tif", np.roll(image, (3, -5), (0, 1)), **there)
    shift = coregister(one, other, tmp_path / "out.tif")
    assert (shift.rows, shift.columns) == pytest.approx((-3, 5), abs=0.1)
    assert shift.correlation_after > 0.99 > shift.correlation_before


@pytest.mark.parametrize(
    ("dtype", "nodata"), [("uint8", 0), ("uint16", None), ("int16", -5), ("float32", np.nan), ("int32", 7)]
)
@pytest.mark.parametrize("shift", [(0.0, 0.0), (1.37, -0.62), (-12.25, 7.5), (0.0, 130.0)])
def test_an_image_on_a_moved_grid_is_interpolated_as_gdals_warper_does_each_band(
    tmp_path: Path, dtype: str, nodata: float | None, shift: tuple[float, float]
) -> None:
    random = np.random.default_rng(2)
    image = random.integers(1, 200, (2, 90, 110)).astype(dtype)
    if nodata is not None:
        image[random.random(image.shape) < 0.1] = nodata
    there = Affine(10, 0, 500_003.7, 0, -10, 5_700_081.1)
    source = write(tmp_path / "moved.tif", image, transform=there, nodata=nodata)
    grid = Grid(rasterio.CRS.from_epsg(32631), Affine(10, 0, 500_000, 0, -10, 5_700_000), 100, 96)
    fill = 0 if nodata is None else nodata
    for band in (1, 2):
        alone = write(tmp_path / "band.tif", image[band - 1], transform=there, nodata=nodata)
        # The warper guesses from the extents that it makes the image smaller; it does not.
        with (
            rasterio.open(alone) as reader,
            _moved(reader, grid, shift, nodata=fill, XSCALE=1, YSCALE=1) as warped,
        ):
            expected = warped.read(1).astype(float)
        with opened(source) as reader:
            beside = Beside.of(reader, grid)
            assert beside is not None
            parts = [beside.moved(Window(0, row, 100, 32), shift, fill)[band - 1] for row in (0, 32, 64)]
        made = np.concatenate(parts).astype(float)
        np.testing.assert_array_equal(np.isnan(made), np.isnan(expected))
        # Halves are rounded up here, and there as the last bits of the weights have it.
        np.testing.assert_allclose(made, expected, rtol=1e-5, atol=0 if dtype == "float32" else 1)
        if dtype != "float32":
            assert (made != expected).sum() <= 0.01 * made.size


def test_the_whole_of_a_moved_image_in_coarse_averages_lies_where_the_grid_is(tmp_path: Path) -> None:
    image = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    moved = Affine(10, 0, 500_000 + 80, 0, -10, 5_700_000 - 40)
    source = write(tmp_path / "moved.tif", image, transform=moved)
    grid = Grid(rasterio.CRS.from_epsg(32631), Affine(10, 0, 500_000, 0, -10, 5_700_000), 64, 64)
    with opened(source) as reader:
        beside = Beside.of(reader, grid)
        assert beside is not None
        made = beside.thinned(1, (16, 16))
    expected = np.full((16, 16), np.nan)
    expected[1:, 2:] = image.reshape(16, 4, 16, 4).mean((1, 3))[:15, :14]
    np.testing.assert_allclose(made.filled(np.nan), expected, rtol=1e-6)


def test_images_of_different_places_are_refused(tmp_path: Path) -> None:
    one = write(tmp_path / "one.tif", texture().astype(np.float32))
    away = Affine(10, 0, 700_000, 0, -10, 5_700_000)
    other = write(tmp_path / "other.tif", texture().astype(np.float32), transform=away)
    with pytest.raises(RasterError, match="do not overlap"):
        coregister(one, other, tmp_path / "out.tif")
    flat = write(tmp_path / "flat.tif", np.ones((160, 160), np.float32))
    with pytest.raises(RasterError, match="do not overlap, or have no values"):
        coregister(one, flat, tmp_path / "out.tif")


@pytest.fixture
def with_rpcs(tmp_path: Path) -> Path:
    """rasterio's image with RPCs, a part of it as a GeoTIFF, with the RPCs moved along."""
    with rasterio.open(real("rasterio_fixtures/RGB.byte.rpc.vrt")) as source:
        rpcs, image = source.rpcs, source.read()
    path = tmp_path / "raw.tif"
    profile = {
        "driver": "GTiff",
        "count": 3,
        "height": image.shape[1],
        "width": image.shape[2],
        "dtype": "uint8",
    }
    with rasterio.open(path, "w", **profile) as target:
        target.write(image)
        target.rpcs = rpcs
    return path


@pytest.mark.filterwarnings(NO_PLACE)
@needs("gdalwarp")
def test_an_image_is_orthorectified_as_gdalwarp_does_it(with_rpcs: Path, tmp_path: Path) -> None:
    made = orthorectify(with_rpcs, tmp_path / "ours.tif", height_m=120, resolution_m=30)
    with rasterio.open(tmp_path / "ours.tif") as ours:
        bounds = ours.bounds
        assert ours.crs.to_string() == made.crs and ours.res == (30, 30)
    gdal(
        "gdalwarp", "-q", "-rpc", "-to", "RPC_HEIGHT=120", "-t_srs", made.crs, "-tr", 30, 30, "-te",
        *bounds, "-r", "bilinear", "-dstnodata", 0, with_rpcs, tmp_path / "theirs.tif",
    )  # fmt: skip
    ours_px, theirs_px = read(tmp_path / "ours.tif"), np.nan_to_num(read(tmp_path / "theirs.tif"))
    apart = np.abs(np.nan_to_num(ours_px) - theirs_px)
    assert np.mean(apart <= 1) > 0.99
    assert made.filled_px > 1000


@pytest.mark.filterwarnings(NO_PLACE)
def test_a_pixel_lies_where_the_polynomials_put_it(with_rpcs: Path, tmp_path: Path) -> None:
    with rasterio.open(with_rpcs, "r+") as target:
        rpcs = target.rpcs
        image = np.zeros((3, target.height, target.width), np.uint8)
        image[:, 300:304, 400:404] = 255
        target.write(image)
    orthorectify(with_rpcs, tmp_path / "ours.tif", height_m=50, crs="EPSG:4326")
    with RPCTransformer(rpcs, rpc_height=50) as transformer:
        lon, lat = transformer.xy(301.5, 401.5, offset="center")
    with rasterio.open(tmp_path / "ours.tif") as made:
        bright = np.argwhere(made.read(1) > 200).mean(axis=0)
        found = made.xy(*bright)
        assert found == pytest.approx((float(lon), float(lat)), abs=2 * made.res[0])


def test_without_rpcs_there_is_nothing_to_go_by(tmp_path: Path) -> None:
    source = write(tmp_path / "plain.tif", np.ones((5, 5), np.uint8))
    with pytest.raises(RasterError, match="no rational polynomial coefficients"):
        orthorectify(source, tmp_path / "out.tif")
