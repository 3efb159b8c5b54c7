"""Questions and tool names, taken apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copilot.workflows.foreign.texts import best_of_owner, mean_of_owner, parts_of, spoken, without_names


def test_places_and_dates_are_left_away() -> None:
    asked = "Report flood damage near Port Elias since May 2023. Compare it with 40.5°N."
    assert without_names(asked) == "Report flood damage near since Compare it with"


def test_parts_are_the_words_between_stop_words_and_punctuation() -> None:
    assert parts_of("Quantify the crop yield of small fields, and soil moisture.") == (
        "Quantify",
        "crop yield",
        "small fields",
        "soil moisture",
    )


@given(st.text(min_size=1).filter(str.strip))
def test_every_question_has_a_part(text: str) -> None:
    assert parts_of(text) and without_names(text)


@pytest.mark.parametrize("name", ["detectShips", "detect_ships", "detect-ships", "Detect Ships"])
def test_a_name_is_read_as_words_however_it_is_written(name: str) -> None:
    assert spoken(name) == "detect ships"


def test_values_are_gathered_by_owner() -> None:
    values, owner = np.array([[1.0, 5.0, 2.0], [4.0, 0.0, 3.0]]), np.array([0, 0, 1])
    assert best_of_owner(values, owner).tolist() == [[5.0, 2.0], [4.0, 3.0]]
    assert mean_of_owner(values, owner).tolist() == [[3.0, 2.0], [2.0, 3.0]]
