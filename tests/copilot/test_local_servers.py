"""Model servers of this machine that nobody configured."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

from copilot.local_servers import LocalServer, local_servers
from tests.e2e.app import free_port
from tests.openai_server import OpenAIServer, Reply, openai_server, page_instead, says


def port_of(server: OpenAIServer) -> int:
    return int(urlsplit(server.url).port or 0)


def test_a_server_at_one_of_the_ports_is_offered_with_its_models() -> None:
    with openai_server(says("")) as server:
        listed = [{"id": each} for each in ("small", "big", "un\u202eprintable", "long" * 99)]
        server.listing = Reply(body=json.dumps({"data": listed}).encode())
        (found,) = local_servers({free_port(): "LM Studio", port_of(server): "Ollama"})
    address = f"http://localhost:{port_of(server)}/v1"
    assert found == LocalServer("Ollama", address, ("small", "big"))
    assert found.offer == (
        f"Ollama answers at {address} and has small, big; start Azimuth with OPENAI_BASE_URL={address} "
        "COPILOT_MODEL=small to let it answer"
    )


def test_what_is_no_such_server_is_not_offered() -> None:
    with openai_server(says("")) as page, openai_server(says("")) as hangs:
        page.listing = page_instead()
        hangs.listing = Reply(ends="hangs")
        assert local_servers({port_of(page): "vLLM", port_of(hangs): "Ollama"}) == ()
    assert local_servers({}) == ()
