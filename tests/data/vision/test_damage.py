"""Damage: a roof that stayed scores low, one that is rubble high, light and season count for nothing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from data.vision.damage import FEATURES, LEVELS, chances_of, features_of

INSIDE = np.zeros((60, 60), bool)
INSIDE[20:40, 20:40] = True


def place() -> np.ndarray:
    """Three bands: textured ground, a bright roof with a ridge."""
    random = np.random.default_rng(0)
    ground = 90 + 40 * gaussian_filter(random.normal(size=(60, 60)), 1.5)
    picture = np.stack([ground, ground * 1.1, ground * 0.8])
    picture[:, 20:30, 20:40] = 170
    picture[:, 30:40, 20:40] = 140
    return picture


def rubble(picture: np.ndarray) -> np.ndarray:
    after = picture.copy()
    random = np.random.default_rng(1)
    after[:, INSIDE] = 110 + 45 * random.normal(size=(3, int(INSIDE.sum())))
    return after


def chances(after: np.ndarray) -> np.ndarray:
    found = features_of(place(), after, INSIDE)
    assert found is not None
    return chances_of(np.array([[found[name] for name in FEATURES]]))[0]


def test_chances_are_of_four_levels_and_sum_to_one():
    assert chances(place()).shape == (len(LEVELS),)
    assert chances(rubble(place())).sum() == pytest.approx(1)


def test_a_roof_that_stayed_scores_lower_than_rubble():
    score = [float(chances(each) @ (np.arange(4) / 3)) for each in (place(), rubble(place()))]
    assert score[0] < 0.35 < 0.6 < score[1], score


def test_the_features_of_a_roof_that_stayed_say_so():
    same = features_of(place(), place(), INSIDE)
    assert same is not None
    assert (same["correlation"], same["gradient_agreement"]) == (pytest.approx(1), pytest.approx(1))
    assert [same[each] for each in ("lightness_change", "texture_change", "edge_change", "unevenness")] == [
        0
    ] * 4


def test_a_lighter_image_changes_no_lightness_of_the_roof_against_its_surroundings():
    found = features_of(place(), place() + 20, INSIDE)
    assert found is not None and found["lightness_change"] == pytest.approx(0, abs=1e-6)


def test_a_building_that_the_image_hardly_shows_is_not_assessed():
    after = place()
    after[:, 20:35, 20:40] = np.nan
    assert features_of(place(), after, INSIDE) is None
