"""An expert's result that can not be right is undone, and something else is tried once."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.engine import Engine
from copilot.session import Session
from copilot.vague.answering import Direct
from copilot.vague.asking import Asked
from copilot.vague.checking import Doubt, doubt
from copilot.vague.grading import answer_of
from copilot.vague.pictures import write
from copilot.vague.routing import IMAGE, Route
from copilot.vague.turn import respond
from data.vision.look import LOOKS, Look
from state.log import Event

PORT = "marina-512-17100002"


@pytest.fixture(scope="module")
def marina(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rendered marina of 512 pixels a side, full of boats."""
    return write(PORT, tmp_path_factory.mktemp("scenes"))[0]


@pytest.fixture(scope="module")
def look(marina: Path) -> Look:
    return LOOKS.at(marina)


def result(
    tool: str, ok: bool = True, text: str = "", args: dict[str, object] | None = None, **data: object
) -> Event:
    return Event(1, 1, "call", "", text=text, tool=tool, args=args or {"image": "r1"}, ok=ok, data=data)


BOATS = Route("detection", 0.9, "expert", Asked("ship", "boat"), "optical_detection", {"image": IMAGE})


def test_nothing_found_where_presence_is_sure_is_doubted(look):
    assert "ship" in look.things
    found = doubt(result("optical_detection", classes=["ship"], count=0), BOATS, look)
    assert found is not None and (found.kind, found.tool) == ("empty", "optical_detection")
    assert found.arguments == {"image": "r1", "min_score": 0.15}


def test_a_count_far_from_the_coarse_one_is_doubted_and_a_near_one_is_not(look):
    seen = look.count("ship")
    far = doubt(result("object_count", classes=["ship"], count=5 * seen), BOATS, look)
    assert far is not None and (far.kind, far.tool) == ("count", "rotated_object_detection")
    assert doubt(result("object_count", classes=["ship"], count=seen), BOATS, look) is None


def test_an_area_out_of_range_is_doubted(look):
    assert look.shares()["water"] > 0.25
    found = doubt(result("water_extraction", share_percent=0.0), BOATS, look)
    assert found is not None and (found.kind, found.tool) == ("area", "semantic_segmentation")
    assert doubt(result("water_extraction", share_percent=70.0), BOATS, look) is None


@pytest.mark.parametrize(
    "told", [{"likeness": 0.05, "share_percent": 9.0}, {"likeness": 0.9, "share_percent": 80.0}]
)
def test_a_pair_of_low_correlation_is_compared_another_way(look, told):
    found = doubt(
        result("change_detection", args={"before": "a", "after": "b"}, method="cva", **told), BOATS, look
    )
    assert found is not None
    assert (found.kind, found.arguments) == ("pair", {"before": "a", "after": "b", "method": "irmad"})


def test_a_guard_that_refuses_leads_to_another_expert_and_another_error_does_not(look):
    refused = result("semantic_segmentation", ok=False, text="Too coarse. With anyway=true it is done.")
    assert doubt(refused, BOATS, look) == Doubt(
        "guard", "semantic_segmentation does not take this image", "land_use_classification", {"image": "r1"},
        "spectral rules, which take coarser images",
    )  # fmt: skip
    assert doubt(result("optical_detection", ok=False, text="There is no image r9."), BOATS, look) is None


@pytest.fixture
def session(engine: Engine, marina: Path) -> Session:
    session = Session.open(engine=engine)
    assert session.call("add_file", file=str(marina)).ok
    return session


def image_of(session: Session) -> str:
    return session.state.artifacts[0].id


def test_an_easy_wish_is_a_turn_with_a_look_alone(session):
    before = session.state
    told = respond(session, "is the marina busy today?", image_of(session))
    assert (told.route.way, [each.tool for each in told.calls]) == ("direct", ["look_at_image"])
    assert "I count" in told.reply and session.state == before
    assert session.answer().reply == told.reply and session.answer().outcome == "done"


def test_a_dense_wish_calls_one_expert_on_record(session):
    told = respond(session, "draw it as lines only", image_of(session))
    assert [each.tool for each in told.calls] == ["look_at_image", "edge_detection"]
    assert session.state.artifacts[-1].kind == "raster"
    assert session.replay() == session.state


def test_a_bad_result_is_undone_and_the_reply_says_so(session):
    """Every box of a score of 0.99 or more is asked for: of a marina that is sure to hold boats, none."""
    wish = Route(
        "detection", 0.9, "expert", Asked("ship", "boat"), "optical_detection",
        {"image": IMAGE, "classes": ["boat"], "min_score": 0.99},
    )  # fmt: skip
    told = respond(session, "mark the boats", image_of(session), wish=wish)
    assert told.corrected and told.doubted is not None and told.doubted.kind in ("empty", "count")
    assert [each.tool for each in told.calls[:3]] == ["look_at_image", "optical_detection", "undo"]
    assert told.reply.startswith("The first result ⁽²⁾ was not believed: ")
    assert "it was undone ⁽³⁾" in told.reply
    assert [each.kind for each in session.state.artifacts] == ["raster", "detections"]
    assert session.replay() == session.state


def test_what_the_look_is_not_sure_of_says_why_it_was_sent_on(session):
    unsure = Direct("The look finds no lake.", sure=False)
    wish = Route(
        "grounding", 0.9, "expert", Asked("ship", "boat", phrase="biggest boat"), "visual_grounding",
        {"image": IMAGE, "phrase": "biggest boat"}, unsure, why=unsure.text,
    )  # fmt: skip
    told = respond(session, "where is it", image_of(session), wish=wish)
    assert told.reply.startswith("The look finds no lake ⁽¹⁾. So visual_grounding was asked. ")


def test_what_an_expert_gives_is_read_in_the_form_of_the_reference(session):
    boats = respond(session, "put a box on each of the boats", image_of(session))
    boxes = answer_of(session, boats)
    assert len(boxes) == boats.calls[-1].data["count"] > 0
    assert all(
        0 <= left < right <= 512.5 and 0 <= top < bottom <= 512.5 for left, top, right, bottom in boxes
    )
    water = respond(session, "cut out exactly the largest stretch of water", image_of(session))
    assert water.route.tool == "referring_segmentation"
    ((left, top, right, bottom),) = answer_of(session, water)
    assert 0 <= left < right <= 512 and 0 <= top < bottom <= 512
    lines = respond(session, "draw it as lines only", image_of(session))
    assert answer_of(session, lines) == ["contour"]
    easy = respond(session, "is the marina busy today?", image_of(session))
    assert answer_of(session, easy) == easy.route.direct.value
