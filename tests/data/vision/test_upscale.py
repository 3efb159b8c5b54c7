"""Twice the resolution: the place, the values and the holes stay, and no seam shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine
from numpy.typing import NDArray

from data.progress import Unheard
from data.raster.errors import RasterError
from data.vision import upscale
from tests.real_files import real

UTM = Affine(2, 0, 500_000, 0, -2, 5_000_000)


def write(path: Path, bands: NDArray[Any], nodata: float | None = None) -> Path:
    count, rows, columns = bands.shape
    with rasterio.open(
        path, "w", driver="GTiff", count=count, height=rows, width=columns, dtype=bands.dtype,
        crs="EPSG:32631", transform=UTM, nodata=nodata,
    ) as target:  # fmt: skip
        target.write(bands)
    return path


def waves(rows: int, columns: int) -> NDArray[np.float64]:
    y, x = np.mgrid[:rows, :columns]
    return np.asarray(1000 + 300 * np.sin(x / 3) + 200 * np.cos(y / 4 + x / 9))


def test_the_finer_image_lies_where_the_coarse_one_does_in_its_own_type(tmp_path: Path) -> None:
    source = write(tmp_path / "in.tif", np.stack([waves(20, 30), waves(20, 30) / 2]).astype("uint16"))
    done = upscale.upscaled(Unheard(), source, tmp_path / "out.tif")
    with rasterio.open(tmp_path / "out.tif") as made, rasterio.open(source) as old:
        assert (made.width, made.height, made.count, made.dtypes) == (60, 40, 2, ("uint16", "uint16"))
        assert made.bounds == old.bounds
        assert made.res == (1.0, 1.0)
        # The mean over each coarse pixel stays about what it was.
        means = made.read(1).reshape(20, 2, 30, 2).mean(axis=(1, 3))
        assert np.abs(means - old.read(1))[2:-2, 2:-2].mean() < 15
    assert (done.model, done.factor, done.pixel_before) == ("upscale-2x", 2, (2.0, 2.0))


def test_an_even_image_stays_even_and_holes_stay_holes(tmp_path: Path) -> None:
    values = np.full((1, 16, 16), 120, dtype="uint8")
    values[0, 4:6, 4:6] = 0
    source = write(tmp_path / "in.tif", values, nodata=0)
    upscale.upscaled(Unheard(), source, tmp_path / "out.tif")
    with rasterio.open(tmp_path / "out.tif") as made:
        band = made.read(1)
    hole = np.zeros((32, 32), bool)
    hole[8:12, 8:12] = True
    assert (band[hole] == 0).all()
    assert np.abs(band[~hole].astype(int) - 120).max() <= 2


def test_the_result_does_not_depend_on_where_the_windows_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "in.tif", waves(70, 90)[np.newaxis].astype("float32"))
    upscale.upscaled(Unheard(), source, tmp_path / "whole.tif")
    monkeypatch.setattr(upscale, "WINDOW_PX", 32)
    upscale.upscaled(Unheard(), source, tmp_path / "parts.tif")
    with rasterio.open(tmp_path / "whole.tif") as whole, rasterio.open(tmp_path / "parts.tif") as parts:
        np.testing.assert_allclose(whole.read(), parts.read(), atol=0.05)


def test_it_beats_bicubic_on_a_picture_that_was_kept_out(tmp_path: Path) -> None:
    import cv2
    from skimage.metrics import peak_signal_noise_ratio, structural_similarity

    with rasterio.open(real("joplin/0_pre.tif")) as picture:
        fine = picture.read(1, window=((300, 556), (300, 556)))
    coarse = fine.reshape(128, 2, 128, 2).mean(axis=(1, 3)).astype("float32")
    source = write(tmp_path / "in.tif", coarse[np.newaxis])
    upscale.upscaled(Unheard(), source, tmp_path / "out.tif")
    with rasterio.open(tmp_path / "out.tif") as made:
        mine = made.read(1)
    bicubic = cv2.resize(coarse, (256, 256), interpolation=cv2.INTER_CUBIC)
    truth = fine.astype("float32")
    for measure in (peak_signal_noise_ratio, structural_similarity):
        assert measure(truth, mine, data_range=255.0) > measure(truth, bicubic, data_range=255.0)


def test_an_image_of_very_many_bands_is_asked_to_be_cut(tmp_path: Path) -> None:
    source = write(tmp_path / "in.tif", np.ones((17, 4, 4), "uint8"))
    with pytest.raises(RasterError, match="At most 16 bands are upscaled at once; the image has 17"):
        upscale.upscaled(Unheard(), source, tmp_path / "out.tif")
