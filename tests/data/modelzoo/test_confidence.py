"""How sure a value is, by who states it."""

from __future__ import annotations

from datetime import date
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.modelzoo.confidence import HIGHEST, TRUST, confidence
from data.modelzoo.schema import FLAGGED_BELOW, Source

KINDS = st.sampled_from(sorted(TRUST))
SOURCES = st.builds(
    lambda kind, number: Source(
        title="x", url=f"https://a.example/{kind}/{number}", kind=kind, read=date(2026, 11, 24)
    ),
    KINDS,
    st.integers(0, 5),
)


def source(kind: str, number: int = 0) -> Source:
    return Source.model_validate(
        {"title": "x", "url": f"https://a.example/{kind}/{number}", "kind": kind, "read": "2026-11-24"}
    )


@pytest.mark.parametrize(
    ("stating", "against", "sure"),
    [
        (("list",), (), 0.7),
        (("table",), (), 0.75),
        (("paper",), (), 0.8),
        (("paper", "repository", "card"), (), 0.8),
        (("paper", "list"), (), 0.94),
        (("paper", "table", "list"), (), 0.97),
        (("paper",), ("list",), 0.4),
        (("paper", "list"), ("table",), 0.63),
        ((), ("list",), 0.0),
    ],
)
def test_agreement_of_parties_makes_surer_and_dispute_less_sure(
    stating: tuple[str, ...], against: tuple[str, ...], sure: float
) -> None:
    assert confidence(map(source, stating), map(source, against)) == sure


def test_only_a_lone_list_or_a_dispute_is_flagged() -> None:
    flagged = {kind for kind in TRUST if confidence([source(kind)]) < FLAGGED_BELOW}
    disputed = {
        (one, two) for one, two in product(TRUST, TRUST) if confidence([source(one)], [source(two, 1)]) >= 0.5
    }
    assert (flagged, disputed) == ({"list"}, set())


@given(st.lists(SOURCES, max_size=6), st.lists(SOURCES, max_size=4), SOURCES)
def test_one_more_that_states_it_never_makes_it_less_sure(
    stating: list[Source], against: list[Source], more: Source
) -> None:
    before, after = confidence(stating, against), confidence([*stating, more], against)
    assert 0 <= before <= after <= HIGHEST


@given(st.lists(SOURCES, max_size=6), st.lists(SOURCES, max_size=4), SOURCES)
def test_one_more_that_disputes_it_never_makes_it_surer(
    stating: list[Source], against: list[Source], more: Source
) -> None:
    assert confidence(stating, [*against, more]) <= confidence(stating, against)
