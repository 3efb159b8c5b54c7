"""The colours of data are told apart with any colour vision, and show on the light and on the dark page."""

from __future__ import annotations

import tomllib
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from skimage.color import deltaE_ciede2000, rgb2lab

from data.basemap import skins
from data.palette import CATEGORIES
from tools.map.styles import OWN_COLORS

CONFIG = tomllib.loads((Path(__file__).resolve().parents[2] / ".streamlit" / "config.toml").read_text())
# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
VISION = {
    "usual": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
LEAST_APART = 10.0
"""CIEDE2000; 2.3 is just seen side by side."""
SELECTED = "#facc15"
"""What assets/map.js draws around what is selected."""


def linear(colour: str) -> np.ndarray:
    rgb = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def seen(colour: str, vision: str) -> np.ndarray:
    light = np.clip(VISION[vision] @ linear(colour), 0, 1)
    return rgb2lab(np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055))


def contrast(one: str, other: str) -> float:
    light, dark = sorted((linear(each) @ [0.2126, 0.7152, 0.0722] for each in (one, other)), reverse=True)
    return float((light + 0.05) / (dark + 0.05))


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("colours", [CATEGORIES, OWN_COLORS], ids=["categories", "layers"])
def test_any_two_colours_of_data_are_far_apart(vision: str, colours: tuple[str, ...]):
    near = {
        (one, other): float(deltaE_ciede2000(seen(one, vision), seen(other, vision)))
        for one, other in combinations(colours, 2)
    }
    assert {pair: far for pair, far in near.items() if far < LEAST_APART} == {}


@pytest.mark.parametrize("vision", VISION)
def test_what_is_selected_is_seen_in_a_layer_of_any_colour(vision: str):
    apart = [float(deltaE_ciede2000(seen(each, vision), seen(SELECTED, vision))) for each in OWN_COLORS]
    assert min(apart) > 8  # and it has a dark edge, which no layer has


def test_the_first_colours_show_on_the_light_and_on_the_dark_page():
    pages = [CONFIG["theme"][look]["backgroundColor"] for look in ("light", "dark")]
    least = {each: min(contrast(each, page) for page in pages) for each in CATEGORIES[:4]}
    assert {each: how for each, how in least.items() if how < 2.2} == {}
    bases = [skin["land"] for skin in skins().values()]
    faint = {each: min(contrast(each, base) for base in bases) for each in OWN_COLORS}
    assert {each: how for each, how in faint.items() if how < 1.9} == {}
    # WCAG 2.2, 1.4.11: 3 to 1 where the colour alone tells what is there, as in a chart of one series.
    assert least[CATEGORIES[0]] >= 3


def test_the_charts_of_the_page_have_these_colours():
    assert tuple(CONFIG["theme"]["chartCategoricalColors"]) == CATEGORIES
