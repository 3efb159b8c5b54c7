"""What the tests of the selection agent share."""

from __future__ import annotations

import pytest

from copilot.engine import encode_texts
from data.modelzoo.agent import Collection
from tests.data.modelzoo.few import RECORDS


@pytest.fixture(scope="session")
def few() -> Collection:
    """The ten invented models, with the embedded encoder."""
    return Collection.of(RECORDS, encode_texts)
