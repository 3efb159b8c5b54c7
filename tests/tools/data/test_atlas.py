"""Maps as figures."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import shapely

from state.model import State
from tests.tools.data.made import TABLE, columns, having
from tests.tools.data.test_figures import drawn
from tests.tools.world import after, run
from tools.base import World
from tools.data.atlas import map_figure
from tools.database.dates import filter_date


def rings(trace: dict[str, Any]) -> list[Any]:
    """A trace's outlines as polygons."""
    found: list[list[tuple[float, float]]] = [[]]
    for x, y in zip(trace["x"], trace["y"], strict=True):
        if x is None:
            found.append([])
        else:
            found[-1].append((x, y))
    return [shapely.Polygon(ring) for ring in found if ring]


def test_points_lie_over_the_land_that_they_are_on(world: World) -> None:
    frame = columns(name=["Lyon", "sea"], lon=[4.84, 5.5], lat=[45.76, 42.5], v=[3.0, None])
    step = run(world, having(world, frame), map_figure, field="v", table=TABLE)
    figure = drawn(world, step.data["figure"])
    land, without, places = figure["data"]
    lyon, sea = (shapely.Point(each["x"][0], each["y"][0]) for each in (places, without))
    assert any(ring.contains(lyon) for ring in rings(land))
    assert not any(ring.contains(sea) for ring in rings(land))
    assert (places["marker"]["color"], places["text"], without["text"]) == ([3.0], ["Lyon"], ["sea"])
    assert figure["layout"]["yaxis"]["scaleratio"] == pytest.approx(1 / np.cos(np.radians(44.13)), abs=1e-3)


def test_nothing_of_a_map_comes_from_the_network(world: World, full: State) -> None:
    for kind in ("points", "countries"):
        figure = drawn(world, run(world, full, map_figure, kind=kind).data["figure"])
        assert {trace["type"] for trace in figure["data"]} <= {"scatter", "scattergl"}
        assert not {"geo", "map", "mapbox"} & figure["layout"].keys()
        assert "http" not in json.dumps(figure["layout"].get("images", []))


def test_points_around_fiji_are_shown_together(world: World) -> None:
    frame = columns(lon=[179.0, -179.0], lat=[-17.0, -18.0])
    step = run(world, having(world, frame), map_figure, table=TABLE)
    assert step.data["bbox"] == [178.8, -18.2, -178.8, -16.8]
    figure = drawn(world, step.data["figure"])
    assert figure["layout"]["xaxis"]["range"] == [178.8, 181.2]
    assert figure["data"][-1]["x"] == [179.0, 181.0]
    assert all(178.7 < x < 181.3 for x in figure["data"][0]["x"] if x is not None)


def test_countries_are_shaded_by_the_counts_that_grouping_gives(world: World, full: State) -> None:
    step = run(world, full, map_figure, kind="countries")
    assert step.data["groups"][:2] == [{"key": "US", "value": 8.0}, {"key": "PT", "value": 5.0}]
    assert step.observation.startswith("Map of images by country, 6 countries: United States 8, Portugal 5")
    figure = drawn(world, step.data["figure"])
    shaded = [ring for trace in figure["data"][1:-1] for ring in rings(trace)]
    assert any(ring.contains(shapely.Point(4.84, 45.76)) for ring in shaded)  # France has images
    assert not any(ring.contains(shapely.Point(13.4, 52.5)) for ring in shaded)  # Germany has none


def test_countries_of_a_table_are_shaded_by_a_mean(world: World) -> None:
    frame = columns(country=["FR", "FR", "BR", "??"], v=[1.0, 3.0, 7.0, 100.0])
    step = run(world, having(world, frame), map_figure, kind="countries", field="v", table=TABLE)
    assert step.data["groups"] == [{"key": "BR", "value": 7.0}, {"key": "FR", "value": 2.0}]


@pytest.mark.parametrize(
    ("frame", "args", "said"),
    [
        (columns(country=["Atlantis"], v=[1.0]), {"kind": "countries"}, "no outline for any of Atlantis"),
        (columns(v=[1.0]), {"kind": "countries"}, "no column 'country'"),
        (columns(v=[1.0]), {}, "The table has no places"),
        (columns(lon=[500.0], lat=[0.0]), {}, "There is nothing to draw"),
    ],
)
def test_a_map_that_cannot_be_is_told_why(world: World, frame: Any, args: dict[str, str], said: str) -> None:
    step = run(world, having(world, frame), map_figure, table=TABLE, **args)
    assert step.failed and said in step.observation, step.observation


def test_an_empty_selection_has_no_map(world: World, full: State) -> None:
    state = after(world, full, (filter_date, {"start": "1990-01-01", "end": "1990-12-31"}))
    assert "There is nothing to draw" in run(world, state, map_figure).observation
