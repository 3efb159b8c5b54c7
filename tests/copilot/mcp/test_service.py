"""A category as a service of its own: one Azimuth looks at another's images."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import pytest
import rasterio
from mcp import Client, types
from rasterio.transform import from_origin

from copilot.engine import Engine
from copilot.mcp.offered import Offer
from copilot.mcp.service import service
from copilot.owners import owner_id
from copilot.session import Session
from state.servers import ServerRow
from state.tokens import Tokens
from tests.copilot.mcp.conftest import serving
from tests.copilot.mcp.test_http import talk
from tests.tools.world import TODAY


@pytest.fixture
def pond(tmp_path: Path) -> Path:
    """A 64 m square of near infrared, red, green: grass, with a pond of 16 by 16 pixels."""
    bands = np.full((4, 64, 64), 60, dtype="uint8")
    bands[3] = 200
    bands[:, 24:40, 24:40] = np.array([40, 80, 60, 10], dtype="uint8")[:, None, None]
    path = tmp_path / "pond.tif"
    place = from_origin(365000.0, 4833000.0, 1.0, 1.0)
    with rasterio.open(
        path,
        "w",
        driver="GTiff",
        width=64,
        height=64,
        count=4,
        dtype="uint8",
        crs="EPSG:32631",
        transform=place,
    ) as file:
        file.write(bands)
        for number, name in enumerate(("blue", "green", "red", "nir"), 1):
            file.set_band_description(number, name)
    return path


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


def test_one_azimuth_calls_anothers_vision_and_has_the_result_on_its_map(
    engine: Engine, remote: Engine, pond: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_TOKEN", Tokens(remote.store).issue("lab", owner_id("lab")))
    with serving(service(remote, Offer("vision", only=True, content=True))) as at:
        monkeypatch.setenv("AZIMUTH_ALLOWED_HOSTS", at.removeprefix("http://"))
        engine.foreign.add(ServerRow("lab", url=f"{at}/mcp", secret="LAB_TOKEN"))
        session = Session.open(engine=engine)
        raster = session.call("add_file", file=str(pond)).data["raster"]
        event = session.call("lab__water_extraction", image=raster)
    assert event.ok, event.text
    kinds = {each.kind for each in session.state.artifacts}
    vector = next(each for each in session.state.artifacts if each.kind == "vector")
    assert kinds == {"raster", "vector"} and vector.made_by == f"lab__water_extraction(image={raster})"
    assert session.replay() == session.state
    here = Session.open(engine=engine)
    here.call("add_file", file=str(pond))
    ours = here.call("water_extraction", image=raster)
    assert (
        event.data["answer"]["data"]["area_m2" if "area_m2" in ours.data else "count"]
        == ours.data["area_m2" if "area_m2" in ours.data else "count"]
    )


def test_content_that_is_no_image_is_a_sentence(remote: Engine) -> None:
    shown = Tokens(remote.store).issue("lab", owner_id("lab"))
    sent = base64.b64encode(json.dumps({"no": "image" * 100}).encode()).decode()

    async def call(client: Client) -> types.CallToolResult:
        return await client.call_tool("water_extraction", {"image": sent})

    with serving(service(remote, Offer("vision", only=True, content=True))) as at:
        answer = talk(f"{at}/mcp", shown, "legacy", call)
    assert answer.is_error
