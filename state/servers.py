"""Tool servers that were added by name: where each is, for whom, and what it said of its tools then."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Column, String, Table, Text, delete, insert, select

from state.store import Store, metadata, now

_servers = Table(
    "servers",
    metadata,
    Column("owner", String(64), primary_key=True),
    Column("name", String(40), primary_key=True),
    Column("body", Text, nullable=False),
    Column("added_at", String(32), nullable=False),
)
EVERYBODY = ""
"""The owner of a server that is there for all."""


@dataclass(frozen=True)
class ServerRow:
    """A server, with the tools that it had when it was added: a change of them is seen by that."""

    name: str
    owner: str = EVERYBODY
    """Whose sessions have its tools."""
    url: str | None = None
    command: tuple[str, ...] = ()
    """The program and its arguments, where it is one that is started here."""
    secret: str | None = None
    """The name of the environment's variable with its bearer token; the token itself is kept nowhere."""
    trusted: bool = False
    """Whether what it says only reads runs without being asked about."""
    tools: tuple[dict[str, Any], ...] = ()
    """Its tools as they were read: name, title, description, schema, hints."""
    added_at: str = field(default_factory=now)


class Servers:
    """The servers of a store. Safe to use from several threads and processes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.add_tables()

    def put(self, row: ServerRow) -> None:
        """Keep a server, in place of one of its name and owner."""
        plain = {key: value for key, value in vars(row).items() if key not in ("name", "owner", "added_at")}
        mine = (_servers.c.owner == row.owner) & (_servers.c.name == row.name)
        kept = {"owner": row.owner, "name": row.name, "body": json.dumps(plain), "added_at": row.added_at}
        with self._store.writing() as connection:
            connection.execute(delete(_servers).where(mine))
            connection.execute(insert(_servers).values(kept))

    def of(self, owner: str) -> list[ServerRow]:
        """Those that owner's sessions have, by name: everybody's, and the owner's own, which come before."""
        found = {row.name: row for row in self._read(_servers.c.owner.in_((EVERYBODY, owner)))}
        return [found[name] for name in sorted(found)]

    def all(self) -> list[ServerRow]:
        """Every server."""
        return self._read()

    def remove(self, name: str, owner: str = EVERYBODY) -> bool:
        """Forget a server; False where there is none."""
        mine = (_servers.c.owner == owner) & (_servers.c.name == name)
        with self._store.writing() as connection:
            return bool(connection.execute(delete(_servers).where(mine)).rowcount)

    def _read(self, *conditions: Any) -> list[ServerRow]:
        query = select(_servers).where(*conditions).order_by(_servers.c.owner, _servers.c.name)
        with self._store.reading() as connection:
            return [_row(each) for each in connection.execute(query).mappings()]


def _row(kept: Any) -> ServerRow:
    body = json.loads(kept["body"])
    body |= {"command": tuple(body["command"]), "tools": tuple(body["tools"])}
    return ServerRow(name=kept["name"], owner=kept["owner"], added_at=kept["added_at"], **body)
