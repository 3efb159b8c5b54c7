"""A catalogue that is away says so in one plain sentence, and goes on when it is back."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from data.catalogue.base import CatalogueAway, Selection
from data.catalogue.duck import DuckCatalogue
from data.catalogue.postgres import PostgresCatalogue
from tests.data.catalogue.small import write_small_catalogue
from tests.postgres import start_server, stop_server

SILENT = "The catalogue's PostgreSQL server does not answer; nothing was changed. Try again once it does."


@pytest.mark.slow
def test_a_server_that_was_stopped_is_said_to_be_and_answers_again_when_it_is_back(
    postgres: PostgresCatalogue, postgres_server: Path
) -> None:
    before = postgres.count(Selection())
    stop_server(postgres_server)
    try:
        for ask in (postgres.datasets, lambda: postgres.rows(Selection()), lambda: postgres.sql("SELECT 1")):
            with pytest.raises(CatalogueAway) as met:
                ask()
            assert str(met.value) == SILENT
        with pytest.raises(CatalogueAway) as opening:
            PostgresCatalogue(postgres._engine.url.render_as_string(hide_password=False))
        assert str(opening.value).endswith(
            " cannot be opened: its server does not answer. Try again once it does."
        )
    finally:
        start_server(postgres_server)
    assert postgres.count(Selection()) == before


def test_a_folder_that_is_gone_is_said_to_be_and_read_again_when_it_is_back(tmp_path: Path) -> None:
    root = tmp_path / "catalogue"
    write_small_catalogue(root)
    with closing(DuckCatalogue(root)) as catalogue:
        before = catalogue.count(Selection())
        root.rename(tmp_path / "away")
        for ask in (
            catalogue.datasets,
            lambda: catalogue.count(Selection()),
            lambda: catalogue.rows(Selection()),
            lambda: catalogue.sql("SELECT count(*) FROM images"),
        ):
            with pytest.raises(CatalogueAway) as met:
                ask()
            assert str(met.value) == (
                "The catalogue's folder is gone, with every data set in it; nothing works on them until it "
                "is back."
            )
        (tmp_path / "away").rename(root)
        assert catalogue.count(Selection()) == before


def test_a_catalogue_that_was_never_there_is_an_empty_one(tmp_path: Path) -> None:
    with closing(DuckCatalogue(tmp_path / "none")) as catalogue:
        assert catalogue.datasets() == () and catalogue.count(Selection()) == 0
