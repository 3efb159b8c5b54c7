"""Training the detector from the command's own function: it runs, and what it writes is a detector."""

from __future__ import annotations

import pytest

from data.models.training.streaming import Stream


def test_a_stream_whose_renderer_ended_says_so_at_once():
    stream = Stream(1, 64, 4)
    stream.take(1)
    stream.close()
    with pytest.raises(RuntimeError, match=r"Rendering ended with status -9 after \d+ scenes\."):
        stream.take(10_000)
