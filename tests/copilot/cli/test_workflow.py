"""`copilot workflow …`: run on one and on many, export, and what was learned; with --json one value each."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from copilot.workflows.model import Workflow
from tests.copilot.cli.conftest import Copilot
from tests.copilot.workflows.making import FILES

SCENE = str(FILES / "scene.tif")


def test_the_list_has_each_task_with_its_workflows(copilot: Copilot) -> None:
    found = copilot("workflow", "list", "--field", "water", "--json").json
    assert {each["field"] for each in found} == {"water"}
    assert set(found[0]) == {"task", "field", "workflows"}
    assert set(found[0]["workflows"][0]) == {"id", "steps", "ran"}


def test_a_batch_runs_on_each_file_and_prints_its_table(copilot: Copilot, tmp_path: Path) -> None:
    files = [shutil.copy(SCENE, tmp_path / f"{name}.tif") for name in ("a", "b")]
    done = copilot("workflow", "run", "surface_water_extent/ndwi", "--json", "--on", *map(str, files))
    assert done.status == 0, done.err
    found = done.json
    assert [(each["name"], each["status"]) for each in found["items"]] == [("a", "done"), ("b", "done")]
    assert found["table"].startswith("table-")
    again = copilot("workflow", "run", "--resume", found["id"], "--session", found["session"], "--json")
    assert [each["status"] for each in again.json["items"]] == ["done", "done"]


def test_a_list_of_items_gives_each_its_own_values(copilot: Copilot, tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    lines = [
        {"name": f"from {limit}", "data": {"image": SCENE}, "parameters": {"water_from": limit}}
        for limit in (0.0, 0.2)
    ]
    items.write_text("\n".join(map(json.dumps, lines)))
    found = copilot("workflow", "run", "surface_water_extent/ndwi", "--on", str(items), "--json").json
    assert [each["name"] for each in found["items"]] == ["from 0.0", "from 0.2"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run",), "Which workflow?"),
        (("run", "surface_water_extent/ndwi", "b.tif"), "'b.tif' belongs to nothing"),
        (("run", "surface_water_extent/ndwi", "--on", "no.tif"), "no.tif"),
        (("run", "--resume", "batch-1"), "There is no batch 'batch-1' of yours."),
        (("export", "surface_water_extent"), "Which one?"),
        (("export", "surface_water_extent/ndwi", "--as", "word"), "'word' is no form"),
        (("export", "surface_water_extent/ndwi", "--as", "pdf"), "A report is of a run"),
        (("learn", "--share", "all"), "Which team?"),
        (("learn", "--team", "x"), "You are of no team 'x'"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_one_sentence(copilot: Copilot, arguments: tuple[str, ...], said: str) -> None:
    done = copilot("workflow", *arguments, "--json")
    assert done.status != 0
    assert said in done.json["error"]


def test_a_workflow_is_exported_in_every_form_and_comes_back(copilot: Copilot, tmp_path: Path) -> None:
    for form in ("json", "script", "notebook", "cwl", "wfformat"):
        found = copilot("workflow", "export", "surface_water_extent/ndwi", "--as", form, "--json").json
        assert (found["as"], found["workflow"]) == (form, "surface_water_extent/ndwi")
        assert "spectral_index" in found["text"]
    path = tmp_path / "w.json"
    assert copilot("workflow", "export", "surface_water_extent/ndwi", "--out", str(path)).status == 0
    own = {**json.loads(path.read_text()), "id": "mine/own"}
    path.write_text(json.dumps(own))
    assert copilot("workflow", "import", str(path), "--json").json == {"taken": 1}
    assert Workflow.from_json(json.loads(copilot("workflow", "export", "mine/own").out)).id == "mine/own"


def test_a_run_is_reported_as_a_page_and_a_pdf(copilot: Copilot, tmp_path: Path) -> None:
    done = copilot("workflow", "run", "surface_water_extent/ndwi", "--data", f"image={SCENE}", "--json").json
    assert done["ok"]
    for form, begins in (("html", b"<!doctype html>"), ("pdf", b"%PDF"), ("wfformat", b"{")):
        out = tmp_path / f"report.{form}"
        told = copilot(
            "workflow",
            "export",
            done["id"],
            "--session",
            done["session"],
            "--as",
            form,
            "--out",
            str(out),
            "--json",
        )
        assert told.json["out"] == str(out)
        assert out.read_bytes().startswith(begins)


def test_what_was_learned_is_explained_edited_shared_and_forgotten(copilot: Copilot, tmp_path: Path) -> None:
    out = tmp_path / "memory.json"
    rule = {
        "tool": "slope", "kind": "quality", "cause": "gaps", "argument": "raster", "helped": 3,
        "action": {"kind": "insert", "name": "raster", "tool": "fill_nodata", "args": {"raster": "$@"}},
    }  # fmt: skip
    out.write_text(json.dumps({"rules": [rule]}))
    found = copilot("workflow", "learn", "--edit", str(out), "--explain", "--json").json
    assert found["explained"] == [
        "IF slope fails (quality) by gaps of its raster THEN fill_nodata put in before slope, for its raster "
        "(helped 3, did not 0)"
    ]
    assert copilot("workflow", "learn", "--team", "terrain", "--found", "--json").json["rules"] == []
    copilot("workflow", "learn", "--team", "terrain", "--share", "slope")
    assert copilot("workflow", "learn", "--team", "terrain", "--json").json["rules"][0]["tool"] == "slope"
    assert copilot("workflow", "learn", "--forget", "slope", "--json").json["rules"] == []
    assert len(copilot("workflow", "learn", "--team", "terrain", "--json").json["rules"]) == 1
