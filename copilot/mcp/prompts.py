"""The main jobs as prompts that a client offers its user; their words are in prompts.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mcp import types

MAX_VALUE = 500
_FILE = Path(__file__).with_name("prompts.toml")


class NoPrompt(Exception):
    """A prompt that there is not, or one without what it needs, in a sentence."""


@dataclass(frozen=True)
class Prompt:
    """A job, with blanks."""

    name: str
    title: str
    description: str
    arguments: Mapping[str, str]
    """What each blank is for."""
    text: str


@cache
def prompts() -> tuple[Prompt, ...]:
    """Every prompt."""
    return tuple(Prompt(**each) for each in tomllib.loads(_FILE.read_text(encoding="utf-8"))["prompt"])


def listed() -> list[types.Prompt]:
    """The prompts as MCP lists them."""
    return [
        types.Prompt(
            name=each.name,
            title=each.title,
            description=each.description,
            arguments=[
                types.PromptArgument(name=name, description=about, required=True)
                for name, about in each.arguments.items()
            ],
        )
        for each in prompts()
    ]


def filled(name: str, given: Mapping[str, str]) -> types.GetPromptResult:
    """A prompt with its blanks filled in. Raises NoPrompt."""
    found = next((each for each in prompts() if each.name == name), None)
    if found is None:
        known = ", ".join(each.name for each in prompts())
        raise NoPrompt(f"There is no prompt {name[:100]!r}; there are {known}.")
    missing = [each for each in found.arguments if not str(given.get(each, "")).strip()]
    if missing:
        raise NoPrompt(f"The prompt {name} needs {', '.join(missing)}.")
    text = found.text
    values = {each: " ".join(str(given[each]).split())[:MAX_VALUE] for each in found.arguments}
    for part, value in values.items():
        text = text.replace(f"{{{part}}}", value)
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=found.description, messages=[message])
