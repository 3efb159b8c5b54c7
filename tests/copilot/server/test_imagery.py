"""Images and what was found in them, over the routes: tiles of pixels, outlines, verdicts and chips."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from PIL import Image
from starlette.testclient import TestClient

from copilot.session import Session
from data.vision.detections import Detection, features
from state.model import Artifact
from tests.tools.prepared import FOUND
from tools.artifacts import Call
from tools.base import Step, World, tool
from tools.detections import detections_step
from tools.toolbox import Toolbox

RASTER = "raster-b10c5a"


@tool("vision", changes_state=True)
def find_blocks(state, world: World) -> Step:  # type: ignore[no-untyped-def]
    """Make a picture of two bright blocks on dark ground, and find them."""
    image = world.artifacts.path(RASTER, ".tif")
    values = np.full((3, 300, 300), 20, dtype="uint8")
    values[:, 100:110, 40:60] = 250
    values[:, 200:230, 200:220] = 250
    where = {"crs": "EPSG:32631", "transform": Affine(1, 0, 500_000, 0, -1, 5_600_000)}
    with rasterio.open(
        image, "w", driver="GTiff", width=300, height=300, count=3, dtype="uint8", **where
    ) as made:
        made.write(values)
    outlines = {"ship": (40, 100, 60, 110), "plane": (200, 200, 220, 230)}
    found = [
        Detection(np.array([[w, n], [e, n], [e, s], [w, s]], dtype=float), name, 0.9 - at / 10)
        for at, (name, (w, n, e, s)) in enumerate(outlines.items())
    ]
    after = state.with_artifact(Artifact(RASTER, "raster", "Blocks", "3 bands", "test()"))
    frame = features(found, image, model="test", source=RASTER)
    return detections_step(after, world, Call("find_blocks", {}), (), frame, name="In blocks", said="Two.")


@pytest.fixture
def found(mine: Session, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of detections in the browser's session."""
    tools = Toolbox((*mine.engine.toolbox, find_blocks))
    monkeypatch.setattr("copilot.engine.toolbox", lambda: tools)
    event = mine.call("find_blocks")
    assert event.ok, event.text
    return str(event.data["detections"])


def base(session: Session) -> str:
    return f"/api/sessions/{session.id}"


def test_an_image_says_its_size_bands_and_detections(client: TestClient, mine: Session, found: str) -> None:
    body = client.get(f"{base(mine)}/image", params={"image": RASTER}).json()
    assert body == {
        "image": RASTER,
        "name": "Blocks",
        "width": 300,
        "height": 300,
        "bands": ["b1", "b2", "b3"],
        "shown": [1, 2, 3],
        "detections": [
            {"id": found, "name": "In blocks", "reviews": "", "color": mine.state.map.layers[-1].color}
        ],
    }


def test_a_tile_shows_the_images_own_pixels_and_nothing_beyond(
    client: TestClient, mine: Session, found: str
) -> None:
    asked = {"image": RASTER, "stretch": "none"}
    whole = picture(client.get(f"{base(mine)}/image/tiles/0/0/0.png", params=asked).content)
    assert whole.shape == (256, 256, 4)
    assert whole[105, 50].tolist() == [250, 250, 250, 255] and whole[95, 50].tolist() == [20, 20, 20, 255]
    corner = picture(client.get(f"{base(mine)}/image/tiles/0/1/1.png", params=asked).content)
    assert corner[43, 43, 3] == 255 and corner[44:, :, 3].max() == 0 and corner[:, 44:, 3].max() == 0
    coarse = picture(client.get(f"{base(mine)}/image/tiles/1/0/0.png", params=asked).content)
    assert coarse[52, 25].tolist() == [250, 250, 250, 255] and coarse[150:, :, 3].max() == 0


def test_outlines_come_on_the_ground_and_in_pixels(client: TestClient, mine: Session, found: str) -> None:
    address = f"{base(mine)}/detections/{found}"
    ground = client.get(address).json()
    assert [each["id"] for each in ground["features"]] == [1, 2]
    lon, lat = ground["features"][0]["geometry"]["coordinates"][0][0]
    assert (round(lon, 3), round(lat, 2)) == (3.001, 50.55)
    plain = client.get(address, params={"space": "pixels"}).json()
    assert plain["features"][1]["geometry"]["coordinates"][0][0] == [200, 200]
    assert [(each["name"], each["count"]) for each in plain["classes"]] == [("plane", 1), ("ship", 1)]
    assert len({each["color"] for each in plain["classes"]}) == 2
    assert plain["features"][0]["properties"]["length_m"] == pytest.approx(20, abs=0.1)


def test_a_review_shows_in_the_verdicts_and_in_the_maps_view(
    client: TestClient, mine: Session, found: str
) -> None:
    before = client.get(f"{base(mine)}/view").json()["layers"][-1]["objects"]
    assert before == {"id": found, "reviews": ""}
    headers = {"X-Azimuth": "1"}
    asked = {"tool": "review_detection", "args": {"detection_id": 2, "verdict": "reject"}}
    assert client.post(f"{base(mine)}/calls", json=asked, headers=headers).status_code == 200
    said = client.get(f"{base(mine)}/detections/{found}/reviews").json()
    verdict, right, by, at = said["reviews"]["2"]
    assert (verdict, right) == ("rejected", None) and by.startswith("analyst-") and at.endswith("Z")
    assert (
        client.get(f"{base(mine)}/view").json()["layers"][-1]["objects"]["reviews"] == said["version"] != ""
    )


def test_a_chip_shows_the_object_in_the_middle_with_its_outline(
    client: TestClient, mine: Session, found: str
) -> None:
    answer = client.get(f"{base(mine)}/detections/{found}/chips/1.png")
    chip = picture(answer.content)
    assert chip.shape == (320, 320, 4)
    assert chip[160, 160, :3].min() > 200
    assert chip[300, 160, :3].max() < 60
    colours = {tuple(each) for each in chip[100:220, :, :3].reshape(-1, 3).tolist()}
    assert colours == {(0, 0, 0), (230, 159, 0), (255, 255, 255)}  # the outline, its edge, and the object


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/detections/raster-b10c5a", 404),
        ("/detections/..%2f..%2fetc%2fpasswd/chips/1.png", 404),
        ("/image?image=../../etc/passwd", 422),
        ("/image", 400),
        ("/image/tiles/99/0/0.png?image=raster-b10c5a", 400),
        ("/image/tiles/0/0/0.png?image=raster-b10c5a&bands=1,2", 400),
        ("/image/tiles/0/0/0.png?image=raster-b10c5a&bands=7", 422),
        ("/image/tiles/0/0/0.png?image=raster-b10c5a&stretch=x", 400),
    ],
)
def test_what_the_session_does_not_know_is_refused_in_one_sentence(
    client: TestClient, mine: Session, found: str, path: str, status: int
) -> None:
    answer = client.get(base(mine) + path)
    assert answer.status_code == status
    if status != 404 or "etc" not in path:
        assert answer.json()["error"].endswith(".") and "\n" not in answer.json()["error"]


def test_another_browser_sees_none_of_it(stranger: TestClient, mine: Session, found: str) -> None:
    for path in (
        f"/detections/{found}",
        f"/detections/{found}/chips/1.png",
        f"/image?image={RASTER}",
        "/viewer",
    ):
        assert stranger.get(base(mine) + path).status_code == 404


def test_detections_whose_image_is_gone_have_no_chip_and_say_so(
    client: TestClient, mine: Session, found: str
) -> None:
    path: Path | None = mine.engine.artifacts(mine.id).find(RASTER)
    assert path is not None
    path.unlink()
    answer = client.get(f"{base(mine)}/detections/{found}/chips/1.png")
    assert answer.status_code == 422 and "is gone" in answer.json()["error"]
    assert client.get(f"{base(mine)}/detections/{FOUND.id}/chips/1.png").status_code == 404


def picture(content: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(content)) as opened:
        return np.asarray(opened.convert("RGBA"))
