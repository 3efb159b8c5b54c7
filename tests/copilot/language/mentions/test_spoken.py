"""Numbers that are said in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copilot.language.mentions.spoken import written

WRITTEN = {
    "bridges in france twenty seventeen": "bridges in france 2017",
    "nineteen oh five": "1905",
    "since two thousand twenty": "since 2020",
    "minus one point five four": "-1.54",
    "a hundred and twenty-six miles": "126 miles",
    "two hundred thousand people": "200000 people",
    "twenty ninth of march to fourth of april": "29th of march to 4th of april",
    "one of the second ones, and five more": "one of the second ones, and five more",
    "points one two three": "points one two three",
    "convert one two zero knots": "convert 120 knots",
    "six two decimal one north one five zero decimal five west": "62.1 north 150.5 west",
    "a map of a hundred": "a map of 100",
}


@pytest.mark.parametrize(("said", "digits"), WRITTEN.items())
def test_a_number_of_several_words_is_written_in_digits(said: str, digits: str) -> None:
    assert written(said).text == digits


@given(
    st.lists(
        st.sampled_from("a one ten twenty ninth hundred thousand point minus oh and of may x 7 , -".split())
    )
)
def test_every_character_of_any_text_knows_where_it_stood(words: list[str]) -> None:
    said = " ".join(words)
    found = written(said)
    assert len(found.origin) == len(found.text) + 1
    assert list(found.origin) == sorted(found.origin)
    assert found.origin[-1] == len(said)
