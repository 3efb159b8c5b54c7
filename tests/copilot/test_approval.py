"""What an answer to "may it run?" is taken for."""

from __future__ import annotations

import pytest

from copilot.approval import ALWAYS, NO, YES, answered


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        (YES, YES),
        ("yes", YES),
        ("  YES!  ", YES),
        ("yes, run it", YES),
        (ALWAYS, ALWAYS),
        ("always", ALWAYS),
        (NO, NO),
        ("no", NO),
        ("no, do not run it.", NO),
        ("", None),
        ("?", None),
        ("yes, but zoom in first", None),
        ("notify me", None),
        ("run it", None),
    ],
)
def test_only_the_words_of_a_choice_or_its_first_ones_choose_it(said: str, taken: str | None) -> None:
    assert answered(said) == taken
