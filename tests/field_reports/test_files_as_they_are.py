"""What a file says of itself holds everywhere: in what is read, and in what is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.session import Session
from tests.field_reports.test_more_reports import brought, folder
from tests.field_reports.test_reports import session, small_catalogue, told

__all__ = ["folder", "session", "small_catalogue"]


@pytest.mark.parametrize(("columns", "places"), [("Name,name", ""), ("Name,name,lon,lat", ",4.0,50.0")])
def test_columns_that_differ_in_capitals_alone_are_written_as_they_are_called(
    session: Session, folder: Path, columns: str, places: str
) -> None:
    (folder / "sites.csv").write_text(f"{columns}\na,b{places}\nc,=d{places}\n")
    brought(session, folder / "sites.csv")
    rows = f"{columns}\na,b{places}\nc,'=d{places}\n"
    assert Path(told(session, "export_csv", table="sites")["path"]).read_text() == rows
    saved = told(session, "save_file", name="out.csv", layers=["sites"])
    assert Path(saved["path"]).read_text() == "Name,name\na,b\nc,'=d\n"
    asked = session.call("sql", query="SELECT name, name_1 FROM sites")
    assert asked.text.startswith(
        "SQL takes names of columns that differ in capitals for one: of sites, name is name_1 here. "
    )


@pytest.mark.parametrize(("cells", "rows"), [("a\n,\nb\n", 'name\na\n""\nb\n'), ("a\nb\n", "name\na\nb\n")])
def test_a_row_of_one_empty_cell_is_a_row_of_the_csv(
    session: Session, folder: Path, cells: str, rows: str
) -> None:
    lines = [f"{each.rstrip(',')},4,50" for each in cells.split()]
    (folder / "sites.csv").write_text("\n".join(["name,lon,lat", *lines]))
    brought(session, folder / "sites.csv")
    saved = told(session, "save_file", name="out.csv", layers=["sites"])
    assert Path(saved["path"]).read_text() == rows


def test_an_openstreetmaps_node_at_0_0_is_told_where_gdal_loses_it(session: Session, folder: Path) -> None:
    corners = [(0, 0), (0, 1), (1, 1), (1, 0)]
    nodes = "".join(f'<node id="{n}" lat="{lat}" lon="{lon}"/>' for n, (lat, lon) in enumerate(corners, 1))
    refs = "".join(f'<nd ref="{each}"/>' for each in (1, 2, 3, 4))
    way = f'<way id="9">{refs}<tag k="highway" v="path"/></way>'
    (folder / "a.osm").write_text(f'<?xml version="1.0"?><osm version="0.6">{nodes}{way}</osm>')
    said = brought(session, folder / "a.osm")
    assert "It has a node at exactly 0, 0, without which its lines and outlines were read." in said
    (folder / "b.osm").write_text(
        (folder / "a.osm").read_text().replace('lat="0" lon="0"', 'lat="0" lon="2"')
    )
    assert "exactly 0, 0" not in brought(session, folder / "b.osm")
