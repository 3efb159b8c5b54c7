"""A category as a service of its own: one Azimuth looks at another's images."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from mcp import Client, types
from rasterio.transform import from_origin

from copilot.engine import Engine
from copilot.mcp.offered import Offer
from copilot.mcp.service import service
from copilot.mcp.wire import SECONDS_VARIABLE
from copilot.owners import owner_id
from copilot.session import Session
from state.servers import ServerRow
from state.tokens import Tokens
from tests.copilot.mcp.conftest import serving
from tests.copilot.mcp.test_http import talk
from tests.tools.world import TODAY

VISION = Offer("vision", only=True, content=True)
BANDS = ("blue", "green", "red", "nir")


@pytest.fixture
def pond(tmp_path: Path) -> Path:
    """A 64 m square of grass in four bands, with a pond of 16 by 16 pixels."""
    path = tmp_path / "pond.tif"
    bands = np.full((4, 64, 64), 60, dtype="uint8")
    bands[3] = 200
    bands[:, 24:40, 24:40] = np.array([40, 80, 60, 10], dtype="uint8")[:, None, None]
    shape = {"width": 64, "height": 64, "count": 4, "dtype": "uint8"}
    place = from_origin(365000.0, 4833000.0, 1.0, 1.0)
    with rasterio.open(path, "w", driver="GTiff", crs="EPSG:32631", transform=place, **shape) as file:
        file.write(bands)
        file.descriptions = BANDS
    return path


@pytest.fixture
def remote(small_catalogue: Path, tmp_path: Path) -> Engine:
    """The engine of another machine."""
    return Engine(home=tmp_path / "remote", catalogue_url=str(small_catalogue), today=TODAY)


def test_a_service_offers_its_category_alone_and_takes_content(remote: Engine) -> None:
    shown = Tokens(remote.store).issue("lab", owner_id("lab"))

    async def look(client: Client) -> tuple[list[types.Tool], types.CallToolResult]:
        return (await client.list_tools()).tools, await client.call_tool("db_list", {})

    with serving(service(remote, VISION)) as at:
        tools, other = talk(f"{at}/mcp", shown, "auto", look)
    by_name = {each.name: each for each in tools}
    assert "ask" not in by_name and "water_extraction" in by_name
    image = by_name["water_extraction"].input_schema["properties"]["image"]
    assert (image["contentMediaType"], image["contentEncoding"]) == ("image/tiff", "base64")
    assert other.is_error and other.content[0].text.startswith("db_list is not offered here")


@pytest.mark.slow
def test_one_azimuth_calls_anothers_vision_and_has_the_result_on_its_map(
    engine: Engine, remote: Engine, pond: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_TOKEN", Tokens(remote.store).issue("lab", owner_id("lab")))
    monkeypatch.setenv(SECONDS_VARIABLE, "240")  # a first look loads what it looks with
    with serving(service(remote, VISION)) as at:
        monkeypatch.setenv("AZIMUTH_ALLOWED_HOSTS", at.removeprefix("http://"))
        engine.foreign.add(ServerRow("lab", url=f"{at}/mcp", secret="LAB_TOKEN"))
        session = Session.open(engine=engine)
        image = session.call("add_file", file=str(pond)).data["raster"]
        event = session.call("lab__water_extraction", image=image)
    assert event.ok, event.text
    here = Session.open(engine=engine)
    here.call("add_file", file=str(pond))
    ours = here.call("water_extraction", image=image)
    made = session.state.artifacts[1:]
    assert _found(event.data["answer"]["data"]) == _found(ours.data)
    assert sorted(each.kind for each in made) == ["raster", "vector"]
    assert {each.made_by for each in made} == {f"lab__water_extraction(image={image})"}
    assert session.replay() == session.state


def _found(data: dict[str, Any]) -> dict[str, Any]:
    """What was found, without the ids of what was made, which are each session's own."""
    ids = ("raster", "vector", "layer", "vector_layer")
    assert set(ids) < set(data)
    return {key: value for key, value in data.items() if key not in ids}


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ("!" * 300, "The raster is neither a handle nor a file's content in base64."),
        (base64.b64encode(b'{"no": "image"}' * 20).decode(), "is cut off or broken"),
    ],
)
def test_content_that_is_no_image_is_a_sentence(remote: Engine, sent: str, said: str) -> None:
    shown = Tokens(remote.store).issue("lab", owner_id("lab"))

    async def call(client: Client) -> types.CallToolResult:
        return await client.call_tool("water_extraction", {"image": sent})

    with serving(service(remote, VISION)) as at:
        answer = talk(f"{at}/mcp", shown, "legacy", call)
    assert answer.is_error
    assert said in answer.content[0].text
