"""What the page sees of a running job, and how it stops it."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from copilot.live import Live
from copilot.session import Session
from state.jobs import Caller
from tests.copilot.server.conftest import HEADERS
from tests.copilot.worker import functions
from tests.copilot.worker.conftest import Asked
from tests.suite.waiting import wait_until


@pytest.fixture
def asked(live: Live, mine: Session, tmp_path: Path) -> Asked:
    """A call of the session whose job has found things and goes on."""
    caller = Caller(mine.id, 3, 3, mine.hash, "optical_detection", {}, "page")
    asked = Asked(live.engine.desk, caller, functions.find_until, tmp_path / "never")
    wait_until(lambda: (live.job(mine.id) or {}).get("found") == 3)
    return asked


def test_a_running_job_can_be_watched_and_stopped_by_its_owner_alone(
    asked: Asked, live: Live, mine: Session, client: TestClient, stranger: TestClient
) -> None:
    job = live.job(mine.id)
    assert job is not None and (job["title"], job["percent"]) == ("The work", 40)
    assert live.version(mine.id) == "2*"
    base = f"/api/sessions/{mine.id}/jobs/{job['id']}"
    features = client.get(f"{base}/found?after=1").json()["features"]
    assert [each["properties"]["tile"] for each in features] == [1, 2]
    assert client.get(f"{base}/found?after=-1").status_code == 400
    assert client.get(f"/api/sessions/{mine.id}/jobs/other/found").status_code == 404
    assert stranger.get(f"{base}/found").status_code == 404
    assert stranger.post(f"{base}/cancel", headers=HEADERS).status_code == 404
    assert client.post(f"{base}/cancel").status_code == 403  # without the page's header
    assert client.post(f"{base}/cancel", headers=HEADERS).json() == {"stopped": True}
    assert str(asked.end()) == "The work was stopped; nothing was changed."
    assert (live.job(mine.id), live.version(mine.id)) == (None, "2")
    assert client.get(f"{base}/found").status_code == 404


def test_the_stop_button_stops_the_job_too(asked: Asked, live: Live, mine: Session) -> None:
    assert live.stop(mine.id)
    assert str(asked.end()) == "The work was stopped; nothing was changed."
    assert not live.stop(mine.id)
