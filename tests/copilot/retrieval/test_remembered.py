"""What was computed of a text once is not computed again, and nothing is ever stale."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from copilot.planner.encoder import DIMENSIONS, Floats
from copilot.retrieval.remembered import FOLDER, numbers_of, vectors_of


class Encoding:
    """Gives each text a vector of its length, and notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, texts: Sequence[str]) -> Floats:
        self.asked += texts
        return np.array([[len(text)] * DIMENSIONS for text in texts], dtype=np.float32)


def test_only_texts_that_are_new_are_encoded_and_the_order_is_that_of_the_texts(tmp_path: Path) -> None:
    encode = Encoding()
    vectors_of(["a", "bb"], encode, "tools", tmp_path)
    found = vectors_of(["bb", "ccc", "a", "bb"], encode, "tools", tmp_path)
    assert encode.asked == ["a", "bb", "ccc"]
    assert found[:, 0].tolist() == [2, 3, 1, 2]


def test_a_file_that_was_cut_short_is_made_again(tmp_path: Path) -> None:
    vectors_of(["a"], Encoding(), "tools", tmp_path)
    file = tmp_path / FOLDER / "tools.npz"
    file.write_bytes(file.read_bytes()[:100])
    again = Encoding()
    assert vectors_of(["a"], again, "tools", tmp_path)[0, 0] == 1
    assert again.asked == ["a"]
    (tmp_path / FOLDER / "costs.json").write_text("[1, 2", encoding="utf-8")
    assert numbers_of(["abc"], len, "costs", tmp_path) == (3,)


def test_what_no_text_asks_for_any_more_is_dropped(tmp_path: Path) -> None:
    vectors_of(["old", "kept"], Encoding(), "tools", tmp_path)
    vectors_of(["kept", "new"], Encoding(), "tools", tmp_path)
    with np.load(tmp_path / FOLDER / "tools.npz") as stored:
        assert len(stored["keys"]) == 2


def test_a_home_that_cannot_be_written_costs_the_work_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / FOLDER).write_text("a file where the folder would be", encoding="utf-8")
    assert vectors_of(["abc"], Encoding(), "tools", tmp_path)[0, 0] == 3
    assert numbers_of(["abc", "d"], len, "costs", tmp_path) == (3, 1)


def test_numbers_are_counted_once(tmp_path: Path) -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text)

    assert numbers_of(["a", "bb"], count, "costs", tmp_path) == (1, 2)
    assert numbers_of(["bb", "a"], count, "costs", tmp_path) == (2, 1)
    assert asked == ["a", "bb"]
