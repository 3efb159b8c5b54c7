"""How a raster layer looks: bands, sums, stretches and colours; said again, it is the same layer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine

from state.model import Artifact, State
from tests.tools.prepared import RASTER, VECTOR, write_raster, write_vector
from tests.tools.world import after, run, small_world, write_small_catalogue
from tools.base import World
from tools.map import adding, layers, measure
from tools.map.styles import OWN_COLORS

SCENE = Artifact("raster-5cee5c", "raster", "Scene", "4 bands", "test()")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Sixteen heights, and a scene of four bands (10, 20, 30, 40 and, in one corner, nodata)."""
    root = tmp_path_factory.mktemp("looks")
    found = small_world(write_small_catalogue(root), root / "artifacts")
    write_raster(found.artifacts.path(RASTER.id, ".tif"))
    write_vector(found.artifacts.path(VECTOR.id, ".geojson"))
    bands = np.repeat(np.array([10, 20, 30, 40], dtype="uint8"), 16).reshape(4, 4, 4)
    bands[:, 0, 0] = 0
    profile = {"driver": "GTiff", "width": 4, "height": 4, "count": 4, "dtype": "uint8", "nodata": 0}
    place = {"crs": "EPSG:4326", "transform": Affine(0.25, 0, 4, 0, -0.25, 52)}
    with rasterio.open(found.artifacts.path(SCENE.id, ".tif"), "w", **profile, **place) as target:
        target.write(bands)
        target.descriptions = ("blue", "green", "red", "nir")
    return found


@pytest.fixture
def state() -> State:
    return State().with_artifact(VECTOR).with_artifact(RASTER).with_artifact(SCENE)


def looks(state: State, layer: str = "scene") -> dict[str, Any]:
    found = state.layer(layer)
    assert found is not None
    return {key: value for key, value in found.options if key in adding.LOOK_OPTIONS}


def show(**args: Any) -> tuple[Any, dict[str, Any]]:
    return adding.add_raster_layer, {"artifact": SCENE.id, **args}


def test_what_is_said_again_changes_the_layer_in_its_place(world: World, state: State) -> None:
    once = after(world, state, show(bands=[3, 2, 1]), (adding.add_raster_layer, {"artifact": RASTER.id}))
    step = run(world, once, *[adding.add_raster_layer], artifact=SCENE.id, stretch=[0, 50])
    assert step.observation == "The layer 'scene' shows the raster raster-5cee5c anew: bands 3, 2, 1."
    assert [each.id for each in step.state.map.layers] == ["scene", "heights"]
    assert looks(step.state) == {"bands": "3,2,1", "stretch": "0.0,50.0"}
    assert step.data["limits"] == [[0.0, 50.0]] * 3


def test_a_name_that_no_layer_of_it_has_shows_it_a_second_time(world: World, state: State) -> None:
    both = after(
        world, state, show(name="Colours"), show(bands=4, name="Near infrared"), show(name="colours", bands=1)
    )
    assert [(each.name, looks(both, each.id).get("bands")) for each in both.map.layers] == [
        ("Colours", "1"),
        ("Near infrared", "4"),
    ]


@pytest.mark.parametrize(
    ("calls", "look"),
    [
        ([{"bands": [3, 2, 1]}, {"colormap": "green"}], "bands=3 colormap=greens stretch=percentile"),
        ([{"bands": 4, "colormap": "magma"}, {"bands": [4, 3, 2]}], "bands=4,3,2 stretch=percentile"),
        (
            [{"expression": "(nir-red)/(nir+red)"}, {"colormap": "RdYlGn"}],
            "colormap=rdylgn expression=(nir-red)/(nir+red) stretch=percentile",
        ),
        ([{"expression": "b4/b1", "stretch": "minmax"}, {"bands": 2}], "bands=2 stretch=percentile"),
        ([{"bands": 1, "colormap": "#Ff8800"}, {"stretch": "none"}], "bands=1 colormap=#ff8800 stretch=none"),
        ([{"colormap": "pink", "bands": 2}], "bands=2 colormap=pink stretch=percentile"),
        (
            [{"colormap": "Red_Yellow_Green", "bands": 2, "stretch": "0,10"}],
            "bands=2 colormap=red_yellow_green stretch=0.0,10.0",
        ),
    ],
)
def test_a_look_keeps_what_is_not_said_anew(
    world: World, state: State, calls: list[dict[str, Any]], look: str
) -> None:
    found = looks(after(world, state, *(show(**each) for each in calls)))
    assert " ".join(f"{key}={value}" for key, value in sorted(found.items())) == look


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ({"bands": [1, 2]}, "Two bands make no picture; give one band, or three for red, green and blue."),
        ({"bands": 5}, "There is no band 5: the raster has 4 bands."),
        ({"bands": 1, "expression": "b1"}, "A layer shows bands or an expression over them; give one"),
        ({"stretch": [5, 5]}, "A stretch goes from a lower to a higher value, not from 5 to 5."),
        ({"colormap": "grene"}, "There is no colormap 'grene'; did you mean green or greens."),
        ({"expression": "b1 + b9"}, "Nothing here is called 'b9'; there are B1, B2, B3, B4, b1, b2,"),
        ({"expression": "open('/etc/passwd')"}, "There is no function 'open'; there are abs,"),
    ],
)  # fmt: skip
def test_a_look_that_cannot_be_had_is_told_and_changes_nothing(
    world: World, state: State, args: dict[str, Any], sentence: str
) -> None:
    step = run(world, state, adding.add_raster_layer, artifact=SCENE.id, **args)
    assert step.failed and step.state == state
    assert step.observation.startswith(sentence) and step.observation.endswith(".")


def test_a_colour_for_a_raster_layer_is_shades_of_it(world: World, state: State) -> None:
    shown = after(
        world, state, show(bands=[3, 2, 1]), (layers.style_layer, {"layer": "scene", "color": "green"})
    )
    assert looks(shown) == {"bands": "3", "stretch": "percentile", "colormap": "greens"}
    mixed = after(world, shown, (layers.style_layer, {"layer": "scene", "color": "#ff8800", "opacity": 0.5}))
    assert looks(mixed)["colormap"] == "#ff8800"
    faded = after(world, shown, (layers.style_layer, {"layer": "scene", "opacity": 0.5}))
    assert looks(faded) == looks(shown)


def test_a_vector_said_again_takes_the_new_colour(world: World, state: State) -> None:
    twice = after(
        world,
        state,
        (adding.add_vector_layer, {"artifact": VECTOR.id}),
        (adding.add_vector_layer, {"artifact": VECTOR.id, "color": "red"}),
    )
    assert [(each.name, each.color) for each in twice.map.layers] == [("Harbours", "#ff0000")]


def test_each_layer_of_features_has_a_colour_of_its_own_and_keeps_it(world: World, state: State) -> None:
    add = adding.add_vector_layer
    named = [(add, {"artifact": VECTOR.id, "name": f"Layer {at}"}) for at in range(len(OWN_COLORS) + 1)]
    full = after(world, state, *named)
    assert [each.color for each in full.map.layers] == [*OWN_COLORS, OWN_COLORS[0]]
    again = after(world, full, (add, {"artifact": VECTOR.id, "name": "Layer 3"}))
    assert again.map.layers == full.map.layers
    # What an undo or a removal frees is the next one's.
    without = after(world, full, (layers.remove_layer, {"layer": "Layer 3"}))
    fresh = after(world, without, (add, {"artifact": VECTOR.id, "name": "New"}))
    assert fresh.map.layers[-1].color == OWN_COLORS[3]


def test_a_point_is_told_with_the_values_of_every_band(world: World, state: State) -> None:
    shown = after(world, state, show(expression="nir-red"))
    step = run(world, shown, measure.identify_at, lon=4.6, lat=51.6)
    values = [("blue", 10), ("green", 20), ("red", 30), ("nir", 40), ("nir-red", 10.0)]
    assert step.data["layers"] == [
        {
            "layer": "scene",
            "kind": "raster",
            "values": [{"name": name, "value": value} for name, value in values],
        }
    ]
    assert "In 'scene' the pixel is blue 10, green 20, red 30, nir 40, nir-red 10." in step.observation
    corner = run(world, shown, measure.identify_at, lon=4.1, lat=51.9)
    assert "the pixel is blue no data, green no data, red no data" in corner.observation
    assert {each["value"] for each in corner.data["layers"][0]["values"]} == {None}
    beside = run(world, shown, measure.identify_at, lon=9, lat=51.9)
    assert beside.data["layers"] == []


def test_the_library_need_not_be_imported_to_know_its_colormaps() -> None:
    import subprocess
    import sys

    code = "import sys; from data.raster import colours; colours.lookup('greens'); print(*sys.modules)"
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path.cwd()
    )
    assert "rio_tiler" not in said.stdout.split() and "numpy" in said.stdout.split()


def test_an_artifact_is_meant_by_its_name_as_by_its_id(world: World, state: State) -> None:
    by_id = run(world, state, adding.add_raster_layer, artifact=SCENE.id, bands=[1])
    by_name = run(world, state, adding.add_raster_layer, artifact=" scene", bands=[1])
    assert (by_name.state, by_name.data) == (by_id.state, by_id.data)
    outlines = run(world, state, adding.add_vector_layer, artifact=VECTOR.id)
    assert run(world, state, adding.add_vector_layer, artifact=VECTOR.name.upper()).state == outlines.state
    other = run(world, state, adding.add_raster_layer, artifact=VECTOR.name)
    assert other.failed and other.observation.startswith(f"No raster has the id '{VECTOR.name}'.")
