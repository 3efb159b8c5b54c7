"""The catalogue and the toolbox as the Data and Tools pages show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from copilot.messages import day, later, number, t
from data.schema import DatasetInfo
from tools.base import Tool

CATEGORY_TITLES = {
    "database": later("Database"),
    "map": later("Map"),
    "ui": later("Page"),
    "data": later("Data"),
    "geotools": later("Geotools"),
    "vision": later("Vision"),
    "python": later("Files and sums"),
    "web": later("Web"),
    "knowledge": later("Knowledge"),
    "langchain": later("Text"),
    "openai": later("Model endpoint"),
}


@dataclass(frozen=True)
class DatasetCard:
    """A data set in a few lines."""

    name: str
    title: str
    description: str
    sample: bool
    facts: tuple[tuple[str, str], ...]
    classes: tuple[str, ...]


def dataset_card(info: DatasetInfo) -> DatasetCard:
    """What the Data page says of a data set."""
    features = not (info.sensors or info.modalities)
    facts = [(t("features") if features else t("images"), number(info.images))]
    if info.detections:
        facts.append((t("objects"), number(info.detections)))
    if info.start and info.end:
        facts.append((t("acquired"), f"{day(str(info.start))} – {day(str(info.end))}"))
    if info.sensors:
        facts.append((t("sensors"), ", ".join(info.sensors[:6])))
    if info.gsd_m:
        low, high = info.gsd_m
        facts.append(
            (t("ground sampling distance"), f"{low:g} m" if low == high else f"{low:g} – {high:g} m")
        )
    if info.licence:
        facts.append((t("licence"), info.licence))
    facts.append((t("source"), t("generated here, from a seed") if info.origin == "sample" else info.source))
    if info.private:
        facts.append((t("seen by"), t("you alone")))
    names = tuple(each.name for each in info.classes)
    return DatasetCard(info.name, info.title, info.description, info.origin == "sample", tuple(facts), names)


@dataclass(frozen=True)
class Argument:
    """One argument of a tool."""

    name: str
    kind: str
    required: bool
    about: str


def arguments_of(tool: Tool) -> tuple[Argument, ...]:
    """A tool's arguments, from its schema."""
    required = set(tool.schema.get("required", ()))
    return tuple(
        Argument(name, kind_text(schema), name in required, str(schema.get("description", "")))
        for name, schema in tool.schema.get("properties", {}).items()
    )


def kind_text(schema: dict[str, Any]) -> str:
    """A JSON schema's type in a few words."""
    if "enum" in schema:
        return " or ".join(str(each) for each in schema["enum"])
    if "anyOf" in schema:
        kinds = [kind_text(each) for each in schema["anyOf"] if each.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    kind = str(schema.get("type", "value"))
    return f"list of {kind_text(schema['items'])}" if kind == "array" and "items" in schema else kind


def example_of(tool: Tool) -> str:
    """The example in a tool's docstring; empty without one."""
    lines = [line.strip() for line in (tool.function.__doc__ or "").splitlines()]
    return next((line.removeprefix("Example: ") for line in lines if line.startswith("Example: ")), "")


def by_category(tools: Iterable[Tool]) -> dict[str, list[Tool]]:
    """Tools under their category's title, in the order of the toolbox."""
    found: dict[str, list[Tool]] = {}
    for each in tools:
        found.setdefault(t(CATEGORY_TITLES.get(each.category, each.category)), []).append(each)
    return found
