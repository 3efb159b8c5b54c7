"""What the wording of a request for the web tells, and what is read out of it."""

from __future__ import annotations

from datetime import date

import pytest

from copilot.planner.declared.idioms.web import IDIOMS, told

TODAY = date(2024, 6, 15)


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("what's written on http://harbour.example/flood.html", "read_page"),
        ("which links are on https://harbour.example/a.html", "page_links"),
        ("Open the link https://harbour.example/a.html and make sure that it works", "open_url"),
        ("grab the table at https://harbour.example/a.html", "page_tables"),
        ("get me https://harbour.example/fields.geojson", "download_file"),
        ("who wrote arXiv 2404.15500?", "arxiv_paper"),
        ("look for scientific papers about ships", "arxiv_search"),
        ("what does Wikipedia know about Delft", "wikipedia_page"),
        ("are there Wikipedia articles on radar?", "wikipedia_search"),
        ("how was the weather in Delft in May 2020?", "weather_history"),
    ],
)
def test_the_wording_tells_which_tool_of_the_web_is_meant(text: str, tool: str) -> None:
    assert told(text) == tool


def test_an_address_that_is_only_opened_is_left_to_the_rules() -> None:
    assert told("open https://harbour.example/a.html") == ""


def test_a_request_without_the_web_tells_nothing() -> None:
    assert told("show ships near Rotterdam from 2020") is None


@pytest.mark.parametrize(
    ("tool", "text", "arguments"),
    [
        (
            "web_search",
            "Google dredging in the port of Rotterdam for me",
            {"query": "dredging in the port of Rotterdam"},
        ),
        (
            "arxiv_search",
            "latest arXiv papers about agents, newest first",
            {"query": "agents", "sort": "newest"},
        ),
        (
            "wikipedia_page",
            "Read me the whole Wikipedia article on Suez Canal",
            {"title": "Suez Canal", "whole": True},
        ),
        ("page_links", "which links on http://a.example have pdf in them?", {"containing": "pdf"}),
        ("osm_features", "OSM hospitals in Rotterdam", {"what": "hospital"}),
        ("osm_features", "what bridges does OSM have in this area?", {"what": "bridge"}),
        ("stac_load", "open the visual asset of the first scene", {"asset": "visual"}),
        ("stac_search", "sentinel-2-l2a from STAC for this area", {"collections": ["sentinel-2-l2a"]}),
    ],
)
def test_what_is_searched_for_is_read_out_of_the_wording(
    tool: str, text: str, arguments: dict[str, object]
) -> None:
    assert IDIOMS[tool](text, TODAY) == arguments
