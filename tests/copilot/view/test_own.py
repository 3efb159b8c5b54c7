"""The Data page's list of one's own files and results."""

from __future__ import annotations

from pathlib import Path

from copilot.session import Session
from copilot.view.own import own_data
from tests.data.uploads.samples import raster


def test_files_and_results_are_listed_newest_first_with_what_is_in_them(
    session: Session, tmp_path: Path
) -> None:
    (tmp_path / "wells.csv").write_text("name,depth_m,lon,lat\na,12,4.25,51.25\nb,,4.5,51.5\n")
    assert session.call("add_file", file=str(tmp_path / "wells.csv")).ok
    assert session.call("add_file", file=str(raster(tmp_path / "field.tif"))).ok
    assert session.call("buffer", vector="wells", distance_m=100).ok
    assert session.call("group_count", by="name", table="wells").ok
    assert session.call("remove_layer", layer="wells").ok
    listed = own_data(session.state, session.events, session.world())
    told = [(each.artifact.name, each.kind, each.added, each.layer, each.has_rows) for each in listed]
    assert told == [
        ("Rows by name", "table", False, None, True),
        ("wells within 100 m", "features", False, "wells-within-100-m", True),
        ("field", "raster", True, "field", False),
        ("wells", "features", True, None, True),
    ]
    event = next(each for each in session.events if each.tool == "add_file")
    summary, crs, size, came = listed[-1].facts
    assert (summary, crs, came) == (
        "2 features",
        "WGS 84 (EPSG:4326)",
        f"{event.at[:10]} {event.at[11:16]} UTC",
    )
    assert size.endswith(" kB") and listed[2].facts[1] == "EPSG:32631"
