"""LangChain: text stores, splitting, examples and structured answers."""

from tools.base import Tool
from tools.langchain.choosing import TOOLS as CHOOSING
from tools.langchain.history import TOOLS as HISTORY
from tools.langchain.splitting import TOOLS as SPLITTING
from tools.langchain.stores import TOOLS as STORES
from tools.langchain.structured import TOOLS as STRUCTURED

TOOLS: tuple[Tool, ...] = (*STORES, *SPLITTING, *CHOOSING, *HISTORY, *STRUCTURED)
