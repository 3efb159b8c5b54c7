"""What the wording tells of an image, and what is read out of it."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from copilot.engine import Engine
from copilot.planner.answer import compose
from copilot.planner.answer_first import Done
from copilot.planner.asking import ASKS_FOR
from copilot.planner.conversation import clarified
from copilot.planner.declared.idioms.vision import IDIOMS, SETTLE, of_many, told
from copilot.planner.declared.things import Thing, meant
from copilot.planner.head import Head
from copilot.planner.modality import for_its_modality, image_looked_at, looked_at_first
from copilot.planner.plan import Planner
from copilot.planner.situation import Call, PastTurn, Situation
from copilot.planner.steps import submitted_task_types
from data.catalogue.base import Selection
from state.codec import to_json
from state.model import Artifact, Question, State

TODAY = date(2024, 6, 15)
IMAGE = Thing("raster", "raster-1", "harbour", tool="add_file")
MASK = Thing("raster", "raster-2", "Water in harbour", tool="water_extraction")
CLEARER = Thing("raster", "raster-3", "harbour without haze", tool="image_dehazing")
TASKS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("vision_tasks.toml").read_text(encoding="utf-8")
)
LOOKED_AT = 10
"""How many requests of each task were looked at while the planner was made."""


def planned(request: str, images: list[str], engine: Engine) -> list[str]:
    """The tools of the plan for a request about images that were just uploaded."""
    state = State()
    for number, name in enumerate(images):
        artifact = Artifact(f"raster-00000{number}", "raster", name, "3 bands", f"add_file(file={name}.tif)")
        state = state.with_artifact(artifact)
    situation = Situation(to_json(state), TODAY, engine.catalogue, engine.gazetteer)
    return [call.tool for call in Planner(Head.load()).plan(request, situation).calls]


def share_right(task: str, said: list[str], engine: Engine) -> float:
    """How many requests of a task are planned with its tool; for radar, the optical one is changed at run time."""
    like = {task, "optical_detection"} if task == "sar_detection" else {task}
    images = TASKS[task]["images"]
    return sum(bool(like & set(planned(each, images, engine))) for each in said) / len(said)


def test_the_first_request_of_each_task_is_planned_with_its_tool(engine: Engine) -> None:
    wrong = [task for task, each in TASKS.items() if share_right(task, each["said"][:1], engine) < 1]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("what's in here?", "caption"),
        ("anything that floats?", "optical_detection"),
        ("how bad is it?", "building_damage_detection"),
        ("clean this up", "image_quality"),
        ("how many planes, and what types?", "object_count"),
        ("what types?", "optical_plane_type"),
        ("compute the ndvi of the image", None),
        ("reproject the picture to EPSG:3857", None),
    ],
)
def test_clear_and_vague_wordings_tell_a_tool(text: str, tool: str | None) -> None:
    assert told(text, [IMAGE]) == tool


def test_without_an_image_nothing_is_told_of_one() -> None:
    assert told("find the planes", []) is None


@pytest.mark.parametrize("text", ["show me images with ships", "ships near Rotterdam", "planes in 2019"])
def test_images_that_are_to_be_found_are_the_catalogues(text: str) -> None:
    assert of_many(text)


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("find the boats and the oil tanks", ["ship", "storage-tank"]),
        ("anything that floats?", ["ship"]),
        ("how many cars and trucks", ["large-vehicle", "small-vehicle"]),
        ("all vehicles", ["vehicle"]),
        ("detect everything", None),
    ],
)
def test_classes_are_read_in_the_models_words(text: str, classes: list[str] | None) -> None:
    assert IDIOMS["optical_detection"](text, TODAY).get("classes") == classes


def test_what_is_referred_to_is_read_without_the_verb_and_the_image() -> None:
    said = "find the largest ship in the north of this image"
    assert IDIOMS["visual_grounding"](said, TODAY) == {"phrase": "the largest ship in the north"}


def test_it_is_the_picture_and_not_the_mask_that_is_looked_at_next() -> None:
    assert meant("now find the ships", "raster", [IMAGE, MASK], tool="optical_detection") == [IMAGE]


def test_what_was_made_clearer_is_looked_at_next() -> None:
    assert meant("then find the ships", "raster", [IMAGE, CLEARER], tool="optical_detection") == [CLEARER]


def test_of_a_pair_the_one_that_is_called_so_is_the_one_before() -> None:
    args = {"before": "raster-1", "after": "raster-2"}
    things = [Thing("raster", "raster-1", "town post"), Thing("raster", "raster-2", "town pre")]
    SETTLE["change_detection"](args, things)
    assert args == {"before": "raster-2", "after": "raster-1"}


def test_an_image_of_unknown_kind_is_looked_at_first() -> None:
    call = Call("optical_detection", {"image": "raster-1"})
    assert looked_at_first(call, "find the ships", []) == [Call("classify_image", {"image": "raster-1"})]
    assert looked_at_first(call, "find the ships in this aerial photo", []) == []


@pytest.mark.parametrize(("modality", "tool"), [("SAR", "sar_detection"), ("optical", "optical_detection")])
def test_an_image_that_is_radar_gets_the_tool_for_radar(modality: str, tool: str) -> None:
    look = Done(Call("classify_image", {"image": "raster-1"}), True, "", {"modality": modality})
    call = Call("optical_detection", {"image": "raster-1"})
    assert for_its_modality(call, [look]) == Call(tool, {"image": "raster-1"})


def test_of_the_look_before_a_detector_the_answer_says_only_what_it_found() -> None:
    look = Done(
        Call("classify_image", {"image": "r"}), True, "r is optical, with 0.97. It varies by 0.07.", {}
    )
    found = Done(Call("optical_detection", {"image": "r"}), True, "Found 2 ships.", {})
    state = to_json(State())
    assert compose([look, found], (), None, state, False) == "Found 2 ships ⁽²⁾. r is optical, with 0.97 ⁽¹⁾."
    assert "varies" in compose([look], (), None, state, False)


def files(*names: str) -> State:
    state = State()
    for number, name in enumerate(names):
        made_by = f"add_file(file={name}.tif)"
        state = state.with_artifact(Artifact(f"raster-00000{number}", "raster", name, "3 bands", made_by))
    return state


def plan(request: str, state: State, engine: Engine) -> list[tuple[str, dict[str, Any]]]:
    situation = Situation(to_json(state), TODAY, engine.catalogue, engine.gazetteer)
    return [(call.tool, call.args) for call in Planner(Head.load()).plan(request, situation).calls]


def test_what_is_told_before_the_request_is_no_step_of_it(engine: Engine) -> None:
    said = "hi, I just got this picture, what am I looking at?"
    assert plan(said, files("harbour"), engine) == [("caption", {"image": "raster-000000"})]


def test_how_big_they_are_finds_them_first(engine: Engine) -> None:
    image = "raster-000000"
    assert plan("are there boats in it, and how big are they?", files("harbour"), engine) == [
        ("classify_image", {"image": image}),
        ("optical_detection", {"image": image, "classes": ["ship"]}),
        ("list_detections", {"order": "longest"}),
    ]


def test_each_of_several_images_is_looked_at_where_all_are_meant(engine: Engine) -> None:
    found = plan("which of the two has more boats?", files("harbour", "marina"), engine)
    assert [(tool, args["image"]) for tool, args in found] == [
        ("classify_image", "raster-000001"),
        ("optical_detection", "raster-000001"),
        ("classify_image", "raster-000000"),
        ("optical_detection", "raster-000000"),
    ]


def test_an_image_is_told_from_others_by_its_year(engine: Engine) -> None:
    state = files("site_20190904", "site_20200831")
    assert plan("what is in the picture from 2019?", state, engine) == [
        ("caption", {"image": "raster-000000"})
    ]


def test_an_image_is_told_from_others_by_its_kind_once_they_are_looked_at(engine: Engine) -> None:
    state = files("apron", "airfield")
    found = plan("identify the aircraft in the radar image", state, engine)
    assert [tool for tool, _ in found] == ["classify_image", "classify_image", "sar_plane_type"]
    seen = [
        Done(Call("classify_image", {"image": f"raster-00000{number}"}), True, "", {"modality": kind})
        for number, kind in enumerate(("sar", "optical"))
    ]
    radar = Call("sar_plane_type", {"image": "raster-000001"})
    assert for_its_modality(radar, seen).args == {"image": "raster-000000"}
    optical = Call("optical_plane_type", {"image": "raster-000000"})
    assert for_its_modality(optical, seen) == Call("optical_plane_type", {"image": "raster-000001"})
    alone = [seen[0]]
    assert for_its_modality(optical, alone) == Call("sar_plane_type", {"image": "raster-000000"})


def test_a_text_is_no_image_and_is_said_to_be_none(engine: Engine) -> None:
    log = Artifact("document-000001", "document", "log", "4 lines", "add_file(file=log.txt)")
    assert plan("find the ships in it", State().with_artifact(log), engine) == [
        (
            "reject_task",
            {
                "reason": "log is a text and no image, so it has no pixels to look at; attach the image as a file "
                "of its own."
            },
        )
    ]


def test_beside_an_image_nothing_turns_to_the_whole_catalogue_unasked(engine: Engine) -> None:
    for request in ("is that a lot?", "and how many are fine?"):
        ((tool, args),) = plan(request, files("harbour"), engine)
        assert tool == "reject_task" and "harbour" in args["reason"], request
    assert plan("how many images are there?", files("harbour"), engine)[0][0] == "db_load"


def test_a_pair_is_of_what_was_brought_in_and_not_of_what_was_made_sharper(engine: Engine) -> None:
    sharper = Artifact(
        "raster-000009", "raster", "b, twice as fine", "", "super_resolution(image=raster-000001)"
    )
    outlines = Artifact("vector-000009", "vector", "Damage in b", "", "building_damage_detection()")
    state = files("a", "b").with_artifact(sharper).with_artifact(outlines)
    assert plan("which buildings are destroyed?", state, engine) == [
        ("building_damage_detection", {"before": "raster-000000", "after": "raster-000001"})
    ]


def test_the_other_dates_of_a_cloudy_image_are_not_itself(engine: Engine) -> None:
    args = {"image": "raster-1", "others": ["raster-1", "raster-2"]}
    SETTLE["cloud_removal"](args, [])
    assert args == {"image": "raster-1", "others": ["raster-2"]}


@pytest.mark.parametrize(
    "text",
    [
        "the land is in coast.geojson; find the ships, ignore land",
        "find ships in the radar scene and use coast as the land mask",
        "find the ships, coast.geojson is the land, ignore it",
    ],
)
def test_a_layer_that_is_called_the_land_is_left_out_of_the_radar_search(text: str, engine: Engine) -> None:
    coast = Artifact(
        "vector-00000c", "vector", "coast", "2 features (2 polygons)", "add_file(file=coast.geojson)"
    )
    assert plan(text, files("bay").with_artifact(coast), engine) == [
        ("sar_detection", {"image": "raster-000000", "land": "vector-00000c"})
    ]


def test_what_is_missing_is_asked_for_in_words_that_name_no_tool(engine: Engine) -> None:
    ((tool, args),) = plan("crop the picture", files("harbour"), engine)
    assert tool == "ask_user"
    assert args["question"] == (
        "To crop a picture, I need to know more. Please tell me what to keep: a size, such as 100 by 80 pixels "
        "out of the middle, or a part, such as the left half or the top right corner. One piece is cut at a time, so "
        "a square is a size such as 256 by 256 pixels, and tiles are cut one after the other."
    )


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("crop the picture 100 by 80 pixels", {"width": 100, "height": 80, "part": "middle"}),
        ("crop it to 100 x 80", {"width": 100, "height": 80, "part": "middle"}),
        ("crop the picture the left half", {"part": "left"}),
        ("cut out the upper right corner", {"part": "top-right"}),
        ("crop the middle out of it", {"part": "middle"}),
    ],
)
def test_a_picture_is_cropped_to_a_size_or_a_part(text: str, args: dict[str, object], engine: Engine) -> None:
    assert plan(text, files("harbour"), engine) == [("image_crop", {"raster": "raster-000000", **args})]


def test_a_piece_of_a_mask_is_no_picture_to_look_at(engine: Engine) -> None:
    mask = Artifact("raster-00000b", "raster", "Water", "a mask", "water_extraction(image=raster-000000)")
    piece = Artifact("raster-00000c", "raster", "Water cropped", "a mask", "image_crop(raster=raster-00000b)")
    state = files("harbour").with_artifact(mask).with_artifact(piece)
    assert plan("map the roads", state, engine) == [("road_extraction", {"image": "raster-000000"})]


@pytest.mark.parametrize(
    "text", ["crop it to 5 by 4 km", "crop it to the field polygons", "clip it to the park"]
)
def test_what_is_cut_to_ground_or_shapes_is_no_crop_of_pixels(text: str, engine: Engine) -> None:
    assert "image_crop" not in [tool for tool, _ in plan(text, files("harbour"), engine)]


def test_what_was_asked_for_completes_the_request(engine: Engine) -> None:
    question = Call(
        "ask_user", {"question": f"To cut a window, {ASKS_FOR}: the width (pixels).", "choices": []}
    )
    state = to_json(files("harbour").with_ui(question=Question("How wide?", ())))
    past = (PastTurn("crop the picture", (question,), "How wide?"),)
    situation = Situation(state, TODAY, engine.catalogue, engine.gazetteer, past)
    assert clarified("100 by 80 pixels", situation).request == "crop the picture 100 by 80 pixels"
    assert clarified("what is in it?", situation).request == "what is in it?"


def test_the_task_inference_is_told_the_kind_of_the_image_that_is_looked_at(engine: Engine) -> None:
    state, catalogue = to_json(files("harbour")), engine.catalogue
    look = PastTurn("?", (Call("classify_image", {"image": "raster-000000"}),), "", ({"modality": "sar"},))
    assert image_looked_at(state, catalogue, ()) is None
    assert image_looked_at(state, catalogue, (look,)) == {"modality": "sar"}
    told = submitted_task_types("where are the boats", {"modality": "sar"})
    assert told["tasks"][0] == "sar_detection"
    assert (
        submitted_task_types("where are the boats", {"modality": "optical"})["tasks"][0]
        == "optical_detection"
    )
    many = "show me images with boats near Rotterdam"
    assert submitted_task_types(many, {"modality": "sar"}) == submitted_task_types(many)


def test_the_selected_image_of_the_catalogue_brings_its_kind(engine: Engine) -> None:
    row = next(iter(engine.catalogue.scan(Selection(("xview3", "fmow")))), None)
    assert row is not None
    known = row[row["modality"].notna()].iloc[0]
    state = to_json(State().with_ui(selected_image=str(known["image_id"])))
    assert image_looked_at(state, engine.catalogue, ()) == {"modality": known["modality"]}
