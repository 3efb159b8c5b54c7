"""How much a tool that is new is wanted before anything is said."""

from __future__ import annotations

import numpy as np
import pytest

from copilot.language.network import NEVER, NO_OFFERS
from copilot.language.policy import EXPECTED_NEW, PRIOR_SHIFT, TAUGHT_NEW, favour_of


def test_a_new_tool_that_is_read_has_the_odds_that_people_want_it_and_not_those_of_training() -> None:
    odds = TAUGHT_NEW / (1 - TAUGHT_NEW) * np.exp(PRIOR_SHIFT)
    assert odds / (1 + odds) == pytest.approx(EXPECTED_NEW)


def test_a_new_tool_that_is_not_read_is_never_wanted() -> None:
    weights = {name: np.float32(1) for name in ("alpha", "beta", "gamma", "delta")}
    alike = np.array([0.5, 0.5], np.float32)
    favour = favour_of(weights, np.array([True, False]), alike, alike, NO_OFFERS)
    assert favour.tolist() == pytest.approx([NEVER, 1.0])
