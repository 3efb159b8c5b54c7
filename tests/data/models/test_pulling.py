from __future__ import annotations

import threading
from collections.abc import Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from data.models.card import Weights, read_card
from data.models.pulling import pull
from data.models.registry import CARDS, Model
from data.raster.errors import RasterError
from data.web.addresses import ALLOWED_VARIABLE

CONTENT = bytes(range(256)) * 40


class Shelf(BaseHTTPRequestHandler):
    """Serves one file, and half of it at another path."""

    def do_GET(self) -> None:
        body = CONTENT[: len(CONTENT) // 2] if self.path.endswith("half.onnx") else CONTENT
        self.send_response(404 if "missing" in self.path else 200)
        self.send_header("content-length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server of this machine, which is allowed by name."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shelf)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    monkeypatch.setenv(ALLOWED_VARIABLE, f"127.0.0.1:{server.server_port}")
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def published(folder: Path, url: str, digest: str | None = None, size: int | None = None) -> Model:
    card = read_card(CARDS / "yolo26n-obb.toml")
    weights = Weights(file="net.onnx", url=url, sha256=digest, size_bytes=size)
    return Model(
        card.model_copy(update={"name": "net", "kind": "onnx", "weights": weights}), folder / "net.onnx"
    )


def unheard(fraction: float, sentence: str) -> None:
    assert 0 <= fraction <= 1 and sentence


def test_weights_come_whole_and_with_the_checksum_of_the_card(tmp_path: Path, shelf: str) -> None:
    digest = sha256(CONTENT).hexdigest()
    model = published(tmp_path, f"{shelf}/net.onnx", digest, len(CONTENT))
    assert pull(model, tmp_path, unheard) == (tmp_path / "net.onnx", digest)
    assert (tmp_path / "net.onnx").read_bytes() == CONTENT
    assert [path.name for path in tmp_path.iterdir()] == ["net.onnx"]


def test_what_is_not_what_was_published_is_not_kept(tmp_path: Path, shelf: str) -> None:
    model = published(tmp_path, f"{shelf}/net.onnx", "0" * 64)
    with pytest.raises(RasterError, match="is not what was published") as told:
        pull(model, tmp_path, unheard)
    assert str(told.value).endswith("nothing was kept.")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_checksum_is_written_down_and_held_to(tmp_path: Path, shelf: str) -> None:
    model = published(tmp_path, f"{shelf}/net.onnx")
    _, digest = pull(model, tmp_path, unheard)
    note = tmp_path / "net.onnx.sha256"
    assert note.read_text() == f"{digest}  net.onnx\n"
    note.write_text(f"{'1' * 64}  net.onnx\n")
    with pytest.raises(RasterError, match="the first download's 111111111111"):
        pull(model, tmp_path, unheard)
    assert (tmp_path / "net.onnx").read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("path", "size", "says"),
    [
        ("half.onnx", None, "broke off"),
        ("missing.onnx", None, "404"),
        ("net.onnx", 100, "is larger than"),
    ],
)
def test_a_download_that_fails_leaves_nothing_and_says_why(
    tmp_path: Path, shelf: str, path: str, size: int | None, says: str
) -> None:
    with pytest.raises(RasterError, match=says) as told:
        pull(published(tmp_path, f"{shelf}/{path}", size=size), tmp_path, unheard)
    assert str(told.value).startswith("net was not fetched: ") and str(told.value).endswith(".")
    assert list(tmp_path.iterdir()) == []


def test_an_address_of_this_machine_that_is_not_allowed_is_not_asked(tmp_path: Path) -> None:
    with pytest.raises(RasterError, match=r"^net was not fetched: "):
        pull(published(tmp_path, "http://127.0.0.1:8080/net.onnx"), tmp_path, unheard)


def test_a_model_whose_weights_are_the_repositorys_is_not_fetched(tmp_path: Path) -> None:
    card = read_card(CARDS / "oriented-objects.toml")
    with pytest.raises(RasterError, match=r"has its weights here already; there is nothing to fetch"):
        pull(Model(card, Path("/x.onnx")), tmp_path, unheard)
