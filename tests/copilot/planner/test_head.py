"""The trained head: committed weights that belong to the bank, and how well they read what they never saw."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from copilot.planner.clauses import without_openers
from copilot.planner.head import DIMENSIONS, HASHED, Head, HeadError, softmax, word_features
from copilot.planner.labels import LABELS, MASKS
from copilot.planner.train import (
    HELD_OUT,
    OFF_TOPIC,
    BankError,
    Phrase,
    bank_digest,
    calibration_error,
    examples,
    fit,
    masked,
    read_bank,
    training_files,
)


@pytest.fixture(scope="module")
def head() -> Head:
    return Head.load()


def test_the_committed_weights_were_trained_on_the_bank_as_it_is(head: Head) -> None:
    assert (head.digest, head.names) == (bank_digest(), tuple(LABELS)), "run: python -m copilot.planner.train"


def test_nine_in_ten_held_out_phrases_get_their_label(head: Head) -> None:
    phrases = read_bank([HELD_OUT])
    guessed = head.labels([masked(each.text) for each in phrases])
    wrong = [
        (each.text, each.label, guesses[0][0])
        for each, guesses in zip(phrases, guessed, strict=True)
        if guesses[0][0] != each.label
    ]
    assert len(wrong) <= 0.1 * len(phrases), wrong


def test_the_threshold_keeps_the_right_answers_and_most_off_topic_lines_do_not_pass_as_a_want(
    head: Head,
) -> None:
    phrases = read_bank([HELD_OUT])
    answers = head.labels([masked(each.text) for each in phrases])
    right = [guess[0][1] for each, guess in zip(phrases, answers, strict=True) if guess[0][0] == each.label]
    noise = [guess[0] for guess in head.labels([masked(each.text) for each in read_bank([OFF_TOPIC])])]
    passing = [label for label, share in noise if share >= head.threshold and label != "reject"]
    assert np.mean(np.array(right) < head.threshold) <= 0.04
    assert len(passing) <= 0.15 * len(noise), passing


def test_every_label_has_thirty_phrases_and_six_held_out_ones() -> None:
    trained = Counter(each.label for each in read_bank(training_files()))
    held = Counter(each.label for each in read_bank([HELD_OUT]))
    thin = {label for label in LABELS if trained[label] < 30 or held[label] < 6}
    assert thin == set()


def test_no_held_out_phrase_is_trained_on_and_no_phrase_has_two_labels() -> None:
    trained = read_bank(training_files())
    labels: dict[str, set[str]] = {}
    for each in trained:
        labels.setdefault(each.text, set()).add(each.label)
    held_out = {each.text for each in read_bank([HELD_OUT])}
    both = sorted(held_out & {each.text for each in trained})
    assert (both, [text for text, own in labels.items() if len(own) > 1]) == ([], [])


def test_a_clause_gets_three_labels_best_first_with_shares_of_one(head: Head) -> None:
    guesses = head.labels(["zoom to place", "undo that"])
    assert [each[0][0] for each in guesses] == ["zoom_map", "undo"]
    for each in guesses:
        shares = [share for _, share in each]
        assert len(each) == 3
        assert shares == sorted(shares, reverse=True)
        assert 0 < sum(shares) <= 1 + 1e-6


def test_polite_openers_and_company_do_not_change_the_guess(head: Head) -> None:
    alone = head.labels(["zoom to place"])[0]
    together = head.labels(
        ["could you please zoom to place", "how many class are there in place", "zoom to place"]
    )
    assert together[0] == together[2] == alone


def test_no_clauses_give_no_guesses(head: Head) -> None:
    assert head.labels([]) == []


def test_what_was_guessed_before_comes_from_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Head.load()
    before = own.labels(["draw a box around place"])

    def fail(*_: object) -> None:
        raise AssertionError("encoded again")

    monkeypatch.setattr("copilot.planner.head.features", fail)
    assert own.labels(["draw a box around place"]) == before


def test_missing_or_wrong_weights_say_how_to_make_them(tmp_path: Path) -> None:
    with pytest.raises(HeadError, match=r"python -m copilot\.planner\.train"):
        Head.load(tmp_path / "none.npz")
    odd = Head(("a",), np.zeros((3, 1), np.float32), np.zeros(1, np.float32), 1.0, 0.5, "")
    odd.save(tmp_path / "odd.npz")
    with pytest.raises(HeadError, match=rf"\(3, 1\), not \({DIMENSIONS + HASHED}, 1\)"):
        Head.load(tmp_path / "odd.npz")


def test_saved_weights_come_back_as_they_were(tmp_path: Path) -> None:
    weights = np.arange((DIMENSIONS + HASHED) * 2, dtype=np.float32).reshape(-1, 2) % 7 - 3
    head = Head(("a", "b"), weights, np.array([1, 2], np.float32), 0.5, 0.25, "d")
    head.save(tmp_path / "head.npz")
    back = Head.load(tmp_path / "head.npz")
    assert (back.names, back.temperature, back.threshold, back.digest) == (("a", "b"), 0.5, 0.25, "d")
    assert np.array_equal(back.weights, weights)
    assert np.array_equal(back.bias, head.bias)


def test_training_twice_gives_the_same_weights_and_separates_what_can_be_separated() -> None:
    inputs = np.eye(3, dtype=np.float32)[[0, 1, 2, 0, 1, 2]]
    wanted = np.array([0, 1, 2, 0, 1, 2])
    first, second = fit(inputs, wanted, 3), fit(inputs, wanted, 3)
    assert np.array_equal(first[0], second[0])
    assert np.array_equal((inputs @ first[0] + first[1]).argmax(axis=1), wanted)


def test_a_phrase_is_masked_as_the_reader_masks_a_request() -> None:
    assert (
        masked("please make {layer} red per country in {place}?")
        == f"make layer colour per {MASKS['field']} in place"
    )
    assert examples([Phrase("aggregate", "mean gsd")]) == [
        Phrase("aggregate", f"mean {MASKS['field']}"),
        Phrase("aggregate", "mean gsd"),
    ]
    assert without_openers(masked("just show {class}")) == masked("show {class}")


def test_a_wrong_line_of_the_bank_is_named(tmp_path: Path) -> None:
    file = tmp_path / "odd.jsonl"
    for line, said in (
        (json.dumps({"label": "plot"}), "odd.jsonl line 1"),
        (json.dumps({"label": "plot", "text": "show {planet}"}), "placeholders"),
        (json.dumps({"label": "plott", "text": "show"}), "'plott'"),
    ):
        file.write_text(line + "\n", encoding="utf-8")
        with pytest.raises(BankError, match=said):
            read_bank([file])


def test_calibration_error_is_none_for_honest_and_the_gap_for_boastful_shares() -> None:
    honest = np.array([[0.75, 0.25]] * 4, np.float32)
    assert calibration_error(honest, np.array([0, 0, 0, 1])) == pytest.approx(0)
    assert calibration_error(honest, np.array([1, 1, 1, 1])) == pytest.approx(0.75)


def test_word_features_have_length_one_and_tell_word_order() -> None:
    rows = word_features(["zoom in", "in zoom", ""])
    assert np.linalg.norm(rows, axis=1).tolist()[:2] == pytest.approx([1, 1])
    assert not np.array_equal(rows[0], rows[1])
    assert softmax(np.zeros((1, 4), np.float32)).tolist() == [[0.25] * 4]
