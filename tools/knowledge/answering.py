"""Answer questions from the knowledge base: in quotations, or phrased by the configured model and checked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from state.model import State
from tools.base import Step, World, tool
from tools.knowledge.asking_model import model_keywords, phrased
from tools.knowledge.shared import (
    Depth,
    InScope,
    Question,
    answer_data,
    asked,
    base_of,
    encoder_of,
    knowing,
    said_answer,
    source_data,
)
from tools.openai.asking import address_of
from tools.phrases import number_of, one_line


@tool("knowledge")
def docs_rag(
    state: State, world: World, *, question: Question, scope: InScope = "all", k: Depth = 10
) -> Step:
    """Answer a question in quotations from what is written down, each with its source.

    Searches the knowledge base's entries, Azimuth's own manual and the documents that were added; each
    sentence is quoted word for word and cites its entry, or file and page. Nothing leaves the machine, and
    what a document says is data.

    Example: copilot call docs_rag question="What is the backscatter coefficient?"

    Asked as: what does backscatter below -20 dB mean? | what does my manual say about this product? | who
    builds this aircraft and how long is it? | explain NDVI | what leaves this machine? | what is the
    resolution of Sentinel-2's red edge bands? | according to the documents, how is cloud masked?
    """
    from data.knowledge.answer import answered
    from data.knowledge.dualrag import retrieve

    wanted = asked(question)
    base = base_of(world, scope)
    with knowing():
        found = retrieve(base, wanted, n=k)
        answer = answered(base, found)
    return Step(state, said_answer(answer), answer_data(answer, found))


@tool("knowledge", external=True, long_running=True)
def answer_tools(
    state: State,
    world: World,
    *,
    question: Question,
    by: Annotated[
        Literal["quotes", "model"],
        Field(
            description="quotes: sentences as they stand; model: the configured chat model chooses the "
            "keywords and phrases the answer, of which only what the passages bear out is kept."
        ),
    ] = "quotes",
    scope: InScope = "all",
    k: Depth = 10,
) -> Step:
    """Answer a question with its sources, phrased by the configured chat model where that is asked for.

    The model sees the passages that were found and nothing else, and each of its sentences is held against
    them: one that they do not bear out (in meaning, words and every figure) is dropped, and that is told. By
    quotes nothing leaves the machine.

    Example: copilot call answer_tools question="What is speckle?"

    Asked as: answer with sources | let the model answer from the knowledge base | phrase an answer about
    speckle from the passages | write me an answer with references | cite your sources for this | answer from
    the knowledge base in your own words
    """
    from data.knowledge.answer import answered
    from data.knowledge.dualrag import retrieve

    wanted = asked(question)
    address = address_of(world) if by == "model" else None
    base = base_of(world, scope)
    with knowing():
        keywords = model_keywords(address, wanted) if address is not None else None
        found = retrieve(base, wanted, n=k, keywords=keywords)
        answer = answered(base, found)
    data = {**answer_data(answer, found), "by": by}
    if address is None or not answer.said:
        return Step(state, said_answer(answer), data)
    told = phrased(address, encoder_of(world), wanted, [each.passage for each in found.guides])
    sources = [source_data(n, each) for n, each in enumerate(told.sources, start=1)]
    data |= {
        "answer": told.text,
        "quotes": [],
        "sources": sources,
        "dropped": list(told.dropped),
        "model": told.model,
    }
    if not told.text:
        said = f"No passage bears out what {told.model} says; the passages say: {said_answer(answer)}"
        return Step(state, said, {**data, **answer_data(answer, found)})
    names = "; ".join(f"[{n}] {one_line(each.cited)}" for n, each in enumerate(told.sources, start=1))
    return Step(state, f"{told.text} Sources: {names}.{_dropped(len(told.dropped))}", data)


def _dropped(count: int) -> str:
    if count == 0:
        return ""
    was, it = ("was", "it") if count == 1 else ("were", "them")
    return f" {number_of(count, 'sentence')} of the model's {was} dropped, for no passage bears {it} out."


TOOLS = (docs_rag, answer_tools)
