"""What the tests of the way out share: a site, at a name that may be asked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from copilot.bench.standin import served
from data.web.addresses import ALLOWED_VARIABLE
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
