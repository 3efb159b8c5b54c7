"""Which files a caller may name: all of a machine but Azimuth's own, and over the web next to nothing."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tools.world import small_world
from tools.base import Reach, ToolError, World
from tools.outside import Outside, file_named, may_open, named_folders, source_named, uploaded_names

FILES = (
    "home/sessions.db",
    "home/sessions.db-wal",
    "home/uploads/me/mine.csv",
    "home/uploads/other/theirs.csv",
    "home/catalogue/sample/images.parquet",
    "home/sessions/abc/artifacts/table-abc123.parquet",
    "imagery/2024/a.tif",
    "secret.txt",
)
NO_NAMES = """
{}/secret.txt|{}/home/uploads/other/theirs.csv|{}/home/uploads/me/mine.csv|{}/home/sessions.db|{}|/|.|..
{}/imagery/2024/a.tif|../other/theirs.csv|imagery/../secret.txt|imagery/../home/sessions.db|theirs.csv
imagery/2024/../../secret.txt|/proc/self/environ|/proc/self/root/{}/secret.txt|~/.bashrc|imagery/2024/b.tif
uploads/other/theirs.csv|imagery\0
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A home with a store, uploads of two owners and a catalogue; an open folder; a secret elsewhere."""
    for name in FILES:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    return tmp_path


def world_of(machine: Path, *, free: bool, folder: str = "imagery") -> World:
    reach = Reach(
        free=free,
        folders={folder.rpartition("/")[2]: machine / folder if folder else machine},
        closed=(machine / "home", machine / "home" / "sessions.db", machine / "home" / "sessions.db-wal"),
    )
    world = small_world(machine / "nowhere", machine / "artifacts")
    return replace(world, uploads=machine / "home" / "uploads" / "me", reach=reach)


def refused(world: World, name: str) -> str:
    with pytest.raises(ToolError) as error:
        source_named(world, name)
    return str(error.value)


def test_over_the_web_uploads_and_the_operators_folders_are_named_and_nothing_else(machine: Path) -> None:
    world = world_of(machine, free=False)
    assert file_named(world, "mine.csv") == Outside(
        machine / "home/uploads/me/mine.csv", "mine.csv", ours=True
    )
    assert file_named(world, "imagery/2024/a.tif") == Outside(
        machine / "imagery/2024/a.tif", "imagery/2024/a.tif"
    )
    assert source_named(world, "imagery/2024").path == machine / "imagery/2024"
    assert uploaded_names(world) == ["mine.csv"]


@pytest.mark.parametrize("name", [*"|".join(NO_NAMES.strip().splitlines()).split("|"), "a" * 300])
def test_over_the_web_a_path_is_answered_alike_whether_it_is_there_or_not(machine: Path, name: str) -> None:
    asked = name.format(machine)
    said = refused(world_of(machine, free=False), asked)
    assert said == (
        f"There is no file {asked[:200]!r} that can be read from here; upload it first (uploaded are "
        "mine.csv), or name what lies in a folder that is open to all: imagery/…."
    ) or said.endswith("Did you mean 'mine.csv'?")


def test_a_link_that_leads_out_of_an_operators_folder_is_not_followed(machine: Path) -> None:
    world = world_of(machine, free=False)
    (machine / "imagery/out.txt").symlink_to(machine / "secret.txt")
    (machine / "imagery/up").symlink_to(machine)
    (machine / "imagery/in.tif").symlink_to(machine / "imagery/2024/a.tif")
    assert refused(world, "imagery/out.txt").startswith("There is no file 'imagery/out.txt' that")
    assert refused(world, "imagery/up/secret.txt").startswith("There is no file 'imagery/up/secret.txt' that")
    assert file_named(world, "imagery/in.tif").path == machine / "imagery/2024/a.tif"


def test_an_operators_folder_that_holds_the_home_opens_none_of_it(machine: Path) -> None:
    world = world_of(machine, free=False, folder="")
    world = replace(world, reach=replace(world.reach, folders={"all": machine}))
    assert file_named(world, "all/secret.txt").path == machine / "secret.txt"
    for name in ("all/home/uploads/other/theirs.csv", "all/home/sessions.db", "all/home", "all", "all/."):
        assert refused(world, name).startswith(f"There is no file {name!r} that"), name
    os.link(machine / "home/sessions.db", machine / "imagery/linked.db")
    assert refused(world, "all/imagery/linked.db").startswith("There is no file 'all/imagery/linked.db' that")


@pytest.mark.parametrize(
    "name",
    ["home", ".", "home/../home/sessions.db-wal", "link.db", "hard.db"]
    + [each for each in FILES if each.startswith("home/") and "/me/" not in each],
)
def test_nothing_of_the_home_is_opened_on_ones_own_machine_either(machine: Path, name: str) -> None:
    (machine / "link.db").symlink_to(machine / "home/sessions.db")
    os.link(machine / "home/sessions.db", machine / "hard.db")
    said = refused(world_of(machine, free=True), f"{machine}/{name}")
    assert said.startswith(f"'{machine}/{name}' is Azimuth's own, or holds what is")


def test_on_ones_own_machine_any_other_path_is_read_and_a_scripts_names_work_too(machine: Path) -> None:
    world = world_of(machine, free=True)
    assert file_named(world, f"{machine}/secret.txt").path == machine / "secret.txt"
    assert file_named(world, "mine.csv").ours
    assert file_named(world, "imagery/2024/a.tif").path == machine / "imagery/2024/a.tif"
    assert refused(world, "/proc/self/mem-none").startswith(
        "There is no file or folder '/proc/self/mem-none'"
    )
    assert refused(world, "/dev/null") == "'/dev/null' is no file that holds data; give a file or a folder."


def test_a_record_names_only_pixels_that_are_not_azimuths_own(machine: Path) -> None:
    world = world_of(machine, free=True)
    opened = [name for name in (*FILES, "none.tif") if may_open(world, machine / name)]
    assert opened == ["home/uploads/me/mine.csv", "imagery/2024/a.tif", "secret.txt"]


def test_folders_are_called_by_their_names_and_told_apart(tmp_path: Path) -> None:
    folders = [tmp_path / "a" / "data", tmp_path / "b" / "data", tmp_path / "my scenes"]
    for folder in folders:
        folder.mkdir(parents=True)
    found = named_folders(":".join(map(str, folders)))
    assert found == dict(zip(("data", "data-2", "my-scenes"), folders, strict=True))
    assert named_folders("") == {}
