"""`copilot session` and `copilot data`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.copilot.cli.conftest import ROOT, Copilot
from tests.tools.prepared import write_raster


@pytest.fixture(scope="module")
def made(copilot: Copilot) -> str:
    """A session of a request, a question, a failed call, an undo and a redo."""
    session = str(copilot("ask", "show the xview1 images around Pittsburgh", "--json").json["id"])
    for arguments in (
        ["call", "ask_user", "question=Which one?"],
        ["call", "db_load", "names=atlantis"],
        ["call", "zoom_map", "level=7"],
        ["call", "filter_date", "start=2019-01-01"],
    ):
        copilot(*arguments, "--session", session)
    for act in ("undo", "undo", "redo"):
        assert copilot("session", act, session).status == 0
    return session


def test_a_session_is_shown_turn_by_turn(copilot: Copilot, made: str) -> None:
    shown = copilot("session", "show", made, "--json").json
    assert shown["id"] == made and shown["state"]["map"]["zoom"] == 7
    assert [turn["request"] for turn in shown["turns"]] == [
        "show the xview1 images around Pittsburgh",
        *[None] * 7,
    ]
    assert shown["turns"][0]["outcome"] == "done" and not any(turn["interrupted"] for turn in shown["turns"])
    text = copilot("session", "show", made).out
    assert text.startswith("1. show the xview1 images around Pittsburgh\n") and "✗ db_load:" in text


def test_a_replay_reaches_the_hash_on_record(copilot: Copilot, made: str) -> None:
    shown = copilot("session", "show", made, "--json").json
    assert copilot("session", "replay", made, "--json").json == {"state_hash": shown["state_hash"]}


@pytest.mark.parametrize("format", ["script", "notebook"])
def test_an_exported_session_reproduces_its_state_when_it_is_run(
    copilot: Copilot, made: str, tmp_path: Path, format: str
) -> None:
    wanted = copilot("session", "show", made, "--json").json["state_hash"]
    path = tmp_path / f"session.{'py' if format == 'script' else 'ipynb'}"
    copy = copilot("session", "fork", made, "--json").json["id"]
    told = copilot("session", "export", copy, "--format", format, "-o", str(path), "--json")
    assert told.json["path"] == str(path)
    source = path.read_text(encoding="utf-8")
    if format == "notebook":
        cells = json.loads(source)["cells"]
        source = "\n".join(cell["source"] for cell in cells)
    program = f"{source}\nprint(session.hash)\n"
    settings = copilot.environment(AZIMUTH_HOME=str(tmp_path / "home"))
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=settings, capture_output=True, text=True, timeout=120
    )
    assert (done.stdout.strip().splitlines()[-1:], done.stderr) == ([wanted], "")


def test_an_export_goes_to_standard_output_when_no_file_is_named(copilot: Copilot, made: str) -> None:
    copy = copilot("session", "fork", made, "--json").json["id"]
    done = copilot("session", "export", copy)
    assert done.status == 0 and "from copilot import Session" in done.out
    compile(done.out, "session.py", "exec")
    assert copilot("session", "export", copy, "--format", "word", "--json").json == {
        "error": "There is no format 'word'. Formats: script, notebook."
    }


def test_a_session_is_written_as_a_stac_catalogue(copilot: Copilot, made: str, tmp_path: Path) -> None:
    copy = copilot("session", "fork", made, "--json").json["id"]
    out = tmp_path / "session.stac.zip"
    empty = copilot("session", "stac", copy, str(out), "--json")
    assert empty.status == 1 and "this session has made none yet" in empty.json["error"]
    assert list(tmp_path.glob("*.zip*")) == list(tmp_path.glob(".*.part")) == []
    write_raster(tmp_path / "heights.tif")
    added = copilot("call", "add_file", f"file={tmp_path / 'heights.tif'}", "--session", copy, "--json")
    assert added.status == 0, added.out
    told = copilot("session", "stac", copy, str(out), "--json").json
    assert told == {"path": str(out), "items": 1, "bytes": out.stat().st_size}


def test_a_fork_up_to_a_turn_is_renamed_shared_opened_and_deleted(copilot: Copilot, made: str) -> None:
    fork = copilot("session", "fork", made, "--turn", "1", "--json").json
    assert fork["name"].endswith(" (copy)")
    assert len(copilot("session", "show", fork["id"], "--json").json["turns"]) == 1
    assert copilot("session", "fork", made, "--turn", "99", "--json").json == {
        "error": "The session has no turn 99; there are 0 (its start) to 8."
    }
    assert (
        copilot("session", "rename", fork["id"], 'O\'Hara "ports"\n', "--json").json["name"]
        == 'O\'Hara "ports"'
    )
    token = copilot("session", "share", fork["id"], "--json").json["token"]
    opened = copilot("session", "open", token, "--json").json["id"]
    listed = {row["id"] for row in copilot("session", "list", "--json").json}
    assert {made, fork["id"], opened} <= listed
    assert copilot("session", "delete", fork["id"], "--json").json == {"deleted": fork["id"]}
    assert copilot("session", "open", token, "--json").status == 1
    assert fork["id"] not in {row["id"] for row in copilot("session", "list", "--json").json}


def test_data_sets_are_listed_ingested_and_removed(copilot: Copilot, tmp_path: Path) -> None:
    settings = {"AZIMUTH_HOME": str(tmp_path / "home"), "AZIMUTH_CATALOGUE": str(tmp_path / "catalogue")}
    (tmp_path / "towns.csv").write_text("name,lon,lat\nLyon,4.83,45.76\nNowhere,999,0\nLagos,3.38,6.45\n")
    report = copilot("data", "ingest", str(tmp_path / "towns.csv"), "--json", **settings).json
    assert (report["dataset"]["name"], report["images"], report["rejected_count"]) == ("towns", 2, 1)
    listed = copilot("data", "list", "--json", **settings).json
    assert [(each["name"], each["images"], each["origin"]) for each in listed] == [("towns", 2, "ingested")]
    text = copilot("data", "ingest", str(tmp_path / "towns.csv"), **settings)
    assert (
        text.out.startswith("towns: 2 rows, 0 detections, read as csv in ")
        and "rejected towns.csv" in text.err
    )
    assert copilot("data", "remove", "towns", "--json", **settings).json == {"removed": "towns"}
    assert copilot("data", "list", "--json", **settings).json == []


def test_what_a_visitor_ingested_is_listed_with_whose_it_is_and_shared(
    copilot: Copilot, tmp_path: Path
) -> None:
    from data.ingest import ingest

    file = tmp_path / "berths.csv"
    file.write_text("name,lon,lat\nOne,4.5,51.5\n")
    home = tmp_path / "home"
    ingest(home / "catalogue", file, owner="5f3a9c")
    settings = {"AZIMUTH_HOME": str(home), "AZIMUTH_CATALOGUE": str(home / "catalogue")}
    listed = copilot("data", "list", **settings)
    assert " ".join(listed.out.split()) == (
        "berths 1 images 0 detections no dates ingested, seen by 5f3a9c alone"
    )
    assert copilot("data", "share", "harbours", "--json", **settings).json == {
        "error": "Nobody keeps a data set 'harbours'; those that people keep are: berths."
    }
    assert copilot("data", "share", "berths", "--json", **settings).json == {"shared": "berths", "images": 1}
    assert copilot("data", "list", **settings).out.splitlines()[-1].endswith("ingested")
