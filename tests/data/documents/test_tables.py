"""Delimited texts: delimiter, decimal sign, header, encoding and types are found out."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from copilot.bench.build.example_files import FOLDER
from data.documents.errors import DocumentError
from data.documents.tables import delimiter_of, read_csv


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "table.csv"
    path.write_bytes(text.encode(encoding))
    return path


def test_semicolons_decimal_commas_and_times_are_understood(tmp_path: Path) -> None:
    text = (FOLDER / "stations.csv").read_text().replace(",", ";").replace(".", ",")
    table = read_csv(written(tmp_path, text))
    assert (table.delimiter, table.decimal, table.header, table.encoding) == (";", ",", True, "utf-8")
    assert table.frame["turbidity_ntu"].tolist() == [8.1, 9.3, 19.4, 10.4]
    assert table.frame["measured"].iloc[0] == pd.Timestamp("2023-07-14T09:10")


@pytest.mark.parametrize(
    ("text", "delimiter", "columns", "first"),
    [
        ("a,b\n1,2.5\n", ",", ["a", "b"], [1, 2.5]),
        ("a\tb\n1\tx, y\n", "\t", ["a", "b"], [1, "x, y"]),
        ("a|b|c\n1|2|3\n", "|", ["a", "b", "c"], [1, 2, 3]),
        ('name,note\n"Delft, south","a ""b"""\n', ",", ["name", "note"], ["Delft, south", 'a "b"']),
        ("1;2\n3;4\n", ";", ["column_1", "column_2"], [1, 2]),
        ("a,a,\n1,2,3\n", ",", ["a", "a.1", "column_3"], [1, 2, 3]),
        ("Größe;Ort\n1,5;Köln\n", ";", ["Größe", "Ort"], [1.5, "Köln"]),
        ("only\nx\n", ",", ["only"], ["x"]),
    ],
)
def test_the_delimiter_and_the_header_are_found_out(
    tmp_path: Path, text: str, delimiter: str, columns: list[str], first: list[object]
) -> None:
    for encoding in ("utf-8", "utf-16"):
        table = read_csv(written(tmp_path, text, encoding))
        assert (table.delimiter, table.frame.columns.tolist()) == (delimiter, columns)
        assert table.frame.iloc[0].tolist() == first


def test_commas_inside_texts_do_not_mislead() -> None:
    assert delimiter_of(["id;note", "1;a, b", "2;c, d, e", "3;f"]) == ";"


@pytest.mark.parametrize("text", ["", "\n\n", "a,b\n1,2\n1,2,3,4\n"])
def test_what_is_no_table_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(DocumentError):
        read_csv(written(tmp_path, text))


def test_mixed_values_become_texts_that_parquet_can_hold(tmp_path: Path) -> None:
    rows = "\n".join(["when,value", "2020-01-01,1", "soon,x", ",2.5", "=1+1,-"])
    frame = read_csv(written(tmp_path, rows)).frame
    frame.to_parquet(tmp_path / "table.parquet")
    assert pd.read_parquet(tmp_path / "table.parquet")["value"].tolist() == ["1", "x", "2.5", "-"]
