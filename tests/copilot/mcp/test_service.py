"""A category as a service of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp import Client, types

from copilot.engine import Engine
from copilot.mcp.offered import Offer
from copilot.mcp.service import service
from copilot.owners import owner_id
from state.tokens import Tokens
from tests.copilot.mcp.conftest import serving
from tests.copilot.mcp.test_http import talk
from tests.tools.world import TODAY


@pytest.fixture
def remote(small_catalogue: Path, tmp_path: Path) -> Engine:
    """The engine of another machine."""
    return Engine(home=tmp_path / "remote", catalogue_url=str(small_catalogue), today=TODAY)


def test_a_service_offers_its_category_alone_and_takes_content(remote: Engine) -> None:
    shown = Tokens(remote.store).issue("lab", owner_id("lab"))

    async def look(client: Client) -> tuple[list[types.Tool], types.CallToolResult]:
        return (await client.list_tools()).tools, await client.call_tool("db_list", {})

    with serving(service(remote, Offer("vision", only=True, content=True))) as at:
        tools, other = talk(f"{at}/mcp", shown, "auto", look)
    by_name = {each.name: each for each in tools}
    assert "ask" not in by_name and "water_extraction" in by_name
    image = by_name["water_extraction"].input_schema["properties"]["image"]
    assert (image["contentMediaType"], image["contentEncoding"]) == ("image/tiff", "base64")
    assert other.is_error and other.content[0].text.startswith("db_list is not offered here")
