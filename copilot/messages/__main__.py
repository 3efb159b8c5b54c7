"""Brings the catalogues up to date with the sources: python -m copilot.messages

New messages come in empty, those that nobody says any more go; what is missing is printed, by language.
"""

from __future__ import annotations

from datetime import UTC, datetime

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from copilot.messages import FOLDER, LANGUAGES
from copilot.messages.extracting import template


def updated(code: str, wanted: Catalog) -> Catalog:
    """The catalogue of a language with the messages of the sources, and no others."""
    path = FOLDER / f"{code}.po"
    made = Catalog(
        locale=code,
        header_comment=f"# What Azimuth says, in {Locale.parse(code).english_name}.",
        project="Azimuth",
        last_translator="Azimuth",
        language_team=code,
        creation_date=datetime(2026, 11, 28, tzinfo=UTC),
        revision_date=datetime(2026, 11, 28, tzinfo=UTC),
        charset="utf-8",
        fuzzy=False,
    )
    if path.exists():
        with path.open("rb") as file:
            made = read_po(file, locale=code)
    made.update(wanted, no_fuzzy_matching=True, update_header_comment=False, update_creation_date=False)
    made.obsolete.clear()
    return made


def missing(made: Catalog) -> list[str]:
    """The messages of a catalogue that have no translation, or not in every form."""
    found = []
    for each in made:
        if each.id and not (all(each.string) if isinstance(each.string, tuple) else each.string):
            found.append(str(each.id))
    return found


def main() -> None:
    """Write each catalogue, and say what is missing."""
    wanted = template()
    for code in LANGUAGES:
        if code == "en":
            continue
        made = updated(code, wanted)
        with (FOLDER / f"{code}.po").open("wb") as file:
            write_po(file, made, width=110, include_lineno=False, sort_by_file=True, ignore_obsolete=True)
        print(f"{code}: {len(made)} messages, {len(missing(made))} without a translation")
        for each in missing(made)[:20]:
            print(f"  {each}")


if __name__ == "__main__":
    main()
