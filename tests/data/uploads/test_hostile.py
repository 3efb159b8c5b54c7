"""Every bad file gets its one sentence and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.uploads.bring import bring, staged
from data.uploads.errors import UploadError
from tests.data.uploads.hostile import FILES, Hostile


def test_there_are_at_least_sixty_of_them_and_no_two_are_named_alike() -> None:
    assert len({each.name for each in FILES}) == len(FILES) >= 60


@pytest.mark.parametrize("bad", FILES, ids=lambda each: each.name)
def test_a_bad_file_gets_its_sentence_and_leaves_nothing(bad: Hostile, tmp_path: Path) -> None:
    path = tmp_path / "in" / bad.name
    path.parent.mkdir()
    bad.write(path)
    (out := tmp_path / "out").mkdir()
    with pytest.raises(UploadError) as caught, staged(path, out) as incoming:
        bring(incoming)
    said = str(caught.value)
    assert bad.says in said
    assert said.endswith(".") and "\n" not in said and len(said) < 600
    assert not any(out.iterdir())
