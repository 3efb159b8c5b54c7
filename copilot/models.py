"""Which chat model answers: the one an address is configured for, else the embedded planner."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from copilot.prices import UnreadablePrices, price_of
from tools.base import ChatAddress

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from copilot.engine import Engine
    from data.catalogue.base import Catalogue

EMBEDDED = "embedded"
_LEAST_KEY = 16
"""Characters that a key has at least; servers that want none are told something shorter ("ollama")."""


class ModelNotConfigured(Exception):
    """A model was asked for that nothing here can reach."""


def configured_model() -> str:
    """The name of the model that answers when none is asked for."""
    if os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL"):
        return os.environ.get("COPILOT_MODEL") or "gpt-4o-mini"
    return EMBEDDED


def chat_address() -> ChatAddress | None:
    """Where the configured model answers, for tools that ask it; None where none is configured."""
    key, address = os.environ.get("OPENAI_API_KEY"), os.environ.get("OPENAI_BASE_URL")
    if not (key or address):
        return None
    # A local server behind OPENAI_BASE_URL needs no key, but the client insists on one.
    return ChatAddress(configured_model(), address or None, key or "none")


def describe(name: str | None = None) -> str:
    """Which model answers and whether anything leaves the machine, in a few words."""
    who = answering(name)
    if who.model is None:
        return "embedded planner, offline"
    return f"{who.model} at {who.host}: {'requests leave' if who.leaves else 'nothing leaves'} this machine"


@dataclass(frozen=True)
class Answering:
    """Who answers."""

    model: str | None
    """The model's name; None for the embedded planner."""
    host: str = ""
    leaves: bool = False
    """Whether requests leave this machine."""


def answering(name: str | None = None) -> Answering:
    """The model that answers, where, and whether anything leaves this machine."""
    name = name or configured_model()
    if name == EMBEDDED:
        return Answering(None)
    host = (
        urlsplit(os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com").hostname or "an unknown host"
    )
    stays = host in ("localhost", "::1") or host.startswith("127.")
    return Answering(name, host, not stays)


def model_seconds(name: str | None = None) -> float:
    """How long one answer of a model is waited for: $COPILOT_MODEL_SECONDS, else 600 s for one on this
    machine, which may be a laptop without a GPU, and 120 s for any other.

    Raises ModelNotConfigured for a value that is no number of seconds.
    """
    who = answering(name)
    return _seconds("COPILOT_MODEL_SECONDS", 120.0 if who.model is None or who.leaves else 600.0)


def turn_seconds(name: str | None = None) -> float:
    """How long a turn may take beside long work: $COPILOT_TURN_SECONDS, else 120 s for the embedded reader
    and five answers of a model that is served. Raises ModelNotConfigured."""
    who = answering(name)
    return _seconds("COPILOT_TURN_SECONDS", 120.0 if who.model is None else 5 * model_seconds(name))


def _seconds(variable: str, usual: float) -> float:
    told = os.environ.get(variable)
    if not told:
        return usual
    try:
        seconds = float(told)
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds <= 86_400:
        raise ModelNotConfigured(f"{variable} is {told[:40]!r}; it takes seconds, from 1 to 86400.")
    return seconds


def without_key(text: str) -> str:
    """`text` without the value of the key: some servers repeat it in their errors."""
    key = os.environ.get("OPENAI_API_KEY")
    return text.replace(key, "***") if key and len(key) >= _LEAST_KEY else text


def chat_model(name: str | None, engine: Engine, catalogue: Catalogue | None = None) -> BaseChatModel:
    """The chat model of that name, which knows that catalogue. Raises ModelNotConfigured."""
    name = name or configured_model()
    if name == EMBEDDED:
        return _embedded(engine, catalogue or engine.catalogue)
    if not (os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL")):
        raise ModelNotConfigured(
            f"No address is configured for the model '{name}'. Set OPENAI_API_KEY or OPENAI_BASE_URL, "
            f"or use '{EMBEDDED}'."
        )
    try:
        price_of(name)  # so that a wrong table is told before a turn begins, and not by a turn that fails
    except UnreadablePrices as error:
        raise ModelNotConfigured(str(error)) from error
    from pydantic import SecretStr

    from copilot.served import ServedModel

    # A local server behind OPENAI_BASE_URL needs no key, but the client insists on one.
    key = SecretStr(os.environ.get("OPENAI_API_KEY") or "none")
    address = os.environ.get("OPENAI_BASE_URL") or None
    # Tries and time are bounded where all models are asked (copilot/agents/asking.py), not here.
    return ServedModel(
        model=name,
        api_key=key,
        base_url=address,
        temperature=0,
        timeout=model_seconds(name),
        max_retries=0,
        streaming=os.environ.get("COPILOT_STREAM", "") not in ("", "0"),
        stream_usage=True,
    )


def _embedded(engine: Engine, catalogue: Catalogue) -> BaseChatModel:
    """The embedded planner: in the app it reads in processes of its own, so that it holds nobody up."""
    from copilot.apart.here import ReadsHere
    from copilot.planner.model import EmbeddedPlanner
    from copilot.readers import NoReader, chosen_reader

    try:
        chosen_reader()
    except NoReader as error:
        raise ModelNotConfigured(str(error)) from error
    if engine.background:
        return EmbeddedPlanner(planner=engine.readers, catalogue=catalogue, gazetteer=engine.gazetteer)
    here = EmbeddedPlanner.on(engine)
    return here.model_copy(update={"planner": ReadsHere(here.planner), "catalogue": catalogue})


def fallback_model(engine: Engine, catalogue: Catalogue | None = None) -> BaseChatModel | None:
    """The model to ask when the first fails ($COPILOT_FALLBACK_MODEL), at the same address."""
    name = os.environ.get("COPILOT_FALLBACK_MODEL")
    return chat_model(name, engine, catalogue) if name else None


def model_name(model: BaseChatModel) -> str:
    """What a model is called on record."""
    return str(getattr(model, "model_name", None) or model._llm_type)
