"""Let the configured chat model answer: in words, in JSON, or about a picture."""

from __future__ import annotations

import base64
import io
import json
from typing import Annotated, Any

from pydantic import Field

from state.model import State
from tools.base import ChatAddress, Step, ToolError, World, tool
from tools.openai.asking import address_of, completed, object_in
from tools.phrases import one_line
from tools.python.documents import extract
from tools.python.pictures import look_of, readable
from tools.rasters import Raster, RasterHandle, raster_of

MAX_PROMPT_CHARS = 60_000
_MAX_SCHEMA_CHARS = 20_000
Prompt = Annotated[
    str, Field(min_length=1, max_length=MAX_PROMPT_CHARS, description="What the model is asked.")
]
System = Annotated[
    str | None, Field(max_length=10_000, description="What the model is told first: its task and its manner.")
]
Tokens = Annotated[int, Field(ge=1, le=8_000, description="Most tokens of the answer.")]


@tool("openai", external=True, long_running=True)
def chat_completion(
    state: State, world: World, *, prompt: Prompt, system: System = None, max_tokens: Tokens = 800
) -> Step:
    """Ask the configured chat model something and give its answer. Needs OPENAI_API_KEY or OPENAI_BASE_URL.

    The prompt leaves for the server that is configured. The answer is the model's, not Azimuth's: no tool
    is run and no figure in it is checked.

    Example: copilot call chat_completion prompt="Explain NDVI in one sentence."

    Asked as: ask the language model | what would GPT say to this | let the chat model rewrite this text |
    have the model translate the note | chat completion for this prompt | get an answer from the LLM
    """
    address = address_of(world)
    answer = completed(address, _messages(prompt, system), max_tokens=max_tokens)
    cut = " It was cut off at its longest." if answer["finish"] == "length" else ""
    said = f"{answer['model']} says, unchecked: {extract(answer['reply'], 1_500)}.{cut}"
    return Step(state, said, answer)


@tool("openai", external=True, long_running=True)
def json_mode(
    state: State,
    world: World,
    *,
    prompt: Prompt,
    answer_schema: Annotated[
        dict[str, Any] | None,
        Field(description="A JSON Schema that the answer must fit; any object when left out."),
    ] = None,
    system: System = None,
    max_tokens: Tokens = 1_000,
) -> Step:
    """Ask the configured chat model for a JSON object, checked against a schema when one is given.

    The server is asked for JSON (response_format json_object); the schema goes with the prompt, and the
    answer is checked here by jsonschema.

    Example: copilot call json_mode prompt="The height of Mont Blanc in metres, as JSON with the key height_m"

    Asked as: answer as JSON | give me structured output from the model | extract the dates from this text as
    json | have the model fill in this schema | JSON mode | let the LLM return an object
    """
    address = address_of(world)
    schema = _checked_schema(answer_schema)
    told = "Answer with one JSON object and nothing else."
    if schema:
        told += f" It must fit this JSON Schema: {schema}"
    messages = _messages(prompt, f"{told}\n\n{system}" if system else told)
    answer = completed(address, messages, max_tokens=max_tokens, response_format={"type": "json_object"})
    value = object_in(answer["reply"])
    if not isinstance(value, dict):
        raise ToolError(f"The model's answer is no JSON object: {extract(answer['reply'], 200)}.")
    if answer_schema is not None:
        _check(value, answer_schema)
    text = json.dumps(value, ensure_ascii=False)
    said = f"{answer['model']} answers with JSON, unchecked but for its form: {extract(text, 1_500)}."
    return Step(state, said, {"value": _plain(value), **{k: v for k, v in answer.items() if k != "reply"}})


@tool("openai", needs=("raster",), external=True, long_running=True)
def describe_image(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    question: Annotated[
        str, Field(min_length=1, max_length=4_000, description="What is asked about the picture.")
    ] = "Describe what this remote sensing image shows, in a few sentences.",
    longest_px: Annotated[
        int, Field(ge=64, le=2_048, description="The longer side of the picture that is sent, pixels.")
    ] = 768,
    max_tokens: Tokens = 500,
) -> Step:
    """Let the configured model, if it sees pictures, describe a raster or answer a question about it.

    The picture leaves for the server that is configured, as a PNG as the map shows it. What the model sees
    is its own word: no pixel is measured.

    Example: copilot call describe_image raster=raster-5ce4e0 longest_px=64

    Asked as: describe the image | what do you see in this picture | let the vision model look at the scene |
    what is shown on the photo | ask the model about the image | caption it with GPT
    """
    found = raster_of(state, world, raster)
    facts = seen_by(address_of(world), found, question, longest_px=longest_px, max_tokens=max_tokens)
    said = f"Of {one_line(found.name)}, {facts['model']} says, unchecked: {extract(facts['reply'], 1_500)}."
    return Step(state, said, facts)


def seen_by(
    address: ChatAddress, raster: Raster, question: str, *, longest_px: int = 768, max_tokens: int = 500
) -> dict[str, Any]:
    """What the model at an address says of a raster's picture, with the size in pixels that was sent.

    Raises ToolError."""
    from data.pictures.drawing import picture_of
    from data.raster.files import opened

    with readable():
        with opened(raster.path) as source:
            share = min(1.0, longest_px / max(source.width, source.height))
            size = max(1, round(source.width * share)), max(1, round(source.height * share))
        pixels = picture_of(raster.path, look_of(None, "percentile", None), *size)
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{_png(pixels)}"}}
    content = [{"type": "text", "text": question}, picture]
    answer = completed(address, [{"role": "user", "content": content}], max_tokens=max_tokens)
    return {"raster": raster.handle, "width_px": size[0], "height_px": size[1], **answer}


def _messages(prompt: str, system: str | None) -> list[dict[str, Any]]:
    asked = {"role": "user", "content": prompt}
    return [{"role": "system", "content": system}, asked] if system else [asked]


def _png(pixels: Any) -> str:
    """A PNG in base64; what is transparent is black."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(pixels[..., :3]).save(out, "PNG", compress_level=4)
    return base64.b64encode(out.getvalue()).decode("ascii")


def _checked_schema(schema: dict[str, Any] | None) -> str:
    """The schema as text. Raises ToolError for one that is none."""
    if schema is None:
        return ""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        text = json.dumps(schema, ensure_ascii=False, allow_nan=False)
        Draft202012Validator.check_schema(schema)
    except (SchemaError, ValueError, TypeError, RecursionError):
        raise ToolError('answer_schema is no JSON Schema; one is {"type": "object"}.') from None
    if len(text) > _MAX_SCHEMA_CHARS:
        raise ToolError(f"The schema has {len(text):,} characters; {_MAX_SCHEMA_CHARS:,} are the most.")
    return text


def _check(value: Any, schema: dict[str, Any]) -> None:
    """Raise ToolError with the first thing of the answer that the schema does not allow."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

    try:
        Draft202012Validator(schema).validate(value)
    except ValidationError as error:
        where = ".".join(str(each) for each in error.absolute_path) or "the object"
        reason = " ".join(error.message.split()).rstrip(".")[:160]
        raise ToolError(
            f"The model's answer does not fit the schema at {one_line(where)}: {reason}."
        ) from None
    except Exception as error:
        # A reference in the schema that leads nowhere is an error of a library of its own.
        reason = one_line(str(error)).rstrip(".")
        raise ToolError(f"The schema cannot be checked against: {reason}.") from None


def _plain(value: Any) -> Any:
    """JSON values with whole numbers that JSON's readers hold exactly, others as their text."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, int) and abs(value) >= 2**53 else value


TOOLS = (chat_completion, json_mode, describe_image)
