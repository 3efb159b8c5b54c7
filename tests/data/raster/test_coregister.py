"""Images brought onto one another by shifts that were made, and orthorectified by RPCs that GDAL wrote."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from rasterio.transform import RPCTransformer
from scipy.ndimage import fourier_shift, gaussian_filter

from data.raster.coregister import coregister
from data.raster.errors import RasterError
from data.raster.rpc import orthorectify
from tests.data.raster.made import gdal, needs, read, write

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


def test_two_years_of_a_real_scene_agree_better_after_a_shift_that_was_made(
    shared_data: Path, tmp_path: Path
) -> None:
    with rasterio.open(shared_data / "landsat" / "2015.tif") as source:
        image, grid = source.read(2), source.transform
    there = {"crs": "EPSG:4326", "transform": grid, "nodata": 0}
    one = write(tmp_path / "one.tif", image, **there)
    other = write(tmp_path / "other.tif", np.roll(image, (3, -5), (0, 1)), **there)
    shift = coregister(one, other, tmp_path / "out.tif")
    assert (shift.rows, shift.columns) == pytest.approx((-3, 5), abs=0.1)
    assert shift.correlation_after > 0.99 > shift.correlation_before


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
def with_rpcs(shared_data: Path, tmp_path: Path) -> Path:
    """rasterio's image with RPCs, a part of it as a GeoTIFF, with the RPCs moved along."""
    with rasterio.open(shared_data / "rasterio_fixtures" / "RGB.byte.rpc.vrt") as source:
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
