"""Disasters named in any words."""

from __future__ import annotations

import pytest

from copilot.planner.events import event_mentions

EVENTS = ("palu-tsunami", "hurricane-harvey", "mexico-earthquake", "portugal-wildfire", "nepal-flooding")


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("the Palu tsunami", "palu-tsunami"),
        ("tsunami in Palu", "palu-tsunami"),
        ("flooded houses after hurricane Harvey", "hurricane-harvey"),
        ("houses after Harvey", "hurricane-harvey"),
        ("the Mexican quake", "mexico-earthquake"),
        ("floods in Nepal", "nepal-flooding"),
    ],
)
def test_an_event_is_named_by_its_place_and_its_kind_in_any_order(text: str, event: str) -> None:
    assert [found for _, _, found in event_mentions(text, EVENTS)] == [event]


def test_fire_stations_in_a_country_are_no_wildfire() -> None:
    assert list(event_mentions("fire stations in Portugal", EVENTS)) == []
