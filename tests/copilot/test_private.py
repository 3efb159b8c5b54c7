"""What lies in a home folder is its user's alone, also where it was made before that was so."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from copilot.engine import Engine
from copilot.session import Session


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    """That of most users: everybody may read what they make."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    """What the group or anybody else could read, the folder itself too."""
    found = [each for each in (folder, *folder.rglob("*")) if stat.S_IMODE(each.lstat().st_mode) & 0o077]
    return sorted(str(each.relative_to(folder.parent)) for each in found)


def test_a_home_with_its_store_key_uploads_and_artifacts_is_made_for_its_user_alone(tmp_path: Path) -> None:
    engine = Engine(home=tmp_path / "home", catalogue_url=str(tmp_path / "catalogue"))
    engine.prepare()
    session = Session.open(engine=engine, owner=engine.owners.issue()[1])
    session.call("zoom_map", level=4)
    assert session.call("export_script").ok
    engine.uploads(session.row.owner).mkdir(parents=True)
    (engine.uploads(session.row.owner) / "mine.csv").write_text("x")
    assert (engine.home / "owners.key").is_file() and list(engine.home.glob("sessions/*/artifacts/*.py"))
    assert open_to_others(engine.home) == []
    assert len((engine.home / "owners.key").read_bytes()) == 32


def test_a_command_lines_home_and_store_are_closed_as_well(tmp_path: Path) -> None:
    engine = Engine(home=tmp_path / "home", catalogue_url=str(tmp_path / "catalogue"))
    Session.open(engine=engine).call("zoom_map", level=4)
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in engine.home.glob("sessions.db*")}
    assert stat.S_IMODE(engine.home.stat().st_mode) == 0o700
    assert modes["sessions.db"] == 0o600 and set(modes.values()) == {0o600}


def test_a_home_from_before_is_closed_at_the_apps_start(tmp_path: Path) -> None:
    for name in (
        "sessions.db",
        "uploads/ann/a.csv",
        "sessions/abc/artifacts/t.parquet",
        "catalogue/x/dataset.json",
    ):
        file = tmp_path / "home" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "home" / "remembered").symlink_to(tmp_path / "elsewhere")
    Engine(home=tmp_path / "home", catalogue_url=str(tmp_path / "catalogue")).prepare()
    closed = ("", "sessions.db", "uploads", "uploads/ann", "sessions", "sessions/abc", "catalogue")
    # Below a folder that nobody else can enter it does not matter what a file allows.
    modes = {each: stat.S_IMODE((tmp_path / "home" / each).stat().st_mode) & 0o077 for each in closed}
    assert modes == dict.fromkeys(closed, 0)
    assert stat.S_IMODE((tmp_path / "elsewhere").stat().st_mode) == 0o755


def test_a_key_is_made_once_and_cookies_outlive_a_restart(tmp_path: Path) -> None:
    one, other = (Engine(home=tmp_path / "home", catalogue_url=str(tmp_path)) for _ in range(2))
    cookie, owner = one.owners.issue()
    assert other.owners.of(cookie) == owner
    assert Engine(home=tmp_path / "another", catalogue_url=str(tmp_path)).owners.of(cookie) is None
