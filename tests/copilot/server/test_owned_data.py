"""Data sets that a visitor brings in are seen by nobody else: not in words, rows, SQL, tiles or pictures."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from copilot.engine import Engine
from copilot.live import Live
from copilot.session import Session
from data.catalogue.write import share_dataset
from tests.copilot.server.conftest import HEADERS, owner
from tests.tools.prepared import write_raster


@pytest.fixture
def engine(engine: Engine, tmp_path: Path) -> Engine:
    """An engine whose catalogue is of this test alone."""
    engine.catalogue_url = str(tmp_path / "catalogue")
    return engine


@pytest.fixture
def scene(tmp_path: Path) -> bytes:
    write_raster(tmp_path / "scene.tif")
    return (tmp_path / "scene.tif").read_bytes()


def opened(client: TestClient, live: Live) -> Session:
    """A session of that browser."""
    return live.create(owner(client))


def ingested(client: TestClient, session: Session, scene: bytes, name: str = "dockyard") -> str:
    """Ingest a picture for that browser; its image's id."""
    client.put("/api/uploads/berth_seven.tif", content=scene, headers=HEADERS)
    body = {"tool": "db_ingest", "args": {"path": "berth_seven.tif", "name": name}}
    answer = client.post(f"/api/sessions/{session.id}/calls", json=body, headers=HEADERS)
    assert answer.status_code == 200, answer.text
    return f"{name}:berth_seven.tif"


ASKED = [
    ("db_list", {}),
    ("db_load", {"names": ["dockyard"]}),
    ("db_load", {"names": ["dockyrad"]}),
    ("db_schema", {}),
    ("db_sql", {"sql": "SELECT * FROM images"}),
    ("db_sql", {"sql": "SELECT * FROM datasets"}),
    ("db_count", {}),
    ("distinct_values", {"field": "name"}),
    ("select_image", {"image": "dockyard:berth_seven.tif"}),
    ("add_raster_layer", {"image": "dockyard:berth_seven.tif"}),
    ("raster_info", {"raster": "dockyard:berth_seven.tif"}),
]


def told(client: TestClient, session: Session) -> list[tuple[int, str]]:
    """What that browser is told of what it asks for."""
    answers = [
        client.post(f"/api/sessions/{session.id}/calls", json={"tool": tool, "args": args}, headers=HEADERS)
        for tool, args in ASKED
    ]
    return [(answer.status_code, answer.text) for answer in answers]


def test_another_owner_is_told_the_same_as_where_there_is_no_such_data_set(
    client: TestClient, stranger: TestClient, live: Live, scene: bytes
) -> None:
    mine, before, after = opened(client, live), opened(stranger, live), opened(stranger, live)
    there_is_none = told(stranger, before)
    image = ingested(client, mine, scene)
    assert told(stranger, after) == there_is_none
    assert [each.data for each in after.events] == [each.data for each in before.events]
    assert client.get(f"/api/quicklooks/{image}").status_code == 200
    refused = stranger.get(f"/api/quicklooks/{image}")
    assert (refused.status_code, refused.json()) == (404, {"error": "This image comes without pixels."})
    assert told(client, mine) != there_is_none


def test_two_owners_data_sets_of_one_name_stay_apart_until_one_is_shared(
    client: TestClient, stranger: TestClient, live: Live, engine: Engine, scene: bytes
) -> None:
    mine, theirs = opened(client, live), opened(stranger, live)
    image = ingested(client, mine, scene)
    assert engine.catalogue_root is not None
    assert [info.name for info in engine.catalogue.datasets()] == []
    shared = share_dataset(engine.catalogue_root, "dockyard")
    assert (shared.owner, shared.images) == (mine.row.owner, 1)
    assert stranger.get(f"/api/quicklooks/{image}").status_code == 200
    # What was shared is seen with its pixels, which lie among the uploads of who brought it in.
    body = {"tool": "raster_info", "args": {"raster": image}}
    answer = stranger.post(f"/api/sessions/{theirs.id}/calls", json=body, headers=HEADERS)
    assert answer.status_code == 200 and "EPSG:4326" in answer.json()["observation"]
    assert stranger.put("/api/uploads/berth_seven.tif", content=scene, headers=HEADERS).status_code == 200
    body = {"tool": "db_ingest", "args": {"path": "berth_seven.tif", "name": "dockyard"}}
    taken = stranger.post(f"/api/sessions/{theirs.id}/calls", json=body, headers=HEADERS)
    assert taken.json()["error"] == "There is a data set 'dockyard' for everybody; give another name."


def test_the_planner_knows_the_data_sets_that_the_session_sees_and_no_others(
    client: TestClient, stranger: TestClient, live: Live, scene: bytes
) -> None:
    mine, theirs = opened(client, live), opened(stranger, live)
    ingested(client, mine, scene)
    assert mine.ask("load dockyard").state.database.loaded == ("dockyard",)
    assert theirs.ask("load dockyard").state.database.loaded == ()
