"""The services' protocols, by answers of the shapes that the real ones send, and by worse ones."""

from __future__ import annotations

import json
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from ipaddress import ip_address
from pathlib import Path
from socket import create_server, socket
from typing import Any
from urllib.parse import parse_qs

import pytest
import shapely
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from copilot.bench.standin import served
from data.web import arxiv, heights, overpass, pages, searching, stac, weather, wikipedia
from data.web.addresses import ALLOWED_VARIABLE
from data.web.errors import WebError
from data.web.osm_words import tags_of


class Service:
    """A server that answers every request with what it was told to, and keeps the requests."""

    def __init__(self) -> None:
        self.answer, self.kind, self.status = b"{}", "application/json", 200
        self.asked: list[dict[str, Any]] = []
        self.base = ""

    def says(self, body: Any, kind: str = "application/json", status: int = 200) -> None:
        text = body if isinstance(body, (str, bytes)) else json.dumps(body)
        self.answer = text if isinstance(text, bytes) else text.encode()
        self.kind, self.status = kind, status

    async def __call__(self, request: Request) -> Response:
        body = (await request.body()).decode()
        query = dict(request.query_params)
        self.asked.append(
            {"path": request.url.path, "query": query, "body": body, "headers": dict(request.headers)}
        )
        return Response(self.answer, self.status, {"content-type": self.kind})


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[Service, int]]:
    """The service and its port."""
    service = Service()
    methods = ["GET", "POST"]

    async def answer(request: Request) -> Response:
        return await service(request)

    with served(Starlette(routes=[Route("/{path:path}", answer, methods=methods)])) as port:
        yield service, port


@pytest.fixture
def service(running: tuple[Service, int], monkeypatch: pytest.MonkeyPatch) -> Service:
    """The service, at a name that may be asked, with every address set to it."""
    found, port = running
    found.asked.clear()
    found.base = f"http://service.test:{port}"
    monkeypatch.setenv(ALLOWED_VARIABLE, f"service.test:{port}=127.0.0.1:{port}")
    for name in ("ARXIV", "WIKIPEDIA", "OVERPASS", "ELEVATION", "WEATHER", "STAC"):
        monkeypatch.setenv(f"AZIMUTH_{name}_URL", found.base)
    for name in ("SEARXNG_URL", "TAVILY_URL", "TAVILY_KEY"):
        monkeypatch.delenv(f"AZIMUTH_{name}", raising=False)
    return found


HIT = {"title": "Port\nnews", "url": "https://example.org/a", "content": "Depth\u202e 17 m"}


def test_searxng_is_asked_for_json_at_its_search_page(service: Service, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AZIMUTH_SEARXNG_URL", f"{service.base}/")
    service.says({"results": [HIT, HIT, {"url": "javascript:alert(1)"}, "odd", {"title": "no address"}]})
    found = searching.web_search("Häfen & Kräne", 5)
    assert found == searching.Found(
        "SearXNG at service.test", (searching.Hit("Port news", "https://example.org/a", "Depth 17 m"),)
    )
    assert (service.asked[0]["path"], service.asked[0]["query"]) == (
        "/search",
        {"q": "Häfen & Kräne", "format": "json"},
    )


def test_tavily_gets_the_key_in_a_header_and_nowhere_else(service: Service, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AZIMUTH_TAVILY_URL", f"{service.base}/search")
    monkeypatch.setenv("AZIMUTH_TAVILY_KEY", "tvly-secret")
    service.says({"query": "ports", "results": [{**HIT, "score": 0.9}], "response_time": "1.0"})
    assert searching.web_search("ports", 3).hits[0].url == "https://example.org/a"
    (asked,) = service.asked
    assert asked["headers"]["authorization"] == "Bearer tvly-secret"
    assert json.loads(asked["body"]) == {"query": "ports", "max_results": 3}
    service.says({"detail": {"error": "Unauthorized: tvly-secret"}}, status=401)
    with pytest.raises(WebError) as caught:
        searching.web_search("ports", 3)
    assert str(caught.value) == "service.test answered with status 401 (it wants a key or a password)."


PAGE = b"""<html><body><div class="result results_links links_main result__body">
<h2><a href="https://example.org/port">The port</a></h2><a href="https://example.org/port">A deep one.</a>
</div></body></html>"""


@pytest.fixture
def duckduckgo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """What a server needs to be DuckDuckGo to us."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test",
         "-addext", "basicConstraints=critical,CA:FALSE", "-addext", "subjectAltName=DNS:html.duckduckgo.com",
         "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.delenv("DDGS_PROXY", raising=False)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    return context


@contextmanager
def _answering(context: ssl.SSLContext, *, proxy: bool = False, times: int = 1) -> Iterator[int]:
    """The port of DuckDuckGo itself, or of a proxy that leads there; its page comes so many times over."""
    with closing(create_server(("127.0.0.1", 0))) as listening:
        threading.Thread(target=_serve, args=(listening, context, proxy, times), daemon=True).start()
        yield listening.getsockname()[1]


@pytest.mark.parametrize("proxy", [False, True])
def test_duckduckgo_is_read_through_its_library_and_by_the_operators_proxy(
    duckduckgo: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch, proxy: bool
):
    with _answering(duckduckgo, proxy=proxy) as port:
        if proxy:
            monkeypatch.setenv("DDGS_PROXY", f"http://127.0.0.1:{port}")
        else:
            monkeypatch.setenv(ALLOWED_VARIABLE, f"html.duckduckgo.com:443=127.0.0.1:{port}")
        found = searching.web_search("ports", 5)
    hit = searching.Hit("The port", "https://example.org/port", "A deep one.")
    assert found == searching.Found("DuckDuckGo", (hit,))


def test_no_more_than_8_mib_are_read_of_a_search_s_answer(
    duckduckgo: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
):
    with _answering(duckduckgo, times=100_000) as port:
        monkeypatch.setenv(ALLOWED_VARIABLE, f"html.duckduckgo.com:443=127.0.0.1:{port}")
        with pytest.raises(
            WebError, match=r"^The search's answer is larger than the 8 MiB that are read of it\.$"
        ):
            searching.web_search("ports", 5)


def test_a_search_leads_to_no_private_address(duckduckgo: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch):
    """Not even where a name server says that DuckDuckGo lies there."""
    monkeypatch.delenv(ALLOWED_VARIABLE, raising=False)
    monkeypatch.setattr("data.web.addresses._resolved", lambda host, port: [ip_address("10.0.0.7")])
    with pytest.raises(WebError, match=r"10\.0\.0\.7 lies inside a private or reserved network"):
        searching.web_search("ports", 5)


def _serve(listening: socket, context: ssl.SSLContext, proxy: bool, times: int) -> None:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {times * len(PAGE)}\r\n\r\n"
    while True:
        try:
            connection, _ = listening.accept()
        except OSError:
            return
        with connection:
            connection.settimeout(10)
            try:
                if proxy:
                    connection.recv(65536)
                    connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                with context.wrap_socket(connection, server_side=True) as secured:
                    secured.recv(65536)
                    secured.sendall(head.encode())
                    for _ in range(times):
                        secured.sendall(PAGE)
            except OSError:
                continue


FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">141</opensearch:totalResults>
  <entry>
    <id>http://arxiv.org/abs/cs/0112017v1</id><updated>2001-12-15T10:00:00Z</updated>
    <published>2001-12-14T09:00:00Z</published>
    <title>A title
      over two lines</title>
    <summary>  A summary. </summary>
    <author><name>A. Author</name></author><author><name>B. Author</name></author>
    <arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1000/1</arxiv:doi>
    <arxiv:journal_ref xmlns:arxiv="http://arxiv.org/schemas/atom">J. 1 (2001)</arxiv:journal_ref>
    <link href="http://arxiv.org/abs/cs/0112017v1" rel="alternate" type="text/html"/>
    <link title="pdf" href="http://arxiv.org/pdf/cs/0112017v1" rel="related" type="application/pdf"/>
    <arxiv:primary_category xmlns:arxiv="http://arxiv.org/schemas/atom" term="cs.DL"/>
  </entry>
</feed>"""


def test_arxiv_s_feed_is_read_and_the_words_are_all_looked_for(service: Service):
    service.says(FEED, "application/atom+xml; charset=utf-8")
    papers, total = arxiv.search('radar "ship" detection', "newest", 7)
    assert total == 141
    assert papers == [
        arxiv.Paper(
            id="cs/0112017v1",
            title="A title over two lines",
            authors=("A. Author", "B. Author"),
            published="2001-12-14",
            updated="2001-12-15",
            summary="A summary.",
            category="cs.DL",
            url="http://arxiv.org/abs/cs/0112017v1",
            pdf="http://arxiv.org/pdf/cs/0112017v1",
            doi="10.1000/1",
            journal="J. 1 (2001)",
        )
    ]
    assert service.asked[0]["query"] == {
        "search_query": "all:radar AND all:ship AND all:detection",
        "start": "0",
        "max_results": "7",
        "sortBy": "submittedDate",
        "sortOrder": "descending",
    }


def test_arxiv_s_own_language_goes_through(service: Service):
    service.says(FEED, "application/atom+xml")
    arxiv.search("au:zhu AND ti:radar", "relevance", 1)
    assert service.asked[0]["query"]["search_query"] == "au:zhu AND ti:radar"


@pytest.mark.parametrize(
    "body",
    [
        '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><feed xmlns="http://www.w3.org/2005/Atom">&b;</feed>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><feed>&a;</feed>',
        "<feed><entry>",
        "",
        "no XML",
    ],
)
def test_a_feed_that_is_none_or_a_trap_is_refused(service: Service, body: str):
    service.says(body, "application/atom+xml")
    with pytest.raises(WebError, match=r"^service\.test sent something that is no Atom feed\.$"):
        arxiv.search("x", "relevance", 1)


@pytest.mark.parametrize("name", ["", "hello", "2406", "12345.6", "../etc/passwd"])
def test_what_is_no_arxiv_number_is_told(service: Service, name: str):
    with pytest.raises(WebError, match="is no arXiv number"):
        arxiv.paper(name)
    assert service.asked == []


def test_a_wikipedia_search_loses_its_markup(service: Service):
    found = {
        "ns": 0,
        "title": "Port",
        "pageid": 1,
        "wordcount": 40,
        "snippet": 'a <span class="x">port</span> &amp; city',
    }
    service.says({"query": {"searchinfo": {"totalhits": 12}, "search": [found]}})
    articles, total = wikipedia.search("port", "nl", 1)
    assert (articles, total) == (
        [wikipedia.Article("Port", "https://nl.wikipedia.org/wiki/Port", "a port & city", 40)],
        12,
    )


def test_what_wikipedia_cannot_do_is_told_in_its_own_words(service: Service):
    service.says({"error": {"code": "x", "info": 'The "titles" parameter\nmay not be empty.'}})
    with pytest.raises(WebError) as caught:
        wikipedia.article("|", "en", 500, only_lead=True)
    assert str(caught.value) == 'Wikipedia (en) cannot answer: The "titles" parameter may not be empty.'


NODE = {"type": "node", "id": 1, "lat": 51.9, "lon": 4.5, "tags": {"amenity": "hospital", "name": "Süd"}}
SQUARE = [{"lat": y, "lon": x} for x, y in ((0, 0), (4, 0), (4, 4), (0, 4), (0, 0))]
HOLE = [{"lat": y, "lon": x} for x, y in ((1, 1), (2, 1), (2, 2), (1, 2), (1, 1))]


def found_of(service: Service, *elements: Any) -> tuple[overpass.Feature, ...]:
    service.says(
        {"version": 0.6, "osm3s": {"timestamp_osm_base": "2026-11-01T00:00:00Z"}, "elements": elements}
    )
    return overpass.features((("amenity", "hospital"),), (0.0, 0.0, 4.0, 4.0), 100).features


def test_nodes_ways_and_relations_become_points_lines_and_areas(service: Service):
    way = {"type": "way", "id": 2, "geometry": SQUARE}
    relation = {
        "type": "relation",
        "id": 3,
        "tags": {"type": "multipolygon", "building": "yes"},
        "members": [
            {"type": "way", "ref": 8, "role": "outer", "geometry": SQUARE[:3]},
            {"type": "way", "ref": 9, "role": "outer", "geometry": SQUARE[2:]},
            {"type": "way", "ref": 10, "role": "inner", "geometry": HOLE},
        ],
    }
    features = found_of(
        service,
        NODE,
        {**way, "tags": {"building": "yes"}},
        {**way, "tags": {"highway": "residential"}},
        {**way, "tags": {"building": "yes", "area": "no"}},
        relation,
    )
    assert [(each.id, each.geometry.geom_type, each.geometry.area) for each in features] == [
        ("node/1", "Point", 0.0),
        ("way/2", "Polygon", 16.0),
        ("way/2", "LineString", 0.0),
        ("way/2", "LineString", 0.0),
        ("relation/3", "Polygon", 15.0),
    ]
    assert (features[0].name, features[0].geometry) == ("Süd", shapely.Point(4.5, 51.9))


def test_elements_that_make_no_shape_are_left_out(service: Service):
    odd = [
        {"type": "node", "id": 1},
        {"type": "node", "id": 2, "lat": 95, "lon": 4},
        {"type": "node", "id": "3", "lat": 5, "lon": 4},
        {"type": "way", "id": 4, "geometry": None},
        {"type": "count", "id": 5},
        {"type": "relation", "id": 6, "members": [{"type": "way", "role": "outer", "geometry": SQUARE[:1]}]},
        7,
        {**NODE, "lat": "NaN"},
    ]
    assert found_of(service, *odd) == ()


def test_what_a_user_writes_stays_in_its_quotes(service: Service):
    service.says({"elements": []})
    overpass.features((('a"]; out; [b', 'c"](0,0,1,1);\n//\\'),), (179.0, -1.0, -179.0, 1.0), 5)
    query = parse_qs(service.asked[0]["body"])["data"][0]
    tag = r'["a\"]; out; [b"="c\"](0,0,1,1); //\\"]'
    assert query == (
        f"[out:json][timeout:25];(nwr{tag}(-1.000000,179.000000,1.000000,180.000000);"
        f"nwr{tag}(-1.000000,-180.000000,1.000000,-179.000000););out geom 6;"
    )


def test_overpass_giving_up_is_told(service: Service):
    service.says({"elements": [], "remark": 'runtime error: Query timed out in "query" at line 1.'})
    with pytest.raises(WebError, match=r"gave up .*Query timed out.*ask for a smaller area"):
        overpass.features((("building", None),), (0.0, 0.0, 1.0, 1.0), 5)


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("hospitals", (("amenity", "hospital"),)),
        ("Gas Stations", (("amenity", "fuel"),)),
        ("churches", (("amenity", "place_of_worship"),)),
        ("ferries", (("amenity", "ferry_terminal"),)),
        ("buildings", (("building", None),)),
        ("amenity=cafe", (("amenity", "cafe"),)),
        ('"highway"="bus_stop"', (("highway", "bus_stop"),)),
        ("building=* and name=Rathaus", (("building", None), ("name", "Rathaus"))),
        ("historic sites", (("historic", None),)),
    ],
)
def test_words_and_tags_become_openstreetmap_s_own(text: str, tags: Any):
    assert tags_of(text) == tags


@pytest.mark.parametrize("text", ["", "unicorns", "drop table", "=x", "a=b=c", "[out:json]"])
def test_words_that_openstreetmap_does_not_have_are_told(text: str):
    with pytest.raises(WebError, match="is no kind of feature that OpenStreetMap has"):
        tags_of(text)


def test_both_elevation_services_answers_are_read(service: Service):
    open_topo_data = {
        "results": [
            {"elevation": 8.0, "location": {"lat": 51.9, "lng": 4.5}, "dataset": "srtm90m"},
            {"elevation": None, "location": {"lat": 0, "lng": 0}, "dataset": "srtm90m"},
        ],
        "status": "OK",
    }
    service.says(open_topo_data)
    assert heights.heights([(4.5, 51.9), (0.0, 0.0)]) == [8.0, None]
    assert service.asked[0]["query"] == {"locations": "51.900000,4.500000|0.000000,0.000000"}
    service.says({"results": [{"latitude": 51.9, "longitude": 4.5, "elevation": 8}]})
    assert heights.heights([(4.5, 51.9)]) == [8.0]
    service.says({"status": "INVALID_REQUEST", "error": "Invalid location\n'x'."})
    with pytest.raises(WebError, match=r"^service\.test sent no heights: Invalid location 'x'\.$"):
        heights.heights([(4.5, 51.9)])


def test_weather_with_gaps_keeps_them(service: Service):
    service.says(
        {
            "latitude": 29.7,
            "longitude": -95.4,
            "elevation": 12.0,
            "daily_units": {"precipitation_sum": "mm"},
            "daily": {"time": ["2017-08-26", "2017-08-27"], "precipitation_sum": [370.2, None], "odd": 1},
        }
    )
    found = weather.daily(-95.37, 29.76, "2017-08-26", "2017-08-27")
    assert [(row["date"], row["precipitation_mm"], row["wind_max_m_s"]) for row in found.rows] == [
        ("2017-08-26", 370.2, None),
        ("2017-08-27", None, None),
    ]
    service.says({"error": True, "reason": "out of range"}, status=400)
    with pytest.raises(WebError, match="has no weather for 2030-01-01 to 2030-01-02"):
        weather.daily(0, 0, "2030-01-01", "2030-01-02")


ITEM = {
    "type": "Feature",
    "id": "a",
    "collection": "c",
    "geometry": {"type": "Point", "coordinates": [1, 2]},
    "properties": {"datetime": "2020-01-01T00:00:00Z"},
    "assets": {"red": {"href": "./red.tif"}},
    "links": [{"rel": "self", "href": "https://example.org/items/a.json"}],
}


@pytest.mark.parametrize(
    "change",
    [
        {"type": "Thing"}, {"id": None}, {"id": ""}, {"geometry": None}, {"geometry": {"type": "Point"}},
        {"geometry": {"type": "Point", "coordinates": [1, 1e9]}},
        {"geometry": {"type": "Blob", "coordinates": []}},
        {"properties": None}, {"assets": []}, {"properties": {"big": "x" * 300_000}},
    ],
)  # fmt: skip
def test_an_item_that_is_none_is_left_out_and_counted(service: Service, change: dict[str, Any]):
    service.says({"type": "FeatureCollection", "features": [ITEM, {**ITEM, **change}], "links": []})
    found = stac.search(service.base, stac.Wanted())
    assert ([each["id"] for each in found.items], found.left_out) == (["a"], 1)


def test_an_asset_beside_its_item_is_found_and_one_that_is_not_on_the_web_is_not(service: Service):
    odd = {"x": {"href": "s3://bucket/x.tif"}, "y": {"href": "file:///etc/passwd"}, "z": {}, "w": None}
    assert stac.assets({**ITEM, "assets": {**ITEM["assets"], **odd}}) == {
        "red": ("https://example.org/items/red.tif", "")
    }


def test_a_service_whose_next_page_is_always_the_same_is_left_in_the_end(service: Service):
    following = {"rel": "next", "href": f"{service.base}/search?page=2"}
    service.says({"type": "FeatureCollection", "features": [ITEM], "links": [following]})
    found = stac.search(service.base, stac.Wanted())
    assert ([each["id"] for each in found.items], len(service.asked)) == (["a"], stac.MAX_PAGES)


def test_a_next_page_in_a_private_network_is_refused(service: Service):
    following = {"rel": "next", "href": "http://169.254.169.254/search"}
    service.says({"type": "FeatureCollection", "features": [ITEM], "links": [following]})
    with pytest.raises(WebError, match=r"its address 169\.254\.169\.254 lies inside"):
        stac.search(service.base, stac.Wanted())


@pytest.mark.parametrize("body", [{}, [], "text", {"features": "none"}, {"features": None}])
def test_an_answer_that_is_no_search_s_is_told(service: Service, body: Any):
    service.says(body)
    with pytest.raises(WebError, match=r"^service\.test is no STAC API|sent something that is no JSON"):
        stac.search(service.base, stac.Wanted())


def page_of(service: Service, html: str | bytes, kind: str = "text/html") -> str:
    service.says(html if isinstance(html, bytes) else html.encode(), kind)
    return f"{service.base}/page"


def test_a_page_of_nothing_but_menus_is_read_whole(service: Service):
    page = pages.read_page(page_of(service, "<title>A</title><nav><a href=x>Home</a></nav>"), 500)
    assert (page.title, page.text) == ("A", "A Home")


def test_a_page_is_read_in_the_charset_that_it_names_itself(service: Service):
    html = '<meta charset="windows-1251"><title>Порт</title><p>Глубина порта</p>'
    page = pages.read_page(page_of(service, html.encode("windows-1251")), 500)
    assert (page.title, page.text) == ("Порт", "Глубина порта")


def test_plain_text_and_json_are_read_as_they_are(service: Service):
    assert pages.read_page(page_of(service, "one\n\n two\x00\u200b", "text/plain"), 500).text == "one\ntwo"
    assert pages.read_page(page_of(service, '{"a": 1}', "application/json"), 500).text == '{"a": 1}'


def test_a_file_that_is_no_page_is_told_with_the_way_to_have_it(service: Service):
    with pytest.raises(WebError, match=r"/page is application/pdf, .*; download_file brings such a file\.$"):
        pages.read_page(page_of(service, b"%PDF-1.7", "application/pdf"), 500)


@pytest.mark.parametrize("html", ["", "   ", "<!-- -->"])
def test_an_empty_page_is_told(service: Service, html: str):
    with pytest.raises(WebError, match="is an empty page"):
        pages.page_links(page_of(service, html), None, 5)


def test_a_page_nested_without_end_does_no_harm(service: Service):
    url = page_of(service, "<div>" * 20_000 + "deep" + "</div>" * 20_000)
    try:
        assert len(pages.read_page(url, 500).text) <= 500
    except WebError as error:
        assert "cannot be read as text" in str(error)


def test_spans_that_would_blow_a_table_up_are_cut(service: Service):
    row = "<tr>" + "<td colspan=99999999 rowspan=99999999>x</td>" * 3 + "</tr>"
    url = page_of(service, f"<table>{row}</table>")
    try:
        _, tables = pages.page_tables(url)
        assert sum(each.size for each in tables) <= pages.MAX_TABLE_CELLS
    except WebError as error:
        assert "cells; too many" in str(error)


def test_tables_with_twin_names_merged_heads_and_mixed_cells_are_kept_plain(service: Service):
    html = """<table><tr><th colspan=2>Depth</th><th>x</th></tr><tr><th>min</th><th>max</th><th>x</th></tr>
    <tr><td>1</td><td>2</td><td>a</td></tr><tr><td>3</td><td>n/a</td><td>5</td></tr></table>"""
    _, (table,) = pages.page_tables(page_of(service, html))
    assert list(table.columns) == ["Depth min", "Depth max", "x"]
    assert table["Depth min"].tolist() == [1, 3]
    assert table["x"].tolist() == ["a", "5"]


def test_links_that_are_no_web_addresses_are_left_out(service: Service):
    html = """<a href="javascript:alert(1)">a</a><a href="mailto:x@y.org">b</a><a href="/c#part">c</a>
    <a href="//other.org/d">d</a><a href="c">again</a><a>none</a><a href="http://[bad">e</a>"""
    _, links, total = pages.page_links(page_of(service, html), None, 50)
    assert ([(each.text, each.url) for each in links], total) == (
        [("c", f"{service.base}/c"), ("d", "http://other.org/d")],
        2,
    )
