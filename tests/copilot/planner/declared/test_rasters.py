"""What the wording tells of rasters, and what is read out of it."""

from __future__ import annotations

from datetime import date

import pytest

from copilot.planner.declared.downloads import download_of
from copilot.planner.declared.idioms.rasters import IDIOMS, condition, rejoined, told
from copilot.planner.declared.things import Thing, meant

TODAY = date(2024, 6, 15)
SCENE = Thing("raster", "raster-1", "scene", tool="add_file")
PICTURE = Thing("raster", "raster-2", "True colour of scene", frozenset({"colour"}), tool="band_composite")
FIELDS = Thing("vector", "vector-3", "fields", frozenset({"field"}), tool="add_file")
AT_HAND = (FIELDS, SCENE, PICTURE)


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("what is the mean inside the park", "zonal_stats"),
        ("average elevation of dem.tif", "raster_stats"),
        ("elevation at lon 4.39 lat 51.995", "raster_sample"),
        ("from lon 4.38 lat 51.99, what do I see?", "viewshed"),
        ("outline the dark water: near infrared below 500", "polygonize"),
        ("nir divided by red as a new raster", "raster_calc"),
        ("bare soil index of the image and its maximum", "spectral_index"),
        ("show ships near Rotterdam", None),
    ],
)
def test_the_wording_tells_what_is_done_with_a_raster(text: str, tool: str | None) -> None:
    assert told(text, AT_HAND) == tool


def test_without_a_raster_nothing_is_told_of_one() -> None:
    assert told("what is the mean inside the park", [FIELDS]) is None


@pytest.mark.parametrize(
    ("tool", "text", "arguments"),
    [
        ("raster_calc", "threshold the NDVI at 0.2", {"expression": "A > 0.2"}),
        ("raster_calc", "subtract the red band from the nir band", {"expression": "nir - red"}),
        ("raster_calc", "multiply it by 0.0001", {"expression": "A * 0.0001"}),
        ("polygonize", "polygonize the mask", {"where": "!= 0"}),
        ("polygonize", "polygons where nir > 4000", {"where": "> 4000", "band": "nir"}),
        ("proximity", "distance to class 5", {"value": 5}),
        ("hillshade", "light from the west, 30 degrees above the horizon", {"altitude_deg": 30.0, "azimuth_deg": 270.0}),
        ("viewshed", "a 25 m mast, up to 2 km", {"max_distance_m": 2000.0, "observer_height_m": 25.0}),
        ("raster_clip", "clip it to 4.371, 52.003, 4.378, 52.006", {"bbox": [4.371, 52.003, 4.378, 52.006]}),
        ("zonal_stats", "what is the mean red in the park?", {"band": "red", "feature": "park"}),
        ("spectral_index", "modified NDWI by Xu", {"index": "MNDWI"}),
    ],
)  # fmt: skip
def test_what_is_said_in_words_becomes_arguments(tool: str, text: str, arguments: dict[str, object]) -> None:
    assert IDIOMS[tool](text, TODAY) == arguments


def test_a_condition_is_read_from_words_and_signs() -> None:
    found = [condition(each) for each in ("at least 3", "lower than -1.5", "x > 0.4", "the whole scene")]
    assert found == [">= 3", "< -1.5", "> 0.4", ""]


def test_a_step_that_only_says_where_belongs_to_its_neighbour() -> None:
    steps = ["from lon 4.38 lat 51.99", "what do I see", "eyes 2 m over the ground", "compute the slope"]
    assert rejoined(steps) == [", ".join(steps[:3]), steps[3]]


def test_the_scene_is_what_was_brought_in_and_not_a_picture_of_it() -> None:
    assert meant("clip the scene", "raster", AT_HAND) == [SCENE]
    assert meant("the vegetation index", "raster", AT_HAND, tool="spectral_index") == [SCENE]
    assert meant("clip it", "raster", AT_HAND) == [PICTURE]


def test_features_in_a_format_that_no_tool_writes_are_downloaded() -> None:
    found = download_of("export the fields as GeoPackage", AT_HAND)
    assert found == (
        "«fields» (vector-3) can be taken away as GeoPackage: open Download at its layer, or in the results, and choose it."
    )
    assert download_of("export the table as csv", AT_HAND) == ""
