"""Archives unpacked: each file becomes what it would become alone, and hostile archives become nothing."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from copilot.bench.build.example_files import FOLDER
from state.model import Artifact, State
from tests.tools.world import run
from tools.base import Reach, World
from tools.python.archives import list_archive
from tools.python.reading import read_text
from tools.python.unpacking import extract_archive


def with_archive(world: World, **members: bytes) -> State:
    path = world.artifacts.path("document-21b000", ".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return State().with_artifact(Artifact("document-21b000", "document", "bundle", "1 file", "add_file()"))


def test_every_file_becomes_an_artifact_and_can_be_read_on(world: World) -> None:
    state = with_archive(
        world,
        **{
            "campaign/log.txt": (FOLDER / "log.txt").read_bytes(),
            "campaign/fields.geojson": (FOLDER / "fields.geojson").read_bytes(),
            "scene.tif": (FOLDER / "scene.tif").read_bytes(),
        },
    )
    step = run(world, state, extract_archive, document="bundle")
    assert not step.failed, step.observation
    assert step.data["files"] == ["log.txt", "fields.geojson", "scene.tif"]
    kinds = [each.partition("-")[0] for each in step.data["artifacts"]]
    assert kinds == ["document", "vector", "raster"]
    made = "extract_archive(document=document-21b000)"
    assert [each.made_by for each in step.state.artifacts[1:]] == [made] * 3
    read = run(world, step.state, read_text, document=step.data["document"])
    assert "Wasser sehr trüb" in read.observation
    again = run(world, state, extract_archive, document="bundle")
    assert (again.observation, again.data, again.state) == (step.observation, step.data, step.state)


def test_some_files_can_be_taken_out_by_name(world: World) -> None:
    state = with_archive(world, **{"a/one.txt": b"one text", "a/two.txt": b"two texts"})
    step = run(world, state, extract_archive, document="bundle.zip", members="two.txt")
    assert step.data["files"] == ["two.txt"]
    wrong = run(world, state, extract_archive, document="bundle", members=["a/too.txt"])
    assert wrong.observation == "bundle holds no file 'a/too.txt'. Did you mean 'a/two.txt'?"


def test_what_cannot_be_used_is_named_and_the_rest_is_kept(world: World) -> None:
    state = with_archive(world, **{"run.exe": b"MZ\x90\0" * 50, "note.txt": b"a note"})
    step = run(world, state, extract_archive, document="bundle")
    assert step.data["files"] == ["note.txt"]
    assert len(step.data["refused"]) == 1 and "Windows program" in step.observation
    only = with_archive(world, **{"run.exe": b"MZ\x90\0" * 50})
    refused = run(world, only, extract_archive, document="bundle")
    assert refused.failed and refused.observation.startswith("No file of bundle can be used: 'run.exe'")
    assert refused.state == only


@pytest.mark.parametrize("name", ["../../climb.txt", "/etc/climb.txt", "a/../../climb.txt"])
def test_a_name_that_climbs_out_is_refused(world: World, name: str) -> None:
    state = with_archive(world, **{name: b"out"})
    before = sorted(Path(world.artifacts.path("x", "")).parent.iterdir())
    step = run(world, state, extract_archive, document="bundle")
    assert step.failed and step.state == state
    assert sorted(Path(world.artifacts.path("x", "")).parent.iterdir()) == before


def test_an_archive_is_read_from_a_file_too(world: World) -> None:
    listed = run(world, State(), list_archive, document=str(FOLDER / "bundle.zip"))
    assert listed.observation.startswith("bundle holds 3 files, 474 bytes unpacked: campaign/stations.csv")
    step = run(world, State(), extract_archive, document=str(FOLDER / "bundle.zip"), members="stations.csv")
    assert step.data["files"] == ["stations.csv"] and step.data["table"]


def test_over_the_web_only_uploaded_archives_are_read(world: World) -> None:
    confined = replace(world, reach=Reach(free=False))
    step = run(confined, State(), list_archive, document=str(FOLDER / "bundle.zip"))
    assert step.failed and step.observation.startswith("There is no document ")
    assert not run(confined, State(), list_archive, document="bundle.zip").failed
