"""The catalogue: which images there are, where, when, and what they show."""

from __future__ import annotations

from pathlib import Path

from data.catalogue.base import Catalogue


def open_catalogue(url_or_path: str | Path) -> Catalogue:
    """The catalogue at a PostgreSQL URL (`postgresql://…`), else in a folder of Parquet files."""
    text = str(url_or_path)
    if text.startswith(("postgresql://", "postgresql+psycopg://", "postgres://")):
        from data.catalogue.postgres import PostgresCatalogue  # SQLAlchemy is not needed for a folder

        return PostgresCatalogue(text)
    from data.catalogue.duck import DuckCatalogue

    return DuckCatalogue(Path(text).expanduser())
