"""How many tokens a text costs, by the tokenizer of the models that are most used here, offline."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

ENCODING = "o200k_base"
"""The encoding of gpt-4o and what came after it. The schemas here cost 2 % less in the older cl100k_base."""


def count_tokens(text: str) -> int:
    """The number of tokens of `text` in ENCODING; what looks like a special token is counted as text."""
    return len(_encoding().encode_ordinary(text))


@cache
def _encoding() -> Any:
    # Loading costs a second, and what was counted once is remembered: so only when it is needed.
    with warnings.catch_warnings():
        # Its package reads its own data in a way that Python 3.11 has deprecated.
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai

        return bpe_openai.get_encoding(ENCODING)
