"""Web: search, pages, papers, STAC, map features, heights and weather."""

from tools.base import Tool
from tools.web.encyclopedia import TOOLS as ENCYCLOPEDIA
from tools.web.files import TOOLS as FILES
from tools.web.papers import TOOLS as PAPERS
from tools.web.places import TOOLS as PLACES
from tools.web.reading import TOOLS as READING
from tools.web.scenes import TOOLS as SCENES
from tools.web.searching import TOOLS as SEARCHING

TOOLS: tuple[Tool, ...] = (*SEARCHING, *READING, *FILES, *PAPERS, *ENCYCLOPEDIA, *SCENES, *PLACES)
