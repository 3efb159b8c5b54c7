"""A session as a script and as a notebook: both are run, and must reach the same state."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from copilot.engine import Engine
from copilot.session import Session
from tests.tools.prepared import write_raster
from tools.data.transcripts import stretches_of

ROOT = Path(__file__).resolve().parents[3]
NASTY = "Show \"cars\" 'there'\nimport os; os.abort()\r\x0braise SystemExit(3)\u2028x\x00 \\ {braces} # ü"


@pytest.fixture
def engine(small_catalogue: Path, tmp_path: Path) -> Engine:
    return Engine(home=tmp_path / "home", catalogue_url=str(small_catalogue))


@pytest.fixture
def session(engine: Engine) -> Session:
    """Requests of several calls, failures, undo, redo, a return to an earlier turn, and names that bite."""
    session = Session.open(name='My "session"\n"""); raise SystemExit(4)', engine=engine)
    turn = session.begin(NASTY, "chat").turn
    for tool, args in (
        ("db_load", {"names": ["fair1m", "xview1"]}),
        ("filter_coords", {"place": "Atlantis on the moon"}),
        ("filter_coords", {"place": "Pittsburgh", "radius_km": 40}),
        ("filter_date", {"start": "2018-05", "end": "2018-05"}),
        ("filter_class", {"classes": ["vehicles"]}),
    ):
        session.call_tool(tool, args, source="chat", turn=turn)
    session.end(turn, "Done.", "done", 0.1)
    session.call("nothing_of_the_kind")
    session.call("filter_date", start="2019")
    session.undo()
    session.call_tool("goto_turn", {"turn": 2})
    session.call("group_count", by="class", unit="detections")
    session.call("filter_attribute", field="split", op="=", value="train")
    session.undo()
    session.redo()
    session.call("bar_figure", by="class", table=session.state.artifacts[0].id)
    return session


def environment(catalogue: Path, home: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("AZIMUTH_")}
    return {**kept, "AZIMUTH_HOME": str(home), "AZIMUTH_CATALOGUE": str(catalogue), "PYTHONPATH": str(ROOT)}


def run_script(path: Path, catalogue: Path, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(path)],
        env=environment(catalogue, home),
        cwd=home.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_script_makes_the_state_again(session: Session, small_catalogue: Path, tmp_path: Path) -> None:
    before = session.hash
    event = session.call("export_script")
    assert event.ok, event.text
    path = Path(event.data["path"])
    done = run_script(path, small_catalogue, tmp_path / "other")
    assert (done.returncode, done.stderr) == (0, "")
    [row] = Engine(home=tmp_path / "other", catalogue_url=str(small_catalogue)).store.sessions("local")
    again = Session.open(row.id, engine=Engine(home=tmp_path / "other", catalogue_url=str(small_catalogue)))
    assert again.hash == before
    assert again.name == session.name
    assert [each.tool for each in again.events] == [
        each.tool for each in session.events[:-1] if each.kind == "call" and each.ok
    ]


def test_the_script_says_so_when_it_ends_elsewhere(
    session: Session, small_catalogue: Path, tmp_path: Path
) -> None:
    path = Path(session.call("export_script").data["path"])
    path.write_text(path.read_text().replace("'train'", "'val'"))
    done = run_script(path, small_catalogue, tmp_path / "other")
    assert done.returncode == 1
    assert "AssertionError: The catalogue or a tool has changed since." in done.stderr


def test_a_request_in_a_comment_cannot_get_out_of_it(session: Session) -> None:
    text = Path(session.call("export_script").data["path"]).read_text()
    tree = ast.parse(text)
    kinds = [type(node).__name__ for node in tree.body]
    calls = sum(each.kind == "call" and each.ok for each in session.events[:-1])
    assert kinds == ["ImportFrom", "Assign", "FunctionDef", *["Expr"] * calls, "Assert"]
    assert "# import os; os.abort()\n# raise SystemExit(3)" in text.replace("\n#\n", "\n")


def test_the_notebook_is_valid_and_makes_the_state_again(
    session: Session, small_catalogue: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = session.call("export_notebook")
    book = nbformat.read(event.data["path"], as_version=4)
    nbformat.validate(book)
    for key, value in environment(small_catalogue, tmp_path / "other").items():
        monkeypatch.setenv(key, value)
    NotebookClient(book, timeout=120, kernel_name="python3").execute()
    [row] = Engine(home=tmp_path / "other", catalogue_url=str(small_catalogue)).store.sessions("local")
    assert row.name == session.name
    book.cells[-1].source = "assert session.hash == 'another'"
    with pytest.raises(CellExecutionError):
        NotebookClient(book, timeout=120, kernel_name="python3").execute()


def test_the_same_session_gives_the_same_notebook(session: Session) -> None:
    events = session.events
    first = Path(session.call("export_notebook").data["path"]).read_text()
    session.undo()
    assert stretches_of(events) == stretches_of(session.events[: len(events)])
    fork = session.fork(turn=events[-1].turn, name=session.name)
    assert Path(fork.call("export_notebook").data["path"]).read_text() == first


def test_a_session_with_exports_can_be_exported_and_replayed(session: Session) -> None:
    assert session.call("export_script").ok and session.call("export_csv").ok
    assert session.replay() == session.state


@pytest.mark.slow
def test_a_script_with_rasters_and_features_asks_for_its_uploads_and_makes_the_state_again(
    engine: Engine, small_catalogue: Path, tmp_path: Path
) -> None:
    session = Session.open(name="Heights", engine=engine)
    uploads = engine.uploads(session.row.owner)
    uploads.mkdir(parents=True)
    write_raster(uploads / "heights.tif")
    session.call("add_file", file="heights.tif")
    raster = session.state.artifacts[-1].id
    session.call("raster_calc", raster=raster, expression="b1 * 2")
    session.call("polygonize", raster=raster)
    session.call("add_raster_layer", artifact=raster, colormap="green")
    assert all(each.ok for each in session.events), [each.text for each in session.events if not each.ok]
    wanted = session.hash
    path = Path(session.call("export_script").data["path"])
    missing = run_script(path, small_catalogue, tmp_path / "other")
    assert missing.returncode == 1
    assert missing.stderr.startswith("Put ['heights.tif'] into ") and missing.stderr.count("\n") == 1
    other = Engine(home=tmp_path / "other", catalogue_url=str(small_catalogue))
    other.uploads("local").mkdir(parents=True)
    shutil.copy(uploads / "heights.tif", other.uploads("local"))
    done = run_script(path, small_catalogue, tmp_path / "other")
    assert (done.returncode, done.stderr) == (0, "")
    assert wanted in {Session.open(row.id, engine=other).hash for row in other.store.sessions("local")}
    notebook = session.call("export_notebook")
    assert "heights.tif" in Path(notebook.data["path"]).read_text(encoding="utf-8")
