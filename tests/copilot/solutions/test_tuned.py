"""The tuned encoder: weights that belong to the phrases, changes that do what whole matrices would."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from copilot.planner.encoder import DIMENSIONS, Adapters, Change
from copilot.planner.head import HeadError, shared_encoder
from copilot.solutions import solutions
from copilot.solutions.bank import digest_of, read_phrases
from copilot.solutions.infer import normal
from copilot.solutions.tuned import Tuned, tuned

TEXTS = ["it looks like sand was thrown over the picture", "any boats?", "who built the A380"]
WIDE = 4 * DIMENSIONS
SIZES = ((DIMENSIONS, 3 * DIMENSIONS), (DIMENSIONS, DIMENSIONS), (DIMENSIONS, WIDE), (WIDE, DIMENSIONS))


def changes(strength: float) -> Adapters:
    chance = np.random.default_rng(7)

    def change(inputs: int, outputs: int) -> Change:
        down, up = chance.normal(size=(inputs, 2)), strength * chance.normal(size=(2, outputs))
        return down.astype(np.float32), up.astype(np.float32)

    return (tuple(change(*size) for size in SIZES),)


def test_the_committed_changes_were_learnt_from_the_phrases_as_they_are() -> None:
    assert (tuned().digest, tuned().names) == (digest_of(), tuple(solutions())), (
        "run: python -m copilot.solutions.tune"
    )


def test_changes_of_nothing_change_nothing() -> None:
    plain = shared_encoder()
    assert np.allclose(plain.adapted(changes(0)).encode(TEXTS), plain.encode(TEXTS), atol=1e-6)


def test_a_change_is_what_adding_it_to_the_matrix_would_be_and_leaves_the_encoder_alone() -> None:
    plain = shared_encoder()
    before = plain.encode(TEXTS)
    small = changes(0.01)
    adapted = plain.adapted(small)
    layer = adapted._layers[-1]
    for dense, (down, up) in zip(
        (layer.query_key_value, layer.attention_output, layer.intermediate, layer.output),
        small[0],
        strict=True,
    ):
        values = np.random.default_rng(1).normal(size=(3, len(down))).astype(np.float32)
        assert np.allclose(dense(values), values @ (dense.weight + down @ up) + dense.bias, atol=1e-3)
    assert not np.allclose(adapted.encode(TEXTS), before, atol=1e-3)
    assert np.array_equal(plain.encode(TEXTS), before)


def test_what_is_written_is_read_again_and_what_is_broken_is_told_in_a_sentence(tmp_path: Path) -> None:
    tuned().save(tmp_path / "tuned.npz")
    again = Tuned.load(tmp_path / "tuned.npz")
    assert np.allclose(again.shares(TEXTS), tuned().shares(TEXTS), atol=1e-3)
    assert np.allclose(again.votes(TEXTS), tuned().votes(TEXTS), atol=1e-3)
    (tmp_path / "tuned.npz").write_bytes(b"PK")
    with pytest.raises(HeadError, match=r"python -m copilot\.solutions\.tune"):
        Tuned.load(tmp_path / "tuned.npz")


def test_the_known_phrases_are_those_that_were_learnt_and_vote_for_their_tasks() -> None:
    phrases = read_phrases()
    assert len(tuned().known.tasks) == len(phrases)
    some = phrases[::500]
    told = tuned().votes([normal(each.text) for each in some]).argmax(axis=1)
    assert [tuned().names[best] for best in told] == [each.task for each in some]


def test_a_tuned_encoder_tells_what_the_words_do_not_say() -> None:
    names = tuned().names
    told = [names[best] for best in tuned().shares(TEXTS).argmax(axis=1)]
    assert told == ["denoising", "optical_detection", "knowledge_search"]
