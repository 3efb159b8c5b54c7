"""The plan of a request that works on what is at hand: files, rasters, features, tables, documents, pages.

The request is cut into steps; each step's tool is the one whose phrases are likest, and its arguments are read
by their declared types. What one step makes, the next can mean by "it" or by its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from urllib.parse import urlsplit

from copilot.planner.asking import ASKS_FOR, Ask, Reject
from copilot.planner.declared.arguments import Missing, filled
from copilot.planner.declared.aside import is_planned_elsewhere, says_enough_for
from copilot.planner.declared.columns import selected_first
from copilot.planner.declared.downloads import download_of
from copilot.planner.declared.files import File, files_at_hand, files_of, narrowed, stores_at_hand
from copilot.planner.declared.following import found_of
from copilot.planner.declared.idioms import IDIOMS, WHOLLY, pictures, rasters, told, vision
from copilot.planner.declared.idioms.statistics import with_its_term
from copilot.planner.declared.idioms.vectors import told as told_of_features
from copilot.planner.declared.idioms.vectors import unfolded
from copilot.planner.declared.kinds import kinds_said, untold
from copilot.planner.declared.looks import is_look
from copilot.planner.declared.narrowing import narrowing
from copilot.planner.declared.phrases import Phrases, known_phrases, words_of
from copilot.planner.declared.signature import Parameter, parameters
from copilot.planner.declared.things import (
    SELECTED_IMAGE,
    SELECTION,
    Thing,
    is_named,
    made_by,
    things_at_hand,
)
from copilot.planner.modality import looked_at_first
from copilot.planner.rules import label_by_rule
from copilot.planner.situation import Call, Situation
from data.vocabulary.datasets import dataset_mentions
from tools.base import ToolError
from tools.run import validated
from tools.toolbox import toolbox

SURE = 0.43
"""From this likeness on, a step wants the tool."""
AHEAD = 0.02
"""How much liker it must be than the likest tool of the catalogue, the map and the page, which the rules plan."""
CATEGORIES = frozenset({"geotools", "vision", "python", "web", "langchain", "openai"})
"""Whose tools are planned by what they declare."""
ALSO = frozenset(
    "add_raster_layer add_vector_layer pivot crosstab join_tables add_column resample_time trend seasonality correlation regression "
    "outliers kmeans dbscan hotspots spatial_autocorrelation nearest_neighbour_stats pca box_figure map_figure export_xlsx".split()
)
"""Tools of other categories that are, too."""

Rest = Callable[[str], Sequence[Call]]
"""Plans a step by the rules."""


@dataclass
class Declared:
    """A plan while it is made."""

    calls: list[Call] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def is_declared(tool: str) -> bool:
    """Whether a tool is planned by what it declares."""
    return tool in ALSO or (tool in toolbox() and toolbox().get(tool).category in CATEGORIES)


def chosen(
    text: str,
    things: Sequence[Thing] = (),
    *,
    datasets: Sequence[str] = (),
    files: Sequence[File] = (),
    stores: Sequence[str] = (),
    going_on: bool = False,
    phrases: Phrases | None = None,
) -> str | None:
    """The tool that a step wants, when it is one that is planned by what it declares.

    What works on things that are here is likelier, and more so when the step before was such a one.
    """
    kinds = {each.kind for each in things if each.ref != SELECTION or is_named(each, text)}
    kinds |= {"vector"} if "detections" in kinds else set()
    in_catalogue = of_catalogue(text, datasets)
    if "raster" in kinds and not in_catalogue and pictures.crops(text):
        return "image_crop"
    looking = not in_catalogue and _may_look(text, things)
    if looking and (seen := vision.told(text, things)) is not None and seen in toolbox():
        return seen
    if is_planned_elsewhere(text):
        return None
    by_wording = rasters.told(text, things)
    if by_wording is None or (in_catalogue and by_wording != "band_composite"):
        by_wording = told(text, _ANY_DAY, files, stores)
    if by_wording is None and not dataset_mentions(text):
        by_wording = told_of_features(text, things)
    if by_wording is not None:
        return by_wording or None
    served = _of_a_named_service(text)
    if len(words_of(text)) < _FEWEST_WORDS and not kinds:
        return None
    ranked = (phrases or known_phrases()).ranked(text)
    named = {each.kind for each in things if is_named(each, text)}
    ease = _GOING_ON if going_on else 0.0
    # What is less likely than this is not sure enough even when all it needs is here and named.
    least = SURE - ease - _HERE - _NAMED_HERE
    fitting = [
        (tool, like + _at_hand(tool, kinds, named))
        for tool, like in ranked
        if (tool in served if served else like >= least and _may_be(tool, text, kinds, in_catalogue))
        and (looking or toolbox().get(tool).category != "vision")
    ]
    if not fitting:
        return None
    tool, like = max(fitting, key=lambda each: each[1])
    if served:
        return tool
    if _is_for_the_rules(text, tool, like, kinds):
        return None
    other = next((like for tool, like in ranked if not is_declared(tool)), 0.0)
    return tool if like >= SURE - ease and like >= other + AHEAD - ease else None


def _may_look(text: str, things: Sequence[Thing]) -> bool:
    """Whether an image that is here may be meant, and not images that are to be found."""
    if vision.of_many(text, things):
        return False
    loaded = any(each.ref == SELECTION for each in things)
    only_selected = all(each.tool == SELECTED_IMAGE for each in things if each.kind == "raster")
    return vision.points(text) or not (loaded or only_selected)


def of_catalogue(text: str, datasets: Sequence[str]) -> bool:
    """Whether a text names a data set of the catalogue."""
    lowered = text.lower()
    return bool(dataset_mentions(text)) or any(name in lowered for name in datasets)


def _is_for_the_rules(text: str, tool: str, like: float, kinds: set[str]) -> bool:
    """Whether the wording alone says that it is about layers, exports or filters, or can't be done."""
    label = label_by_rule(text.lower())
    if label == "reject":
        return like < _SURE_OF_IT or len(words_of(text)) <= _FEWEST_WORDS
    if label == "export":
        return toolbox().get(tool).category == "web" or tool.startswith("read_")
    return label == "rename_layer" or (label == "filter" and not kinds)


_SERVICES = (
    (re.compile(r"\b(?:osm|openstreetmap|open street map)\b", re.I), ("osm_features",)),
    (re.compile(r"\bstac\b", re.I), ("stac_collections", "stac_search", "stac_load")),
)


def _of_a_named_service(text: str) -> tuple[str, ...]:
    """The tools of a service that is called by its name."""
    return next((tools for pattern, tools in _SERVICES if pattern.search(text)), ())


def _may_be(tool: str, text: str, kinds: set[str], of_catalogue: bool) -> bool:
    """Whether a tool is planned here: on the map only what is at hand, on a data set only what takes features."""
    if not is_declared(tool) or not says_enough_for(tool, text):
        return False
    if tool in WHOLLY and not IDIOMS[tool](text, _ANY_DAY):
        return False
    if tool == "open_url" and re.search(r"\btabs?\b", text, re.I):
        return False  # a tab alone needs no network
    if tool in _SHOWING:
        return _SHOWING[tool] in kinds
    taken = {each.handle for each in parameters(tool)}
    return not of_catalogue or bool(taken & {"vector", "table"})


def _at_hand(tool: str, kinds: set[str], named: set[str]) -> float:
    """What it adds to a tool's likeness that all it needs is here or is named, or takes away that it is not."""
    taken = {each.handle for each in parameters(tool) if each.handle}
    needed = {each.handle for each in parameters(tool) if each.handle and each.required}
    by_name = _NAMED_HERE if named & taken else 0.0
    if not needed:
        return by_name or _NEEDS_NOTHING
    return _HERE + by_name if needed <= kinds else _NOT_HERE


_SHOWING = {"add_raster_layer": "raster", "add_vector_layer": "vector"}
_HERE, _NAMED_HERE, _NEEDS_NOTHING, _NOT_HERE = 0.04, 0.06, -0.03, -0.15
_SURE_OF_IT = 0.5
_FEWEST_WORDS = 2
_ANY_DAY = date(2000, 1, 1)
_OUTSIDE = 0.02
"""How much surer it must be that something outside is meant: what is asked of the catalogue stays here."""
_GOING_ON = 0.06


def declared_plan(request: str, situation: Situation, rest: Rest) -> Declared | None:
    """The plan of a request in which at least one step wants such a tool; None for any other request.

    Raises Ask or Reject when nothing of it can be planned.
    """
    things = things_at_hand(situation)
    own = [name for name, info in situation.datasets.items() if info.origin == "ingested"]
    own += [urlsplit(tab["url"]).hostname or tab["title"] for tab in situation.tabs]
    files, stores = files_at_hand(situation), stores_at_hand(situation)
    if not situation.loaded and (reason := _no_image(request, things)):
        raise Reject(reason)
    steps = _chosen_for_each(_uncut(request, files, stores), things, own, files, stores)
    if any(tool for _, tool in steps):
        steps = [each for each in steps if each[1] or not _TELLS.match(each[0])] or steps
    if not any(tool or download_of(text, things) for text, tool in steps):
        whole = chosen(request, things, datasets=own, files=files, stores=stores) if len(steps) > 1 else None
        if whole is None:
            return None
        steps = [(request, whole)]
    draft = Declared()
    for text, tool in _joined(steps):
        try:
            if tool is None and (sized := _of_what_was_found(text, draft.calls)) is not None:
                draft.calls[:], draft.notes = sized[0], [*draft.notes, *sized[1]]
                continue
            if tool is None:
                if where := download_of(text, things):
                    draft.calls.append(Call("open_panel", {"name": "layers"}))
                    draft.notes.append(where)
                else:
                    draft.calls += rest(text)
                continue
            for selecting in selected_first(tool, text, situation):
                draft.calls.append(selecting)
                situation.imagine(selecting)
            call = _valid(filled(tool, text, situation, things, files))
            draft.calls += looked_at_first(call, text, draft.calls, _unnamed_images(text, things))
        except (Missing, Ask, Reject) as stopped:
            _stop(draft, stopped)
            break
        draft.calls.append(call)
        draft.notes += [
            untold(kind) for kind in kinds_said(text) if kind.class_name in (call.args.get("classes") or ())
        ]
        draft.calls += _at_the_others(call, text, things)
        brought = files_of(call, len(draft.calls))
        things = [*things, *narrowed(made_by(call, len(draft.calls), text, things), brought)]
        files = [*files, *brought]
        situation.planned.append(call)
    return draft


def _unnamed_images(text: str, things: Sequence[Thing]) -> list[str]:
    """The images that were brought in, where a text names none of them."""
    images = [each for each in things if each.kind == "raster" and each.tool == "add_file"]
    return [] if any(each.name.lower() in text.lower() for each in images) else [each.ref for each in images]


_EACH = re.compile(
    r"\b(?:both|each|every one|all) (?:of )?(?:the |my |these |those )?(?:\w+ )?(?:images|pictures|photos|scenes|of them)\b|\b(?:each|every) (?:image|picture|photo|scene)\b"
    r"|^\W*which (?:one )?(?:has|have|shows|holds|contains) (?:the )?(?:more|most|fewer|fewest|less|least)\b|\b(?:in|on|of) (?:both|each|all)\b|\bwhich (?:one )?of (?:the|these|those) (?:two|three|images|pictures|photos)\b"
    r"|\bwhich (?:image|picture|photo|scene|one) (?:has|shows|holds)\b|\bin the two\b",
    re.I,
)
_MOST_IMAGES = 6


def _at_the_others(call: Call, text: str, things: Sequence[Thing]) -> list[Call]:
    """The same look at each of the other images, where a text speaks of all of them: "which of the two has more boats?"."""
    images = [each.ref for each in things if each.kind == "raster" and each.tool == "add_file"][
        -_MOST_IMAGES:
    ]
    single = is_look(call.tool) and not {"other", "others", "before"} & {
        each.name for each in parameters(call.tool)
    }
    if not single or call.args.get("image") not in images or not _EACH.search(text):
        return []
    found: list[Call] = []
    for ref in images:
        if ref != call.args["image"]:
            again = Call(call.tool, {**call.args, "image": ref})
            found += [*looked_at_first(again, "", ()), again]
    return found


def _no_image(request: str, things: Sequence[Thing]) -> str:
    """Why nothing can be looked at where a file is here that is no image; nothing for any other request."""
    if any(each.kind in ("raster", "detections") for each in things) or not _IN_IT.search(request):
        return ""
    files = [each for each in things if each.kind in _NO_IMAGES and each.tool == "add_file"]
    if not files or vision.told(request, [Thing("raster", "", "image", tool="add_file")]) is None:
        return ""
    return (
        f"{files[-1].name} is {_NO_IMAGES[files[-1].kind]} and no image, so it has no pixels to look at; attach the "
        "image as a file of its own."
    )


_NO_IMAGES = {"document": "a text", "table": "a table", "vector": "a layer of shapes"}
_IN_IT = re.compile(
    r"\b(?:in|on|of|from) (?:it|this|that|here|(?:the|this|that|my) (?:file|image|picture|photo|scene|upload))\b",
    re.I,
)


def _of_what_was_found(text: str, calls: Sequence[Call]) -> tuple[list[Call], list[str]] | None:
    """ "... and how big are they?": the list of what the look before finds, in place of a bare answer to a question."""
    some = narrowing(text) if calls and is_look(calls[-1].tool) else None
    if some is None:
        return None
    listed = Call("list_detections", some.args)
    last = calls[-1]
    if "detections" in toolbox().get(last.tool).gives:
        return [*calls, listed], some.notes
    found = list(found_of(str(last.args.get("question", "")), str(last.args.get("image"))))
    return ([*calls[:-1], *found, listed], some.notes) if found else None


def _uncut(request: str, files: Sequence[File], stores: Sequence[str]) -> list[str]:
    """The steps of a request; one that is about texts in quotes, or an address, is a single step with its question."""
    tool = told(request, _ANY_DAY, files, stores)
    single = tool in _OF_QUOTES or (tool == "open_url" and " then " not in request)
    single = single or _LAND_LIES_IN.search(request) is not None
    single = single or (tool is not None and _ASIDE.search(request) is not None)
    return [request] if single else steps_of(request)


_TELLS = re.compile(
    r"(?:(?:hi|hello|hey|so|ok|okay|well)\b[,!.\s]*)*(?:(?:i|we)(?:'ve|’ve| have)? (?:just |recently |now )?(?:got|have|had|received|took|taken|downloaded|uploaded|"
    r"attached|added|found|was given|were given|am looking|are looking)\b|(?:here|this|that|it|these) (?:is|are|comes?|was|were)\b|(?:here|this|that|it)'s\b)",
    re.I,
)
"""A part that tells of something and asks for nothing: "I just got this picture, ..."."""
_ASIDE = re.compile(r"[.?!]\s*(?:it'?s|that'?s|it is|that is) (?:under|at|in|on|called)\b", re.I)
_LAND_LIES_IN = re.compile(
    r"\b(?:land|coast(?:line)?|shore(?:line)?|islands?|water)\b (?:mask |polygons? )?(?:is|are|lies|comes|stands) (?:given )?(?:in|as|from|by) "
    r"|\b(?:as|is|are) (?:the |a )?(?:land|coast(?:line)?|shore(?:line)?|islands?)\b",
    re.I,
)
"""Which layer holds the land is said of the step beside it."""
_OF_QUOTES = frozenset({"select_examples", "embeddings", "parse_structured", "chat_completion", "json_mode"})


def _chosen_for_each(
    texts: Sequence[str],
    things: Sequence[Thing],
    datasets: Sequence[str],
    files: Sequence[File],
    stores: Sequence[str],
) -> list[tuple[str, str | None]]:
    steps: list[tuple[str, str | None]] = []
    coming, here, named = list(things), list(files), list(stores)
    for text in texts:
        before = steps[-1][1] if steps else None
        if before is not None and _is_told_anyway(before, text):
            continue
        tool = chosen(text, coming, datasets=datasets, files=here, stores=named, going_on=before is not None)
        steps.append((text, tool))
        if tool:
            call = Call(tool, IDIOMS[tool](text, _ANY_DAY) if tool in IDIOMS else {})
            brought = files_of(call, 0)
            coming += narrowed(made_by(call, 0, text), brought)
            here += brought
            named += [call.args["name"]] if tool == "vectorstore_create" and "name" in call.args else []
    return steps


def _is_told_anyway(tool: str, text: str) -> bool:
    """Whether a step only asks for what the tool before it does or says: what was read, which areas it has."""
    if tool.endswith("_delete") and _REMOVED.match(text):
        return True
    if tool in _RESTORES and _FROM_THE_OTHER.match(text):
        return True
    measured = tool in ("raster_calc", "polygonize", "cloud_mask") and _HOW_MUCH.match(text)
    return bool(measured or (_READS.match(tool) and _SAID_AGAIN.match(text)))


_RESTORES = frozenset({"cloud_removal"})
_FROM_THE_OTHER = re.compile(r"(?:please )?(?:use|take|with) (?:it from )?(?:the |my )?other\b", re.I)
"""What a step already does with the images that are here."""
_REMOVED = re.compile(
    r"(?:please )?(?:remove|delete|drop|take out) (?:just |only )?(?:it|that|this)(?: one)?(?: only)?\W*$",
    re.I,
)
_HOW_MUCH = re.compile(
    r"(?:how (?:many|much) (?:hectares|ha|square \w+|area)(?: (?:is|are|does|do|that|they|it)\b.*)?|(?:the )?area (?:too|as well)\b.*)\W*$",
    re.I,
)
_READS = re.compile(
    r"read_|page_|web_search|wikipedia_|arxiv_|extract_archive|download_file|list_archive|split_|load_"
)
_SAID_AGAIN = re.compile(
    r"(?:please )?(?:(?:tell|show|give|let|read)(?: me| us)? )?(?:(?:have |see )?what (?:it|that|this|comes first|is under)(?: (?:says?|is|comes)\b.*)?"
    r"|what comes first|its (?:rows|text|contents?|links|title)|it(?: out)?(?: loud)?(?: to me)?|how many pages (?:has it|it has|are there)"
    r"|whether it .*|(?:show|give)(?: me)? it)\W*$",
    re.I,
)
"""After something was read: that it be told."""


def _stop(draft: Declared, stopped: Missing | Ask | Reject) -> None:
    """What cannot be planned ends the plan: what comes before it is done, and then it is asked or said why."""
    if isinstance(stopped, Missing) and draft.calls:
        draft.notes.append(_question(stopped.tool, stopped.parameter))
        return
    if isinstance(stopped, Missing):
        stopped = Ask(_question(stopped.tool, stopped.parameter), ())
    if not draft.calls:
        raise stopped
    if isinstance(stopped, Ask):
        arguments = {"question": stopped.question, "choices": list(stopped.choices)}
        draft.calls.append(Call("ask_user", arguments))
    else:
        draft.notes.append(str(stopped))


def _joined(steps: Sequence[tuple[str, str | None]]) -> list[tuple[str, str | None]]:
    """Steps of the rules that stand beside each other as one: they know how to cut it."""
    found: list[tuple[str, str | None]] = []
    for text, tool in steps:
        if tool is None and found and found[-1][1] is None:
            found[-1] = (f"{found[-1][0]}, {text}", None)
        else:
            found.append((text, tool))
    return found


def _valid(call: Call) -> Call:
    """The call, when its tool would take it. Raises Reject with the tool's own sentence."""
    try:
        validated(toolbox().get(call.tool), call.args)
    except ToolError as error:
        raise Reject(str(error)) from None
    return call


def _question(tool: str, parameter: Parameter) -> str:
    """What to ask for an argument that is not said: what the tool does, and what it needs for that."""
    does = toolbox().get(tool).summary.split(":")[0].split(";")[0].rstrip(".")
    name, about = parameter.name.replace("_", " "), parameter.about.split(";")[0].rstrip(".")
    needed = about if len(about.split()) > _IN_SHORT else f"the {name} ({about})" if about else f"the {name}"
    return f"To {does[:1].lower()}{does[1:]}, {ASKS_FOR}: {needed}."


_IN_SHORT = 2
"""A description of no more words than this is a unit, which says nothing without the argument's name."""


_VERBS = (
    "add|aggregate|align|annotate|bring|buffer|calculate|cache|check|clean|clip|cluster|colou?r|combine|compare|compute|contour|"
    "caption|confirm|convert|count|create|crop|cut|dehaze|denoise|derive|describe|despeckle|detect|dissolve|display|divide|download|draw|export|extract|fetch|"
    "fill|filter|find|fit|follow|generate|geocode|get|give|go|grab|group|hash|hide|histogram|import|intersect|join|keep|list|load|locate|look|"
    "make|mask|measure|merge|mosaic|move|name|open|overlay|pan|pansharpen|pick|plot|polygoni[sz]e|project|put|query|rasteri[sz]e|read|reject|remove|rename|"
    "reproject|resample|resi[sz]e|rotate|run|sample|save|search|segment|select|set|sharpen|show|sieve|simplify|smooth|sort(?! (?:that|it|this) out)|split|stack|style|"
    "subtract|sum|summari[sz]e|take|tell|threshold(?!\\W*(?:of )?\\d)|trim|turn|unzip|upload|upscale|use|vectori[sz]e|visuali[sz]e|warp|work out|write|zoom|"
    "what|how|which|where|is there|are there|do|everything|"
    r"(?:\d+ m )?(?:contours?|contour lines|hillshade|aspect)\b(?= (?:of|over|from|on)\b)"
)
_CUT = re.compile(
    rf"(?:[;\n]|[.!?](?=\s+\S))\s*(?:(?:and|then|next|finally|after that|afterwards)\b[\s,]*)*"
    rf"|,?\s*\b(?:and\s+)?(?:then|after that|afterwards|finally|next(?! to\b)),?\s+"
    rf"|(?:,\s*(?:and\s+|also\s+|plus\s+)?|\s+and\s+(?:also\s+)?)(?=(?:please\s+)?(?:{_VERBS})\b)",
    re.I,
)


def steps_of(request: str) -> list[str]:
    """The steps of a request in order; what stands in quotes is not cut."""
    quoted = [
        (each.start(), each.end())
        for each in re.finditer(r"\"[^\"]*\"|“[^”]*”|`[^`]*`|https?://\S+", request)
    ]
    found, start = [], 0
    for cut in _CUT.finditer(request):
        if any(left < cut.end() and cut.start() < right for left, right in quoted):
            continue
        found.append(request[start : cut.start()])
        start = cut.end()
    found.append(request[start:])
    texts = [text for each in found if (text := each.strip(" ,;.")) and re.search(r"\w", text)]
    return rasters.rejoined(unfolded(with_its_term(texts)))
