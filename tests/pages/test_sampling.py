"""What the page offers where there is no sample catalogue, as Streamlit draws it, without a browser."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from copilot.engine import Engine
from copilot.session import Session
from pages.sampling import WITHOUT, examples


@pytest.fixture
def nothing_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Session:
    """A session of an app whose catalogue was never built."""
    engine = Engine(home=tmp_path / "home", catalogue_url=str(tmp_path / "catalogue"))
    found = Session.open(engine=engine)
    monkeypatch.setattr("pages.sampling.live", lambda: SimpleNamespace(engine=engine))
    return found


def _script(session: object) -> None:
    from copilot.session import Session
    from pages import sampling

    assert isinstance(session, Session)
    sampling.show_sample(session)


def test_without_a_sample_it_is_offered_and_the_examples_need_none(nothing_there: Session) -> None:
    drawn = AppTest.from_function(_script, default_timeout=60, args=(nothing_there,)).run()
    assert not drawn.exception
    assert [each.label for each in drawn.button] == ["Build the sample"]
    assert drawn.markdown[0].value.startswith("**There is no sample catalogue yet.**")
    assert examples(nothing_there) == list(WITHOUT)
    for each in WITHOUT:
        assert nothing_there.ask(each).outcome == "done"
