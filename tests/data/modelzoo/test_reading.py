"""Reading records: the user's beside the repository's, and what is no record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from data.modelzoo.errors import ModelZooError
from data.modelzoo.reading import read_record, zoo
from tests.data.modelzoo.records import plain


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_users_record_stands_for_the_one_of_its_id(tmp_path: Path) -> None:
    before = len(zoo(tmp_path).records)
    put(tmp_path, "croma.json", json.dumps(plain(model_id="croma", model_name="My CROMA")))
    put(tmp_path, "tiny.json", json.dumps(plain()))
    found = zoo(tmp_path)
    assert (len(found.records) - before, found.get("croma").model_name, found.get("TINY").model_id) == (
        1,
        "My CROMA",
        "tiny",
    )


def test_a_broken_file_hides_nothing_else(tmp_path: Path) -> None:
    put(tmp_path, "broken.json", "{")
    found = zoo(tmp_path)
    assert found.records == zoo().records
    assert found.problems == (
        "broken.json is no record of a model: it is no JSON: "
        "Expecting property name enclosed in double quotes.",
    )


def test_a_changed_file_is_read_anew(tmp_path: Path) -> None:
    path = put(tmp_path, "tiny.json", json.dumps(plain()))
    first = zoo(tmp_path).get("tiny").num_parameters
    put(tmp_path, path.name, json.dumps(plain(num_parameters=70.25)))
    assert (first, zoo(tmp_path).get("tiny").num_parameters) == (5.6, 70.25)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "Input should be a valid dictionary or instance of ModelRecord"),
        ("[" * 100_000, "it is nested too deep"),
        (json.dumps(plain(num_parameters=-1)), "num_parameters: Input should be greater than 0"),
        ("x" * 1_000_001, "it is larger than 1 MB"),
    ],
)
def test_what_is_no_record_is_told_in_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ModelZooError) as told:
        read_record(put(tmp_path, "x.json", text))
    assert str(told.value).startswith("x.json is no record of a model: ") and says in str(told.value)


def test_a_name_nearly_right_is_hinted_at() -> None:
    with pytest.raises(ModelZooError, match=r"no record of a model 'crom'; did you mean croma"):
        zoo().get("crom")
