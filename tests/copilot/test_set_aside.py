"""A broken data set is named wherever data sets are listed or one asks for it, and the others go on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from copilot.cli import data as data_commands
from copilot.engine import Engine
from copilot.session import Session
from data.catalogue.base import CatalogueError
from data.catalogue.duck import DuckCatalogue
from tests.tools.conftest import small_catalogue
from tests.tools.world import TODAY

__all__ = ["small_catalogue"]
BROKEN = (
    "The data set 'xview1' is set aside: its images.parquet is cut off or broken; build it again with "
    "`copilot data sample`."
)


@pytest.fixture
def broken(small_catalogue: Path, tmp_path: Path) -> Path:
    """A catalogue in which xview1 is cut off."""
    shutil.copytree(small_catalogue, root := tmp_path / "catalogue")
    path = root / "xview1" / "images.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    return root


@pytest.fixture
def session(broken: Path, tmp_path: Path) -> Session:
    return Session.open(engine=Engine(tmp_path / "home", catalogue_url=str(broken), today=TODAY))


def test_it_is_named_where_data_sets_are_listed_and_loaded(session: Session) -> None:
    listing = session.call("db_list")
    assert listing.ok and listing.text.endswith(f"\n{BROKEN}") and listing.data["set_aside"] == ["xview1"]
    assert "xview1" not in [each["name"] for each in listing.data["datasets"]]
    loaded = session.call("db_load", names=["xview1"])
    assert (loaded.ok, loaded.text) == (False, BROKEN)


def test_a_session_that_has_it_loaded_goes_on_with_the_others(small_catalogue: Path, tmp_path: Path) -> None:
    shutil.copytree(small_catalogue, root := tmp_path / "catalogue")
    session = Session.open(engine=Engine(tmp_path / "home", catalogue_url=str(root), today=TODAY))
    alone = session.call("db_load", names=["fair1m"]).data["count"]
    session.call("db_load", names=["xview1"])
    path = root / "xview1" / "images.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    found = session.call("filter_date", start="1990-01-01")
    assert found.ok and found.data["count"] == alone and found.text.endswith(BROKEN)
    assert session.call("group_count", by="class").ok and session.call("db_unload", names=["xview1"]).ok
    assert BROKEN not in session.call("group_count", by="class").text


def test_a_request_that_names_it_is_told_and_one_about_the_others_is_not(session: Session) -> None:
    about = session.ask("load the xview1 images")
    assert about.reply.endswith(BROKEN)
    other = session.ask("load the fair1m images")
    assert other.outcome == "done" and "set aside" not in other.reply


def test_what_the_catalogue_says_is_not_told_as_a_model_that_is_away(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(self: DuckCatalogue) -> None:
        raise CatalogueError("The catalogue's disk is away; nothing was changed.")

    monkeypatch.setattr(DuckCatalogue, "datasets", away)
    answer = session.ask("load the fair1m images")
    assert (answer.outcome, answer.reply) == ("failed", "The catalogue's disk is away; nothing was changed.")


def test_the_command_line_names_it(broken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(tmp_path / "home", catalogue_url=str(broken))
    monkeypatch.setattr("copilot.engine.default_engine", lambda: engine)
    listed = CliRunner().invoke(data_commands.app, ["list", "--json"])
    assert listed.exit_code == 0 and listed.stderr == f"{BROKEN}\n"
    assert "xview1" not in [each["name"] for each in json.loads(listed.stdout)]
