"""A chat model behind an OpenAI-compatible address, read as servers really answer."""

from __future__ import annotations

import json
from typing import Any

from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI


class ServedModel(ChatOpenAI):
    """ChatOpenAI that loses no refusal of a stream, and no message over one call's wrong arguments."""

    def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
        # Arguments that are JSON but no object would make the whole message invalid, its other calls too.
        for choice in getattr(response, "choices", None) or ():
            for call in getattr(choice.message, "tool_calls", None) or ():
                if not (call.function.arguments or "").strip():
                    call.function.arguments = "{}"  # some servers leave out those of a call without any
                elif not _is_object(call.function.arguments):
                    call.function.arguments = f"no object: {call.function.arguments}"
        return super()._create_chat_result(response, generation_info)

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        refusal = [(choice.get("delta") or {}).get("refusal") or "" for choice in chunk.get("choices") or ()]
        if made is not None and any(refusal):
            made.message.additional_kwargs["refusal"] = "".join(refusal)
        return made


def _is_object(arguments: str) -> bool:
    """Whether the text is a JSON object; what is no JSON at all is told further on."""
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, TypeError, RecursionError):
        return True
