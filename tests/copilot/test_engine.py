"""The engine: where things are kept, and that nothing gets out of there."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.engine import Engine, FolderArtifacts, ReplayedArtifacts, default_home
from copilot.session import Session
from copilot.worker.recovery import drop_parts
from data.room import taken_bytes
from state.store import StoreUnavailable
from tools.kept import safe_file_name


@pytest.mark.parametrize("bad", ["../../etc", "", "a/b", "a.b", "*", "x" * 101, "a\x00b"])
def test_an_id_that_is_a_path_reaches_no_file(tmp_path: Path, bad: str) -> None:
    engine = Engine(tmp_path / "home")
    (tmp_path / "etc").mkdir()
    with pytest.raises(ValueError, match="is no id"):
        engine.artifacts(bad)
    for act in (FolderArtifacts(tmp_path).find, lambda each: FolderArtifacts(tmp_path).path(each, ".csv")):
        with pytest.raises(ValueError, match="is no id"):
            act(bad)
    with pytest.raises(ValueError, match="is no id"):
        engine.remove_session(bad)
    engine.store.close()
    assert (tmp_path / "etc").is_dir()


def test_an_artifact_is_found_by_its_id_and_no_other_that_begins_alike(tmp_path: Path) -> None:
    artifacts = FolderArtifacts(tmp_path)
    artifacts.path("table-1", ".parquet").write_text("one")
    artifacts.path("table-12", ".parquet").write_text("twelve")
    assert artifacts.find("table-1") == tmp_path / "table-1.parquet"
    assert artifacts.find("table-2") is None


def test_a_replay_writes_beside_and_reads_what_it_did_not_make_from_the_record(tmp_path: Path) -> None:
    made, recorded = FolderArtifacts(tmp_path / "made"), FolderArtifacts(tmp_path / "recorded")
    recorded.path("a", ".csv").write_text("recorded")
    both = ReplayedArtifacts(made, recorded)
    assert both.find("a") == tmp_path / "recorded" / "a.csv"
    both.path("a", ".csv").write_text("made")
    assert both.find("a") == tmp_path / "made" / "a.csv"
    assert (tmp_path / "recorded" / "a.csv").read_text() == "recorded"


def test_a_file_keeps_the_name_that_it_was_given_and_is_found_by_its_id_alone(tmp_path: Path) -> None:
    artifacts = FolderArtifacts(tmp_path)
    path = artifacts.named("document-1", "Flüsse von Käln.gpkg")
    assert artifacts.find("document-1") is None
    path.write_text("x")
    path.with_name(f"{path.name}.provenance.json").write_text("{}")
    path.with_name(".half.part").write_text("")
    assert path == tmp_path / "document-1.d" / "Flüsse-von-Käln.gpkg"
    assert artifacts.find("document-1") == path and artifacts.find("document-12") is None
    assert taken_bytes(tmp_path) == 3
    both = ReplayedArtifacts(FolderArtifacts(tmp_path / "made"), artifacts)
    assert both.find("document-1") == path
    both.named("document-1", "b.csv").write_text("made")
    assert both.find("document-1") == tmp_path / "made" / "document-1.d" / "b.csv"
    with pytest.raises(ValueError, match="is no id"):
        artifacts.named("../up", "a.csv")


def test_a_name_becomes_one_that_any_machine_takes() -> None:
    names = {
        "../../etc/passwd": "etc-passwd", "..": "document", "": "document", ".hidden": "hidden",
        "รายงาน กทม.csv": "รายงาน-กทม.csv", "a\x00b\n.json": "a-b.json", "\ud800.csv": "csv",
        "C:\\x\\y.shp.zip": "C-x-y.shp.zip", "=cmd|' /C calc'!A0": "cmd-C-calc-A0",
    }  # fmt: skip
    assert {each: safe_file_name(each, "document") for each in names} == names
    long = safe_file_name("ø" * 500 + ".geojson")
    assert long.endswith("ø.geojson") and len(long.encode()) <= 120


def test_what_was_half_written_goes_when_the_session_is_taken_up_again(engine: Engine) -> None:
    artifacts = engine.artifacts("s")
    half = artifacts.named("document-1", "a.gpkg").with_name(".a.part")
    half.mkdir()
    (half / "a.gpkg").write_text("half")
    drop_parts(engine.desk, "s", artifacts.folder)
    assert list(half.parent.iterdir()) == []


def test_a_removed_session_takes_its_files_along_and_no_others(engine: Engine) -> None:
    one, other = Session.open(engine=engine), Session.open(engine=engine)
    for each in (one, other):
        each.call("db_load", names=["fmow"])
        assert each.call("export_csv").ok
    engine.remove_session(one.id)
    assert not engine.artifacts(one.id).folder.exists()
    assert [path.suffix for path in sorted(engine.artifacts(other.id).folder.iterdir())] == [".csv", ".json"]


def test_the_home_is_where_the_environment_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AZIMUTH_HOME", str(tmp_path / "mine"))
    assert default_home() == tmp_path / "mine"
    monkeypatch.delenv("AZIMUTH_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_home() == tmp_path / "azimuth"


def test_a_home_that_cannot_be_made_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(
        StoreUnavailable, match=r"^The home folder .*/file/home cannot be made .*; set AZIMUTH_HOME"
    ):
        _ = Engine(tmp_path / "file" / "home").store


def test_engines_in_memory_over_one_catalogue_keep_their_sessions_apart(engine: Engine) -> None:
    one, other = Engine.in_memory_like(engine), Engine.in_memory_like(engine)
    Session.open(engine=one)
    assert (len(one.store.sessions()), other.store.sessions()) == (1, [])
    assert one.catalogue is other.catalogue is engine.catalogue and one.clock() == engine.clock()
