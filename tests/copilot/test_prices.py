"""What tokens cost: published prices at their publisher's address, or the user's own table."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.engine import Engine
from copilot.models import ModelNotConfigured, chat_model
from copilot.prices import Price, UnreadablePrices, price_of


def test_a_published_price_holds_for_the_model_and_its_dated_versions() -> None:
    assert price_of("gpt-4o-mini") == price_of("gpt-4o-mini-2024-07-18") == Price(0.15, 0.60)
    assert price_of("gpt-4o-mini-of-mine") is None and price_of("embedded") is None
    assert Price(0.15, 0.60).cost_usd(1_000_000, 500_000) == pytest.approx(0.45)


def test_a_model_of_the_same_name_at_another_address_has_no_price(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1")
    assert price_of("gpt-4o-mini") is None
    monkeypatch.setenv("OPENAI_BASE_URL", "https://api.openai.com/v1")
    assert price_of("gpt-4o-mini") == Price(0.15, 0.60)


def test_the_users_own_table_goes_first_and_holds_anywhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table = tmp_path / "prices.toml"
    table.write_text(
        '[models]\n"small" = { input = 1.0, output = 2 }\n"gpt-4o" = { input = 3, output = 4 }\n'
    )
    monkeypatch.setenv("COPILOT_PRICES", str(table))
    assert (price_of("gpt-4o"), price_of("gpt-4o-mini")) == (Price(3, 4), Price(0.15, 0.60))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1")
    assert (price_of("small"), price_of("gpt-4o-mini")) == (Price(1, 2), None)


@pytest.mark.parametrize("text", ["[models]\nsmall = 3", "models = 3", "not toml at all ="])
def test_a_table_that_is_none_is_told_before_a_turn_begins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, engine: Engine, text: str
) -> None:
    table = tmp_path / "prices.toml"
    table.write_text(text)
    monkeypatch.setenv("COPILOT_PRICES", str(table))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1")
    with pytest.raises(UnreadablePrices, match="is no table of prices; write"):
        price_of("small")
    with pytest.raises(ModelNotConfigured, match="is no table of prices; write"):
        chat_model("small", engine)


def test_a_table_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COPILOT_PRICES", "/nowhere/prices.toml")
    with pytest.raises(
        UnreadablePrices, match=r"^The prices at /nowhere/prices.toml cannot be read: No such"
    ):
        price_of("small")
