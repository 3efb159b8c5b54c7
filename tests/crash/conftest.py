"""What the crash tests share: the small catalogue."""

from __future__ import annotations

from tests.tools.conftest import small_catalogue

__all__ = ["small_catalogue"]
