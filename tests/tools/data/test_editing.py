"""Several changes of columns in one call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pytest
from shapely.geometry import Point

from state.model import Artifact, State
from tests.tools.world import small_world
from tools.base import Step, World
from tools.run import run_call
from tools.toolbox import toolbox


@pytest.fixture(scope="module")
def ready(small_catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[World, State]:
    """Three stations, whose columns are as people write them."""
    world = small_world(small_catalogue, tmp_path_factory.mktemp("artifacts"))
    artifact = Artifact("vector-0a1b2c", "vector", "stations", "3 features", "test()")
    gpd.GeoDataFrame(
        {
            "ID": ["7", "8", "9223372036854775807"],
            "class": [" resid. ", "Resid.", "farm"],
            "pm": ["12,5", "n/a", "1.250,75"],
            "seen": ["31/01/2020", "01/02/2020", None],
            "lanes": [np.nan, 2.0, 3.0],
        },
        geometry=[Point(1, 1), Point(2, 2), Point(3, 3)],
        crs="EPSG:4326",
    ).to_parquet(world.artifacts.path(artifact.id, ".parquet"), index=False)
    return world, State().with_artifact(artifact)


def edited(ready: tuple[World, State], **args: Any) -> tuple[Step, gpd.GeoDataFrame]:
    """The step, and the features that it made."""
    world, state = ready
    step = run_call(toolbox(), state, world, "edit_columns", {"table": "stations", **args})
    assert not step.failed, step.observation
    return step, gpd.read_parquet(world.artifacts.find(step.data["vector"]))


def test_all_changes_are_made_in_one_call_and_each_is_told(ready: tuple[World, State]) -> None:
    step, found = edited(
        ready,
        trim=["class"],
        recode={"class": {"resid.": "Residential", "Resid.": "Residential"}},
        fill={"lanes": 1},
        types={"ID": "integer", "pm": "number", "seen": "date", "lanes": "integer"},
        compute={"double": "lanes * 2"},
        rename={"ID": "id", "class": "use"},
        select=["use", "id", "pm", "seen", "lanes", "double"],
        name="clean stations",
    )
    assert list(found.columns) == ["use", "id", "pm", "seen", "lanes", "double", "geometry"]
    assert found["use"].tolist() == ["Residential", "Residential", "farm"]
    assert found["id"].tolist() == [7, 8, 2**63 - 1]
    assert found["pm"].tolist() == [12.5, pytest.approx(np.nan, nan_ok=True), 1250.75]
    assert [str(each) for each in found["seen"]] == ["2020-01-31", "2020-02-01", "None"]
    assert (found["lanes"].tolist(), found["double"].tolist()) == ([1, 2, 3], [2, 4, 6])
    assert found.geometry.tolist() == [Point(1, 1), Point(2, 2), Point(3, 3)]
    for said in (
        "trimmed class (1 cell changed)",
        "recoded class (2 cells; left as they are: 'farm')",
        "filled 1 empty cell of lanes with 1",
        "pm to number, read with a decimal comma; 1 value could not be converted and became null",
        "computed double = lanes * 2",
        "renamed ID to id and class to use",
    ):
        assert said in step.observation


def test_what_cannot_be_done_is_refused_and_names_the_nearest(ready: tuple[World, State]) -> None:
    world, state = ready
    for args, said in (
        ({"rename": {"clss": "use"}}, "The table has no column 'clss'. Did you mean class?"),
        ({"rename": {"ID": "pm"}}, "Two columns would be called pm; rename or drop the other first."),
        (
            {"recode": {"class": {"nix": "x"}}},
            "No cell of class is any of 'nix'; it has ' resid. ', 'Resid.' and 'farm'.",
        ),
        ({"fill": {"lanes": "none"}}, "lanes holds numbers, and 'none' is none; retype it to text first."),
        (
            {"drop": ["geometry"]},
            "The shapes cannot be dropped here; save_file with geometry=none leaves them out.",
        ),
        ({}, "Nothing is to be done; give trim, recode, fill, types, compute, rename, drop or select."),
    ):
        step = run_call(toolbox(), state, world, "edit_columns", {"table": "stations", **args})
        assert (step.failed, step.observation, step.state) == (True, said, state)
