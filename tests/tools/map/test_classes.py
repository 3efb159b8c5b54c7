"""Features in the colour of their class: on the map, in its legend, and in what is exported."""

from __future__ import annotations

import itertools
from pathlib import Path

import geopandas as gpd
import numpy as np
import pytest
from PIL import Image
from shapely.geometry import box

from copilot.view.layers import Viewport, layer_content
from copilot.view.mapview import layer_view
from state.model import State
from tests.tools.world import run
from tools.artifacts import Call
from tools.base import World
from tools.map.classes import KINDS, LADDER, Classes, classes_of, kinds, ladder
from tools.map.export import export_map
from tools.map.layers import style_layer
from tools.vectors import vector_step

LEVELS = ("no-damage", "minor-damage", "major-damage", "destroyed")
SEEN_AS = {
    "protanopia": (0.15229, 1.05258, -0.20487, 0.1145, 0.78628, 0.09922, -0.00388, -0.04812, 1.052),
    "deuteranopia": (0.36732, 0.86065, -0.22797, 0.28009, 0.6725, 0.04741, -0.01182, 0.04294, 0.96888),
    "tritanopia": (1.25553, -0.07675, -0.17878, -0.07841, 0.93081, 0.1476, 0.00473, 0.69137, 0.3039),
    "trichromacy": (1, 0, 0, 0, 1, 0, 0, 0, 1),
}
"""How linear colours are seen: Machado, Oliveira and Fernandes (2009), severity 1."""


@pytest.fixture
def damaged(world: World) -> State:
    """Four houses of four levels on the map, and one of none."""
    frame = gpd.GeoDataFrame(
        {"level": [*LEVELS, "unknown"]},
        geometry=[box(at, 50, at + 0.8, 50.8) for at in range(5)],
        crs="EPSG:4326",
    )
    options = ladder("level", LEVELS).option
    step = vector_step(
        State(),
        world,
        Call("damage", {}),
        [],
        frame,
        name="Damage",
        said="",
        color="#dd6b20",
        options=options,
    )
    return step.state.with_map(center=(2.5, 50.4), zoom=6)


def test_a_layer_keeps_its_classes_in_its_options(damaged: State) -> None:
    (layer,) = damaged.map.layers
    assert classes_of(layer) == Classes("level", dict(zip(LEVELS, LADDER, strict=True)))
    assert layer_view(layer)["style"] == {
        "field": "level",
        "classes": [[level, colour, None] for level, colour in zip(LEVELS, LADDER, strict=True)],
    }


def test_each_feature_is_drawn_in_the_colour_of_its_class(world: World, damaged: State) -> None:
    content = layer_content(damaged.map.layers[0], damaged, world, Viewport((-10, 40, 20, 60), 6))
    drawn = [each["properties"].get("color") for each in content["features"]["features"]]
    assert drawn == [*LADDER, None]


def test_one_colour_that_is_asked_for_is_that_of_all(world: World, damaged: State) -> None:
    step = run(world, damaged, style_layer, layer="damage", color="red")
    (layer,) = step.state.map.layers
    assert (classes_of(layer), layer.color) == (None, "#ff0000")
    assert run(world, damaged, style_layer, layer="damage", opacity=0.5).state.map.layers[0].options == (
        damaged.map.layers[0].options
    )


def test_the_exported_picture_has_the_colours_and_what_they_mean(world: World, damaged: State) -> None:
    step = run(world, damaged, export_map, format="png")
    picture = np.asarray(Image.open(step.data["path"]).convert("RGB")).reshape(-1, 3)
    there = {"#" + bytes(each).hex() for each in np.unique(picture, axis=0)}
    assert set(LADDER) <= there


def test_the_exported_page_says_which_colour_is_which_level(world: World, damaged: State) -> None:
    text = Path(run(world, damaged, export_map, format="html").data["path"]).read_text(encoding="utf-8")
    for name, colour in zip(LEVELS, LADDER, strict=True):
        assert f'style="background: {colour}"></span>{name}' in text
        assert f'"fillColor": "{colour}"' in text


@pytest.mark.parametrize("sight", SEEN_AS)
def test_the_levels_are_told_apart_with_any_colour_vision(sight: str) -> None:
    seen = [lab(np.reshape(SEEN_AS[sight], (3, 3)) @ linear(each)) for each in LADDER]
    assert min(np.linalg.norm(one - other) for one, other in itertools.combinations(seen, 2)) > 20


def test_more_or_fewer_classes_than_four_have_colours_too() -> None:
    assert list(ladder("level", ("burned",)).colours.values()) == [LADDER[0]]
    assert list(ladder("level", ("a", "b")).colours.values()) == [LADDER[0], LADDER[3]]
    names = tuple(f"class {number}" for number in range(12))
    assert list(kinds("class_name", names).colours.values()) == [*KINDS, *KINDS[:2]]


def linear(colour: str) -> np.ndarray:
    """A colour of sRGB without its gamma."""
    values = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIELAB (D65), in which the distance of two colours is about how different they look."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ np.clip(rgb, 0, 1) / np.array([0.9505, 1, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])
