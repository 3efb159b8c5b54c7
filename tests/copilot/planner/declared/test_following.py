"""What is said after an image was looked at: another image, settings, some of it, verdicts, trust, export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import pytest

from copilot.engine import Engine
from copilot.planner.asking import Reject
from copilot.planner.declared import followed
from copilot.planner.declared.looks import images_at_hand, last_look
from copilot.planner.declared.narrowing import narrowing
from copilot.planner.head import Head
from copilot.planner.plan import Planner
from copilot.planner.situation import Call, PastTurn, Situation
from state.codec import to_json
from state.model import Artifact, Layer, State

TODAY = date(2024, 6, 15)
HARBOUR, AIRFIELD, OLDER = "raster-000001", "raster-000002", "raster-000003"
FOUND = "detections-000009"
SHIPS = PastTurn(
    "find the ships",
    (
        Call("classify_image", {"image": HARBOUR}),
        Call("optical_detection", {"image": HARBOUR, "classes": ["ship"]}),
    ),
    "Found 8 ships.",
    (
        {"modality": "optical"},
        {"by_class": {"ship": 8}, "model": "oriented-objects", "min_score": 0.45, "detections": FOUND},
    ),
)
RADAR = PastTurn(
    "find the ships",
    (Call("sar_detection", {"image": HARBOUR}),),
    "Found 3 ships.",
    ({"by_class": {"ship": 3}, "model": "ships-cfar", "detections": FOUND},),
)
PAIR = PastTurn(
    "how bad is it?",
    (Call("building_damage_detection", {"before": HARBOUR, "after": AIRFIELD}),),
    "13 buildings.",
    ({"model": "damage-ordinal"},),
)
WATER = PastTurn(
    "map the water", (Call("water_extraction", {"image": HARBOUR}),), "4 km2.", ({"model": "land-cover-rgb"},)
)


def brought(ref: str, name: str, made_by: str = "add_file(file=x.tif)", kind: Any = "raster") -> Artifact:
    return Artifact(ref, kind, name, "3 bands, 200 x 100 pixels", made_by)


def situation(
    engine: Engine, *past: PastTurn, images: Sequence[Artifact] | None = None, placed: bool = True
) -> Situation:
    state = State()
    given = (brought(AIRFIELD, "airfield"), brought(HARBOUR, "harbour")) if images is None else images
    for each in given:
        state = state.with_artifact(each)
    state = state.with_artifact(brought("vector-00000a", "coast", kind="vector"))
    state = state.with_artifact(brought(FOUND, "Ship in harbour", "optical_detection()", "detections"))
    if placed:
        state = state.with_layer(Layer(id="ships", name="Ships", kind="vector", artifact=FOUND))
    return Situation(to_json(state), TODAY, engine.catalogue, engine.gazetteer, past)


def calls(
    text: str, *past: PastTurn, engine: Engine, **more: Any
) -> list[tuple[str, Mapping[str, Any]]] | None:
    found = followed(text, situation(engine, *past, **more))
    return None if found is None else [(each.tool, each.args) for each in found.calls]


@pytest.mark.parametrize(
    "text",
    [
        "and the other image?",
        "and the airfield one?",
        "same for airfield",
        "what about the first picture?",
        "do the same with the other photo",
    ],
)
def test_another_image_is_looked_at_in_the_same_way(text: str, engine: Engine) -> None:
    assert calls(text, SHIPS, engine=engine) == [
        ("classify_image", {"image": AIRFIELD}),
        ("optical_detection", {"image": AIRFIELD, "classes": ["ship"]}),
    ]


def test_after_radar_the_other_image_is_told_apart_first(engine: Engine) -> None:
    assert calls("and the other one?", RADAR, engine=engine) == [
        ("classify_image", {"image": AIRFIELD}),
        ("optical_detection", {"image": AIRFIELD, "classes": ["ship"]}),
    ]


def test_another_image_that_is_not_here_is_said_to_be_missing(engine: Engine) -> None:
    alone = [brought(HARBOUR, "harbour")]
    with pytest.raises(
        Reject, match=r"^The only image here is harbour, and I can't tell which other one you mean"
    ):
        calls("and the other image?", SHIPS, engine=engine, images=alone)


def test_a_bare_name_or_a_new_request_is_no_going_on(engine: Engine) -> None:
    for text in ("airfield", "find the planes", "show ships near Rotterdam from 2020", "undo that", "thanks"):
        assert calls(text, SHIPS, engine=engine) is None, text


def test_without_a_look_or_after_the_catalogue_or_an_undo_nothing_goes_on(engine: Engine) -> None:
    away = PastTurn("load fmow", (Call("db_load", {"names": ["fmow"]}),), "", ({},))
    undone = PastTurn("undo", (Call("undo", {}),), "", ({},))
    for past in ((), (SHIPS, away), (SHIPS, undone)):
        assert calls("and the other image?", *past, engine=engine) is None
    before = last_look((WATER, SHIPS, undone))
    assert before is not None and before.last.tool == "water_extraction"


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("only the ones longer than 30 m", {"min_length_m": 30.0}),
        ("no, just the left half", {"part": "left"}),
        ("how many above 0.6?", {"min_score": 0.6}),
        ("show me those under 50 %", {"below_score": 0.5}),
        ("which of them is the longest?", {"order": "longest"}),
        ("how long is the longest one?", {"order": "longest"}),
        ("the three largest ships", {"order": "longest", "limit": 3, "class_name": "ship"}),
        ("only the ships in the top right corner", {"part": "top-right", "class_name": "ship"}),
        ("which ones are you least sure about?", {"order": "unsure"}),
        ("which are still unreviewed?", {"verdict": "unreviewed"}),
    ],
)
def test_some_of_what_was_found_is_listed(text: str, args: Mapping[str, Any], engine: Engine) -> None:
    assert calls(text, SHIPS, engine=engine) == [("list_detections", args)]


@pytest.mark.parametrize(
    "text",
    [
        "only cloud-free ones",
        "find the ships near Rotterdam",
        "what is left to do?",
        "only in 2019",
        "how many are there?",
    ],
)
def test_what_says_anything_else_narrows_nothing(text: str) -> None:
    assert narrowing(text) is None


def test_how_many_there_are_is_said_of_what_was_found(engine: Engine) -> None:
    assert calls("so how many are there?", SHIPS, engine=engine) == [("list_detections", {})]


def test_what_was_looked_for_in_two_images_is_looked_for_anew_in_both(engine: Engine) -> None:
    looks = tuple(
        Call("optical_detection", {"image": each, "classes": ["ship"]}) for each in (HARBOUR, AIRFIELD)
    )
    both = PastTurn("ships in both", looks, "8 and 0.", ({"by_class": {"ship": 8}}, {"by_class": {}}))
    assert calls("and the cars?", both, engine=engine) == [
        ("optical_detection", {"image": each, "classes": ["small-vehicle"]}) for each in (HARBOUR, AIRFIELD)
    ]


def test_outlines_that_were_made_are_shown_and_areas_of_no_place_are_not_made_up(engine: Engine) -> None:
    made = PastTurn("map the water", WATER.calls, "", ({"vector": FOUND, "area_m2": None},))
    assert calls("outline it for me", made, engine=engine) == [("fit_layer", {"layer": "ships"})]
    with pytest.raises(Reject, match=r"areas are known in pixels alone"):
        calls("how many square metres is that?", made, engine=engine)


def test_which_pixels_are_invented_is_said_by_the_same_removal(engine: Engine) -> None:
    removed = PastTurn("remove the clouds", (Call("cloud_removal", {"image": HARBOUR}),), "", ({},))
    assert calls("which pixels are made up?", removed, engine=engine) == [
        ("cloud_removal", {"image": HARBOUR})
    ]


def test_big_without_a_number_leaves_nothing_out_and_says_so(engine: Engine) -> None:
    found = followed("only the big ones", situation(engine, SHIPS))
    assert found is not None and found.calls == [Call("list_detections", {"order": "longest"})]
    assert found.notes == [
        "Nothing is left out: 'big' names no length, so the longest come first; say for instance 'longer than 20 m' for a limit."
    ]


def test_a_class_that_was_not_looked_for_is_looked_for(engine: Engine) -> None:
    assert calls("and the cars?", SHIPS, engine=engine) == [
        ("optical_detection", {"image": HARBOUR, "classes": ["small-vehicle"]})
    ]


UNTOLD = "the detector knows no kinds of them, so which are {} is not known."


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("only the tankers", f"These are all ships: {UNTOLD.format('tankers')}"),
        ("just the container ships", f"These are all ships: {UNTOLD.format('container ships')}"),
        ("only the ships", None),
        ("show me the boats only", None),
    ],
)
def test_a_kind_that_the_detector_does_not_tell_is_said_to_be_unknown(
    text: str, note: str | None, engine: Engine
) -> None:
    following = followed(text, situation(engine, SHIPS))
    assert following is not None
    assert (following.calls, following.notes) == (
        [Call("list_detections", {"class_name": "ship"})],
        [] if note is None else [note],
    )


def test_a_kind_that_a_review_gave_is_listed_by_its_name(engine: Engine) -> None:
    said = Call("review_detection", {"detection_id": 2, "verdict": "relabel", "class_name": "tanker"})
    past = (SHIPS, PastTurn("2 is a tanker", (said,), "Detection 2 is relabelled."))
    following = followed("only the tankers", situation(engine, *past))
    assert following is not None
    assert (following.calls, following.notes) == ([Call("list_detections", {"class_name": "tanker"})], [])


def test_no_verdict_is_given_on_all_of_a_class_where_only_a_kind_of_it_is_meant(engine: Engine) -> None:
    with pytest.raises(Reject, match="so tankers cannot be told from the others; give their numbers"):
        followed("reject the tankers", situation(engine, SHIPS))


def test_what_is_left_after_a_review_is_what_has_no_verdict(engine: Engine) -> None:
    assert calls("which are left?", SHIPS, engine=engine) == [("list_detections", {"verdict": "unreviewed"})]


def test_a_mask_is_made_again_of_the_half_that_is_asked_for(engine: Engine) -> None:
    assert calls("only the right half", WATER, engine=engine) == [
        ("image_crop", {"raster": HARBOUR, "part": "right"}),
        ("water_extraction", {"image": "@1.raster"}),
    ]


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("use a false alarm rate of 1e-4", {"image": HARBOUR, "false_alarm": 1e-4}),
        ("lower the threshold to 0.1", {"image": HARBOUR, "min_score": 0.1}),
        ("again, the land is in coast.geojson", {"image": HARBOUR, "land": "vector-00000a"}),
    ],
)
def test_a_setting_is_changed_and_the_rest_stays(text: str, args: Mapping[str, Any], engine: Engine) -> None:
    assert calls(text, RADAR, engine=engine) == [("sar_detection", args)]


def test_another_model_is_taken_by_its_name(engine: Engine) -> None:
    assert calls("try yolo26n-obb instead", SHIPS, engine=engine) == [
        ("optical_detection", {"image": HARBOUR, "classes": ["ship"], "model": "yolo26n-obb"})
    ]


def test_the_images_of_a_pair_change_places(engine: Engine) -> None:
    assert calls("no, use the first one as after", PAIR, engine=engine) == [
        ("building_damage_detection", {"before": HARBOUR, "after": AIRFIELD})
    ]
    assert calls("use airfield as before", PAIR, engine=engine) == [
        ("building_damage_detection", {"before": AIRFIELD, "after": HARBOUR})
    ]


@pytest.mark.parametrize(
    "text", ["which buildings are the worst?", "and how many are fine?", "which houses are destroyed?"]
)
def test_a_question_about_the_same_pair_is_asked_of_the_same_pair(text: str, engine: Engine) -> None:
    restored = brought("raster-000005", "harbour, twice as fine", "super_resolution(image=raster-000001)")
    images = [brought(HARBOUR, "harbour"), brought(AIRFIELD, "airfield"), restored]
    assert calls(text, PAIR, engine=engine, images=images) == [
        ("building_damage_detection", {"before": HARBOUR, "after": AIRFIELD})
    ]


def test_last_years_image_is_the_one_of_the_year_before(engine: Engine) -> None:
    images = [
        brought(OLDER, "site_20190904"),
        brought(AIRFIELD, "site_20150101"),
        brought(HARBOUR, "site_20200831"),
    ]
    assert [each.year for each in images_at_hand(situation(engine, images=images))] == [2019, 2015, 2020]
    assert calls("compare it with last year's", WATER, engine=engine, images=images) == [
        ("change_detection", {"before": OLDER, "after": HARBOUR})
    ]
    assert calls("and the 2015 one?", WATER, engine=engine, images=images) == [
        ("water_extraction", {"image": AIRFIELD})
    ]
    with pytest.raises(Reject, match=r"^The images here are"):
        calls("compare it with last year's", WATER, engine=engine, images=images[1:])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "reject number 3 and confirm the rest",
            [{"verdict": "reject", "detection_id": 3}, {"verdict": "confirm", "from_score": 0.0}],
        ),
        ("mark 2 as a false alarm", [{"verdict": "reject", "detection_id": 2}]),
        ("drop the ones under 0.5", [{"verdict": "reject", "below_score": 0.5}]),
        ("confirm 1, 4 and 5", [{"verdict": "confirm", "detection_id": [1, 4, 5]}]),
    ],
)
def test_verdicts_are_read(text: str, wanted: Sequence[Mapping[str, Any]], engine: Engine) -> None:
    assert calls(text, SHIPS, engine=engine) == [("review_detection", each) for each in wanted]


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("save that as geoparquet", ["export_geoparquet"]),
        ("export the ships with their verdicts as geojson and csv", ["export_geojson", "export_csv"]),
    ],
)
def test_the_detections_are_taken_away_and_not_the_catalogue(
    text: str, files: list[str], engine: Engine
) -> None:
    found = calls(text, SHIPS, engine=engine)
    assert found is not None and found[0][0] == "list_detections"
    assert found[1:] == [(each, {"table": "@1.table"}) for each in files]


def test_what_the_list_was_narrowed_to_is_what_is_taken_away(engine: Engine) -> None:
    narrowed = PastTurn(
        "only the left", (Call("list_detections", {"part": "left", "order": "longest"}),), "", ({},)
    )
    assert calls("export them as csv", SHIPS, narrowed, engine=engine) == [
        ("list_detections", {"part": "left"}),
        ("export_csv", {"table": "@1.table"}),
    ]


def test_where_they_are_is_shown_or_said_to_be_nowhere(engine: Engine) -> None:
    assert calls("where are they on the map?", SHIPS, engine=engine) == [("fit_layer", {"layer": "ships"})]
    with pytest.raises(Reject, match=r"^Ship in harbour has no place on the map"):
        calls("where are they on the map?", SHIPS, engine=engine, placed=False)


def test_the_map_goes_to_the_one_that_comes_first(engine: Engine) -> None:
    assert calls("zoom in on the biggest", SHIPS, engine=engine) == [
        ("list_detections", {"order": "longest", "limit": 1}),
        ("set_view", {"lon": "@1.leading.lon", "lat": "@1.leading.lat", "zoom": 19}),
    ]


@pytest.mark.parametrize(
    "text", ["how sure are you about those?", "can I trust that?", "how good is that detector really?"]
)
def test_how_sure_is_answered_from_the_models_card_and_changes_nothing(text: str, engine: Engine) -> None:
    found = followed(text, situation(engine, SHIPS))
    assert found is not None and found.calls == [Call("list_detections", {"order": "unsure"})]
    said = " ".join(found.notes)
    assert "Measured on real images: AP50, ship 0.606 (DOTA P0706" in said
    assert "plane 0.944" not in said, "what was measured of planes says nothing of ships"
    pair = followed(text, situation(engine, PAIR))
    assert pair is not None and not pair.calls
    assert pair.notes[0].startswith("It was not measured on real images; on rendered scenes")


def test_which_model_it_was_is_answered_with_what_it_was_made_from(engine: Engine) -> None:
    found = followed("which model was that?", situation(engine, SHIPS))
    assert found is not None and not found.calls
    assert found.notes[0].startswith("That was oriented-objects, called by optical_detection: ")
    assert found.notes[1].startswith("It was made from: Rendered scenes")


def test_what_was_not_looked_at_is_said(engine: Engine) -> None:
    found = followed("what did you not look at?", situation(engine, SHIPS))
    assert found is not None
    assert found.notes[:3] == [
        "I looked at harbour; airfield was not looked at.",
        "Only ship was looked for; the model also knows plane, small-vehicle, large-vehicle and storage-tank, and nothing else.",
        "What scored under 0.45 was left out.",
    ]


@pytest.mark.parametrize("text", ["can I trust that?", "could I rely on this?"])
def test_a_question_of_trust_takes_nothing_back(text: str, engine: Engine) -> None:
    plan = Planner(Head.load()).plan(text, situation(engine))
    assert "undo" not in [each.tool for each in plan.calls]
