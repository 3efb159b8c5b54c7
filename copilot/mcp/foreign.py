"""Other servers' tools in a session's toolbox: added by name, with what they said of themselves at that time.

    engine.foreign.add(ServerRow("time", command=("python", "-m", "mcp_server_time")))
    session.toolbox.get("time__convert_time")

A tool asks before it acts (`copilot.approval`), is on record as from outside, and does what it
declared: where its server says something else of it by now, it is not called.
"""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from copilot.mcp import answers
from copilot.mcp.declared import MAX_TOOLS, called, declared, listed
from copilot.mcp.programs import ask_server
from copilot.mcp.wire import MIB
from state.model import State
from state.servers import EVERYBODY, ServerRow, Servers
from state.store import Store, StoreUnavailable
from tools.added import AddedTool
from tools.base import Step, ToolError, World
from tools.toolbox import Toolbox, toolbox

if TYPE_CHECKING:
    from mcp import Client

NAME = re.compile(r"[a-z][a-z0-9-]{0,23}")
LISTING_S = 20.0
"""How long a server may take to say what it has."""
FRESH_S = 2.0
"""How long what the store says of servers is believed: somebody at the command line may add one."""
_KEPT_OWNERS = 500
_MAX_PAGES = 20


class UnknownServer(Exception):
    """There is no server of that name."""


class NotAdded(Exception):
    """A server that cannot be added, in one sentence."""


@dataclass
class _Seen:
    """The toolbox of an owner, as of a moment."""

    at: float
    own: Toolbox
    rows: list[ServerRow]
    toolbox: Toolbox


@dataclass
class Foreign:
    """The servers of a store, and their tools. Safe to use from several threads."""

    store: Store
    own: Callable[[], Toolbox] = toolbox
    """Azimuth's tools, which those of servers join."""
    _seen: OrderedDict[str, _Seen] = field(default_factory=OrderedDict)
    _servers: Servers | None = None

    @property
    def servers(self) -> Servers:
        """The rows."""
        if self._servers is None:
            self._servers = Servers(self.store)
        return self._servers

    def toolbox(self, owner: str) -> Toolbox:
        """Azimuth's tools, and those of the servers that this owner's sessions have.

        The same value as long as they are the same. While the store is away, what was last known.
        """
        own, seen, now = self.own(), self._seen.get(owner), time.monotonic()
        if seen is not None and seen.own is not own:
            seen = None
        if seen is not None and now - seen.at < FRESH_S:
            return seen.toolbox
        try:
            rows = self.servers.of(owner)
        except StoreUnavailable:
            return seen.toolbox if seen is not None else own
        if seen is not None and seen.rows == rows:
            seen.at = now
            return seen.toolbox
        found = own.having(tool for row in rows for tool in tools_of(row))
        self._seen[owner] = _Seen(now, own, rows, found)
        while len(self._seen) > _KEPT_OWNERS:
            self._seen.popitem(last=False)
        return found

    def add(self, row: ServerRow) -> tuple[ServerRow, tuple[str, ...]]:
        """Ask a server for its tools and keep it, in place of one of its name: it, and what was left out.

        Raises NotAdded, StoreUnavailable.
        """
        if not NAME.fullmatch(row.name):
            raise NotAdded(
                f"'{row.name}' is no name for a server: small letters, digits and '-', at most 24."
            )
        if (row.url is None) == (not row.command):
            raise NotAdded("A server is either an address or a program with its arguments.")
        kept, out = tools_there(row)
        if not kept:
            raise NotAdded(" ".join([f"The server {row.name} offers no tools that can be used here.", *out]))
        row = replace(row, tools=kept)
        self.servers.put(row)
        self._seen.clear()
        return row, out

    def remove(self, name: str, owner: str = EVERYBODY) -> None:
        """Forget a server. What it has answered stays on record. Raises UnknownServer."""
        if not self.servers.remove(name, owner):
            known = ", ".join(each.name for each in self.servers.all()) or "none"
            raise UnknownServer(f"There is no server '{name}' to remove; there are: {known}.")
        self._seen.clear()


def tools_there(row: ServerRow) -> tuple[tuple[dict[str, Any], ...], tuple[str, ...]]:
    """(a server's tools as it declares them now, what is left out). Raises NotAdded."""
    try:
        return listed(row.name, ask_server(row, row.owner, _listing, LISTING_S))
    except ToolError as error:
        raise NotAdded(str(error)) from error


async def _listing(client: Client) -> list[Any]:
    """All tools that a server lists, page by page, and no more than are taken."""
    found: list[Any] = []
    cursor: str | None = None
    for _ in range(_MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if cursor is None or len(found) > MAX_TOOLS:
            break
    return found


def tools_of(row: ServerRow) -> list[AddedTool]:
    """A server's tools as a session has them."""
    return [_tool(row, each) for each in row.tools]


def _tool(row: ServerRow, said: Mapping[str, Any]) -> AddedTool:
    name = called(row.name, said["name"])
    first, _, rest = (said["description"] or said["title"]).partition(". ")
    about = f"{first.rstrip('.')}."
    asked = tuple(each for each in (said["title"], said["name"].replace("_", " "), rest[:200]) if each)
    return AddedTool(
        name=name,
        category="web",
        function=lambda state, world, **given: _run(row, name, said, state, world, given),
        changes_state=True,
        external=True,
        long_running=True,
        asks_approval=not (row.trusted and said["read_only"]),
        about=about[:1].upper() + about[1:],
        asked=asked,
        takes=said["schema"],
        origin=row.name,
    )


def _run(
    row: ServerRow, name: str, said: Mapping[str, Any], state: State, world: World, given: Mapping[str, Any]
) -> Step:
    """Call a tool of a server, where it is still what it said that it is."""
    going = answers.sent(state, world, said["schema"], given)

    async def ask(client: Client) -> answers.Answer:
        there = {each.name: each for each in await _listing(client)}
        now = there.get(said["name"])
        if now is None or declared(row.name, now) != dict(said):
            raise ToolError(
                f"The server {row.name} says something else of {said['name']!r} than when it was added, so "
                f"it is not called. Look at it again: `copilot mcp add {row.name} …`."
            )
        return await _answer(client, await client.call_tool(said["name"], going))

    return answers.step_of(state, world, row.name, name, given, ask_server(row, world.owner, ask))


async def _answer(client: Client, result: Any) -> answers.Answer:
    """What came back: texts, structured content, and the files that lie in it or behind its links."""
    texts, files, total = [], [], 0
    for block in result.content[:64]:
        file = None
        if block.type == "text":
            texts.append(block.text)
        elif block.type == "image":
            file = answers.file_of("image", block.mime_type, None, block.data)
        elif block.type == "resource":
            inner = block.resource
            file = answers.file_of(
                inner.uri, inner.mime_type, getattr(inner, "text", None), getattr(inner, "blob", None)
            )
        if file is not None:
            files.append(file)
    for link in answers.links(result.content):
        files += await _behind(client, link)
    for file in files:
        total += len(file.content)
    if total > answers.MAX_FILE_BYTES * 2:
        raise ToolError(f"The answer's files take {total / MIB:.0f} MiB together, which is too much.")
    return answers.Answer("\n".join(texts), bool(result.is_error), result.structured_content, tuple(files))


async def _behind(client: Client, link: Any) -> list[answers.File]:
    """The files behind a link: the server's own are read from it, the web's through the guarded way out."""
    uri = str(link.uri)
    if uri.startswith(("http://", "https://")):
        return [answers.File(answers.name_of(uri, link.mime_type or ""), link.mime_type or "", url=uri)]
    found = await client.read_resource(uri)
    return [
        answers.file_of(
            each.uri,
            each.mime_type or link.mime_type,
            getattr(each, "text", None),
            getattr(each, "blob", None),
        )
        for each in found.contents[: answers.MAX_FILES]
    ]
