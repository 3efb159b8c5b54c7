"""DuckDB's way of saying what a query needs."""

from __future__ import annotations

from data.catalogue.dialect import Params
from data.schema import CLASS_BITS_PER_WORD, DatasetInfo

_NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"


class DuckDialect:
    """DuckDB's side of `Dialect`."""

    prefix = "$"

    def class_word(self, word: int) -> str:
        """Class words are columns of the in-memory table."""
        return f"w{word}"

    def property_text(self, info: DatasetInfo, key: str, params: Params) -> str:
        """Properties are columns of the in-memory table, numbered as in the manifest."""
        return property_column(info, key)

    def property_number(self, info: DatasetInfo, key: str, params: Params) -> str:
        """As `property_text`: the column has the property's type."""
        return property_column(info, key)

    def number_of(self, sql: str) -> str:
        """The number that a text spells, else null."""
        return f"CASE WHEN regexp_matches({sql}, '{_NUMBER}') THEN CAST({sql} AS DOUBLE) END"

    def lower(self, sql: str) -> str:
        """Text in lower case."""
        return f"lower({sql})"

    def text(self, sql: str) -> str:
        """A cast to text; DuckDB's order is binary."""
        return f"CAST({sql} AS VARCHAR)"

    def covers(self, geojson_sql: str) -> str:
        """ST_Covers of the spatial extension."""
        return f"ST_Covers(ST_GeomFromGeoJSON({geojson_sql}), ST_Point(lon, lat))"

    def day_text(self, sql: str, pattern: str) -> str:
        """A timestamp as text."""
        return f"strftime({sql}, '{pattern.replace('YYYY', '%Y').replace('MM', '%m').replace('DD', '%d')}')"


def literal(text: str) -> str:
    """A text as an SQL literal, for places where DuckDB takes no parameter."""
    return "'" + text.replace("'", "''") + "'"


def word_count(info: DatasetInfo) -> int:
    """How many words hold a row's classes."""
    return max((c.id // CLASS_BITS_PER_WORD + 1 for c in info.classes), default=0)


def property_column(info: DatasetInfo, key: str) -> str:
    """The column of the in-memory table that holds a property."""
    return f"property_{[name for name, _ in info.properties].index(key)}"


def property_sql(info: DatasetInfo, key: str, kind: str) -> str:
    """A property out of the rows' JSON, as that column."""
    pointer = literal("/" + key.replace("~", "~0").replace("/", "~1"))
    value = f"json_extract_string(properties, {pointer})"
    if kind == "number":
        value = f"TRY_CAST({value} AS DOUBLE)"
    return f"{value} AS {property_column(info, key)}"
