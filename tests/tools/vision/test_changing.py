"""Change, damage and burns as tools: what they say agrees with what they give."""

from __future__ import annotations

import geopandas as gpd
import pytest
import rasterio

from tests.data.vision.test_ship_claims import sea, speckled, town
from tests.tools.prepared import FIELDS, LATER, SAR, SAR_LATER, SCENE, prepared
from tests.tools.world import run
from tools.map.classes import classes_of
from tools.vision.changing import building_damage_detection, burned_area, change_detection
from tools.vision.radar import flood_mapping, sar_detection


@pytest.fixture
def state(world):
    return prepared(world)


def test_the_burned_part_of_the_scene_has_its_area_and_severity(world, state):
    step = run(world, state, burned_area, after=LATER.id, before=SCENE.id)
    assert not step.failed, step.observation
    assert step.data["by_class"]["high"]["pixels"] == 450
    assert step.data["area_m2"] == pytest.approx(45_000, rel=2e-3)
    assert "0.04503 km² burned between Scene and Scene later, by dNBR" in step.observation


def test_the_change_says_what_was_done_to_the_pair(world, state):
    step = run(world, state, change_detection, before=SCENE.id, after=LATER.id)
    assert not step.failed, step.observation
    assert step.data["method"] == "irmad" and step.data["count"] >= 1
    assert "The images lie within" in step.observation
    frame = gpd.read_parquet(world.artifacts.path(step.data["vector"], ".parquet"))
    assert frame["area_px"].iloc[0] == pytest.approx(450, abs=30)
    assert (frame["magnitude"] > 0).all()


def test_each_building_gets_a_level_and_the_levels_are_counted(world, state):
    pair = {"before": SCENE.id, "after": LATER.id, "buildings": FIELDS.id}
    refused = run(world, state, building_damage_detection, **pair)
    assert refused.failed and refused.observation.startswith(
        "The pixels of Scene are 10 m, coarser than damage-ordinal is for (0.1 to 1 m); "
    )
    step = run(world, state, building_damage_detection, **pair, anyway=True)
    assert not step.failed, step.observation
    frame = gpd.read_parquet(world.artifacts.path(step.data["vector"], ".parquet"))
    assert sum(step.data["by_level"].values()) == len(frame) == 4
    assert frame["score"].between(0, 1).all()
    damaged = frame[frame["level_number"] > 0].sort_values(["score", "building_id"], ascending=[False, True])
    assert [each["building_id"] for each in step.data["worst"]] == damaged["building_id"].head(3).tolist()
    for each in step.data["worst"]:
        shape = frame.set_index("building_id").geometry[each["building_id"]]
        assert (each["lon"], each["lat"]) == pytest.approx((shape.centroid.x, shape.centroid.y), abs=1e-6)
    assert ("The worst" in step.observation) == bool(step.data["worst"])
    shown = classes_of(step.state.map.layers[-1])
    assert shown is not None and shown.field == "level"
    assert list(shown.colours) == ["no-damage", "minor-damage", "major-damage", "destroyed"]
    assert set(frame["level"]) <= set(shown.colours) and len(set(shown.colours.values())) == 4


def test_the_severities_of_a_burn_have_a_colour_each(world, state):
    step = run(world, state, burned_area, before=SCENE.id, after=LATER.id)
    shown = classes_of(step.state.map.layers[-1])
    assert shown is not None and shown.field == "class_name"
    assert list(shown.colours) == list(step.data["by_class"]) and len(set(shown.colours.values())) == 4


def test_the_flood_of_the_radar_pair_is_told_from_the_sea(world, state):
    step = run(world, state, flood_mapping, after=SAR_LATER.id, before=SAR.id)
    assert not step.failed, step.observation
    assert step.data["by_class"]["flood"]["pixels"] == pytest.approx(480, abs=40)
    assert step.data["by_class"]["permanent water"]["pixels"] > 6_500


def test_the_three_ships_of_the_radar_image_are_detections_with_lengths(world, state):
    step = run(world, state, sar_detection, image=SAR.id)
    assert not step.failed, step.observation
    assert (step.data["count"], step.data["by_class"]) == (3, {"ship": 3})
    frame = gpd.read_parquet(world.artifacts.path(step.data["detections"], ".parquet"))
    assert frame["length_m"].between(40, 90).all() and (frame["contrast_db"] > 10).all()


def test_another_radar_model_is_refused_by_name(world, state):
    step = run(world, state, sar_detection, image=SAR.id, model="resnet")
    assert (
        step.failed
        and step.observation == "There is no radar model 'resnet'; ships-cfar is the one there is."
    )


def test_ships_are_not_told_from_houses_where_there_is_no_water_unless_asked_for(world, state):
    place = world.artifacts.path(SAR.id, ".tif")
    with rasterio.open(place) as reader:
        profile = {**reader.profile, "width": 200, "height": 200}
    with rasterio.open(place, "w", **profile) as target:
        target.write(speckled(town(0), 0), 1)
    step = run(world, state, sar_detection, image=SAR.id)
    assert step.failed and step.observation == (
        "Nothing in SAR is even enough to be water, so ships cannot be told from houses in it; an image with "
        "open water, polygons of land (land=…) or anyway=true would be looked at."
    )
    step = run(world, state, sar_detection, image=SAR.id, anyway=True)
    assert not step.failed and step.data["said_first"] == ["Nothing in SAR is even enough to be water."]
    assert step.observation.startswith("Nothing in SAR is even enough to be water. ")


def test_what_is_left_out_though_shaped_as_a_ship_is_said(world, state):
    place = world.artifacts.path(SAR.id, ".tif")
    with rasterio.open(place) as reader:
        profile = {**reader.profile, "width": 200, "height": 200}
    with rasterio.open(place, "w", **profile) as target:
        target.write(speckled(sea(slice(90, 92), slice(60, 72), 10.5), 1), 1)
    step = run(world, state, sar_detection, image=SAR.id)
    assert not step.failed and step.data["count"] == 0
    assert "Left out, though shaped as ships: 1 too faint." in step.observation
