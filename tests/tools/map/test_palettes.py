"""Palettes are told apart with any colour vision, and what is more is darker or lighter all along."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.tools.map.test_classes import SEEN_AS, lab, linear
from tools.map.palettes import PALETTES, STOPS, colours

RAMPS = [each for each in PALETTES if each not in ("okabe_ito", "rdbu", "brbg", "puor")]
DIVERGING = ["rdbu", "brbg", "puor"]


def seen(palette: str, count: int, sight: str) -> list[np.ndarray]:
    matrix = np.reshape(SEEN_AS[sight], (3, 3))
    return [lab(matrix @ linear(each)) for each in colours(palette, count)]  # type: ignore[arg-type]


@pytest.mark.parametrize("sight", SEEN_AS)
@pytest.mark.parametrize("palette", RAMPS)
def test_a_ramp_grows_lighter_or_darker_from_end_to_end(palette: str, sight: str) -> None:
    steps = np.diff([each[0] for each in seen(palette, STOPS, sight)])
    assert (steps > 2).all() or (steps < -2).all()


@pytest.mark.parametrize("sight", SEEN_AS)
@pytest.mark.parametrize("palette", DIVERGING)
def test_the_two_ends_of_a_diverging_palette_differ_and_its_middle_is_lightest(
    palette: str, sight: str
) -> None:
    found = seen(palette, STOPS, sight)
    lightness = [each[0] for each in found]
    assert lightness[:5] == sorted(lightness[:5]) and lightness[4:] == sorted(lightness[4:], reverse=True)
    assert np.linalg.norm(found[0] - found[-1]) > 20


@pytest.mark.parametrize("sight", SEEN_AS)
@pytest.mark.parametrize("palette", PALETTES)
def test_no_two_of_five_classes_look_alike(palette: str, sight: str) -> None:
    found = seen(palette, 5, sight)
    assert min(np.linalg.norm(one - other) for one, other in itertools.combinations(found, 2)) > 9
