"""The small products are what their script makes, and show what they are said to show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio

from copilot.bench.build import example_products as products

pytestmark = pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")


def test_the_committed_products_are_what_the_script_makes(tmp_path: Path) -> None:
    products.write(tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == sorted(
        ["LC08_MTL.txt", "classes.tif", "cloudy.tif", "counts.tif", "holes.tif", "raw.tif", "shifted.tif"]
    )
    for name in names:
        if name.endswith(".txt"):
            assert (tmp_path / name).read_text() == (products.FOLDER / name).read_text()
            continue
        with rasterio.open(tmp_path / name) as made, rasterio.open(products.FOLDER / name) as kept:
            assert (made.read() == kept.read()).all()
            assert (made.profile, made.descriptions, made.rpcs) == (
                kept.profile,
                kept.descriptions,
                kept.rpcs,
            )


def test_counts_hold_the_reflectance_of_the_scene_to_half_a_count() -> None:
    sine = np.sin(np.radians(products.SUN_ELEVATION_DEG))
    reflectance = (products.GAIN * products.counts().astype(float) + products.OFFSET) / sine
    there = products.counts() > 0
    apart = np.abs(reflectance - products.scene()[2:4] / 10_000)[there]
    assert apart.max() <= 0.5 * products.GAIN / sine + 1e-12


def test_the_shifted_band_lies_two_rows_down_and_three_columns_right() -> None:
    assert (products.shifted()[2:, 3:] == products.scene()[0, :-2, :-3]).all()


def test_the_cloud_hides_a_part_of_its_shadow_and_the_holes_are_four() -> None:
    quality = products.quality()
    assert ((quality == products.CLOUD).sum(), (quality == products.SHADOW).sum()) == (240, 168)
    assert (products.holes() == -9999).sum() == 4 * 36
    assert np.unique(products.classes()).tolist() == [1, 2, 3, 4, 5]
