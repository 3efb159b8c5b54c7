"""Speckle filters on simulated speckle, whose mean, variance and edges are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from data.raster import speckle
from data.raster.speckle import despeckle, estimate_looks
from tests.data.raster.made import read, write

LOOKS = 4.0
METHODS = ("lee", "refined_lee", "gamma_map")


def speckled(truth: np.ndarray, seed: int = 8, looks: float = LOOKS) -> np.ndarray:
    """The truth under speckle of a gamma distribution of mean 1 and variance 1 / looks."""
    return (truth * np.random.default_rng(seed).gamma(looks, 1 / looks, truth.shape)).astype(np.float32)


def looks_of(values: np.ndarray) -> float:
    return float(values.mean() ** 2 / values.var())


@pytest.mark.parametrize("method", METHODS)
def test_even_ground_keeps_its_mean_and_loses_its_speckle(tmp_path: Path, method: speckle.Method) -> None:
    source = write(tmp_path / "even.tif", speckled(np.full((300, 300), 0.2)))
    done = despeckle(source, tmp_path / "out.tif", method=method, looks=LOOKS)
    made = read(tmp_path / "out.tif")[4:-4, 4:-4]
    # Gamma-MAP gives the most likely value of a skewed distribution, which lies a little under its mean.
    assert made.mean() == pytest.approx(0.2, rel=0.025 if method == "gamma_map" else 0.01)
    assert looks_of(read(source)) == pytest.approx(LOOKS, rel=0.03)
    # A mean of 49 pixels, or of the 28 of half a window, would raise the looks that many times.
    assert looks_of(made) > (5 if method == "refined_lee" else 10) * LOOKS
    assert (done.mean_before, done.mean_after) == pytest.approx((0.2, 0.2), rel=0.025)


def test_an_edge_stays_where_a_mean_would_blur_it_and_best_with_the_refined_filter(tmp_path: Path) -> None:
    from scipy.ndimage import uniform_filter

    truth = np.full((120, 240), 0.1)
    truth[:, 120:] = 1.0
    source = write(tmp_path / "edge.tif", speckled(truth))
    strip = (slice(8, -8), slice(117, 123))

    def error(values: np.ndarray) -> float:
        return float(np.sqrt(np.mean(((values - truth) / truth)[strip] ** 2)))

    errors = {"mean": error(uniform_filter(read(source), 7))}
    for method in METHODS:
        despeckle(source, tmp_path / "out.tif", method=method, looks=LOOKS)
        errors[method] = error(read(tmp_path / "out.tif"))
    assert errors["refined_lee"] < errors["lee"] < errors["mean"]
    assert errors["refined_lee"] < 0.35 * errors["mean"]
    assert errors["gamma_map"] < errors["mean"]


def test_the_lee_filter_is_lees_formula(tmp_path: Path) -> None:
    values = speckled(np.full((5, 5), 1.0)) * np.linspace(1, 4, 5, dtype=np.float32)
    despeckle(write(tmp_path / "a.tif", values), tmp_path / "out.tif", method="lee", size_px=5, looks=LOOKS)
    mean, variance = values.astype(float).mean(), values.astype(float).var(ddof=1)
    scene = max(0.0, (variance + mean**2) / (1 + 1 / LOOKS) - mean**2)
    weight = scene / (mean**2 / LOOKS + scene)
    assert read(tmp_path / "out.tif")[2, 2] == pytest.approx(mean + weight * (values[2, 2] - mean), rel=1e-5)


def test_the_gamma_map_filter_solves_its_quadratic(tmp_path: Path) -> None:
    values = np.ones((3, 3), np.float32)
    values[1, 1], values[0, 0] = 2.2, 0.4
    looks = 6.0
    despeckle(
        write(tmp_path / "a.tif", values), tmp_path / "out.tif", method="gamma_map", size_px=3, looks=looks
    )
    mean, variance = values.astype(float).mean(), values.astype(float).var(ddof=1)
    alpha = (1 + 1 / looks) / (variance / mean**2 - 1 / looks)
    assert 1 / looks < variance / mean**2 < 2 / looks
    found = read(tmp_path / "out.tif")[1, 1]
    # alpha R^2 / m + (L + 1 - alpha) R - L z = 0, the maximum of the a posteriori probability.
    terms = np.array([alpha * found**2 / mean, (looks + 1 - alpha) * found, -looks * values[1, 1]])
    assert abs(terms.sum()) < 1e-4 * np.abs(terms).max()


@pytest.mark.parametrize("looks", [1.0, 4.0, 16.0])
def test_the_number_of_looks_is_estimated_from_even_ground_among_edges(tmp_path: Path, looks: float) -> None:
    truth = np.full((256, 256), 0.1)
    truth[:, 100:] = 0.7
    truth[180:, 40:60] = 3
    source = write(tmp_path / "a.tif", speckled(truth, looks=looks))
    assert estimate_looks(source) == pytest.approx(looks, rel=0.3)


def test_amplitude_is_filtered_as_intensity(tmp_path: Path) -> None:
    intensity = speckled(np.full((40, 40), 2.0))
    despeckle(write(tmp_path / "i.tif", intensity), tmp_path / "i_out.tif", looks=LOOKS)
    despeckle(
        write(tmp_path / "a.tif", np.sqrt(intensity)), tmp_path / "a_out.tif", looks=LOOKS, values="amplitude"
    )
    np.testing.assert_allclose(read(tmp_path / "a_out.tif") ** 2, read(tmp_path / "i_out.tif"), rtol=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_holes_stay_and_seams_do_not_show(
    tmp_path: Path, method: speckle.Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = speckled(np.full((1060, 20), 1.0))
    values[500:505, 5:9] = -1
    source = write(tmp_path / "a.tif", values, nodata=-1)
    despeckle(source, tmp_path / "whole.tif", method=method, looks=LOOKS)
    real = speckle.compute
    monkeypatch.setattr(speckle, "compute", lambda *a, **k: real(*a, **k, pixels=4096))
    despeckle(source, tmp_path / "parts.tif", method=method, looks=LOOKS)
    whole = read(tmp_path / "whole.tif")
    np.testing.assert_allclose(read(tmp_path / "parts.tif"), whole, rtol=1e-5)
    np.testing.assert_array_equal(np.isnan(whole), values == -1)
