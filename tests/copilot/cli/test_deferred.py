"""Listing the tools loads no library that only computing needs; what is deferred works when it is used."""

from __future__ import annotations

import subprocess
import sys

from copilot.cli.deferred import HEAVY
from tests.copilot.cli.conftest import ROOT


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-1]


def test_listing_the_tools_runs_no_heavy_library() -> None:
    program = (
        "import sys; from copilot.cli.tools import tools; tools(as_json=True);"
        "print(sorted({'pandas.core', '_duckdb', 'pyproj.crs', 'rasterio', 'langchain_core', 'sqlalchemy'}"
        " & set(sys.modules)))"
    )
    assert run(program) == "[]"


def test_a_deferred_library_is_the_library_once_it_is_used() -> None:
    program = (
        f"import sys; from copilot.cli.deferred import defer; defer(*{HEAVY!r});"
        "import pandas as pd, duckdb, h3, pyproj;"
        "before = 'pandas.core' in sys.modules;"
        "n = duckdb.sql('select 42').fetchone()[0]; frame = pd.DataFrame({'a': [n]});"
        "cell = h3.latlng_to_cell(6, 3, 5);"
        "print(before, frame.a.sum(), h3.get_resolution(cell), pyproj.Geod(ellps='WGS84').a)"
    )
    assert run(program) == "False 42 5 6378137.0"
