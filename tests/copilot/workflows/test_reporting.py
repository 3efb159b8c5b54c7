"""The report of a run: one page or one PDF that stands alone, with each number beside its call."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from copilot.session import Session
from copilot.workflows import following
from copilot.workflows.memory import Memory
from copilot.workflows.model import WorkflowError
from copilot.workflows.reporting import html, pdf
from tests.copilot.workflows.making import FILES, added, heights_with_a_hole, workflow


@pytest.fixture
def started(session: Session) -> str:
    scene, fields = added(session, FILES / "scene.tif"), added(session, FILES / "fields.geojson")
    session.call("workflow_run", workflow="crop_vigour/ndvi", data={"image": scene, "fields": fields})
    return next(str(each.data["workflow"]) for each in session.events if each.tool == "workflow_run")


class Addresses(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.ids: set[str] = set()
        self.inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        if tag in ("img", "script", "link", "iframe"):
            self.loaded.append(str(said.get("src") or said.get("href")))
        if said.get("id"):
            self.ids.add(str(said["id"]))
        if str(said.get("href", "")).startswith("#"):
            self.inside.append(str(said["href"])[1:])


def test_the_page_loads_nothing_and_its_numbers_lead_to_their_calls(session: Session, started: str) -> None:
    page = html(session, started)
    seen = Addresses()
    seen.feed(page)
    assert seen.loaded
    assert all(each.startswith("data:image/png;base64,") for each in seen.loaded)
    assert seen.inside
    assert set(seen.inside) <= seen.ids
    for said in ("Method", "Limits", "Sources", "spectral_index(", "ran", "Data and values"):
        assert said in page
    assert "validated by experts" not in page


def test_the_pdf_has_the_same_and_is_one(session: Session, started: str) -> None:
    from pypdf import PdfReader

    path = session.world().artifacts.path("report", ".pdf")
    path.write_bytes(pdf(session, started))
    read = PdfReader(path)
    text = " ".join(" ".join(page.extract_text() for page in read.pages).split())
    for said in ("NDVI", "Method", "Limits", "Sources", "call"):
        assert said in text
    assert sum(len(page.images) for page in read.pages) >= 2


def test_a_repair_is_told_with_what_failed(session: Session, tmp_path: Path) -> None:
    flow = workflow(
        "steps: [{id: slope, tool: slope, args: {raster: $dem}, checks: [{measure: valid_pct, low: 88}]}]\n"
        "gives: [$slope]",
        {"dem": "raster: modality=elevation"},
    )
    Memory.of(session.engine.home, session.row.owner).keep(flow)
    dem = added(session, heights_with_a_hole(tmp_path / "dem.tif"))
    session.call("workflow_run", workflow=flow.id, data={"dem": dem})
    handle = next(str(each.data["workflow"]) for each in session.events if each.tool == "workflow_run")
    page = html(session, following.latest(session, handle))
    assert re.search(
        r"slope failed \(gaps of raster\): valid_pct is .* So: fill_nodata put in before slope", page
    )


def test_names_of_users_are_text_and_no_markup(session: Session, tmp_path: Path) -> None:
    file = tmp_path / "a.tif"
    file.write_bytes((FILES / "scene.tif").read_bytes())
    scene = session.call("add_file", file=str(file), name="<script>alert(1)</script>").data["raster"]
    fields = added(session, FILES / "fields.geojson")
    session.call("workflow_run", workflow="crop_vigour/ndvi", data={"image": scene, "fields": fields})
    handle = next(str(each.data["workflow"]) for each in session.events if each.tool == "workflow_run")
    page = html(session, handle)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert pdf(session, handle).startswith(b"%PDF")


def test_what_is_no_workflow_has_no_report(session: Session) -> None:
    with pytest.raises(WorkflowError, match="There is no started workflow 'workflow-000000'"):
        html(session, "workflow-000000")
