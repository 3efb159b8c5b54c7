"""The one table of the services that are asked: each one's address is the operator's to change."""

from __future__ import annotations

from dataclasses import dataclass

from data.web.settings import setting


@dataclass(frozen=True)
class Service:
    """A service on the web, or one of a team's own that speaks the same protocol."""

    name: str
    variable: str
    """The environment variable that sets another address."""
    default: str | None
    """The public address; None: the service is asked only where an address is set."""
    about: str

    @property
    def address(self) -> str | None:
        """Where it is asked now."""
        return setting(self.variable) or self.default


SEARXNG = Service("SearXNG", "AZIMUTH_SEARXNG_URL", None, "web search; the first choice where it is set")
TAVILY = Service(
    "Tavily", "AZIMUTH_TAVILY_URL", "https://api.tavily.com/search", "web search, with $AZIMUTH_TAVILY_KEY"
)
ARXIV = Service("arXiv", "AZIMUTH_ARXIV_URL", "https://export.arxiv.org/api/query", "papers (Atom API)")
WIKIPEDIA = Service(
    "Wikipedia",
    "AZIMUTH_WIKIPEDIA_URL",
    "https://{language}.wikipedia.org/w/api.php",
    "articles (MediaWiki API); {language} is filled in",
)
STAC = Service(
    "STAC", "AZIMUTH_STAC_URL", "https://earth-search.aws.element84.com/v1", "scenes (any STAC API 1.0)"
)
OVERPASS = Service(
    "Overpass", "AZIMUTH_OVERPASS_URL", "https://overpass-api.de/api/interpreter", "OpenStreetMap's features"
)
ELEVATION = Service(
    "elevation",
    "AZIMUTH_ELEVATION_URL",
    "https://api.opentopodata.org/v1/srtm90m",
    "heights (Open Topo Data, or Open-Elevation's /api/v1/lookup)",
)
WEATHER = Service(
    "Open-Meteo",
    "AZIMUTH_WEATHER_URL",
    "https://archive-api.open-meteo.com/v1/archive",
    "the weather of past days (ERA5 and others)",
)

SERVICES = (SEARXNG, TAVILY, ARXIV, WIKIPEDIA, STAC, OVERPASS, ELEVATION, WEATHER)
TAVILY_KEY_VARIABLE = "AZIMUTH_TAVILY_KEY"
