"""What an image is and shows: its modality, its scene, a caption, and answers about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from state.model import State
from tools.base import ChatAddress, Step, ToolError, World, tool
from tools.openai.asking import address_of
from tools.openai.chatting import seen_by
from tools.phrases import listed, number, one_line
from tools.python.documents import extract
from tools.rasters import Raster, RasterHandle, raster_of
from tools.vision.guarding import Anyway, guarded

MAX_QUESTION_CHARS = 500
MEASURED = "measured"
ANSWERS = "visual-question-answering"


@tool("vision", needs=("raster",), long_running=True)
@guarded("image")
def classify_image(state: State, world: World, *, image: RasterHandle, anyway: Anyway = False) -> Step:
    """Tell whether an image is optical, multispectral, panchromatic or radar (SAR), how sure, and why.

    By the file's own words (complex samples, polarisations, bands beyond the visible, colours), else by its
    grain at full resolution: speckle varies by 0.17 of the mean or more (Goodman 1976; Oliver and Quegan
    1998), its neighbours are unlike, and polarisations do not share it. Heights and masks are none of them.

    Example: copilot call classify_image image=raster-5ce4e0

    Asked as: is this radar or optical | what kind of image is it | which sensor type made this picture |
    is that a SAR image | modality of the image | is this one colour or panchromatic | what am I looking
    at, radar or a photo | how many bands and of which kind | is it multispectral
    """
    from data.vision.modality import METHOD, tell_modality

    raster = raster_of(state, world, image)
    told = _worked(world, "Telling the image's modality", tell_modality, raster)
    data = {
        "modality": told.name,
        "confidence": told.confidence,
        "reasons": list(told.reasons),
        "measured": dict(told.measured),
        "looks_like": told.instead,
        "model": METHOD,
    }
    why = " ".join(told.reasons)
    if told.name is None:
        return Step(state, f"{raster.name} is no image of a known kind but holds {told.instead}. {why}", data)
    kind = "radar (SAR)" if told.name == "sar" else told.name
    return Step(
        state, f"{raster.name} is {kind}, with a confidence of {number(told.confidence)}. {why}", data
    )


@tool("vision", needs=("raster",), long_running=True)
@guarded("image")
def scene(state: State, world: World, *, image: RasterHandle, anyway: Anyway = False) -> Step:
    """Tell which scene an image shows (harbor, airport, residential, forest, farmland …), and what decided.

    Optical images with pixels of 2 m or less: a pretrained network (scene-lite0) looks at the whole and at
    its parts, and the confidence is the probability that it is right, calibrated on real images; under 0.5
    it says between which scenes it is not sure. Coarser images and radar: each scene has conditions on
    measured shares of cover, detected objects and texture (data.vision.scene.RULES), and where no score
    reaches 0.4 it can't tell.

    Example: copilot call scene image=raster-5ce4e0

    Asked as: what kind of place is this | which scene is it | classify the scene | is it a harbour or an
    airport | what type of area does the picture show | scene class of the image | is this farmland or
    forest | what sort of landscape | where could this be, a port, a town or a field
    """
    from data.vision.answering import facts_json
    from data.vision.scene import tell_scene

    raster = raster_of(state, world, image)
    told = _worked(world, "Telling the scene", tell_scene, raster, world.models, anyway)
    others = listed([f"{name} {number(score)}" for name, score in told.ranked[1:4]])
    data = {
        "scene": told.name,
        "confidence": told.confidence,
        "ranked": [{"scene": name, "score": score} for name, score in told.ranked],
        "facts": facts_json(told.deciding),
        "measured": dict(told.measured),
        "not_sure_between": list(told.between),
        "missing": list(told.missing),
        "model": told.method,
        "said_first": list(told.said),
    }
    best, score = told.ranked[0]
    missing = "".join(f" Not measured: {each}" for each in told.missing)
    if told.name is None:
        perhaps = f"not sure, perhaps {' or '.join(told.between)}" if told.between else "nothing comes near"
        said = (
            f"I can't tell which scene {raster.name} shows ({perhaps}): the best, {best}, scores "
            f"{number(score)} of 1 ({told.least:g} is needed), then {others}. By {told.method}."
        )
        return Step(state, f"{said}{missing}", data)
    why = " ".join(each.sentence for each in told.deciding)
    said = (
        f"{raster.name} looks like {best}: score {number(score)} of 1, before {others}; confidence "
        f"{number(told.confidence)}. By {told.method}."
    )
    return Step(state, f"{said} {why}{missing}".strip(), data)


@tool("vision", needs=("raster",), long_running=True)
@guarded("image")
def caption(state: State, world: World, *, image: RasterHandle, anyway: Anyway = False) -> Step:
    """Describe what an image shows in a few sentences, each put together from facts measured in its pixels.

    Modality, ground, scene, shares of cover, detected objects, cloud and brightness; `facts` holds every
    number with what measured it, and `cited` the sentences with the facts' numbers in brackets. Nothing is
    said that was not measured; the same image gives the same words. describe_image asks a chat model instead.

    Example: copilot call caption image=raster-5ce4e0

    Asked as: describe this image | what does the picture show | caption it | tell me what you see |
    summarise the scene in words | what is going on here | give me an overview of the photo | write a
    short description | what's in here
    """
    from data.vision.answering import facts_json
    from data.vision.caption import METHOD, tell_caption

    raster = raster_of(state, world, image)
    told = _worked(world, "Describing the image", tell_caption, raster, world.models, anyway)
    facts = [{"number": at, **each} for at, each in enumerate(facts_json(told.facts), start=1)]
    data = {
        "caption": told.plain,
        "cited": told.text,
        "facts": facts,
        "missing": list(told.missing),
        "model": METHOD,
        "said_first": list(told.said),
    }
    missing = "".join(f" Not measured: {each}" for each in told.missing)
    return Step(state, f"{told.plain}{missing}", data)


@tool("vision", needs=("raster",), external=True, long_running=True)
@guarded("image")
def visual_question(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    question: Annotated[
        str, Field(min_length=1, max_length=MAX_QUESTION_CHARS, description="What is asked about the image.")
    ],
    model: Annotated[
        str,
        Field(
            min_length=1,
            max_length=64,
            description="What answers: measured, or chat for the configured chat model, or the name of a "
            "chat model's card; a chat model is sent the image.",
        ),
    ] = MEASURED,
    anyway: Anyway = False,
) -> Step:
    """Answer a question about an image from its pixels: is there, how many, how much, where, which is more.

    Kinds of questions as in RSVQA (Lobry et al. 2020) and what the image's record tells; each answer holds
    the measured value, and says when pixels cannot tell (names, owners, purposes, the future). Only
    model=chat sends the picture to the configured chat model; its reply is its opinion.

    Example: copilot call visual_question image=raster-5ce4e0 question="how much of it is water?"

    Asked as: is there a ship in the image | how many buildings are in the picture | how much water does it
    show | is there more forest than fields | where is the largest building | is it rural or urban | which
    resolution does the image have | any clouds in it | what is the biggest lake's size | ask about this
    picture
    """
    from data.vision.answering import answer, facts_json
    from data.vision.questions import parse

    raster = raster_of(state, world, image)
    if not any(each.isalnum() for each in question):
        raise ToolError("The question holds no word; ask, for example, how much of the image is water.")
    if model != MEASURED:
        return _opinion(state, _chat_address(world, model), raster, question)
    asked = parse(question, world.encode)
    told = _worked(world, "Answering from the pixels", answer, raster, asked, world.models, anyway)
    data = {
        "answer": told.value,
        "unit": told.unit,
        "can_tell": told.can_tell,
        "kind": told.kind,
        "subjects": list(asked.subjects),
        "parsed_by": asked.by,
        "facts": facts_json(told.facts),
        "model": told.method,
        "external": False,
        "said_first": list(told.said),
    }
    how = f" By {told.method}." if told.can_tell else ""
    return Step(state, f"{told.text}{how}", data)


def _chat_address(world: World, model: str) -> ChatAddress:
    """Where the chat model of that name answers. Raises ToolError for a model that is none."""
    from data.models.registry import registry
    from data.raster.errors import RasterError

    if model == "chat":
        return address_of(world)
    try:
        card = registry(world.models).get(model).card
    except RasterError as error:
        raise ToolError(str(error)) from None
    if card.kind != "chat" or ANSWERS not in card.tasks:
        raise ToolError(
            f"{card.name} answers no questions about pictures; measured does, and chat models do."
        )
    name = card.served_as or card.name
    if card.address is None:
        return replace(address_of(world), model=name)
    # The configured server's key is nobody else's business.
    return ChatAddress(name, card.address)


def _opinion(state: State, address: ChatAddress, raster: Raster, question: str) -> Step:
    """What a chat model says of the picture."""
    facts = seen_by(address, raster, question)
    data = {
        "answer": facts["reply"],
        "unit": "",
        "can_tell": True,
        "kind": "opinion",
        "subjects": [],
        "facts": [],
        "model": facts["model"],
        "external": True,
    }
    said = f"Of {one_line(raster.name)}, {facts['model']} says, unchecked: {extract(facts['reply'], 1_500)}."
    return Step(state, f"This is a model's opinion and no measurement. {said}", data)


def _worked(world: World, title: str, function: Callable[..., Any], raster: Raster, *more: Any) -> Any:
    """What a function of data.vision makes of a raster. Raises ToolError for its RasterError."""
    from data.raster.errors import RasterError

    try:
        return world.work(f"{title}: {one_line(raster.name)}", function, raster.path, *more)
    except RasterError as error:
        raise ToolError(str(error)) from None


TOOLS = (classify_image, scene, caption, visual_question)
