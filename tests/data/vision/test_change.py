"""Change: found where it is, not where nothing changed, whatever the light, after the images are aligned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from scipy.ndimage import gaussian_filter

from data.progress import Unheard
from data.raster.errors import RasterError
from data.vision.change import fit_irmad, map_change

PLACE = Affine(10, 0, 600_000, 0, -10, 5_760_000)
WHERE = np.s_[30:44, 20:36]


def write(path: Path, bands: np.ndarray, place: bool = True) -> Path:
    profile = {"driver": "GTiff", "count": len(bands), "height": bands.shape[1], "width": bands.shape[2]}
    where = {"crs": "EPSG:32631", "transform": PLACE} if place else {}
    from data.uploads.gdal import quiet_gdal

    with quiet_gdal(), rasterio.open(path, "w", dtype="float32", **profile, **where) as target:
        target.write(bands.astype(np.float32))
    return path


def ground(bands: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    return np.stack([100 + 30 * gaussian_filter(random.normal(size=(64, 64)), 2) * 6 for _ in range(bands)])


def later(before: np.ndarray, seed: int = 1) -> np.ndarray:
    """Another light on every band, a little noise, and a patch that is something else."""
    random = np.random.default_rng(seed)
    count = len(before)
    after = before * np.linspace(0.8, 1.2, count)[:, None, None] + 10 + random.normal(0, 1.0, before.shape)
    after[(slice(None), *WHERE)] = (
        random.normal(160, 6, (count, 14, 16)) * np.linspace(1.2, 0.6, count)[:, None, None]
    )
    return after


def read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    with rasterio.open(path) as source:
        return source.read(1), source.read(2)


def f1(mask: np.ndarray) -> float:
    truth = np.zeros(mask.shape, bool)
    truth[WHERE] = True
    return float(2 * (mask & truth).sum() / (mask.sum() + truth.sum()))


@pytest.mark.parametrize(("method", "bands"), [("cva", 3), ("irmad", 4)])
def test_a_patch_that_changed_is_found_under_another_light(tmp_path, method, bands):
    before = ground(bands)
    first, second = write(tmp_path / "a.tif", before), write(tmp_path / "b.tif", later(before))
    made = map_change(Unheard(), first, second, tmp_path / "c.tif", method)
    classes, magnitude = read(tmp_path / "c.tif")
    assert f1(classes == 1) > 0.85, f1(classes == 1)
    assert magnitude[WHERE].mean() > made.threshold > np.median(magnitude)


def test_nothing_is_found_where_light_alone_changed(tmp_path):
    before = ground(4)
    after = before * 1.3 + 5 + np.random.default_rng(3).normal(0, 1, before.shape)
    first, second = write(tmp_path / "a.tif", before), write(tmp_path / "b.tif", after)
    map_change(Unheard(), first, second, tmp_path / "c.tif", "irmad")
    assert (read(tmp_path / "c.tif")[0] == 1).mean() < 0.01


def test_irmad_finds_the_correlations_of_scikit_learns_canonical_correlation():
    from sklearn.cross_decomposition import CCA

    random = np.random.default_rng(0)
    shared = random.normal(size=(2, 4000))
    one = np.stack([shared[0] + 0.5 * random.normal(size=4000), shared[1] + random.normal(size=4000)])
    two = np.stack([2 * shared[0] + random.normal(size=4000), 3 - shared[1] + random.normal(size=4000)])
    model = CCA(n_components=2, max_iter=2000).fit(one.T, two.T)
    expected = sorted(
        np.corrcoef(a, b)[0, 1]
        for a, b in zip(*(each.T for each in model.transform(one.T, two.T)), strict=True)
    )
    # In the first round all weights are one: that is plain canonical correlation.
    import data.vision.change as change

    rounds, change._ROUNDS = change._ROUNDS, 1
    try:
        fitted = fit_irmad(one, two, Unheard())
    finally:
        change._ROUNDS = rounds
    assert fitted.correlations == pytest.approx(expected, abs=5e-3)


def test_radar_is_compared_in_decibels(tmp_path):
    random = np.random.default_rng(0)
    level = np.full((64, 64), 0.1)
    changed = level.copy()
    changed[WHERE] = 2.0
    first, second = (
        write(tmp_path / f"{at}.tif", np.sqrt(each * random.gamma(4, 1 / 4, each.shape))[None])
        for at, each in enumerate((level, changed))
    )
    made = map_change(Unheard(), first, second, tmp_path / "c.tif")
    assert (made.method, made.unit) == ("log_ratio", "dB")
    assert f1(read(tmp_path / "c.tif")[0] == 1) > 0.75


def test_an_image_that_lies_askew_is_moved_first_and_that_is_said(tmp_path):
    before = ground(3)
    after = np.roll(before, (3, 2), axis=(1, 2))
    first, second = write(tmp_path / "a.tif", before), write(tmp_path / "b.tif", after)
    made = map_change(Unheard(), first, second, tmp_path / "c.tif", "cva")
    assert made.shift_px == (pytest.approx(-2, abs=0.3), pytest.approx(-3, abs=0.3))
    assert made.done[0].startswith("The second image was moved -2")
    assert (read(tmp_path / "c.tif")[0][6:-6, 6:-6] == 1).mean() < 0.02


def test_a_house_that_was_built_is_found_in_a_picture_without_a_place(tmp_path):
    random = np.random.default_rng(2)
    before = np.stack([np.full((96, 96), value) for value in (120.0, 100.0, 80.0)]) + random.normal(
        0, 4, (3, 96, 96)
    )
    after = before.copy()
    after[:, 40:60, 30:56] = np.array([190.0, 188.0, 185.0])[:, None, None] + random.normal(0, 2, (3, 20, 26))
    after[:, 60:64, 32:58] = 15
    first, second = (
        write(tmp_path / f"{at}.tif", each, place=False) for at, each in enumerate((before, after))
    )
    made = map_change(Unheard(), first, second, tmp_path / "c.tif")
    classes, _ = read(tmp_path / "c.tif")
    assert made.method == "buildings"
    assert (classes[40:60, 30:56] == 1).mean() > 0.9
    assert (classes == 1).sum() < 1.4 * 20 * 26


def test_images_of_other_bands_or_sizes_are_refused_in_a_sentence(tmp_path):
    three, four = write(tmp_path / "a.tif", ground(3)), write(tmp_path / "b.tif", ground(4))
    with pytest.raises(RasterError, match="3 and 4 bands"):
        map_change(Unheard(), three, four, tmp_path / "c.tif")
    small = write(tmp_path / "s.tif", ground(3)[:, :40], place=False)
    large = write(tmp_path / "l.tif", ground(3), place=False)
    with pytest.raises(RasterError, match="neither has a place"):
        map_change(Unheard(), small, large, tmp_path / "c.tif")
