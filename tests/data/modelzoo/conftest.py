"""What the tests of the selection agent share."""

from __future__ import annotations

import pytest

from copilot.engine import encode_texts
from data.modelzoo.agent import Zoo
from tests.data.modelzoo.few import RECORDS


@pytest.fixture(scope="session")
def few() -> Zoo:
    """The ten invented models, with the embedded encoder."""
    return Zoo.of(RECORDS, encode_texts)
