"""What README and the pages of docs show is what happens: their blocks are run."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.docs import PAGES, ROOT, fresh_page
from tests.test_docs import home

__all__ = ["home"]


@pytest.mark.parametrize("document", PAGES)
def test_every_block_prints_what_the_page_says(document: str, home: Path) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    assert fresh_page(text, home) == text, "python scripts/docs.py writes the page anew"
