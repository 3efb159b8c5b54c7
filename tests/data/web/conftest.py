"""What the tests of the way out share: a site, at a name that may be asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from copilot.bench.standin import served
from data.web.addresses import ALLOWED_VARIABLE
from tests.data.web.files import file_server, write_cog
from tests.data.web.site import site


@pytest.fixture(scope="session")
def site_port() -> Iterator[int]:
    """The port of the running site."""
    with served(site()) as port:
        yield port


@pytest.fixture
def base(site_port: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """The site's address by a name that the operator has allowed; 127.0.0.1 itself is not."""
    monkeypatch.setenv(ALLOWED_VARIABLE, f"harbour.test:{site_port}=127.0.0.1:{site_port}")
    return f"http://harbour.test:{site_port}"


@dataclass(frozen=True)
class Files:
    """Files served by ranges, at a name that may be asked."""

    base: str
    folder: Path
    asked: list[str]
    """The ranges that were asked for."""


@pytest.fixture(scope="session")
def file_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, list[str], int]]:
    """(the folder, the ranges that were asked for, the port) of a running file server with a COG."""
    folder, asked = tmp_path_factory.mktemp("files"), list[str]()
    write_cog(folder / "scene.tif")
    with served(file_server(folder, asked)) as port:
        yield folder, asked, port


@pytest.fixture
def files(file_folder: tuple[Path, list[str], int], monkeypatch: pytest.MonkeyPatch) -> Files:
    """The file server, under a name that the operator has allowed."""
    folder, asked, port = file_folder
    monkeypatch.setenv(ALLOWED_VARIABLE, f"files.test:{port}=127.0.0.1:{port}")
    asked.clear()
    return Files(f"http://files.test:{port}", folder, asked)
