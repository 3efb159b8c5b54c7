"""What a visitor can reach of the server's files and of other people's: nothing, by whatever name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from copilot.engine import Engine
from copilot.live import Live
from copilot.masked import Mask
from copilot.session import Session
from tests.copilot.server.conftest import HEADERS, owner

SECRET = "name,lon,lat\nhidden treasure,4.5,51.5\n"
POINTS = b"name,lon,lat\nmy own harbour,4.5,51.5\n"


@pytest.fixture
def places(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths of a secret: on the server, in another owner's uploads, in a session, and behind links."""
    inbox = tmp_path / "inbox"
    theirs = engine.uploads("somebody-else-who-is-here")
    session = engine.home / "sessions" / "abc" / "artifacts"
    for folder in (inbox / "open", theirs, session):
        folder.mkdir(parents=True)
    files = [tmp_path / "secret.csv", theirs / "secret.csv", session / "secret.csv"]
    for file in files:
        file.write_text(SECRET)
    (inbox / "link.csv").symlink_to(files[0])
    (inbox / "up").symlink_to(tmp_path)
    (inbox / "open" / "mine.csv").write_bytes(POINTS)
    monkeypatch.setenv("AZIMUTH_DATA_FOLDERS", str(inbox))
    names = [str(each) for each in files]
    return [
        *names, *(f"/proc/self/root{each}" for each in names), "../secret.csv", "inbox/../secret.csv",
        "inbox/link.csv", "inbox/up/secret.csv", str(inbox / "link.csv"), str(theirs), str(tmp_path),
        str(engine.home), "inbox/up", "../somebody-else-who-is-here/secret.csv", "/proc/self/environ",
        str(engine.home / "sessions.db"), f"../../../{tmp_path.name}/secret.csv",
    ]  # fmt: skip


def call(client: TestClient, session: Session, tool: str, **args: object) -> tuple[int, str]:
    body = {"tool": tool, "args": args}
    answer = client.post(f"/api/sessions/{session.id}/calls", json=body, headers=HEADERS)
    return answer.status_code, answer.text


@pytest.mark.parametrize("tool", ["add_file", "db_ingest", "list_archive", "extract_archive"])
def test_no_path_of_the_server_is_read_over_the_web(
    client: TestClient, live: Live, places: list[str], tool: str
) -> None:
    session = live.create(owner(client))
    argument = {"add_file": "file", "db_ingest": "path"}.get(tool, "document")
    for each in places:
        status, text = call(client, session, tool, **{argument: each})
        assert status == 422 and "treasure" not in text, each
    assert (session.state.artifacts, session.state.database.loaded) == ((), ())


def test_a_session_of_the_command_line_that_is_opened_over_the_web_is_confined_as_well(
    client: TestClient, live: Live, places: list[str]
) -> None:
    session = live.create("local")
    assert [call(client, session, "add_file", file=each)[0] for each in places] == [422] * len(places)


def test_what_is_uploaded_or_opened_by_the_operator_is_read_by_its_name(
    client: TestClient, live: Live, places: list[str]
) -> None:
    session = live.create(owner(client))
    client.put("/api/uploads/mine.csv", content=POINTS, headers=HEADERS)
    answers = [
        call(client, session, "add_file", file="mine.csv"),
        call(client, session, "db_ingest", path="mine.csv", name="mine"),
        call(client, session, "db_ingest", path="inbox/open", name="opened"),
    ]
    assert [status for status, _ in answers] == [200] * 3
    assert session.state.database.loaded == ("mine", "opened")


def test_neither_an_event_nor_an_error_names_a_folder_of_the_server(
    client: TestClient, live: Live, mine: Session, engine: Engine, tmp_path: Path, places: list[str]
) -> None:
    client.put("/api/uploads/mine.csv", content=POINTS, headers=HEADERS)
    for tool, args in (
        ("export_script", {}),
        ("export_csv", {}),
        ("add_file", {"file": "mine.csv"}),
        ("db_ingest", {"path": "mine.csv"}),
        ("db_query", {}),
        ("add_file", {"file": "none.csv"}),
    ):
        mine.call(tool, **args)
    pages = [
        client.get(f"/api/sessions/{mine.id}/{each}").text for each in ("view", "layers/clusters", "stac")
    ]
    told = json.dumps([[each.text, each.data, each.args] for each in mine.events])
    assert mine.events[2].ok
    assert [each for each in (told, *pages) if str(tmp_path) in each or str(engine.home) in each] == []


def test_a_broken_catalogue_is_told_of_without_its_folder(
    client: TestClient, engine: Engine, tmp_path: Path
) -> None:
    engine.catalogue_url = str(tmp_path / "catalogue")
    (tmp_path / "catalogue" / "broken").mkdir(parents=True)
    (tmp_path / "catalogue" / "broken" / "dataset.json").write_text("{")
    assert str(tmp_path) not in client.get("/api/quicklooks/broken:1").text


def test_a_file_is_called_by_its_name_wherever_it_lies() -> None:
    mask = Mask((Path("/srv/home"), Path("/srv/home/uploads")))
    assert (
        mask.text("It lies at /srv/home/uploads/ab/my.csv, or '/srv/home/x.db'.")
        == "It lies at my.csv, or 'x.db'."
    )
    assert mask.text("/srv/homes/a and /etc/srv/home stay") == "/srv/homes/a and /etc/srv/home stay"
