"""Opening and showing things: panels, pages, tabs, images, tables, figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from copilot.planner.actions.counting import ordering
from copilot.planner.asking import Ask
from copilot.planner.clauses import Clause
from copilot.planner.lexicon import PAGES, PANELS
from copilot.planner.situation import Call, Situation

_RANKS = (
    (r"\bmost (?:objects|detections|vehicles|ships|planes|boxes|things|\w+s)\b", "most_detections"),
    (r"\b(?:busiest|fullest|most crowded|most congested)\b", "most_detections"),
    (r"\b(?:newest|latest|most recent|last)\b", "newest"),
    (r"\b(?:oldest|earliest)\b", "oldest"),
    (r"\b(?:clearest|least cloudy|cloudless|lowest cloud|least clouds?|fewest clouds|best)\b", "clearest"),
    (r"\b(?:cloudiest|most cloudy)\b", "cloudiest"),
    (r"\b(?:sharpest|highest resolution|finest|best resolution)\b", "sharpest"),
    (r"\b(?:first|any|some|an?|one|random)\b", "first"),
)
_PANEL_WORDS = {
    "table": "results", "figure": "figure", "chart": "figure", "layers": "layers", "image": "image", "metadata": "image",
}  # fmt: skip
_ALL_PANELS = ("results", "figure", "image", "layers", "trace", "jobs")
_THIS = re.compile(r"\b(?:this|that|it|the selected|selected|the current|the clicked)\b", re.I)
_MESSAGE = re.compile(
    r"\b(?:that|saying|says|to say|with(?: the text)?|message|note|notice|notification|reminder|remind me(?: to)?|of|me|:)\s*:?\s+(.+)$",
    re.I | re.S,
)


def open_panel(clause: Clause, situation: Situation) -> Iterator[Call]:
    """The panels a clause names; one that it says is to be off is closed."""
    named = [(span.value, clause.text[span.end - clause.start :]) for span in clause.of("panel")]
    if not named and (word := _word_in(clause, PANELS | _PANEL_WORDS)) is not None:
        named = [(word, "")]
    if not named:
        raise Ask("Which panel?", _ALL_PANELS)
    for name, after in named:
        yield Call(
            "close_panel" if re.match(r"\W*(?:panel\s+)?off\b", after, re.I) else "open_panel", {"name": name}
        )


def close_panel(clause: Clause, situation: Situation) -> Iterator[Call]:
    """The panels a clause names, or the one in front; "close it" after a web tab was opened means the tab."""
    if re.search(r"\ball\b", clause.text, re.I) and not clause.of("panel"):
        for name in situation.state["ui"]["panels"]:
            yield Call("close_panel", {"name": name})
        return
    named = [span.value for span in clause.of("panel")] or [_word_in(clause, PANELS | _PANEL_WORDS)]
    if named == [None]:
        if any(call.tool == "open_tab" for call in situation.last_calls()):
            yield Call("close_tab")
            return
        if not situation.state["ui"]["panels"]:
            raise Ask("Which panel?", _ALL_PANELS)
        named = [situation.state["ui"]["panels"][-1]]
    for name in named:
        yield Call("close_panel", {"name": name})


def page(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Another page."""
    name = _word_in(clause, PAGES)
    if name is None:
        raise Ask("Which page?", ("home", "data", "tools", "benchmark", "help"))
    yield Call("open_page", {"name": name})


def select_image(clause: Clause, situation: Situation) -> Iterator[Call]:
    """One image of the selection, by id or by rank."""
    yield Call("select_image", picked_image(clause, situation))


def show_image(clause: Clause, situation: Situation) -> Iterator[Call]:
    """One image's record and pixels, and the map on it."""
    yield Call("show_image", picked_image(clause, situation))


def image_info(clause: Clause, situation: Situation) -> Iterator[Call]:
    """What is known of the selected image."""
    image = clause.first("image")
    if image is None and situation.selected is None:
        raise Ask(
            "No image is selected. Click one on the map, or choose:",
            ("show the newest image", "show the first image"),
            lacks_data=True,
        )
    yield Call("show_image", {"image": image.value if image else situation.selected})


def compare(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Two images, before and after."""
    images = [span.value for span in clause.of("image")]
    if len(images) >= 2:
        yield Call("compare_images", {"before": images[0], "after": images[1]})
    else:
        yield Call("compare_images")


def hover(clause: Clause, situation: Situation) -> Iterator[Call]:
    """The fields shown on hover."""
    named = ["name"] if re.search(r"\b(?:name|file ?name|title)\b", clause.text, re.I) else []
    fields = list(dict.fromkeys([*named, *(str(span.value) for span in clause.of("field"))]))
    if not fields:
        raise Ask("Which fields should show on hover?", ("name and date", "sensor and cloud cover"))
    yield Call("display_hover", {"fields": fields})


def table(clause: Clause, situation: Situation) -> Iterator[Call]:
    """The table again."""
    chosen = clause.first("artifact")
    yield Call("show_table", {"table": chosen.value} if chosen else {})


def figure(clause: Clause, situation: Situation) -> Iterator[Call]:
    """The chart again."""
    chosen = clause.first("artifact")
    yield Call("show_figure", {"figure": chosen.value} if chosen else {})


def open_tab(clause: Clause, situation: Situation) -> Iterator[Call]:
    """A web tab."""
    urls = [str(span.value) for span in clause.of("url")] or _bare_addresses(clause.text) or [None]
    for url in urls:
        if url is None:
            raise Ask("Which address should I open?", ("https://example.org",))
        yield Call("open_tab", {"url": url})


def switch_tab(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Another web tab."""
    yield Call("switch_tab", {"tab": _tab(clause, situation)})


def close_tab(clause: Clause, situation: Situation) -> Iterator[Call]:
    """A web tab away."""
    if re.search(r"\b(?:this|current|the) (?:web |browser )?tab\b", clause.text, re.I) and not ordinal(
        clause.text
    ):
        yield Call("close_tab")
    elif re.search(r"\ball\b", clause.text, re.I):
        for _ in situation.tabs:
            yield Call("close_tab")
    else:
        tab = _tab(clause, situation)
        yield Call("close_tab", {"tab": tab})


def notify(clause: Clause, situation: Situation) -> Iterator[Call]:
    """A short message on the page."""
    quoted = clause.first("quoted")
    match = _MESSAGE.search(clause.text)
    text = str(quoted.value) if quoted else match[1].strip() if match else ""
    if not text:
        raise Ask("What should the notification say?", ())
    yield Call("notify", {"text": text})


def picked_image(clause: Clause, situation: Situation) -> dict[str, Any]:
    """The arguments of select_image and show_image for the image a clause means: an id, or a rank and a number."""
    image = clause.first("image")
    if image is not None:
        return {"image": image.value}
    if not situation.loaded:
        raise Ask(
            "Nothing is loaded yet. Which data set do you mean?",
            sorted(situation.datasets)[:8],
            lacks_data=True,
        )
    rank = next((name for pattern, name in _RANKS if re.search(pattern, clause.text, re.I)), None)
    position = ordinal(clause.text)
    before = situation.picked()
    if (
        before
        and "image" not in before
        and re.search(r"\bnext\b|\bother\b", clause.text, re.I)
        and position is None
    ):
        return {"rank": before.get("rank", "first"), "n": int(before.get("n", 1)) + 1}
    if before and "image" not in before and re.search(r"\b(?:previous|prev)\b", clause.text, re.I):
        return {"rank": before.get("rank", "first"), "n": max(1, int(before.get("n", 1)) - 1)}
    if rank in (None, "first") and position is None and _THIS.search(clause.text):
        if situation.shown is not None:
            return dict(situation.shown)
        if situation.selected:
            return {"image": situation.selected}
    if position is not None and position > 1:
        same = before.get("rank") if before and rank == "first" else None
        return {
            "rank": same or (rank if rank not in (None, "first") else _rank_by_order(clause)),
            "n": position,
        }
    if rank == "first" and (order := _rank_by_order(clause)) != "first":
        rank = order
    return {"rank": rank or ("newest" if not _THIS.search(clause.text) else "first")}


def _rank_by_order(clause: Clause) -> str:
    order = ordering(clause)
    return {
        ("acquired", "desc"): "newest", ("acquired", "asc"): "oldest", ("cloud_pct", "asc"): "clearest",
        ("cloud_pct", "desc"): "cloudiest", ("gsd_m", "asc"): "sharpest", ("detections", "desc"): "most_detections",
    }.get(order or ("", ""), "first")  # fmt: skip


_ORDINALS = {
    word: number
    for number, words in enumerate(
        (
            "first 1st",
            "second 2nd",
            "third 3rd",
            "fourth 4th",
            "fifth 5th",
            "sixth 6th",
            "seventh 7th",
            "eighth 8th",
        ),
        start=1,
    )
    for word in words.split()
}


def ordinal(text: str) -> int | None:
    """Which one a text counts to: "the third", "tab 2"."""
    found = re.search(rf"\b({'|'.join(_ORDINALS)})\b", text, re.I)
    if found:
        return _ORDINALS[found[1].lower()]
    numbered = re.search(r"\b(?:tab|image|number|no\.?|#)\s*#?(\d+)\b", text, re.I)
    return int(numbered[1]) if numbered else None


def _tab(clause: Clause, situation: Situation) -> str | int:
    tabs = situation.tabs
    active = (
        len(tabs) - 1
        if len(tabs) > len(situation.state["ui"]["tabs"])
        else situation.state["ui"]["active_tab"] or 0
    )
    text = clause.text.lower()
    if "last" in text and tabs:
        return len(tabs) - 1
    if "next" in text and tabs:
        return (active + 1) % len(tabs)
    if re.search(r"previous|other|back", text) and tabs:
        return (active - 1) % len(tabs)
    if (position := ordinal(clause.text)) is not None:
        return position - 1
    if (named := tab_named(text, situation)) is not None:
        return named
    if not tabs:
        raise Ask("No web tab is open. Which address should I open?", ())
    return active


def tab_named(text: str, situation: Situation) -> int | None:
    """The position of the web tab whose title or address a text names."""
    said = set(re.findall(r"[a-z0-9.-]{3,}", text.lower())) | set(re.findall(r"[a-z0-9]{4,}", text.lower()))
    for index, tab in enumerate(situation.tabs):
        address = f"{tab['title']} {tab['url']}".lower()
        words = set(re.findall(r"[a-z0-9]{4,}", address)) | {
            re.sub(r"^https?://(?:www\.)?|/.*$", "", str(tab["url"]).lower())
        }
        if (words - {"https", "http", "example"}) & said:
            return index
    return None


def _bare_addresses(text: str) -> list[str | None]:
    pattern = r"\b(?:www\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|int|eu|gov|edu|io|de|fr|co\.uk|info|space)(?:/\S*)?(?=\W|$)"
    return [f"https://{match[0]}" for match in re.finditer(pattern, text, re.I)]


def _word_in(clause: Clause, words: dict[str, str]) -> str | None:
    text = clause.text.lower()
    found = [(len(word), name) for word, name in words.items() if re.search(rf"\b{re.escape(word)}\b", text)]
    return max(found)[1] if found else None


ACTIONS = {
    "open_panel": open_panel,
    "close_panel": close_panel,
    "open_page": page,
    "select_image": select_image,
    "show_image": show_image,
    "image_info": image_info,
    "compare_images": compare,
    "display_hover": hover,
    "show_table": table,
    "show_figure": figure,
    "open_tab": open_tab,
    "switch_tab": switch_tab,
    "close_tab": close_tab,
    "notify": notify,
}
