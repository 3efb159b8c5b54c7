"""`copilot tools`, `copilot call` and `copilot doctor`."""

from __future__ import annotations

import pytest

from tests.copilot.cli.conftest import Copilot
from tools.toolbox import toolbox


def test_all_tools_are_listed_with_what_the_contract_promises(copilot: Copilot) -> None:
    done = copilot.process("tools", "--json")
    assert done.status == 0 and done.err == ""
    assert [each["name"] for each in done.json] == [each.name for each in toolbox()]
    wanted = {"name", "category", "summary", "arguments", "needs", "gives", "external", "long_running"}
    assert all(set(each) == wanted and each["arguments"]["type"] == "object" for each in done.json)


def test_one_tool_is_shown_with_its_arguments(copilot: Copilot) -> None:
    assert [each["name"] for each in copilot("tools", "zoom_map", "--json").json] == ["zoom_map"]
    shown = copilot("tools", "zoom_map")
    assert shown.out.startswith("zoom_map (map)\n") and "  level: " in shown.out


def test_a_call_prints_what_it_observed_and_the_state_it_led_to(copilot: Copilot) -> None:
    done = copilot("call", "db_load", 'names=["fair1m"]', "--json")
    assert (done.status, done.json["ok"], done.json["data"]) == (0, True, {"count": 5, "loaded": ["fair1m"]})
    again = copilot("call", "filter_date", "start=2018-05-01", "--session", done.json["id"], "--json")
    assert again.json["state"]["database"]["filters"] == {"start": "2018-05-01"}
    assert again.json["state"]["database"]["loaded"] == ["fair1m"]


def test_a_call_that_fails_exits_with_1_and_says_why(copilot: Copilot) -> None:
    done = copilot("call", "db_load", "names=atlantis", "--json")
    assert (done.status, done.json["ok"]) == (1, False)
    assert "atlantis" in done.json["error"] and "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "args"),
    [
        (["zoom_map", "level=4.5"], {"level": 4.5}),
        (["zoom_map", "--level=4"], {"level": 4.0}),
        (["db_load", "names=fair1m,fmow"], {"names": ["fair1m", "fmow"]}),
        (["draw_marker", "lon=-79.5", "lat=-5", "name=5"], {"lon": -79.5, "lat": -5.0, "name": "5"}),
        (["notify", "text=a=b, \"c\" and 'd'"], {"text": "a=b, \"c\" and 'd'"}),
        (
            ["filter_attribute", "field=gsd_m", "op=<", "value=0.5"],
            {"field": "gsd_m", "op": "<", "value": 0.5},
        ),
    ],
)
def test_values_are_read_as_what_the_tool_takes(copilot: Copilot, arguments: list[str], args: object) -> None:
    done = copilot("call", *arguments, "--json")
    assert done.json["args"] == args, done.json["error"]


def test_doctor_says_what_is_configured_and_that_nothing_leaves_the_machine(copilot: Copilot) -> None:
    found = {each["what"]: each for each in copilot("doctor", "--json").json}
    assert found["model"]["says"] == "embedded planner, offline"
    assert found["catalogue"]["says"] == "5 data sets, 26 images (5 of the sets are generated samples)"
    assert found["sessions"]["ok"] and found["sentence encoder"]["ok"]


def test_doctor_fails_where_something_is_missing_and_says_what(
    copilot: Copilot, tmp_path_factory: object
) -> None:
    done = copilot("doctor", "--json", AZIMUTH_STORE="postgresql://127.0.0.1:1/x")
    missing = [each for each in done.json if not each["ok"] and each["required"]]
    assert done.status == 1 and "sessions" in {each["what"] for each in missing}


def test_doctor_never_prints_the_key(copilot: Copilot) -> None:
    done = copilot(
        "doctor", OPENAI_API_KEY="sk-secret-0123456789", OPENAI_BASE_URL="https://models.invalid/v1"
    )
    assert "requests leave this machine" in done.out and "sk-secret" not in done.out + done.err
