from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from hypothesis import given, settings
from hypothesis import strategies as st
from rasterio.windows import Window
from scipy.ndimage import uniform_filter

from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.windows import Band, Block, Grid, Place, compute, grid_of, windows

UTM = Affine(10, 0, 500_000, 0, -10, 5_000_000)


def write(path: Path, values: np.ndarray, **more: object) -> Path:
    count, height, width = values.shape
    profile = {"count": count, "height": height, "width": width, "dtype": values.dtype, "crs": "EPSG:32633"}
    with rasterio.open(path, "w", driver="GTiff", **{"transform": UTM, **profile, **more}) as target:
        target.write(values)
    return path


def read(path: Path) -> np.ndarray:
    with rasterio.open(path) as source:
        return source.read()


@given(
    width=st.integers(1, 3000),
    height=st.integers(1, 3000),
    pixels=st.integers(512 * 512, 4_000_000),
)
@settings(max_examples=30, deadline=None)
def test_windows_cover_every_pixel_once(width: int, height: int, pixels: int) -> None:
    seen = np.zeros((height, width), dtype=np.uint8)
    for window in windows(Grid(None, UTM, width, height), pixels):
        seen[window.toslices()] += 1
    assert (seen == 1).all()


@pytest.mark.parametrize("pixels", [512 * 16, 100_000, 8_000_000])
def test_a_filter_with_a_margin_does_not_depend_on_where_the_strips_end(tmp_path: Path, pixels: int) -> None:
    values = np.random.default_rng(1).random((1, 130, 90), dtype=np.float32)
    path = write(tmp_path / "a.tif", values)

    def mean(blocks: list[Block], place: Place) -> np.ndarray:
        return uniform_filter(blocks[0][0], 5, mode="nearest")

    compute([path], tmp_path / "b.tif", mean, halo=2, pixels=pixels)
    whole = uniform_filter(np.pad(values[0], 2, constant_values=np.nan), 5, mode="nearest")[2:-2, 2:-2]
    np.testing.assert_array_equal(read(tmp_path / "b.tif")[0], whole)


def test_nodata_comes_as_not_a_number_and_goes_back_as_nodata(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", np.array([[[1, 255], [3, 4]]], dtype=np.uint8), nodata=255)
    compute([path], tmp_path / "b.tif", lambda blocks, place: blocks[0] * 2, dtype="int16", nodata=-1)
    assert read(tmp_path / "b.tif").tolist() == [[[2, -1], [6, 8]]]


def test_a_result_too_large_for_its_type_stops_at_the_types_end(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", np.array([[[100, 200]]], dtype=np.uint8))
    compute([path], tmp_path / "b.tif", lambda blocks, place: blocks[0] * 2, dtype="uint8", nodata=None)
    assert read(tmp_path / "b.tif").tolist() == [[[200, 255]]]


def test_bands_are_chosen_and_described(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", np.arange(12, dtype=np.uint8).reshape(3, 2, 2))
    compute(
        [Band(path, (3, 1))],
        tmp_path / "b.tif",
        lambda blocks, place: blocks[0][0] - blocks[0][1],
        descriptions=("difference",),
        units=("m",),
        tags={"METHOD": "subtraction"},
    )
    with rasterio.open(tmp_path / "b.tif") as made:
        assert made.read().tolist() == [[[8, 8], [8, 8]]]
        assert (made.descriptions, made.units) == (("difference",), ("m",))
        assert made.tags()["METHOD"] == "subtraction"
        assert Grid.of(made) == grid_of(path)


def test_two_grids_are_told_apart_in_one_sentence(tmp_path: Path) -> None:
    one = write(tmp_path / "a.tif", np.zeros((1, 4, 4), dtype=np.uint8))
    two = write(tmp_path / "b.tif", np.zeros((1, 4, 5), dtype=np.uint8))
    with pytest.raises(RasterError) as caught:
        compute([one, two], tmp_path / "c.tif", lambda blocks, place: blocks[0])
    assert str(caught.value) == (
        "a.tif and b.tif lie on different grids (4 x 4 and 5 x 4 pixels); "
        "bring one onto the other with raster_reproject first."
    )


def test_a_file_that_breaks_off_is_told_in_one_sentence(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", np.random.default_rng(2).random((1, 600, 600)), compress="deflate")
    path.write_bytes(path.read_bytes()[:200_000])
    with pytest.raises(RasterError, match=r"a\.tif is broken near row \d+: its pixels cannot be read\."):
        compute([path], tmp_path / "b.tif", lambda blocks, place: blocks[0])


def test_a_row_of_tiles_is_unpacked_once_for_all_its_lines(tmp_path: Path) -> None:
    values = np.arange(512 * 1024, dtype=np.int32).reshape(1, 512, 1024)
    source = write(tmp_path / "a.tif", values, tiled=True, blockxsize=512, blockysize=512, compress="deflate")
    with opened(source) as reader:
        for column in (0, 512):
            reader.read(window=Window(column, 0, 512, 1))
        source.write_bytes(bytes(source.stat().st_size))  # what is read from now on comes from memory
        for column in (0, 512):
            rest = Window(column, 1, 512, 511)
            np.testing.assert_array_equal(reader.read(window=rest), values[:, 1:, column : column + 512])
