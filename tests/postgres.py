"""A real PostgreSQL server for tests: started once a session in a temporary folder, then stopped.

A conftest takes the fixtures it needs, all four names, for pytest looks them up by name::

    from tests.postgres import new_postgres_database, postgres_server, postgres_template, postgres_url

    def test_something(postgres_url): ...  # an empty database with PostGIS, of this test alone
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

_USER = "azimuth"
_numbers = itertools.count()


def start_server(home: Path) -> None:
    """Start the server of that folder, and wait for it."""
    programs = _programs()
    assert programs is not None
    settings = (
        f"-c listen_addresses='' -c unix_socket_directories={home} -c fsync=off -c"
        f" full_page_writes=off -c max_connections=40"
    )
    _run(programs / "pg_ctl", "-D", home / "data", "-l", home / "log", "-w", "-o", settings, "start")


def stop_server(home: Path) -> None:
    """Stop it as a crash does; whoever does so in a test starts it again."""
    programs = _programs()
    assert programs is not None
    _run(programs / "pg_ctl", "-D", home / "data", "-m", "immediate", "-w", "stop")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Path]:
    """The folder of the unix socket of a running server; skips where PostgreSQL is not installed."""
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL's server programs (initdb, pg_ctl) are not installed")
    home = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # a socket's path may be 107 bytes at most
    home.chmod(0o755)
    if os.geteuid() == 0:
        shutil.chown(home, "postgres")
    try:
        _run(
            programs / "initdb",
            "-D",
            home / "data",
            "-U",
            _USER,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "-N",
        )
        start_server(home)
        try:
            yield home
        finally:
            stop_server(home)
    finally:
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_template(postgres_server: Path) -> str:
    """A database that has PostGIS, to copy from: making the extension takes a second each time."""
    with psycopg.connect(
        host=str(postgres_server), user=_USER, dbname="postgres", autocommit=True
    ) as connection:
        connection.execute("CREATE DATABASE with_postgis")
    with psycopg.connect(host=str(postgres_server), user=_USER, dbname="with_postgis") as connection:
        connection.execute("CREATE EXTENSION postgis")
    return "with_postgis"


@pytest.fixture(scope="session")
def new_postgres_database(postgres_server: Path, postgres_template: str) -> Callable[[], str]:
    """A function that makes an empty database and returns its SQLAlchemy URL."""

    def make() -> str:
        name = f"test_{next(_numbers)}"
        with psycopg.connect(
            host=str(postgres_server), user=_USER, dbname="postgres", autocommit=True
        ) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {postgres_template}")
        return f"postgresql+psycopg://{_USER}@/{name}?host={postgres_server}"

    return make


@pytest.fixture
def postgres_url(new_postgres_database: Callable[[], str]) -> str:
    """The SQLAlchemy URL of an empty database with PostGIS, of this test alone."""
    return new_postgres_database()


def _programs() -> Path | None:
    """Where initdb is, newest version first: Debian does not put it on the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


def _run(program: Path, *arguments: object) -> None:
    """Run one of the server's programs; they refuse to run as root, so root becomes `postgres`."""
    user = "postgres" if os.geteuid() == 0 else None
    command = [str(program), *map(str, arguments)]
    done = subprocess.run(
        command, user=user, group=user, extra_groups=[] if user else None, cwd="/", stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{program.name} failed: {done.stderr.strip()[-500:]}")
