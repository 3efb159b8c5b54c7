"""Model servers of this machine that nobody has configured, looked for at the ports they usually have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

USUAL: Mapping[int, str] = {11434: "Ollama", 1234: "LM Studio", 8080: "llama.cpp", 8000: "vLLM"}
"""The port that each listens at when it is not told another one."""
_SECONDS = 0.4
_MAX_MODELS, _MAX_CHARS = 5, 80


@dataclass(frozen=True)
class LocalServer:
    """A server that answers as OpenAI's does."""

    name: str
    address: str
    """As OPENAI_BASE_URL takes it."""
    models: tuple[str, ...]

    @property
    def offer(self) -> str:
        """How to have it answer, in a sentence."""
        has = ", ".join(self.models[:_MAX_MODELS]) or "no model yet"
        model = self.models[0] if self.models else "…"
        return (
            f"{self.name} answers at {self.address} and has {has}; start Azimuth with "
            f"OPENAI_BASE_URL={self.address} COPILOT_MODEL={model} to let it answer"
        )


def local_servers(ports: Mapping[int, str] = USUAL) -> tuple[LocalServer, ...]:
    """The servers that answer now, in the order of `ports`; each is given 0.4 s."""
    with ThreadPoolExecutor(len(ports) or 1) as several:
        found = several.map(_asked, ports, ports.values())
        return tuple(each for each in found if each is not None)


def _asked(port: int, name: str) -> LocalServer | None:
    import httpx

    address = f"http://localhost:{port}/v1"
    try:
        answer = httpx.get(f"{address}/models", timeout=_SECONDS, trust_env=False)
        listed = answer.json()["data"] if answer.status_code == httpx.codes.OK else None
        models = _names(listed) if isinstance(listed, Sequence) else None
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return None  # nothing listens there, or something else
    return None if models is None else LocalServer(name, address, models)


def _names(listed: Sequence[object]) -> tuple[str, ...]:
    """The models' names; what a server calls them is data, so only short plain ones are shown."""
    named = (each.get("id") for each in listed if isinstance(each, Mapping))
    return tuple(
        each for each in named if isinstance(each, str) and each.isprintable() and len(each) <= _MAX_CHARS
    )
