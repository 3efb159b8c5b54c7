"""What the interface says, in the language of who reads it: gettext catalogues (`*.po`), read with Babel.

The English text is its own key: `t("Undo")`, `t("{n:,} selected", n=412)`. What a catalogue lacks is said in
English. `python -m copilot.messages` takes the messages out of the sources and into every catalogue.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from babel import Locale
from babel.dates import format_date
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from babel.numbers import format_decimal, format_percent

FOLDER = Path(__file__).resolve().parent
LANGUAGES = {"en": "English", "es": "Español", "fr": "Français", "ar": "العربية", "zh": "中文"}
"""Each language by its code (BCP 47), as its readers call it."""
RIGHT_TO_LEFT = frozenset({"ar"})
COOKIE = "azimuth_language"
"""Where a browser keeps which language was chosen."""
_FORMS = {1: ("other",), 3: ("one", "many", "other"), 6: ("zero", "one", "two", "few", "many", "other")}
"""The order of a message's forms in a catalogue, by how many the language has there."""
_spoken: ContextVar[str | None] = ContextVar("spoken", default=None)
_asked: list[Callable[[], str]] = []


def language() -> str:
    """The language in which texts are said here and now: English where nobody set another."""
    if (found := _spoken.get()) is not None:
        return found
    return _asked[0]() if _asked else "en"


def spoken_by(ask: Callable[[], str]) -> None:
    """Let `ask` say the language where none was set by `speaking`: the pages know whose browser it is."""
    _asked[:] = [ask]


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Say everything in that language until the block ends, in this thread."""
    token = _spoken.set(code if code in LANGUAGES else "en")
    try:
        yield
    finally:
        _spoken.reset(token)


def preferred(accept_language: str | None, chosen: str | None = None) -> str:
    """The language that was chosen, else the best of an Accept-Language header (RFC 9110) that is here."""
    if chosen in LANGUAGES:
        return str(chosen)
    weighed = []
    for place, part in enumerate((accept_language or "").split(",")[:30]):
        tag, _, weight = part.strip().partition(";")
        try:
            quality = float(weight.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        code = tag.strip().lower().partition("-")[0]
        if code in LANGUAGES and quality > 0:
            weighed.append((-quality, place, code))
    return min(weighed)[2] if weighed else "en"


def t(text: str, /, **values: Any) -> str:
    """The text in the language of who reads it, with the values put in its manner of writing them."""
    code = language()
    said = text if code == "en" else (catalogue(code).one.get(text) or text)
    return _filled(said, code, values) if values else said


def tn(one: str, many: str, n: int, /, **values: Any) -> str:
    """The text for a count `n`, which it may name as {n}; a language has as many forms as it needs."""
    code = language()
    said = one if n == 1 else many
    if code != "en":
        known = catalogue(code)
        said = known.several.get(one, {}).get(known.form(n)) or said
    return _filled(said, code, {"n": n, **values})


def later(text: str) -> str:
    """Mark a text that `t` says when it is shown, so that it gets into the catalogues."""
    return text


def number(value: float, spec: str = ",") -> str:
    """A number in the language's manner; `spec` as Python's: `,`, `.2f`, `,.1f` or `.0%`."""
    return _Words(language()).format_field(value, spec)


def day(moment: str) -> str:
    """The day of a moment (ISO 8601, UTC) in the language's manner; as it stands in English."""
    code = language()
    return (
        moment[:10] if code == "en" else format_date(date.fromisoformat(moment[:10]), "medium", locale=code)
    )


def words() -> dict[str, Any]:
    """What the page's scripts need: the language, and their messages in it. None are needed in English."""
    code = language()
    if code == "en":
        return {"language": "en", "one": {}, "several": {}}
    known = catalogue(code)
    return {
        "language": code,
        "one": {each: known.one[each] for each in known.scripts if each in known.one},
        "several": {
            each: list(known.several[each].values()) for each in known.scripts if each in known.several
        },
    }


class Known:
    """A catalogue as it is looked things up in."""

    def __init__(self, made: Catalog) -> None:
        self.one: dict[str, str] = {}
        self.several: dict[str, dict[int, str]] = {}
        self.scripts: list[str] = []
        self._order = _FORMS.get(made.num_plurals, _FORMS[6])
        self._rule = Locale.parse(str(made.locale)).plural_form
        for message in made:
            if not message.id or message.fuzzy:
                continue
            if isinstance(message.id, tuple):
                key = str(message.id[0])
                self.several[key] = dict(enumerate(message.string or ()))
            else:
                key = str(message.id)
                self.one[key] = str(message.string)
            if any(place.endswith(".js") for place, _ in message.locations):
                self.scripts.append(key)

    def form(self, n: int) -> int:
        """Which of a message's forms is that of a count."""
        named = self._rule(n)
        return self._order.index(named) if named in self._order else len(self._order) - 1


@cache
def catalogue(code: str) -> Known:
    """The messages of a language that is not English."""
    with (FOLDER / f"{code}.po").open("rb") as file:
        return Known(read_po(file, locale=code))


def _filled(text: str, code: str, values: Mapping[str, Any]) -> str:
    return text.format(**values) if code == "en" else _Words(code).vformat(text, (), values)


class _Words(Formatter):
    """Puts values into a text as the language writes them."""

    _FIXED = re.compile(r"(,?)\.(\d)f")

    def __init__(self, code: str) -> None:
        self.code = code

    def format_field(self, value: Any, format_spec: str) -> str:
        """As `str.format` does in English; numbers and dates by the Unicode locale data elsewhere."""
        if self.code == "en":
            return format(value, format_spec)
        if isinstance(value, date) and not format_spec:
            return format_date(value, "medium", locale=self.code)
        if isinstance(value, int | float) and not isinstance(value, bool):
            if format_spec in ("", ",", "g"):
                return format_decimal(value, group_separator=format_spec == ",", locale=self.code)
            if format_spec == ".0%":
                return format_percent(value, locale=self.code)
            if (fixed := self._FIXED.fullmatch(format_spec)) is not None:
                digits = "0" * int(fixed[2])
                pattern = f"#,##0.{digits}" if digits else "#,##0"
                return format_decimal(
                    value, pattern, group_separator=bool(fixed[1]), locale=Locale.parse(self.code)
                )
        return format(value, format_spec)
