"""Vectors and words: nearest rows, what is kept in files, and rankings fused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.knowledge.index import DIMENSIONS, Floats, Meanings, Words, fused
from data.knowledge.shelf import Remembered, text_key

TEXTS = ["Calm water is dark.", "The bridge and the ship.", "Ships leave wakes.", "of the"]


def axes(*numbers: int) -> Floats:
    vectors = np.zeros((len(numbers), DIMENSIONS), dtype=np.float32)
    vectors[range(len(numbers)), numbers] = 1
    return vectors


def test_the_nearest_vectors_come_first_and_only_kept_ones() -> None:
    meanings = Meanings(axes(0, 1, 2))
    query = axes(1) * np.float32(0.8) + axes(2) * np.float32(0.6)
    found = meanings.nearest(query, 2)[0]
    assert [(row, round(cosine, 6)) for row, cosine in found] == [(1, 0.8), (2, 0.6)]
    kept = meanings.nearest(query, 2, np.array([True, False, True]))[0]
    assert [(row, round(cosine, 6)) for row, cosine in kept] == [(2, 0.6), (0, 0.0)]


def test_words_find_texts_by_their_stems_and_nothing_by_empty_words() -> None:
    words = Words(TEXTS)
    assert {row for row, _ in words.nearest("ship", 3)} == {1, 2}
    assert words.nearest("what is the of", 3) == []
    assert words.nearest("submarines", 3) == []
    assert [row for row, _ in words.nearest("ships", 3, np.array([True, True, False, True]))] == [1]


def test_an_index_of_no_words_finds_nothing() -> None:
    assert Words(["of the", ""]).nearest("ship", 3) == []
    assert Words([]).nearest("ship", 3) == []


def test_indexes_come_back_from_files_as_they_were(tmp_path: Path) -> None:
    Meanings(axes(3, 5)).save(tmp_path / "m.faiss")
    Words(TEXTS).save(tmp_path / "words")
    assert np.array_equal(Meanings.load(tmp_path / "m.faiss").of([0, 1]), axes(3, 5))
    words = Words.load(tmp_path / "words")
    assert words.nearest("calm ships", 4) == Words(TEXTS).nearest("calm ships", 4)
    assert words.frequencies == {
        "calm": 1,
        "water": 1,
        "dark": 1,
        "bridg": 1,
        "ship": 2,
        "leav": 1,
        "wake": 1,
    }


def test_reciprocal_ranks_are_added_by_weight() -> None:
    found = fused([(1.0, [7, 8]), (0.5, [8])], 5)
    assert found == [(8, 1 / 62 + 0.5 / 61), (7, 1 / 61)]


@given(st.lists(st.permutations([1, 2, 3, 4]), min_size=1, max_size=4))
def test_a_row_that_is_first_in_every_ranking_is_first_of_all(rankings: list[list[int]]) -> None:
    led = [[0, *each] for each in rankings]
    assert fused([(1.0, each) for each in led], 1)[0][0] == 0


@given(st.integers(0, 2**32 - 1))
def test_a_remembered_vector_points_where_it_pointed(seed: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(3, DIMENSIONS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    empty = Remembered({}, np.zeros((0, DIMENSIONS), dtype=np.int8))
    kept = empty.with_new(["a", "b", "c"], vectors)
    found = kept.lookup(lambda texts: np.zeros((len(texts), DIMENSIONS), np.float32))(["c", "a"])
    assert (np.einsum("ij,ij->i", found, vectors[[2, 0]]) > 0.995).all()


def test_what_is_not_remembered_is_encoded_and_what_is_asked_for_no_more_is_dropped(tmp_path: Path) -> None:
    kept = Remembered({}, np.zeros((0, DIMENSIONS), dtype=np.int8)).with_new(["a", "b"], axes(0, 1))
    kept.only(["b", "z"]).save(tmp_path / "v.npz")
    asked: list[str] = []

    def encode(texts: Sequence[str]) -> Floats:
        asked.extend(texts)
        return axes(*range(10, 10 + len(texts)))

    found = Remembered.load(tmp_path / "v.npz").lookup(encode)(["a", "b", "a"])
    assert (asked, found.argmax(axis=1).tolist()) == (["a"], [10, 1, 10])
    assert Remembered.load(tmp_path / "none.npz").keys == {}
    assert len(text_key("a")) == 20


def test_many_vectors_are_found_in_their_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data.knowledge.index.LARGE", 3_000)
    rng = np.random.default_rng(7)
    rows = rng.standard_normal((11_000, DIMENSIONS), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    many = Meanings(rows)
    assert [hits[0][0] for hits in many.nearest(rows[[5, 10_500]], 3)] == [5, 10_500]
    keep = np.zeros(len(rows), dtype=np.bool_)
    keep[5] = True
    assert [row for row, _ in many.nearest(rows[[5]], 3, keep)[0]] == [5]
    many.save(tmp_path / "m.faiss")
    assert np.array_equal(Meanings.load(tmp_path / "m.faiss").of([5, 10_500]), rows[[5, 10_500]])
