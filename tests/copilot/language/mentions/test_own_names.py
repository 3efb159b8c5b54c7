"""A file's name is a name, and the clip is a clip."""

from __future__ import annotations

from typing import Any

import pytest

from copilot.language.mentions.own_names import STAND_INS, own_names

ONE, TWO = STAND_INS[:2]


def state(**made: str) -> dict[str, Any]:
    """A state with an artifact of each name, made by that tool, and a layer of the same name."""
    artifacts = [
        {
            "id": f"raster-{at}",
            "kind": "raster",
            "name": name.replace("__", " "),
            "made_by": f"{tool}(file=x)",
        }
        for at, (name, tool) in enumerate(made.items())
    ]
    layers = [{"id": f"l{at}", "name": each["name"]} for at, each in enumerate(artifacts)]
    return {"artifacts": artifacts, "map": {"layers": layers, "zoom": 3}, "ui": {}}


SAID = {
    "info of rotated_uav": f"info of {ONE}",
    "Rotated_UAV's histogram": f"{ONE}'s histogram",
    "how long are the hike tracks?": f"how long are the {ONE}?",
    "clip rotated_uav to bed": f"clip {ONE} to bed",
    "clip rotated_uav to hike tracks": f"clip {ONE} to {TWO}",
    'call it "rotated_uav"': 'call it "rotated_uav"',
    "add rotated_uav.tif": "add rotated_uav.tif",
    "add data/rotated_uav": "add data/rotated_uav",
    "info of rotated_uav_2": "info of rotated_uav_2",
    "show the ndvi_2020 again": "show the ndvi_2020 again",
}


@pytest.mark.parametrize("request_text", SAID)
def test_a_name_that_is_no_plain_word_stands_for_itself_alone(request_text: str) -> None:
    here = state(rotated_uav="add_file", hike__tracks="add_file", bed="add_file", ndvi_2020="spectral_index")
    found = own_names(request_text, here)
    assert found.request == SAID[request_text]
    assert found.put_back(f"{ONE.lower()}_clip") == f"{found.names.get(ONE, ONE.lower())}_clip"
    back = found.put_back({"layer": f"of {found.request}", "among": [found.request, 3]})
    assert [str(each).lower() for each in back["among"]] == [request_text.lower(), "3"]
    renamed = [each["name"] for each in (*found.state["artifacts"], *found.state["map"]["layers"])]
    assert sorted(found.put_back(each) for each in renamed) == sorted(
        2 * ["rotated_uav", "hike tracks", "bed", "ndvi_2020"]
    )


@pytest.mark.parametrize(
    ("request_text", "name"),
    [
        ("how big is fields?", "fields"),
        ("how big is Fields?", "Fields"),
        ("how many features does field have?", "field"),
        ("area of roads 2020", "roads_2020"),
        ("area of Roads-2020", "roads_2020"),
        ("area of roads", None),
    ],
)
def test_a_name_near_to_another_is_meant_as_it_is_written(request_text: str, name: str | None) -> None:
    made = ("Fields", "fields", "field", "roads", "roads_2020")
    found = own_names(request_text, state(**dict.fromkeys(made, "add_file")))
    assert list(found.names.values()) == ([name] if name else [])


def test_a_name_that_two_have_or_that_a_data_set_has_is_left_to_the_readers() -> None:
    here = state(xview_2="add_file")
    assert own_names("show xview_2", here, ["xview_2"]).request == "show xview_2"
    twice = {**here, "artifacts": here["artifacts"] * 2}
    assert own_names("show xview_2", twice).request == "show xview_2"


def test_a_result_is_the_newest_that_was_made_so_and_none_where_none_was() -> None:
    here = state(first="raster_mosaic", second="raster_mosaic", dem="add_file")
    found = own_names("statistics of the mosaic", here)
    assert (found.request, found.names, found.never_made) == (f"statistics of {ONE}", {ONE: "second"}, ())
    found = own_names("statistics of the clip", here)
    assert (found.request, found.names, found.never_made) == ("statistics of the clip", {}, ("clip",))
    # The clip of something is yet to be made, and a file may be called so.
    assert own_names("show the clip of dem", here).never_made == ()
    assert own_names("statistics of the clip", state(my_clip="add_file")).never_made == ()
