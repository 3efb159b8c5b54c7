"""The sentence encoder against vectors that torch and transformers computed from the same weights."""

from __future__ import annotations

import hashlib
import json
import math
import subprocess
import sys
from collections.abc import Callable
from io import BufferedReader
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copilot.planner.encoder import Encoder, EncoderError, check_weights, erf, model_folder, read_weights

REFERENCE = json.loads((Path(__file__).parent / "encoder_reference.json").read_text(encoding="utf-8"))
TOLERANCE = 1e-4


@pytest.fixture(scope="module")
def model() -> Encoder:
    return Encoder()


def test_vectors_equal_those_of_the_published_runtime(model: Encoder) -> None:
    vectors = model.encode(REFERENCE["texts"])
    assert vectors.shape == (len(REFERENCE["texts"]), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors[:, :16], REFERENCE["first_dimensions"], rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(vectors @ vectors.T, REFERENCE["cosines"], rtol=0, atol=TOLERANCE)


def test_the_batch_a_text_is_in_does_not_change_its_vector(model: Encoder) -> None:
    together = model.encode(REFERENCE["texts"] * 6)
    alone = np.concatenate([model.encode([text]) for text in REFERENCE["texts"]] * 6)
    np.testing.assert_allclose(together, alone, rtol=0, atol=2e-6)


def test_no_texts_give_no_vectors(model: Encoder) -> None:
    assert model.encode([]).shape == (0, 384)


def test_what_is_beyond_256_tokens_does_not_count(model: Encoder) -> None:
    short, long = model.encode(["flood " * 254, "flood " * 254 + "harbour " * 40])
    np.testing.assert_allclose(short, long, rtol=0, atol=2e-6)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=3))
def test_any_text_gives_a_vector_of_length_one(model: Encoder, texts: list[str]) -> None:
    np.testing.assert_allclose(np.linalg.norm(model.encode(texts), axis=1), 1, rtol=0, atol=1e-5)


def test_the_package_s_own_code_is_not_run() -> None:
    # In a process of its own: other tests of this one may have imported PyTorch.
    script = "import sys; from copilot.planner.encoder import PACKAGE, Encoder; Encoder().encode(['ships']); "
    script += "print(sorted({PACKAGE, 'sentence_transformers', 'torch'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@given(st.floats(-6, 6))
def test_the_error_function_is_within_its_stated_error(value: float) -> None:
    given_value = np.float32(value)
    assert abs(float(erf(np.array([given_value]))[0]) - math.erf(float(given_value))) < 6e-7


def test_weights_that_are_not_the_published_ones_are_refused(tmp_path: Path) -> None:
    fake = tmp_path / "model.safetensors"
    fake.write_bytes(b"not the weights")
    with pytest.raises(EncoderError, match=r"has SHA-256 .* as published; install"):
        check_weights(fake, tmp_path / "checked.json")
    assert not (tmp_path / "checked.json").exists()


def test_missing_weights_are_named(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match=r"model\.safetensors cannot be read; install"):
        Encoder(tmp_path)


def test_checked_weights_are_not_hashed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hash_calls: Callable[[], int]
) -> None:
    weights = model_folder() / "model.safetensors"
    check_weights(weights, tmp_path / "checked.json")
    check_weights(weights, tmp_path / "checked.json")
    assert hash_calls() == 1
    (tmp_path / "checked.json").write_text("[cut sh", encoding="utf-8")
    check_weights(weights, tmp_path / "checked.json")
    assert hash_calls() == 2


@pytest.fixture
def hash_calls(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How often a file was hashed."""
    calls: list[str] = []
    real = hashlib.file_digest

    def counted(file: BufferedReader, name: str) -> object:
        calls.append(name)
        return real(file, name)

    monkeypatch.setattr(hashlib, "file_digest", counted)
    return lambda: len(calls)


def test_the_weights_are_mapped_and_not_copied() -> None:
    words = read_weights(model_folder() / "model.safetensors")["embeddings.word_embeddings.weight"]
    assert (words.shape, words.flags.owndata, words.flags.writeable) == ((30522, 384), False, False)


def test_what_is_remembered_is_what_is_encoded_in_any_company() -> None:
    texts = ["ships near Rotterdam", "the mean of band 2, please", "undo", "ships near Rotterdam"]
    encoder = Encoder()
    together = encoder.recall(texts)
    assert np.allclose(together, encoder.encode(texts), atol=1e-6)
    assert np.array_equal(encoder.recall(texts[1:2])[0], together[1])
    assert encoder.recall([]).shape == (0, 384)
