"""Every text of the interface is in every catalogue, with the same values, and none is there for nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from copilot.messages import FOLDER, LANGUAGES
from copilot.messages.__main__ import missing, updated
from copilot.messages.extracting import Unreadable, of_python, template

ROOT = Path(__file__).resolve().parents[3]
OTHERS = sorted(set(LANGUAGES) - {"en"})
SAYS = (
    "badge button caption checkbox error expander form_submit_button info link_button multiselect page_link "
    "popover radio segmented_control selectbox slider spinner success text_input warning"
).split()
"""Of Streamlit: what shows its first argument, or `label` or `help`."""
NO_WORDS = {"CSV", "JSON-LD"}


def catalogue(code: str) -> Catalog:
    with (FOLDER / f"{code}.po").open("rb") as file:
        return read_po(file, locale=code)


@pytest.mark.parametrize("code", OTHERS)
def test_each_catalogue_has_the_messages_of_the_sources_all_translated_and_no_others(code: str):
    wanted = {each.id for each in template() if each.id}
    there = catalogue(code)
    assert {each.id for each in there if each.id} == wanted
    assert missing(there) == []
    assert [each.id for each in there if each.fuzzy and each.id] == []


@pytest.mark.parametrize("code", OTHERS)
def test_a_translation_has_the_values_of_the_english_text_written_in_the_same_way(code: str):
    wrong = []
    for each in catalogue(code):
        if not each.id:
            continue
        one, many = each.id if isinstance(each.id, tuple) else (each.id, each.id)
        said = each.string if isinstance(each.string, tuple) else (each.string,)
        # A language may say one and two without the figure.
        may_lack = {"n"} if isinstance(each.id, tuple) else set()
        for form in said:
            lacks, more = values(many) - values(form), values(form) - values(one) - values(many)
            if more or {name for name, _ in lacks} - may_lack:
                wrong.append((each.id, form))
    assert wrong == []


def values(text: str) -> set[tuple[str, str]]:
    """The {name:spec} of a text; a text with none is said as it stands, whatever braces it has."""
    return {(name, spec or "") for _, name, spec, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("code", OTHERS)
def test_bringing_the_catalogues_up_to_date_changes_nothing(code: str):
    now = {each.id: told(each) for each in catalogue(code) if each.id}
    made = {each.id: told(each) for each in updated(code, template()) if each.id}
    assert made == now


def told(message: Message) -> tuple[object, set[str]]:
    return message.string, {place for place, _ in message.locations}


def test_a_text_that_is_put_together_is_refused_as_nobody_could_translate_it():
    source = "from copilot.messages import t\nsaid = t(f'{n} images')\n"
    with pytest.raises(Unreadable, match=r"pages/x\.py:2"):
        list(of_python(source, "pages/x.py"))


def test_no_page_shows_a_text_that_is_not_said_through_the_catalogues():
    assert [each for path in sorted((ROOT / "pages").glob("*.py")) for each in unsaid(path)] == []


def unsaid(path: Path) -> Iterator[str]:
    """Texts in English that a widget is given as they stand, with their places."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr not in SAYS:
            continue
        shown = [*node.args[:1], *(each.value for each in node.keywords if each.arg in ("label", "help"))]
        for each in shown:
            said = str(each.value) if isinstance(each, ast.Constant) else ""
            if re.search(r"[A-Za-z]{2}", said) and said not in NO_WORDS:
                yield f"{path.name}:{node.lineno} {said}"
