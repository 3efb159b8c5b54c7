"""STAC APIs: collections, and items by area and time (https://api.stacspec.org/v1.0.0/item-search)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from data.web.errors import BadStatus, WebError
from data.web.fetch import Answer, Fetcher
from data.web.read import JSON_KINDS, finite, items, line, part
from data.web.services import STAC
from data.web.urls import host_of
from data.web.wire import MIB, Limits

MAX_PAGES = 20
MAX_ITEM_BYTES = 256 * 1024
_PAGE_ITEMS = 100
_LIMITS = Limits(most_bytes=32 * MIB, total_seconds=30, silent_seconds=20)

Bbox = tuple[float, float, float, float]
Json = dict[str, Any]


@dataclass(frozen=True)
class Collection:
    """A collection of a STAC API."""

    id: str
    title: str
    about: str
    start: str | None
    end: str | None
    bbox: tuple[float, ...] | None
    licence: str


@dataclass(frozen=True)
class Wanted:
    """What is searched for."""

    collections: tuple[str, ...] = ()
    bbox: Bbox | None = None
    """west > east crosses the antimeridian."""
    start: str | None = None
    """YYYY-MM-DD, that day included, UTC."""
    end: str | None = None
    cloud_pct: float | None = None
    """At most this much cloud; items that do not say how much are left out."""
    ids: tuple[str, ...] = ()
    limit: int = 50


@dataclass(frozen=True)
class Items:
    """What a search brought: whole STAC items, in the service's order."""

    api: str
    items: tuple[Json, ...]
    more: bool
    """Whether there are more than were asked for."""
    left_out: int
    """Items of the service that are no STAC items."""


def address_of(api: str | None) -> str:
    """The API's root: what the caller gave, else the configured one."""
    return (api or str(STAC.address)).split("?", 1)[0].rstrip("/").removesuffix("/search")


def collections(api: str) -> list[Collection]:
    """The collections of an API, by id. Raises WebError."""
    found: dict[str, Collection] = {}
    with Fetcher(_LIMITS) as fetcher:
        url: str | None = f"{api}/collections"
        for _ in range(MAX_PAGES):
            if url is None:
                break
            answer = _asked(fetcher, url)
            page = answer.json()
            if not isinstance(part(page, "collections"), list):
                raise WebError(f"{host_of(api)} is no STAC API: it lists no collections.")
            for each in items(page["collections"]):
                if name := line(each.get("id")):
                    found.setdefault(name, _collection(name, each))
            following = _next(page)
            url = line(following.get("href"), 4000) if following and _method(following) == "GET" else None
    return [found[name] for name in sorted(found)]


def search(api: str, wanted: Wanted) -> Items:
    """Items of an API. Raises WebError.

    The cloud limit goes to the service where it understands one (the query or the filter extension), and
    is applied here in any case. A box across the antimeridian is asked for in two halves, which every
    service understands.
    """
    with Fetcher(_LIMITS) as fetcher:
        cloud = _cloud_params(fetcher, api, wanted.cloud_pct) if wanted.cloud_pct is not None else {}
        found: dict[str, Json] = {}
        left_out, more = 0, False
        for bbox in _halves(wanted.bbox):
            count = 0
            for each in _pages(fetcher, api, {**_params(replace(wanted, bbox=bbox)), **cloud}):
                item = checked_item(each)
                if item is None:
                    left_out += 1
                    continue
                if not _clear(item, wanted.cloud_pct):
                    continue
                if count == wanted.limit:
                    more = True
                    break
                count += 1
                found.setdefault(f"{item.get('collection')}/{item['id']}", item)
    kept = tuple(found.values())
    return Items(api, kept[: wanted.limit], more or len(kept) > wanted.limit, left_out)


def checked_item(record: Json) -> Json | None:
    """The item, when it can be worked with: an id, a geometry on the globe, properties, assets."""
    import shapely
    from shapely.geometry import shape

    if record.get("type") != "Feature" or not line(record.get("id")):
        return None
    if not isinstance(record.get("properties"), dict) or not isinstance(record.get("assets"), dict):
        return None
    try:
        if len(json.dumps(record, allow_nan=False)) > MAX_ITEM_BYTES:
            return None
        geometry = shape(record["geometry"])
        if geometry.is_empty or not all(abs(each) <= 360 for each in geometry.bounds):
            return None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, shapely.errors.ShapelyError):
        return None
    return record


def cloud_pct(item: Json) -> float | None:
    """The item's cloud cover, percent."""
    return finite(part(item, "properties", "eo:cloud_cover"))


def taken(item: Json) -> str | None:
    """When it was taken, ISO 8601: its time, or the beginning of its span."""
    properties = item["properties"]
    return line(properties.get("datetime") or properties.get("start_datetime"), 40) or None


def own_address(item: Json) -> str | None:
    """The address that the item says is its own."""
    return next(
        (line(each.get("href"), 2000) for each in items(item.get("links")) if each.get("rel") == "self"), None
    )


def assets(item: Json) -> dict[str, tuple[str, str]]:
    """name -> (address, media type) of the item's files that are on the web; relative ones are resolved."""
    from urllib.parse import urljoin

    base = own_address(item) or ""
    found = {}
    for name, each in item["assets"].items():
        href = line(part(each, "href"), 4000)
        if href and base:
            href = urljoin(base, href)
        if href.startswith(("http://", "https://")):
            found[line(name, 100)] = (href, line(part(each, "type"), 100).lower())
    return found


def _params(wanted: Wanted) -> dict[str, str | int]:
    params: dict[str, str | int] = {"limit": min(_PAGE_ITEMS, wanted.limit + 1)}
    if wanted.collections:
        params["collections"] = ",".join(wanted.collections)
    if wanted.bbox is not None:
        params["bbox"] = ",".join(f"{side:.6f}" for side in wanted.bbox)
    if wanted.start or wanted.end:
        start = f"{wanted.start}T00:00:00Z" if wanted.start else ".."
        end = f"{wanted.end}T23:59:59Z" if wanted.end else ".."
        params["datetime"] = f"{start}/{end}"
    if wanted.ids:
        params["ids"] = ",".join(wanted.ids)
    return params


def _cloud_params(fetcher: Fetcher, api: str, most_pct: float) -> dict[str, str]:
    """How this service is asked for little cloud; nothing where it does not say that it understands."""
    root = _asked(fetcher, api).json()
    if part(root, "stac_version") is None:
        raise WebError(f"{host_of(api)} is no STAC API: its first page does not say so.")
    speaks = " ".join(line(each) for each in root.get("conformsTo") or () if isinstance(each, str))
    if "item-search#query" in speaks:
        return {"query": json.dumps({"eo:cloud_cover": {"lte": most_pct}})}
    if "item-search#filter" in speaks:
        return {"filter": f'"eo:cloud_cover" <= {most_pct:g}', "filter-lang": "cql2-text"}
    return {}


def _clear(item: Json, most_pct: float | None) -> bool:
    if most_pct is None:
        return True
    cloud = cloud_pct(item)
    return cloud is not None and cloud <= most_pct


def _pages(fetcher: Fetcher, api: str, params: dict[str, str | int]) -> Iterator[Json]:
    """Every record of the search, page after page. Raises WebError."""
    page = _asked(fetcher, f"{api}/search", params).json()
    for number in range(1, MAX_PAGES + 1):
        if not isinstance(part(page, "features"), list):
            raise WebError(f"{host_of(api)} is no STAC API: its search brings no items.")
        records = items(page["features"])
        yield from records
        following = _next(page)
        if following is None or not records or number == MAX_PAGES:
            return
        page = _followed(fetcher, following).json()


def _followed(fetcher: Fetcher, link: Json) -> Answer:
    url = line(link.get("href"), 8000)
    if _method(link) == "POST":
        body = json.dumps(link.get("body") or {}).encode()
        return fetcher.post(url, body, "application/json", kinds=JSON_KINDS)
    return fetcher.get(url, kinds=JSON_KINDS)


def _asked(fetcher: Fetcher, url: str, params: dict[str, str | int] | None = None) -> Answer:
    try:
        return fetcher.get(url, params, kinds=JSON_KINDS)
    except BadStatus as error:
        if error.status == 404:
            raise WebError(f"{url[:200]} is not there; is this the address of a STAC API's root?") from None
        if error.status == 400:
            raise WebError(
                f"{host_of(url)} does not take this search; stac_collections lists what it has."
            ) from None
        raise


def _next(page: Any) -> Json | None:
    return next((each for each in items(part(page, "links")) if each.get("rel") == "next"), None)


def _method(link: Json) -> str:
    return line(link.get("method") or "GET").upper()


def _halves(bbox: Bbox | None) -> Sequence[Bbox | None]:
    if bbox is None or bbox[0] <= bbox[2]:
        return (bbox,)
    west, south, east, north = bbox
    return ((west, south, 180.0, north), (-180.0, south, east, north))


def _collection(name: str, record: Json) -> Collection:
    spans = part(record, "extent", "temporal", "interval")
    span = spans[0] if isinstance(spans, list) and spans and isinstance(spans[0], list) else []
    boxes = part(record, "extent", "spatial", "bbox")
    box = boxes[0] if isinstance(boxes, list) and boxes and isinstance(boxes[0], list) else []
    sides = [finite(each) for each in (box if len(box) == 4 else box[:2] + box[3:5])]
    known = [each for each in sides if each is not None]
    return Collection(
        id=name,
        title=line(record.get("title")) or name,
        about=line(record.get("description"), 500),
        start=(line(span[0])[:10] or None) if span else None,
        end=(line(span[1])[:10] or None) if len(span) > 1 else None,
        bbox=tuple(known) if len(known) == 4 else None,
        licence=line(record.get("license")),
    )
