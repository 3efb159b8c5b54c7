"""Tokens that programs show in place of a browser's cookie: the store keeps a hash, and whose each is."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import asdict, dataclass

from sqlalchemy import Column, String, Table, Text, delete, insert, select
from sqlalchemy.exc import IntegrityError

from state.store import Conflict, Store, metadata, now

_tokens = Table(
    "tokens",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("name", String(100), nullable=False, unique=True),
    Column("owner", String(64), nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("note", Text, nullable=False),
)
PREFIX = "azm_"
"""What a token begins with, so that one that was lost somewhere is known for what it is."""


@dataclass(frozen=True)
class TokenRow:
    """A token as the list shows it: nobody can make it again from this."""

    hash: str
    name: str
    owner: str
    """Whose sessions, uploads and data sets it opens."""
    created_at: str
    note: str = ""


class Tokens:
    """The tokens of a store. Safe to use from several threads and processes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.add_tables()

    def issue(self, name: str, owner: str, note: str = "") -> str:
        """A new token of that name for that owner: the only time that it is seen. Raises Conflict."""
        token = PREFIX + secrets.token_urlsafe(32)
        row = TokenRow(hash_of(token), name, owner, now(), note)
        try:
            with self._store.writing() as connection:
                connection.execute(insert(_tokens).values(**asdict(row)))
        except IntegrityError as error:
            raise Conflict(
                f"There is a token '{name}' already; revoke it first, or take another name."
            ) from error
        return token

    def of(self, token: str) -> TokenRow | None:
        """Whose token that is; None for one that was never issued, or was revoked."""
        return self._first(_tokens.c.hash == hash_of(token)) if token.startswith(PREFIX) else None

    def named(self, name: str) -> TokenRow | None:
        """The token of that name."""
        return self._first(_tokens.c.name == name)

    def all(self) -> list[TokenRow]:
        """Every token, the oldest first."""
        with self._store.reading() as connection:
            rows = connection.execute(
                select(_tokens).order_by(_tokens.c.created_at, _tokens.c.name)
            ).mappings()
            return [TokenRow(**row) for row in rows]

    def revoke(self, name: str) -> bool:
        """Make the token of that name worth nothing; False where there is none."""
        with self._store.writing() as connection:
            return bool(connection.execute(delete(_tokens).where(_tokens.c.name == name)).rowcount)

    def _first(self, condition: object) -> TokenRow | None:
        with self._store.reading() as connection:
            row = connection.execute(select(_tokens).where(condition)).mappings().first()  # type: ignore[arg-type]
        return None if row is None else TokenRow(**row)


def hash_of(token: str) -> str:
    """What the store keeps of a token. Its 256 random bits need neither salt nor stretching."""
    return hashlib.sha256(token.encode()).hexdigest()
