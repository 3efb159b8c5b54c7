"""DuckDB's spatial extension from its PyPI package: nothing is downloaded, nothing put in ~/.duckdb."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import duckdb

from data.catalogue.base import CatalogueError

Settings = dict[str, str | bool | int | float | list[str]]
CLOSED: Settings = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
"""Settings of every connection: an extension comes from here, or not at all."""


def load_spatial(connection: duckdb.DuckDBPyConnection) -> None:
    """LOAD the extension (0.15 s); CatalogueError when the package is missing or for another DuckDB."""
    connection.execute("LOAD '" + str(spatial_file()).replace("'", "''") + "'")


def spatial_file() -> Path:
    """The extension's file for the DuckDB that runs."""
    spec = find_spec("duckdb_extension_spatial")
    if spec is not None and spec.origin is not None:
        file = Path(spec.origin).parent / "extensions" / f"v{duckdb.__version__}" / "spatial.duckdb_extension"
        if file.is_file():
            return file
    wanted = f"duckdb-extension-spatial=={duckdb.__version__}"
    raise CatalogueError(f"Selecting by a polygon needs DuckDB's spatial extension; install {wanted}.")
