"""Which workflow is meant, and with which values, by the words of a request."""

from __future__ import annotations

import pytest

from copilot.workflows.instantiate import fit
from copilot.workflows.reading import library
from copilot.workflows.worded import choices, near_tasks, values
from tools.conditions import Thing


@pytest.mark.parametrize(
    ("said", "task"),
    [
        ("what burned in the forest between June and August, and how badly?", "burn_severity"),
        ("which ships does the radar show that nobody reported?", "ships_against_reports"),
        ("draw contour lines of the height model", "contour_map"),
    ],
)
def test_a_task_is_found_by_what_it_is_for(said: str, task: str) -> None:
    assert near_tasks(library(), said)[0][0].id == task


def test_the_way_that_is_said_is_taken_and_needs_what_is_there() -> None:
    bands = ("blue", "green", "red", "nir", "swir16", "swir22")
    image = Thing("raster", modality=("optical",), bands=bands, placed=True)
    found = choices(library(), "open water where NDWI is over a limit", {"raster-1": image})
    assert found[0].fit.workflow.id == "surface_water_extent/ndwi"
    assert found[0].fit.inputs == fit(found[0].fit.workflow, {"raster-1": image}).inputs


def test_a_number_goes_to_the_parameter_that_it_stands_beside() -> None:
    flow = next(
        w for t in library() if t.id == "burn_severity" for w in t.workflows if w.id.endswith("own_limit")
    )
    assert values(flow, "burned from 0.35 on, nothing under 2 ha") == {
        "burned_from": 0.35,
        "min_area_m2": 20_000,
    }


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("patches of at least 2 km2", {"min_area_m2": 2_000_000}),
        ("no area under two hectares", {"min_area_m2": 20_000}),
        ("smallest area 1,500 m²", {"min_area_m2": 1_500}),
        ("what burned from one date to the second", {}),
    ],
)
def test_numbers_and_units_are_read_as_everywhere_else(said: str, found: dict[str, float]) -> None:
    flow = next(
        w for t in library() if t.id == "burn_severity" for w in t.workflows if w.id.endswith("own_limit")
    )
    assert values(flow, said) == found
