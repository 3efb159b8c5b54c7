"""What a model's tokens cost, where a price is known: published prices with their date, or the user's own."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PUBLISHED = Path(__file__).with_suffix(".toml")
_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")


class UnreadablePrices(Exception):
    """The file named by $COPILOT_PRICES is no table of prices."""


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float

    def cost_usd(self, prompt: int, completion: int) -> float:
        """What that many tokens cost."""
        return (prompt * self.input + completion * self.output) / 1_000_000


def price_of(model: str) -> Price | None:
    """The price of a model at the configured address; None where none is known. Raises UnreadablePrices."""
    own = os.environ.get("COPILOT_PRICES")
    for path in (Path(own), PUBLISHED) if own else (PUBLISHED,):
        table = _table(path, _stamp(path))
        # A published price is its publisher's: a local server with a model of the same name costs nothing.
        if table.get("host") in (None, _host()):
            models = table["models"]
            found = models.get(model) or models.get(_DATED.sub("", model))
            if found is not None:
                return Price(float(found["input"]), float(found["output"]))
    return None


def _host() -> str | None:
    return urlsplit(os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com").hostname


def _stamp(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError as error:
        raise UnreadablePrices(f"The prices at {path} cannot be read: {error.strerror}.") from error


@lru_cache(maxsize=4)
def _table(path: Path, _changed: float) -> dict[str, Any]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        for each in table["models"].values():
            Price(float(each["input"]), float(each["output"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadablePrices(
            f'{path} is no table of prices; write [models] with lines like "name" = {{ input = 0.15, '
            "output = 0.60 }, in USD per million tokens."
        ) from error
    return table
