"""Edges where they were drawn, and hardly any where there is only noise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import f
from skimage.feature import canny

from data.progress import Unheard
from data.raster.errors import RasterError
from data.vision.edges import _gradient, _ratio, find_edges, ratio_limit
from tests.data.raster.made import read, write


def disk(side: int = 96, noise: float = 0.0) -> np.ndarray:
    """A bright disk of 30 pixels' radius on dark ground."""
    rows, columns = np.mgrid[:side, :side]
    made = np.where((rows - 48) ** 2 + (columns - 48) ** 2 < 30**2, 160.0, 60.0)
    return made + np.random.default_rng(1).normal(0, noise, made.shape)


def off_the_rim(mask: np.ndarray) -> np.ndarray:
    rows, columns = np.argwhere(mask == 1).T
    return np.asarray(np.abs(np.hypot(rows - 48, columns - 48) - 30))


def test_the_gradient_of_a_ramp_is_its_slope_at_every_scale() -> None:
    ramp = np.add.outer(3.0 * np.arange(64), 2.0 * np.arange(64))
    for scale in (1.0, 2.0, 4.0):
        across, down = _gradient(ramp, scale)
        assert across[32, 32] == pytest.approx(2.0, rel=1e-4)
        assert down[32, 32] == pytest.approx(3.0, rel=1e-4)


def test_canny_draws_the_rim_once_all_around(tmp_path: Path) -> None:
    source = write(tmp_path / "d.tif", disk().astype(np.uint8))
    found = find_edges(Unheard(), source, tmp_path / "e.tif")
    mask = read(tmp_path / "e.tif")
    assert off_the_rim(mask).max() <= 1.5
    theirs = canny(disk(), sigma=1.0)
    assert found.method == "canny" and found.edge_px == pytest.approx(theirs.sum(), rel=0.12)
    turned = np.sort(np.arctan2(*(np.argwhere(mask == 1) - 48).T))
    assert np.diff(turned).max() < 0.08


def test_more_noise_calls_for_more_smoothing_and_still_the_rim_is_found(tmp_path: Path) -> None:
    quiet = find_edges(Unheard(), write(tmp_path / "q.tif", disk(noise=1)), tmp_path / "e.tif")
    loud = find_edges(Unheard(), write(tmp_path / "l.tif", disk(noise=35)), tmp_path / "e.tif")
    assert quiet.scale_px is not None and loud.scale_px is not None and loud.scale_px > quiet.scale_px
    off = off_the_rim(read(tmp_path / "e.tif"))
    assert (off < 4).mean() > 0.9 and off.size > 90


def test_an_edge_is_followed_across_all_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weak = np.full((200, 60), 100.0)
    weak[:, 30:] += np.linspace(1, 60, 200)[:, None]  # strong at the foot, and weak all the way up
    source = write(tmp_path / "w.tif", weak.astype(np.float32))
    find_edges(Unheard(), source, tmp_path / "whole.tif")
    monkeypatch.setattr("data.raster.windows.BLOCK_PX", 16)
    monkeypatch.setattr("data.vision.edges.STRIP_PX", 4 * 16 * 64)
    monkeypatch.setattr("data.vision.edges.BLOCK_PX", 16)
    monkeypatch.setattr("data.vision.edges._STRIP_ROWS", 16)
    find_edges(Unheard(), source, tmp_path / "parts.tif")
    whole = read(tmp_path / "whole.tif")
    np.testing.assert_array_equal(read(tmp_path / "parts.tif"), whole)
    assert (whole[:, 28:32] == 1).any(axis=1).sum() > 100


def test_the_border_of_a_hole_is_no_edge(tmp_path: Path) -> None:
    values = disk()
    values[40:56, 40:56] = -1
    source = write(tmp_path / "h.tif", values.astype(np.float32), nodata=-1)
    find_edges(Unheard(), source, tmp_path / "e.tif")
    mask = read(tmp_path / "e.tif")
    assert np.isnan(mask[45, 45]) and not (mask[36:60, 36:60] == 1).any()


def test_sobel_gives_the_slope_a_pixel(tmp_path: Path) -> None:
    ramp = np.tile(5.0 * np.arange(32, dtype=np.float32), (32, 1))
    find_edges(Unheard(), write(tmp_path / "r.tif", ramp), tmp_path / "e.tif", method="sobel")
    np.testing.assert_allclose(read(tmp_path / "e.tif")[4:-4, 4:-4], 5.0, rtol=1e-5)


def test_the_limit_of_the_ratio_is_fisher_s(tmp_path: Path) -> None:
    limit = ratio_limit(4.0, 1e-3)
    assert 8 * f.cdf(limit, 2 * 36 * 4, 2 * 36 * 4) == pytest.approx(1e-3)
    speckle = np.random.default_rng(2).gamma(4, 0.25, (160, 160)).astype(np.float32)
    source = write(tmp_path / "s.tif", speckle, descriptions=("intensity",))
    found = find_edges(Unheard(), source, tmp_path / "e.tif", radar=True, method="auto")
    assert found.method == "ratio" and found.density_percent < 0.5


def test_the_ratio_finds_a_coast_in_speckle_wherever_it_is_bright(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    for level in (1.0, 50.0):
        scene = np.where(np.arange(96) < 48, level, 6 * level) * random.gamma(4, 0.25, (96, 96))
        source = write(tmp_path / "c.tif", scene.astype(np.float32), descriptions=("intensity",))
        find_edges(Unheard(), source, tmp_path / "e.tif", radar=True, method="ratio")
        rows, columns = np.argwhere(read(tmp_path / "e.tif") == 1).T
        assert (np.abs(columns - 47.5) <= 2).mean() > 0.9 and len(np.unique(rows)) > 80
    strength, across, _ = _ratio(np.where(np.arange(32) < 16, 2.0, 8.0) * np.ones((32, 1), np.float32))
    assert strength[16, 15] == pytest.approx(0.75, abs=0.16) and across[16, 15] == 1


def test_an_image_without_values_is_refused(tmp_path: Path) -> None:
    empty = write(tmp_path / "e.tif", np.zeros((16, 16), np.uint8), nodata=0)
    with pytest.raises(RasterError, match="no pixel with a value"):
        find_edges(Unheard(), empty, tmp_path / "o.tif")
