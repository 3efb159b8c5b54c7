"""OpenAI: embeddings, chat, JSON, pictures described, and tokens counted."""

from tools.openai.chatting import TOOLS as CHATTING
from tools.openai.vectors import TOOLS as VECTORS

TOOLS = (*VECTORS, *CHATTING)
