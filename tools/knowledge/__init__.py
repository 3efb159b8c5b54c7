"""Knowledge: what is known and where it says so, from entries, documents and Wikipedia."""

from tools.base import Tool
from tools.knowledge.answering import TOOLS as ANSWERING
from tools.knowledge.documents import TOOLS as DOCUMENTS
from tools.knowledge.encyclopedia import TOOLS as ENCYCLOPEDIA
from tools.knowledge.searching import TOOLS as SEARCHING

TOOLS: tuple[Tool, ...] = (*SEARCHING, *ANSWERING, *ENCYCLOPEDIA, *DOCUMENTS)
