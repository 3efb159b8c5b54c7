"""The selection in one line."""

from __future__ import annotations

import pytest

from copilot.session import Session
from copilot.view.chips import Chip, chips, period_text


def test_each_part_has_the_call_that_drops_it(session: Session):
    session.call("db_load", names=["xview1"])
    session.call("filter_coords", place="Pittsburgh, PA", radius_km=40)
    session.call("filter_date", start="2018-05-01", end="2018-05-31")
    session.call("filter_class", classes=["Small Car", "Truck"])
    session.call("filter_attribute", field="cloud_pct", op="<", value=20)
    found = chips(session.state)
    assert [each.part for each in found] == ["dataset", "place", "date", "class", "attribute", "count"]
    assert [each.text for each in found][2:5] == ["May 2018", "Small Car or Truck", "cloud_pct < 20"]
    for chip in found[:-1]:
        before = session.state
        assert session.call(chip.tool, **chip.args).ok
        assert chip not in chips(session.state)
        session.undo()
        assert session.state == before
    assert found[-1] == Chip("count", f"{session.state.database.count:,} selected")


def test_nothing_loaded_has_no_parts(session: Session):
    assert chips(session.state) == ()


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [
        (None, None, ""),
        ("2018-05-01", "2018-05-31", "May 2018"),
        ("2020-02-01", "2020-02-29", "February 2020"),
        ("2019-01-01", "2019-12-31", "2019"),
        ("2017-01-01", "2019-12-31", "2017 – 2019"),
        ("2019-12-01", "2019-12-31", "December 2019"),
        ("2018-05-03", "2018-05-03", "2018-05-03"),
        ("2018-05-03", "2018-06-01", "2018-05-03 – 2018-06-01"),
        ("2020-03-01", None, "since 2020-03-01"),
        (None, "2020-03-01", "until 2020-03-01"),
    ],
)
def test_a_period_is_written_as_people_write_it(start: str | None, end: str | None, text: str):
    assert period_text(start, end) == text
