"""RS-Agent's ablation over its two sets of requests."""

from __future__ import annotations

import pytest

from copilot.bench.first_tool import SETS, first_tool_requests
from copilot.solutions.ablation import ablation


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("name", "least"), [("developed", 0.97), ("heldout", 0.95)])
def test_inference_and_retrieval_together_choose_at_least_as_well_as_either_alone(
    name: str, least: float
) -> None:
    found = ablation(requests=first_tool_requests(SETS[name]))
    assert found["both"].overall >= least, f"{name}: {found['both'].overall}"
    assert found["both"].overall >= max(found["without"].overall, found["retrieval only"].overall)
