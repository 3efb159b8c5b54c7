"""Whatever bytes of a whole file are changed, a reader brings it in or says why not, in one sentence.

A few of the files that `exhaustive_fuzz.py` makes by the thousand.
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.uploads.bring import bring, staged
from data.uploads.errors import UploadError
from tests.data.uploads.samples import SAMPLES, kmz

NAMES = (*SAMPLES, "fields.kmz")


@cache
def whole(name: str) -> bytes:
    """The bytes of a small whole file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        (kmz if name.endswith(".kmz") else SAMPLES[name][0])(path)
        return path.read_bytes()


@st.composite
def broken(draw: st.DrawFn) -> tuple[str, bytes]:
    """A name and its file with some bytes set, taken out, put in, repeated, or the end cut off."""
    name = draw(st.sampled_from(NAMES))
    content = bytearray(whole(name))
    for _ in range(draw(st.integers(1, 6))):
        # Headers decide the most, so half of the changes are near the start.
        last = max(0, len(content) - 1)
        at = draw(st.one_of(st.integers(0, min(last, 300)), st.integers(0, last)))
        kind = draw(st.sampled_from(("set", "set", "number", "cut", "drop", "add", "repeat")))
        if kind == "set":
            content[at : at + 1] = bytes([draw(st.integers(0, 255))])
        elif kind == "number":
            content[at : at + 4] = draw(
                st.sampled_from((b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f"))
            )
        elif kind == "cut":
            del content[max(1, at) :]
        elif kind == "drop":
            del content[at : at + draw(st.integers(1, 50))]
        elif kind == "add":
            content[at:at] = draw(st.binary(max_size=20))
        else:
            content[at:at] = content[at : at + draw(st.integers(1, 200))]
    return name, bytes(content)


def is_told_or_brought(name: str, content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        (out := Path(folder) / "out").mkdir()
        try:
            with staged(path, out) as incoming:
                brought = bring(incoming)
                assert brought.path.is_file() and brought.kind in ("raster", "vector", "table", "document")
        except UploadError as error:
            said = str(error)
            assert said.endswith(".") and "\n" not in said and len(said) < 1_000, said
            said.encode()
        assert not any(out.iterdir())


quick = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@quick
@given(broken())
def test_a_file_with_changed_bytes_is_brought_in_or_told(made: tuple[str, bytes]) -> None:
    is_told_or_brought(*made)


@quick
@given(st.sampled_from(NAMES), st.binary(max_size=400))
def test_any_bytes_after_a_true_beginning_are_told(name: str, rest: bytes) -> None:
    is_told_or_brought(name, whole(name)[:24] + rest)
