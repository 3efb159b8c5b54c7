"""Delimited text as a table: the delimiter, the decimal sign and the header are found out."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data.documents.errors import DocumentError
from data.documents.text import decoded, read_bytes, tidy

if TYPE_CHECKING:
    import pandas as pd

MAX_CSV_BYTES = 200_000_000
MAX_ROWS = 2_000_000
MAX_COLUMNS = 2_000
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_SAMPLE_LINES = 200
_NUMBER = re.compile(r"\s*[-+]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][-+]?\d+)?\s*")
_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[-+]\d\d:?\d\d)?)?")


@dataclass(frozen=True)
class Table:
    """A table with how its file was read."""

    frame: pd.DataFrame
    encoding: str
    delimiter: str
    decimal: str
    header: bool
    """Whether the first line names the columns; else they are called column_1 and so on."""


def read_csv(path: Path, delimiter: str | None = None) -> Table:
    """A delimited text file as a table. Raises DocumentError for what is too large or no table."""
    found = decoded(read_bytes(path, MAX_CSV_BYTES))
    text = found.text.lstrip("\ufeff")
    lines = [line for line in text[:2_000_000].splitlines()[:_SAMPLE_LINES] if line.strip()]
    if not lines:
        raise DocumentError("The file holds no lines.")
    chosen = delimiter or delimiter_of(lines)
    rows = list(csv.reader(lines, delimiter=chosen))
    decimal = _decimal(rows, chosen)
    header = _has_header(rows)
    frame = _frame(text, chosen, decimal, header)
    return Table(frame, found.encoding, chosen, decimal, header)


@dataclass(frozen=True)
class HowRead:
    """How a table's file was read, without the table: see `Table`."""

    encoding: str
    delimiter: str
    decimal: str
    header: bool


def kept_csv(path: Path, kept: Path, delimiter: str | None = None) -> HowRead:
    """As `read_csv`, the table written to `kept` as an Arrow file: for a process of its own."""
    read = read_csv(path, delimiter)
    read.frame.to_feather(kept, compression="uncompressed")
    return HowRead(read.encoding, read.delimiter, read.decimal, read.header)


def kept_table(how: HowRead, kept: Path) -> Table:
    """The table that `kept_csv` has written."""
    import pandas as pd

    return Table(pd.read_feather(kept), how.encoding, how.delimiter, how.decimal, how.header)


def delimiter_of(lines: list[str]) -> str:
    """The sign that splits most lines into the same number of cells, two or more; else the comma."""
    best, score = ",", 0.0
    for each in DELIMITERS:
        try:
            widths = Counter(len(row) for row in csv.reader(lines, delimiter=each))
        except csv.Error:
            continue
        width, lines_of_it = max(widths.items(), key=lambda item: (item[1] * (item[0] > 1), item[0]))
        # A share of lines first; of two that split all alike, the one that makes more cells.
        points = (lines_of_it / len(lines)) * (1 + min(width, 100) / 1000) if width > 1 else 0.0
        if points > score:
            best, score = each, points
    return best


def _frame(text: str, delimiter: str, decimal: str, header: bool) -> pd.DataFrame:
    import pandas as pd

    try:
        frame = pd.read_csv(
            StringIO(text),
            sep=delimiter,
            decimal=decimal,
            header=0 if header else None,
            skipinitialspace=True,
            nrows=MAX_ROWS + 1,
            low_memory=False,
            on_bad_lines="error",
            index_col=False,
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, ValueError, OverflowError) as error:
        reason = tidy(" ".join(str(error).split())).rstrip(".")[:160]
        raise DocumentError(
            f"The lines do not make a table ({reason}); is the delimiter another one?"
        ) from None
    if len(frame) > MAX_ROWS or len(frame.columns) > MAX_COLUMNS:
        raise DocumentError(
            f"At most {MAX_ROWS:,} rows and {MAX_COLUMNS:,} columns are read; split the file."
        )
    if not header:
        frame.columns = pd.Index([f"column_{number}" for number in range(1, len(frame.columns) + 1)])
    frame.columns = pd.Index(_names([str(each) for each in frame.columns]))
    return frame.apply(typed)


def typed(column: pd.Series[Any]) -> pd.Series[Any]:
    """A column as Parquet can hold it: ISO 8601 days and times as such (UTC), mixed values as texts."""
    import pandas as pd

    if not (pd.api.types.is_object_dtype(column) or pd.api.types.is_string_dtype(column)):
        return column
    texts = column.dropna()
    if len(texts) and all(isinstance(each, str) and _DAY.fullmatch(each.strip()) for each in texts):
        moments = pd.to_datetime(column.str.strip(), format="ISO8601", errors="coerce", utc=True)
        if moments.notna().sum() == len(texts):
            return moments.dt.tz_localize(None)
    return column.map(lambda each: None if pd.isna(each) else str(each), na_action="ignore").astype("string")


def _names(names: list[str]) -> list[str]:
    """Column names on one line, none empty and none twice."""
    taken: Counter[str] = Counter()
    made = []
    for number, name in enumerate(names, 1):
        plain = " ".join(tidy(name).split())[:200] or f"column_{number}"
        if plain.startswith("Unnamed:"):
            plain = f"column_{number}"
        taken[plain] += 1
        made.append(plain if taken[plain] == 1 else f"{plain}_{taken[plain]}")
    return made


def _decimal(rows: list[list[str]], delimiter: str) -> str:
    """The comma where the numbers of a file that is not split by it have one."""
    if delimiter == ",":
        return "."
    cells = [cell for row in rows[1:] for cell in row if _NUMBER.fullmatch(cell)]
    commas = sum(_DECIMAL_COMMA.fullmatch(cell) is not None for cell in cells)
    return "," if commas and not any("." in cell for cell in cells) else "."


def _has_header(rows: list[list[str]]) -> bool:
    """Not when the first line holds a number, as the others do."""
    return not any(_NUMBER.fullmatch(cell) for cell in rows[0])
