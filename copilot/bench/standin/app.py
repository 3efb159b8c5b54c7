"""The stand-in's services, each at a host of its own: pages, search, arXiv, Wikipedia, STAC and the rest."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Host, Route, Router

from copilot.bench.standin import computed

FOLDER = Path(__file__).parent
FILES = FOLDER.parent / "intents" / "files"
_FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"
 xmlns:arxiv="http://arxiv.org/schemas/atom">
<opensearch:totalResults>{total}</opensearch:totalResults>{entries}</feed>"""
_ENTRY = """<entry><id>http://arxiv.org/abs/{id}v1</id><title>{title}</title><summary>{summary}</summary>
<published>{published}T00:00:00Z</published><updated>{published}T00:00:00Z</updated>{authors}
<arxiv:primary_category term="{category}"/>
<link href="http://arxiv.org/pdf/{id}v1" rel="related" type="application/pdf" title="pdf"/></entry>"""


def app() -> Starlette:
    """All of it as one app, told apart by the host that is asked."""
    return Starlette(
        routes=[
            Host("search.example", Router([Route("/search", search)])),
            Host("arxiv.example", Router([Route("/api/query", arxiv)])),
            Host("wiki.example", Router([Route("/{language}/w/api.php", wikipedia)])),
            Host("heights.example", Router([Route("/v1/plain", heights)])),
            Host("weather.example", Router([Route("/v1/archive", weather)])),
            Host("overpass.example", Router([Route("/api/interpreter", overpass, methods=["POST"])])),
            Host(
                "stac.example",
                Router(
                    [
                        Route("/v1", stac_root),
                        Route("/v1/collections", stac_collections),
                        Route("/v1/search", stac_search),
                        Route("/files/{name}", file),
                    ]
                ),
            ),
            Route("/v1/chat/completions", chat, methods=["POST"]),
            Host("harbour.example", Router([Route("/", page), Route("/{name}", page)])),
        ]
    )


async def chat(request: Request) -> Response:
    """A chat model's answer in OpenAI's protocol: what it was sent, counted."""
    asked = await request.json()
    content = asked["messages"][-1]["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    words = sum(len(each["text"].split()) for each in parts if each["type"] == "text")
    pictures = sum(each["type"] == "image_url" for each in parts)
    if asked.get("response_format"):
        said = f'{{"words": {words}, "pictures": {pictures}}}'
    else:
        said = f"I was sent {words} words and {pictures} pictures."
    choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    usage = {"prompt_tokens": words, "completion_tokens": 8, "total_tokens": words + 8}
    made = {"id": "stand-in", "object": "chat.completion", "created": 0, "model": asked["model"]}
    return JSONResponse({**made, "choices": [choice], "usage": usage})


@cache
def texts() -> dict[str, Any]:
    """The hand-written articles and papers."""
    return tomllib.loads((FOLDER / "texts.toml").read_text(encoding="utf-8"))


async def page(request: Request) -> Response:
    """A hand-written page, or one of the example files."""
    name = request.path_params.get("name", "index.html")
    return _file(FOLDER / "pages" / name) or _file(FILES / name) or Response("not here", 404)


async def file(request: Request) -> Response:
    """One of the example files, by ranges where they are asked for."""
    return _file(FILES / request.path_params["name"]) or Response("not here", 404)


async def search(request: Request) -> Response:
    """SearXNG's JSON: the stand-in's own pages and articles that share words with the query."""
    found = [
        {"url": each["url"], "title": each["title"], "content": each["text"][:300]}
        for each in _sharing(request.query_params.get("q", ""), [*texts()["page"], *_articles("en")])
    ]
    return JSONResponse({"query": request.query_params.get("q"), "results": found, "suggestions": []})


async def arxiv(request: Request) -> Response:
    """arXiv's Atom feed."""
    asked, papers = request.query_params, texts()["paper"]
    if "id_list" in asked:
        wanted = re.sub(r"v\d+$", "", asked["id_list"])
        found = [each for each in papers if each["id"] == wanted]
    else:
        words = re.sub(r"\b(all|ti|au|abs|cat):|\bAND\b|\bOR\b", " ", asked.get("search_query", ""))
        found = _sharing(words, [{**each, "text": each["summary"]} for each in papers])
        if asked.get("sortBy") == "submittedDate":
            found.sort(key=lambda each: str(each["published"]), reverse=True)
    start, most = int(asked.get("start", 0)), int(asked.get("max_results", 10))
    entries = "".join(_entry(each) for each in found[start : start + most])
    return Response(_FEED.format(total=len(found), entries=entries), media_type="application/atom+xml")


async def wikipedia(request: Request) -> Response:
    """MediaWiki's search, and extracts of articles."""
    asked = request.query_params
    articles = _articles(request.path_params["language"])
    if asked.get("list") == "search":
        found = _sharing(asked.get("srsearch", ""), articles)[: int(asked.get("srlimit", 10))]
        rows = [
            {
                "ns": 0,
                "title": each["title"],
                "wordcount": len(each["text"].split()),
                "snippet": each["text"][:120],
            }
            for each in found
        ]
        return JSONResponse({"query": {"searchinfo": {"totalhits": len(rows)}, "search": rows}})
    title = asked.get("titles", "")
    found = [each for each in articles if each["title"].casefold() == title.casefold()]
    if not found:
        return JSONResponse({"query": {"pages": [{"ns": 0, "title": title, "missing": True}]}})
    each = found[0]
    text = each["text"].strip()
    page = {
        "pageid": articles.index(each) + 1,
        "title": each["title"],
        "extract": text.split("\n\n")[0] if asked.get("exintro") else text,
        "canonicalurl": each["url"],
    }
    if "lon" in each:
        page["coordinates"] = [{"lat": each["lat"], "lon": each["lon"], "primary": True, "globe": "earth"}]
    return JSONResponse({"query": {"pages": [page]}})


async def heights(request: Request) -> Response:
    """Open Topo Data's answer."""
    points = [tuple(map(float, each.split(","))) for each in request.query_params["locations"].split("|")]
    rows = [
        {"elevation": computed.height_m(lon, lat), "location": {"lat": lat, "lng": lon}, "dataset": "plain"}
        for lat, lon in points
    ]
    return JSONResponse({"results": rows, "status": "OK"})


async def weather(request: Request) -> Response:
    """Open-Meteo's archive."""
    asked = request.query_params
    return JSONResponse(
        computed.weather(
            float(asked["longitude"]),
            float(asked["latitude"]),
            asked["start_date"],
            asked["end_date"],
            asked["daily"].split(","),
        )
    )


async def overpass(request: Request) -> Response:
    """Overpass' JSON."""
    form = (await request.body()).decode()
    return JSONResponse(computed.overpass(form))


async def stac_root(request: Request) -> Response:
    """The API's landing page."""
    return JSONResponse(
        {
            "type": "Catalog",
            "stac_version": "1.0.0",
            "id": "stand-in",
            "description": "A stand-in for a STAC API.",
            "conformsTo": [
                "https://api.stacspec.org/v1.0.0/core",
                "https://api.stacspec.org/v1.0.0/item-search",
                "https://api.stacspec.org/v1.0.0/item-search#query",
            ],
            "links": [],
        }
    )


async def stac_collections(request: Request) -> Response:
    """The API's collections."""
    return JSONResponse({"collections": list(computed.collections()), "links": []})


async def stac_search(request: Request) -> Response:
    """Scenes of a plain grid that meet the question."""
    found = computed.stac_items(dict(request.query_params))
    return JSONResponse({"type": "FeatureCollection", "features": found, "links": []})


def _entry(paper: dict[str, Any]) -> str:
    names = "".join(f"<author><name>{escape(each)}</name></author>" for each in paper["authors"])
    plain = {key: escape(str(value)) for key, value in paper.items() if key != "authors"}
    return _ENTRY.format(authors=names, **plain)


def _articles(language: str) -> list[dict[str, Any]]:
    base = f"http://wiki.example/{language}/wiki/"
    return [
        {**each, "url": base + each["title"].replace(" ", "_")}
        for each in texts()["article"]
        if each.get("language", "en") == language
    ]


def _sharing(query: str, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The entries that share words with the query, most shared words first; the title's count three times."""
    wanted = {each for each in re.findall(r"\w+", query.casefold()) if len(each) > 2}

    def shared(entry: dict[str, Any]) -> int:
        title, text = (set(re.findall(r"\w+", entry[key].casefold())) for key in ("title", "text"))
        return 3 * len(wanted & title) + len(wanted & text)

    return sorted((each for each in entries if shared(each)), key=shared, reverse=True)


def _file(path: Path) -> Response | None:
    kinds = {".tif": "image/tiff", ".geojson": "application/geo+json", ".csv": "text/csv"}
    return FileResponse(path, media_type=kinds.get(path.suffix)) if path.is_file() else None
