"""Tokens of programs: what the store keeps of them, and whose each is."""

from __future__ import annotations

from pathlib import Path

import pytest

from state.store import Conflict, Store
from state.tokens import PREFIX, Tokens


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store of this test alone."""
    return Store(f"sqlite:///{tmp_path / 'sessions.db'}")


def test_a_token_opens_what_is_its_owners_until_it_is_revoked(store: Store) -> None:
    tokens = Tokens(store)
    token = tokens.issue("laptop", "anna")
    found = tokens.of(token)
    assert found is not None and (found.name, found.owner) == ("laptop", "anna")
    assert tokens.revoke("laptop") and not tokens.revoke("laptop")
    assert tokens.of(token) is None


def test_who_reads_the_store_learns_no_token(store: Store, tmp_path: Path) -> None:
    token = Tokens(store).issue("laptop", "anna")
    store.close()
    kept = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    assert token.removeprefix(PREFIX).encode() not in kept and b"laptop" in kept


def test_a_name_is_given_once(store: Store) -> None:
    tokens = Tokens(store)
    tokens.issue("laptop", "anna")
    with pytest.raises(Conflict, match="There is a token 'laptop' already"):
        tokens.issue("laptop", "ben")


@pytest.mark.parametrize("shown", ["", "azm_", "azm_made-up", "laptop"])
def test_what_was_never_issued_is_nobodys(store: Store, shown: str) -> None:
    Tokens(store).issue("laptop", "anna")
    assert Tokens(store).of(shown) is None
