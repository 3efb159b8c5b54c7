"""Knowledge: what is known and where it says so, and which foundation model to use."""

from tools.base import Tool
from tools.knowledge.answering import TOOLS as ANSWERING
from tools.knowledge.documents import TOOLS as DOCUMENTS
from tools.knowledge.encyclopedia import TOOLS as ENCYCLOPEDIA
from tools.knowledge.models import TOOLS as MODELS
from tools.knowledge.recommending import TOOLS as RECOMMENDING
from tools.knowledge.searching import TOOLS as SEARCHING

TOOLS: tuple[Tool, ...] = (*SEARCHING, *ANSWERING, *ENCYCLOPEDIA, *DOCUMENTS, *MODELS, *RECOMMENDING)
