"""How many of the gold tools are shown, over the intents and the requests."""

from __future__ import annotations

import pytest

from copilot.retrieval.measure import (
    figures,
    measure,
    missed_tools,
    read_intents,
    read_requests,
)
from copilot.retrieval.shown import BUDGET_TOKENS


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("held_out", [False, True], ids=["tuned on", "held out"])
def test_at_least_95_in_100_gold_tools_of_the_intents_are_shown_within_the_budget(held_out: bool) -> None:
    wanted = [each for each in read_intents() if each.held_out == held_out][::4]
    showings = measure(wanted)
    found = figures(showings)
    assert found["recall"] >= 0.95, missed_tools(showings)
    assert found["tokens"]["max"] <= BUDGET_TOKENS


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_at_least_96_in_100_gold_tools_of_hand_written_requests_are_shown() -> None:
    showings = measure(read_requests()[::3])
    assert figures(showings)["recall"] >= 0.96, missed_tools(showings)
