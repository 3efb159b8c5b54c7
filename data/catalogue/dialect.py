"""Where the two engines' SQL differs, and how values are bound to a statement."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from data.schema import DatasetInfo


@dataclass
class Params:
    """The values of one statement; SQL text only ever holds their names."""

    prefix: str
    """"$" for DuckDB, ":" for SQLAlchemy."""
    values: dict[str, Any] = field(default_factory=dict)

    def add(self, value: Any) -> str:
        """Bind a value, and return the name that stands for it in SQL."""
        name = f"p{len(self.values)}"
        self.values[name] = value
        return f"{self.prefix}{name}"

    def mark(self) -> int:
        """How many values are bound, for `forget_since`."""
        return len(self.values)

    def forget_since(self, mark: int) -> None:
        """Drop what was bound since; engines refuse values that no SQL names."""
        while len(self.values) > mark:
            self.values.popitem()


class Dialect(Protocol):
    """The pieces of SQL that are not the same on both engines. Arguments named `sql` are SQL text."""

    prefix: str

    def class_word(self, word: int) -> str:
        """The word'th bit set of `class_words`."""

    def property_text(self, info: DatasetInfo, key: str, params: Params) -> str:
        """A key of `properties` as text, in binary order."""

    def property_number(self, info: DatasetInfo, key: str, params: Params) -> str:
        """A key of `properties` as a double."""

    def number_of(self, sql: str) -> str:
        """The number that a text spells, else null."""

    def lower(self, sql: str) -> str:
        """Text in lower case."""

    def text(self, sql: str) -> str:
        """A cast to text in binary order."""

    def covers(self, geojson_sql: str) -> str:
        """Whether a GeoJSON geometry covers the row's centre."""

    def day_text(self, sql: str, pattern: str) -> str:
        """A timestamp as text; pattern is "YYYY", "YYYY-MM", "YYYY-MM-DD" or "MM"."""
