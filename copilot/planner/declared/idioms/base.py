"""What an idiom is: a turn of phrase of a single tool, read into its arguments."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

Arguments = dict[str, Any]
Idiom = Callable[[str, date], Arguments]
"""From a clause and today's date to the arguments that it plainly says; the rest is read by their types."""
