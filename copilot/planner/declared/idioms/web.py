"""Services of the web: pages by their address, papers by their number, articles, map features, assets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from copilot.planner.declared.idioms.base import Arguments, Idiom

_ADDRESS = re.compile(r"https?://[^\s,;\"'<>]+|\bwww\.[^\s,;\"'<>]+", re.I)
_PAPER = re.compile(r"\b(?:arxiv:?\s*)?(\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{7})\b", re.I)
_DATA = re.compile(
    r"\.(?:tiff?|geojson|csv|zip|gpkg|kml|kmz|shp|nc|jp2|png|jpe?g|pdf|docx|xlsx|parquet|json|xml|txt)$", re.I
)
_LINKS = re.compile(
    r"\bhyper ?links?\b|(?<!open the )(?<!open this )(?<!follow the )\blinks\b|\blinks? to\b|\bclick on\b|\baddresses that\b|\blinked (?:on|from)\b",
    re.I,
)
_TABLES = re.compile(r"\btables?\b", re.I)
_OPENING = re.compile(
    r"\b(?:open|go to|visit|browse|navigate|take me|bring up|pull up|in an? (?:new )?tabs?|tabs?)\b", re.I
)
_CHECKED = re.compile(
    r"\b(?:check|make sure|verify|whether it|if it|exists?|works?|is there|reachable|title[d]?)\b", re.I
)
_READING = re.compile(
    r"\b(?:read|says?|text|written|stands|summar\w+|what|fetch|get|pull|scrape|article|tell|page)\b", re.I
)
_FETCHING = re.compile(r"\b(?:download|save)\b", re.I)
_ARTICLES = re.compile(
    r"\bsearch\b|\b(?:articles|pages|entries)\b|\blook (?:for|up)\b|\banything\b|\bwhich\b|\bfind\b(?!.*\b(?:article|page|entry)\b)",
    re.I,
)
_WIKIPEDIA = re.compile(r"\bwikipedia\b|\bwiki (?:pages?|articles?|entr(?:y|ies)|search)\b", re.I)
_PAPERS = re.compile(
    r"\barxiv\b|\bpreprints?\b|\b(?:scientific|research|academic|peer[- ]reviewed) (?:papers?|articles?|literature|publications?)\b",
    re.I,
)
_PAST = re.compile(
    r"\b(?:was|were|did|had|history|historical|past|those|that|then|selected|ago|last|yesterday|between|from|on|in (?:\w+ )?(?:19|20)\d\d)\b",
    re.I,
)


_PAGE = re.compile(
    r"://|\b(?:pages?|sites?|links?|urls?|web|www|addresses|address|tabs?|online|server|download\w*|internet|headlines?)\b|\.\w{2,4}/",
    re.I,
)
_STAC = re.compile(
    r"\bstac\b|\bapi\b|\bsentinel-2-l2a\b|\b(?:earth ?search|planetary computer|copernicus|outside|other) (?:catalogues?|services?|archives?)?\b|\bassets?\b|\bservices?\b",
    re.I,
)
_ARTICLE = re.compile(r"\bwiki\w*|\barticles?\b|\bencyclop\w+", re.I)
_LITERATURE = re.compile(
    r"\barxiv\b|\bpapers?\b|\bpreprints?\b|\bliterature\b|\bpublications?\b|\bstud(?:y|ies)\b|\bresearch\b",
    re.I,
)
_OUTSIDE: Mapping[str, re.Pattern[str]] = {
    "web_search": re.compile(r"\b(?:web|internet|online|google\w*|bing|duckduckgo|searx\w*|news|press|search(?:ed|ing)?|look(?:ed)? (?:it |that |this )?up|find out)\b", re.I),
    **dict.fromkeys(("open_url", "read_page", "page_links", "page_tables", "download_file"), _PAGE),
    **dict.fromkeys(("stac_collections", "stac_search", "stac_load"), _STAC),
    **dict.fromkeys(("wikipedia_search", "wikipedia_page"), _ARTICLE),
    **dict.fromkeys(("arxiv_search", "arxiv_paper"), _LITERATURE),
    "osm_features": re.compile(r"\bosm\b|\bopen ?street ?map\b|\bstreet map\b|\boverpass\b", re.I),
    "weather_history": re.compile(
        r"\bweather\w*|\brain\w*|\bsnow\w*|\bwind\w*|\bstorm\w*|\btemperatures?\b|\bprecipitation\b|\b(?:hot|cold|warm|dry|wet|sunny|sunshine|humid\w*|degrees|celsius|frost|freez\w*)\b", re.I
    ),
    "elevation_at": re.compile(r"\belevations?\b|\bheights?\b|\baltitudes?\b|\bhigh\b|\babove\b|\bterrain\b|\btall\b|\bsea level\b|\blie\b|\bsteep\b", re.I),
}  # fmt: skip
"""The words of which one is said by who wants something from outside this machine."""


def may_be(tool: str, text: str) -> bool:
    """Whether a text names what a tool of the web fetches; nothing leaves this machine on mere likeness."""
    return tool not in _OUTSIDE or _OUTSIDE[tool].search(text) is not None


def told(text: str) -> str | None:
    """The tool that the wording alone tells; "" where it is one that the rules plan."""
    if re.search(r"\b(?:base ?map|background|backdrop|graticule)\b", text, re.I):
        return ""
    paper = _PAPER.search(text)
    if paper and re.search(r"\barxiv\b", text, re.I):
        return "arxiv_paper"
    if match := _ADDRESS.search(text):
        return _of_an_address(match[0].rstrip(".,;:!?)"), text)
    if _WIKIPEDIA.search(text):
        return "wikipedia_search" if _ARTICLES.search(text) else "wikipedia_page"
    if _PAPERS.search(text):
        return "arxiv_search"
    if re.search(r"\bweather\b|\bdid it (?:rain|snow)\b", text, re.I) and _PAST.search(text):
        return "weather_history"
    return None


def _of_an_address(address: str, text: str) -> str | None:
    """What is to be done with a page or a file of the web."""
    rest = text.replace(address, " ")
    if re.search(r"\bstac\b|\bingest\b", rest, re.I):
        return None
    if _LINKS.search(rest):
        return "page_links"
    data = _DATA.search(address.split("?")[0])
    if _TABLES.search(rest) and not data:
        return "page_tables"
    if _OPENING.search(rest):
        return "open_url" if _CHECKED.search(rest) else ""
    if data or _FETCHING.search(rest):
        return "download_file"
    return "read_page" if _READING.search(rest) else None


def _paper(text: str, today: date) -> Arguments:
    match = _PAPER.search(text)
    return {"paper": match[1]} if match else {}


def _papers(text: str, today: date) -> Arguments:
    found: Arguments = {"query": query} if (query := _subject(text)) else {}
    if re.search(r"\b(?:newest|latest|most recent|recent|by date)\b", text, re.I):
        found["sort"] = "newest"
    return found


_SUBJECT = re.compile(
    r"\b(?:papers?|preprints?|articles?|pages?|entr(?:y|ies)|literature|research|publications?|web|internet|online|news|anything|search|says?|knows?|has|have|is there|deals?|arxiv|wikipedia)\b"
    r"[^.?!:]*?\b(?:about|on|for|of|regarding|concerning|with)\s+(?!(?:arxiv|wikipedia|the (?:web|internet)|top)\b)(?P<rest>.+)$"
    r"|:\s*(?!//)(?:what is there (?:about|on) )?(?P<after>[^:]+)$"
    r"|\b(?:search|look|google)\b.*?\b(?:for|up)\s+(?P<sought>.+)$"
    r"|\bonline about (?P<about>.+)$"
    r"|\bgoogle (?P<googled>.+)$",
    re.I,
)
_NOT_SUBJECT = re.compile(
    r"\s*(?:,|;|\b(?:and|then)\b)?\s*\b(?:please|for me|on (?:the )?(?:web|internet|wikipedia|arxiv)|in wikipedia|(?:from|according to) (?:arxiv|wikipedia|the web)|online|sorted by .*|(?:with )?(?:the )?(?:newest|latest)(?: (?:first|on top))?|and tell me .*|tell me .*)\s*$",
    re.I,
)


def _subject(text: str) -> str:
    """What is searched for."""
    plain = _stripped(text)
    match = _SUBJECT.search(plain)
    found = next((each for each in match.groups() if each), "") if match else ""
    return _stripped(
        re.sub(
            r"^(?:.*\b(?:news|information|details|papers?|preprints?|articles?|pages?) (?:about|on|for) |arxiv )",
            "",
            found,
            flags=re.I,
        )
    ).strip(" \"'“”")


def _stripped(text: str) -> str:
    plain = text.strip().rstrip("?.! ")
    while (shorter := _NOT_SUBJECT.sub("", plain).rstrip("?.!, ")) != plain:
        plain = shorter
    return plain


def _searched(text: str, today: date) -> Arguments:
    return {"query": query} if (query := _subject(text)) else {}


_TITLE = re.compile(
    r"\b(?:wikipedia|wiki)\b(?:'s)?\s*(?:article|page|entry)?\s*(?:on|about|for|of|say about|says about|know about|knows about|tell (?:me|us) about)?\s*(?P<title>.+)$"
    r"|\babout (?P<about>.+?) (?:from|in|on|according to) wikipedia\b"
    r"|\bthe (?:full |whole |complete |entire )?(?P<before>.+?) (?:article|page|entry) (?:from|in|on|of) wikipedia\b",
    re.I,
)
_TITLE_END = re.compile(
    r"\s*(?:,.*|\b(?:please|says?|in short|in full|all of it|just the beginning)\b.*|\b(?:article|page|entry)\b)\s*$",
    re.I,
)
_WHOLE = re.compile(r"\b(?:whole|full|complete|entire|everything|all of it|in full)\b", re.I)


def _article(text: str, today: date) -> Arguments:
    plain = text.strip().rstrip("?.! ")
    found: Arguments = {}
    matches = [*re.finditer(r"\b(?:about|the)\b", plain, re.I)]
    match = next(
        (
            each
            for each in (_TITLE.match(plain, at.start()) for at in matches)
            if each and (each["about"] or each["before"])
        ),
        None,
    ) or _TITLE.search(plain)
    if match:
        title = next(each for each in match.groups() if each)
        title = re.sub(
            r"^(?:(?:say|know|tell|has|have|says|knows)\s+)?(?:about|on|for|of)\s+",
            "",
            title.strip(),
            flags=re.I,
        )
        title = re.sub(
            r"^(?:the )?(?:lead|beginning|(?:article|page|entry)) (?:of|on|for|about) ", "", title, flags=re.I
        )
        title = _TITLE_END.sub("", title).strip(" \"'“”")
        if title:
            found["title"] = re.sub(r"^the (?=[A-Z])", "", title)
    if _WHOLE.search(plain):
        found["whole"] = True
    return found


_LEAD = re.compile(
    r"^(?:(?:get|download|fetch|find|show|load|add|list|give|pull|all|every|any|the|an?|openstreetmap|osm|open street map|of|me|from|map|features?|where|are|is|which|what|put|plot|draw|bring|in|i|need|want|would|i'd|like|to|see|please|could|can|you|there|for)\b[\s:,']*(?:s\s)?)*",
    re.I,
)
_AFTER = re.compile(
    r"\s+(?:does|do|has|have|is|are|from|in|near|around|within|inside|at|here|there|on|of|for|by|with|according|as well|onto)\b.*$|[,:?].*$",
    re.I,
)


def _features(text: str, today: date) -> Arguments:
    if tag := re.search(r"\b([a-z_]+)\s*=\s*([a-z_*]+)\b", text):
        return {"what": f"{tag[1]}={tag[2]}"}
    what = _AFTER.sub("", _LEAD.sub("", text.strip().rstrip("?.! "), count=1))
    what = re.sub(r"\b(?:openstreetmap|osm|features?|please)(?:'s)?\b", "", what, flags=re.I).strip(" '")
    return {"what": _one(what.lower())} if what else {}


def _one(word: str) -> str:
    """A word in the singular, as tags are."""
    for ending, single in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("sses", "ss"), ("churches", "church")):  # fmt: skip
        if word.endswith(ending):
            return word[: -len(ending)] + single
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us")) else word


def _asset(text: str, today: date) -> Arguments:
    match = re.search(
        r"\b(?:the |an? )?(?P<asset>[\w-]+) (?:asset|band|raster)\b|\b(?:asset|file) (?P<named>[\w-]+)"
        r"|(?:^|\b(?:load|get|read|open|see)\b|:)\s*(?:the )?(?P<of>[\w-]+) (?:of|from) the (?:found |best |first )?(?:stac )?(?:scene|item)",
        text,
        re.I,
    )
    found = next((each for each in match.groups() if each), "").lower() if match else ""
    return {"asset": found} if found and found not in ("the", "an", "stac", "first", "pixels", "data") else {}


def _holding(text: str, today: date) -> Arguments:
    """The word that links must have."""
    found = re.finditer(
        r"\b(?:containing|contain|contains|with(?: the word)?|that have|have)\s+[\"'“]?(?!links?\b|an?\b)(?P<word>[\w.-]+)[\"'”]?|\b(?P<kind>pdf|csv|zip|tiff?|geojson|xlsx|[a-z]{3,}) links?\b(?! to\b)",
        _ADDRESS.sub(" ", text),
        re.I,
    )
    words = [(each["word"] or each["kind"]).lower() for each in found]
    word = next((each for each in words if each not in _NO_WORD), "")
    return {"containing": word} if word else {}


_NO_WORD = frozenset("the all which any list get give hyper page its their what those only".split())


def _collections(text: str, today: date) -> Arguments:
    """Collections of a STAC service are called by ids with hyphens: sentinel-2-l2a."""
    found = re.findall(r"\b[a-z][a-z0-9]*(?:-[a-z0-9]+)+-?[a-z0-9]*\b", text.lower())
    kept = [each for each in found if re.search(r"\d", each)]
    return {"collections": kept} if kept else {}


IDIOMS: Mapping[str, Idiom] = {
    "web_search": _searched,
    "page_links": _holding,
    "arxiv_search": _papers,
    "arxiv_paper": _paper,
    "wikipedia_search": _searched,
    "wikipedia_page": _article,
    "stac_search": _collections,
    "osm_features": _features,
    "stac_load": _asset,
}
