"""What was said of a file when it came in is there for whoever looks at its layer later."""

from __future__ import annotations

from pathlib import Path

from copilot.session import Session
from copilot.view.brought import brought_as


def test_a_file_is_told_as_when_it_came_in_and_a_result_is_not(session: Session, tmp_path: Path) -> None:
    (tmp_path / "wells.csv").write_text("name,depth_m,lon,lat\na,12,4.25,51.25\nb,,4.5,51.5\n")
    assert session.call("add_file", file=str(tmp_path / "wells.csv")).ok
    assert session.call("buffer", vector="wells", distance_m=100).ok
    wells, around = session.state.artifacts[:2]
    assert brought_as(session.world(), wells) == (
        "A CSV of 2 features (2 points) in EPSG:4326 with name, depth_m, lon, lat. "
        "Its columns: name text, depth_m int64 (1 without a value), lon float64, lat float64."
    )
    assert brought_as(session.world(), around) is None
