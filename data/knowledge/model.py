"""What the knowledge base is made of: entries with their sources, and passages that are quoted."""

from __future__ import annotations

from dataclasses import dataclass

KINDS = (
    "concept", "sensor", "platform", "band", "product", "level", "index", "correction", "measure", "method",
    "phenomenon", "dataset", "class", "disaster", "aircraft", "ship", "tool",
)  # fmt: skip
BUILT_IN = "built in"
"""The shelf of what comes with Azimuth."""
EMBEDDED_WORDS = 70
"""Words of a passage that its vector is of: the mean over more says less of each."""


@dataclass(frozen=True)
class Source:
    """Where a statement is from."""

    title: str
    by: str = ""
    year: int | None = None
    where: str = ""
    """A DOI, a standard's section, a manual's page."""

    def __str__(self) -> str:
        parts = (self.by, str(self.year) if self.year else "", self.title, self.where)
        return ", ".join(each for each in parts if each)


@dataclass(frozen=True)
class Fact:
    """One value that is known of an entry's subject."""

    key: str
    value: str
    unit: str = ""
    source: int | None = None
    """Which of the entry's sources, the first is 1."""


@dataclass(frozen=True)
class Entry:
    """What is known of one subject, in our own words."""

    id: str
    title: str
    kind: str
    text: str
    sources: tuple[Source, ...]
    aliases: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    relations: tuple[tuple[str, str], ...] = ()
    """(predicate, an entry's id or plain words)."""
    file: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Its title, without what stands in brackets too, without its maker, and its aliases.

        A number alone is none: Boeing 747-8 is 747-8, but Cessna 172 is not 172.
        """
        short = self.title.partition(" (")[0]
        makers = [f"{each.value} " for each in self.facts if each.key == "maker"]
        models = [short.removeprefix(each) for each in makers if short.startswith(each)]
        return tuple(
            dict.fromkeys(
                (self.title, short, *self.aliases, *(each for each in models if not each.isdigit()))
            )
        )


@dataclass(frozen=True)
class Passage:
    """A piece of text that is found, quoted and cited."""

    id: str
    text: str
    """Sentences; statements of facts stand in lines of their own."""
    title: str
    document: str
    """What it is of: `built in`, a file's name."""
    page: int | None = None
    heading: str = ""
    licence: str = ""
    sources: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def cited(self) -> str:
        """How it is named behind a quotation: the entry's title, or file and page."""
        if self.document == BUILT_IN:
            return self.title
        page = f", p. {self.page}" if self.page is not None else ""
        heading = f", {self.heading}" if self.heading and self.page is None else ""
        return f"{self.document}{page}{heading}"

    @property
    def searched(self) -> str:
        """What its vector is of: what it is about and its beginning; BM25 reads all of it."""
        title = self.title if self.heading in ("", self.title) else f"{self.title}: {self.heading}"
        return " ".join(f"{title}. {self.text}".split(" ")[:EMBEDDED_WORDS])


@dataclass(frozen=True)
class Entity:
    """Something that passages are about."""

    id: str
    name: str
    names: tuple[str, ...]
    about: str = ""
    passages: tuple[int, ...] = ()
    """Rows of the passages that it stands in, those that are about it first."""

    @property
    def searched(self) -> str:
        """What its vector is of: what is said of it, else its name."""
        return self.about or self.name


@dataclass(frozen=True)
class Relation:
    """What holds between two things, and where that stands."""

    subject: str
    predicate: str
    object: str
    passages: tuple[int, ...] = ()
    """Rows of the passages: where it is said first, then those about what it leads to."""

    @property
    def searched(self) -> str:
        """What its vector is of."""
        return f"{self.subject} {self.predicate} {self.object}"
