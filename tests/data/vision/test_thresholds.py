"""Thresholds: as scikit-image and as theory have them, and none where there is one class alone."""

from __future__ import annotations

import numpy as np
import pytest
from skimage.filters import threshold_otsu

from data.vision.thresholds import by_tiles, kittler_illingworth, otsu

RANDOM = np.random.default_rng(0)
ONE = RANDOM.normal(0, 1, 20_000)
TWO = np.concatenate([RANDOM.normal(-20, 2, 4_000), RANDOM.normal(-10, 2, 16_000)])


def test_otsu_agrees_with_scikit_image():
    split = otsu(TWO)
    assert split is not None
    assert split.threshold == pytest.approx(threshold_otsu(TWO), abs=0.2)


def test_the_minimum_error_threshold_is_where_two_normal_classes_are_as_likely():
    # Equal spread s: the middle, moved towards the smaller class by s^2 ln(p2 / p1) / (m2 - m1).
    expected = -15 - 4 * np.log(16 / 4) / 10
    split = kittler_illingworth(TWO)
    assert split is not None and split.separate
    assert split.threshold == pytest.approx(expected, abs=0.35)
    assert (split.low_mean, split.high_mean) == (pytest.approx(-20, abs=0.2), pytest.approx(-10, abs=0.2))
    assert split.low_share == pytest.approx(0.2, abs=0.01)


def test_values_of_one_class_are_not_split():
    split = kittler_illingworth(ONE)
    assert split is None or not split.separate
    assert by_tiles([ONE.reshape(100, 200)]) is None
    assert by_tiles([RANDOM.uniform(0, 1, (128, 128))]) is None


def test_nothing_and_constants_and_missing_values_are_not_split():
    for values in (np.empty(0), np.full(500, 3.0), np.full(500, np.nan)):
        assert otsu(values) is None and kittler_illingworth(values) is None
        assert by_tiles([values.reshape(1, -1)]) is None


def test_a_class_that_covers_two_percent_is_found_in_the_tiles_that_hold_it():
    image = RANDOM.normal(-10, 2, (512, 512))
    image[64:130, 64:150] = RANDOM.normal(-20, 2, (66, 86))
    split = by_tiles([image])
    assert split is not None and 1 <= split.tiles <= 6
    assert split.threshold == pytest.approx(-15, abs=1.2)
