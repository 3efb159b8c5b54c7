"""The Models page as Streamlit draws it, without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from copilot.view.modelzoo import comparison_html, results, sources_html, table, value_of
from data.modelzoo.reading import zoo
from tests.data.modelzoo.records import PAPER, plain, record


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AppTest:
    """The page over a home of the test's own, without the header, which needs a browser's components."""
    monkeypatch.setattr("pages.models.default_home", lambda: tmp_path)
    monkeypatch.setattr("pages.models.header", lambda session: None)
    monkeypatch.setattr("pages.models.session", lambda: None)
    monkeypatch.setattr("pages.models.which_model", lambda current: None)
    return AppTest.from_function(_script, default_timeout=60)


def _script() -> None:
    from pages import models

    models.show()


def shown(drawn: AppTest) -> list[str]:
    """The models in the table."""
    return list(drawn.dataframe[0].value["model"])


def test_all_models_are_shown_and_filters_narrow_them(drawn: AppTest) -> None:
    drawn.run()
    assert not drawn.exception
    assert shown(drawn) == [each.model_name for each in zoo().records]
    drawn.multiselect(key="model_modalities").select("sar")
    drawn.number_input(key="model_largest").set_value(10.0)
    drawn.run()
    assert "THOR v1 tiny" in shown(drawn)
    small = [each for each in zoo().records if "sar" in each.modalities and (each.num_parameters or 99) <= 10]
    assert shown(drawn) == [each.model_name for each in small]


def test_what_no_model_says_is_told(drawn: AppTest) -> None:
    drawn.run()
    drawn.text_input(key="find_model").set_value("no such words anywhere").run()
    assert not drawn.exception
    assert drawn.info[0].value.startswith("No model says all of that.")


def test_two_models_are_compared_with_their_results_and_sources(drawn: AppTest) -> None:
    drawn.run()
    drawn.multiselect(key="models_compared").set_value(["croma", "dofa"]).run()
    assert not drawn.exception
    markup = " ".join(str(each.proto.body) for each in drawn.get("html"))
    assert "<th>CROMA</th><th>DOFA</th>" in markup
    frame = drawn.dataframe[1].value
    row = frame[(frame["data set"] == "MADOS") & (frame["labels"] == "10 %")].iloc[0]
    assert (row["CROMA"], row["DOFA"]) == (32.44, 23.77)
    assert [each.label for each in drawn.expander] == ["Sources of croma", "Sources of dofa"]


def test_a_filter_drops_a_compared_model_that_no_longer_fits(drawn: AppTest) -> None:
    drawn.run()
    drawn.multiselect(key="models_compared").set_value(["croma", "clay"]).run()
    drawn.text_input(key="find_model").set_value("croma").run()
    assert not drawn.exception
    assert drawn.multiselect(key="models_compared").value == ["croma"]


def test_unknown_is_said_and_a_doubtful_value_is_marked() -> None:
    tiny = record()
    assert (value_of(tiny, "backbone").text, value_of(tiny, "backbone").flagged) == ("unknown", False)
    size = value_of(tiny, "num_parameters")
    assert (size.text, size.flagged, size.proof) == ("5.6", True, "A list; confidence 0.7")
    assert table([tiny])["parameters, M"].tolist() == [5.6]


def test_names_and_addresses_are_never_markup() -> None:
    evil = "<script>alert('x')</script>"
    sources = {"s1": PAPER | {"title": evil, "url": "https://a.example/'onmouseover='x"}, "s2": PAPER}
    provenance = plain()["provenance"] | {"backbone": {"sources": ["s1"], "confidence": 0.8}}
    bad = record(model_name=evil, backbone=evil, sources=sources, provenance=provenance)
    markup = comparison_html([bad]) + sources_html(bad)
    assert "<script" not in markup and "'onmouseover" not in markup


def test_results_that_only_one_of_two_reports_are_left_out() -> None:
    left, right = record(), record(model_id="other", model_name="Other", benchmarks=[])
    assert (len(results([left])), len(results([left, right]))) == (1, 0)
