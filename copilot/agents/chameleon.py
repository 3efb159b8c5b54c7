"""The Chameleon agent (Lu et al. 2023, arXiv:2304.09842): the request is taken apart into modules, each a
prompted step that has only its own tools and what came before it."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from functools import partial

from copilot.agents.forms import ModulesForm, fill_in
from copilot.agents.turn import OpenTurn, Steps
from copilot.prompts import aside

ABOUT = {
    "database": "load data sets; filter the selection by date, place, class or attribute; count and read it",
    "map": "the camera, the base map, plots of the selection, layers, drawings and measurements",
    "ui": "pages, panels, images, tabs, undo and redo; questions to the user, and refusals",
    "geotools": "places, and geometry on vectors and rasters",
    "vision": "what is to be seen in the pixels of images",
    "data": "tables, statistics, figures and exports of the selection",
    "python": "documents, files, pictures, sums and units",
    "web": "pages, searches and catalogues on the network",
    "knowledge": "documents, models and workflows to look up",
    "langchain": "vector stores, text splitting and examples",
    "openai": "what a language model is asked for: embeddings, JSON, descriptions",
}
"""The modules: the toolbox's categories, and what each is for."""


def steps(turn: OpenTurn) -> Steps:
    """The modules and their tasks first, then one module after another, then the answer."""
    there = list(dict.fromkeys(each.category for each in turn.session.toolbox))
    listing = "".join(f"\n- {name}: {ABOUT[name]}" for name in there)
    turn.guidance = f"Take the request apart into modules that work one after another. There are:{listing}"
    chosen = yield from fill_in(turn, ModulesForm, wrong=lambda form: _unknown(form, there))
    turn.guidance = ""
    modules = chosen.modules if chosen else []
    if chosen is not None:
        chain = " → ".join(each.module for each in modules) or "none"
        yield turn.think(f"Modules: {chain}. {chosen.thought}".strip())
    for number, each in enumerate(modules, 1):
        turn.said.append(
            aside(
                f"You are now module {number} of {len(modules)}, '{each.module}'. Your task: {each.task} "
                "Only this module's tools are there. When it is done, say in a sentence what it came to."
            )
        )
        said = yield from turn.converse(partial(turn.shown.schemas, category=each.module, task=each.task))
        if said.text.strip():
            yield turn.think(f"{each.module}: {said.text.strip()}")
    if modules:
        turn.said.append(aside("Every module has worked. Do what is still missing, then answer the request."))
    return turn.answered((yield from turn.converse()))


def _unknown(form: ModulesForm, there: Sequence[str]) -> str | None:
    for each in form.modules:
        if each.module not in there:
            near = get_close_matches(each.module, there, n=1, cutoff=0.4)
            hint = f" Did you mean {near[0]}?" if near else ""
            return f"There is no module '{each.module}'.{hint} Modules: {', '.join(there)}."
    return None
