"""Whether a user's SQL is one SELECT over the catalogue's views, judged on the parsed statement."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

import duckdb

from data.catalogue.base import CatalogueError
from data.catalogue.spatial import CLOSED, Settings

TABLE_FUNCTIONS = frozenset({"unnest", "range", "generate_series"})
"""Functions that may stand in FROM: they make rows out of values."""
_FORBIDDEN_FUNCTIONS = re.compile(
    r"^(read_|write_|parquet_|sniff_|glob$|duckdb_|pragma_|query$|query_table$|json_execute_|json_serialize_plan"
    r"|getenv|getvariable|current_setting|set_config|nextval|currval|st_read|st_drivers|from_substrait|sqlite_|postgres_"
    r"|pg_|lo_|dblink|query_to_|table_to_|schema_to_|database_to_|cursor_to_|ts_stat|txid_|current_user|session_user|copy_|which_secret|sleep|test_)"
)
_DIFFERS = frozenset(
    {"random", "setseed", "uuid", "uuidv4", "uuidv7", "gen_random_uuid", "now", "get_current_timestamp",
     "current_timestamp", "transaction_timestamp", "current_date", "today", "get_current_time",
     "current_localtime", "current_localtimestamp"}
)  # fmt: skip
"""Functions of chance and of the clock."""
_CLOCK = frozenset({"current_date", "current_timestamp", "current_time", "localtime", "localtimestamp"})
"""What is written like a column, and is the clock."""
_local = threading.local()


def check_select(query: str, views: tuple[str, ...]) -> None:
    """CatalogueError unless `query` is one SELECT that reads nothing but `views` and its own CTEs."""
    tree = parse_select(query, views)
    nodes = list(_nodes(tree))
    cte_names = {entry["key"].lower() for node in nodes for entry in _cte_entries(node)}
    for node in nodes:
        _check_node(node, views, cte_names)


def parse_select(query: str, views: tuple[str, ...] = ()) -> dict[str, Any]:
    """The one statement's tree as DuckDB's parser gives it; CatalogueError when it is no single SELECT."""
    wanted = f"write one SELECT over {', '.join(views)}" if views else "write one SELECT"
    if not query.strip():
        raise CatalogueError(f"The query is empty; {wanted}.")
    row = _parser().execute("SELECT json_serialize_sql($q)", {"q": query}).fetchone()
    parsed: dict[str, Any] = json.loads(row[0]) if row else {"error": True}
    if parsed.get("error"):
        message = str(parsed.get("error_message", "it cannot be read"))
        if "Only SELECT" in message and "pivot" in query.lower():
            raise CatalogueError(
                "A PIVOT can only be run here with the values that become columns named: PIVOT readings ON "
                "stop IN ('a', 'b') USING first(d) GROUP BY school."
            )
        if "Only SELECT" in message:
            raise CatalogueError(
                f"Only a SELECT can be run here, not a statement that changes or sets something; {wanted}."
            )
        raise CatalogueError(sentence(message))
    statements = parsed["statements"]
    if len(statements) != 1:
        raise CatalogueError(f"The query holds {len(statements)} statements; {wanted}.")
    tree: dict[str, Any] = statements[0]["node"]
    return tree


def tables_of(query: str) -> list[str]:
    """The tables that one SELECT reads, as it calls them, without its own CTEs; each once.

    Raises CatalogueError when it is no single SELECT.
    """
    nodes = list(_nodes(parse_select(query)))
    own = {entry["key"].lower() for node in nodes for entry in _cte_entries(node)}
    read = (str(each.get("table_name", "")) for each in nodes if each.get("type") == "BASE_TABLE")
    return list(dict.fromkeys(name for name in read if name.lower() not in own))


def functions_of(query: str) -> set[str]:
    """The functions that one SELECT calls, in small letters. Raises CatalogueError when it is none."""
    names = (each.get("function_name") for each in _nodes(parse_select(query)))
    return {name.lower() for name in names if isinstance(name, str)}


def transform_targets(query: str) -> set[str]:
    """The systems that one SELECT names as the last of ST_Transform(shape, from, to)."""
    calls = [each for each in _nodes(parse_select(query)) if each.get("function_name") == "st_transform"]
    targets = [each["children"][2] for each in calls if len(each.get("children", ())) > 2]
    return {str(each["value"]["value"]) for each in targets if each.get("type") == "VALUE_CONSTANT"}


def leaves_groups_unordered(query: str) -> bool:
    """Whether a SELECT's rows are groups or distinct values that it puts in no order."""
    tree = parse_select(query)
    modifiers = {each["type"] for each in tree.get("modifiers", [])}
    grouped = (
        bool(tree.get("group_expressions"))
        or tree.get("aggregate_handling") == "FORCE_AGGREGATES"
        or "DISTINCT_MODIFIER" in modifiers
    )
    return grouped and not modifiers & {"ORDER_MODIFIER", "LIMIT_MODIFIER"}


def bare(query: str) -> str:
    """A statement without the semicolons that end it, nor comments after them."""
    text = query.encode()
    end = len(text)
    for start, _ in reversed(duckdb.tokenize(query)):
        if text[start : start + 1] != b";":
            break
        end = start
    return text[:end].decode()


def sentence(message: str) -> str:
    """A database's message as one sentence: without its kind, the echo of the query, and line breaks."""
    unknown = re.search(r'(?:Referenced )?column "?([\w.]+)"? (?:not found|does not exist)', message)
    if unknown:
        near = re.search(r'(?:Candidate bindings: "|the column "(?:\w+\.)?)([^"]+)"', message)
        hint = f"; did you mean {near[1]!r}?" if near else "."
        return f"There is no column {unknown[1]!r}{hint}"
    if (near := re.search(r'syntax error at or near "([^"]+)"', message)) is not None:
        return (
            f"There is a syntax error at or near {near[1]!r}; a name that is a word of SQL goes behind AS, "
            "or into double quotes."
        )
    if (
        two := re.search(r"First geometry type is in '([^']+)' .* compatible with '([^']+)'", message)
    ) is not None:
        return (
            f"The shapes are in two coordinate systems, {two[1]!r} and {two[2]!r}; bring both into one: "
            "in_degrees(geometry), in_metres(geometry), or ST_Transform(geometry, 'EPSG:3035')."
        )
    text = re.split(r"\n[^\S\n]*LINE \d+:|\nHINT|\nPossible solutions", message)[0]
    text = re.sub(r"^(\w+ )*(Error|Exception): ", "", text.strip())
    text = " ".join(text.split()).replace("! Did you", "; did you")
    return text.rstrip(" .!") + ("" if text.endswith("?") else ".")


INSTEAD = {
    "st_geometryn": "unnest(ST_Dump(geometry), recursive := true)",
    "st_interiorrings": "ST_InteriorRingN(geometry, n)",
    "st_isvalidreason": "the tool inspect",
    "st_split": "the tool split_geometry",
    "st_subdivide": "grid_over with intersection",
    "st_segmentize": "the tool convert_geometry (densify)",
    "st_srid": "ST_CRS",
    "st_setsrid": "ST_SetCRS(geometry, 'EPSG:4326')",
    "st_geogfromtext": "ST_GeomFromText",
    "st_geomfromwkt": "ST_GeomFromText",
    "st_asewkt": "ST_AsText",
    "st_distancesphere": "ST_Distance_Sphere",
    "st_clusterdbscan": "the tool dbscan",
    "st_unaryunion": "ST_Union_Agg",
    "unaccent": "strip_accents",
    "initcap": "upper(left(name, 1)) || lower(substr(name, 2))",
    "to_date": "strptime(text, '%d/%m/%Y')::DATE",
    "to_number": "TRY_CAST(text AS DOUBLE)",
    "isnumeric": "TRY_CAST(text AS DOUBLE) IS NOT NULL",
}
"""What does here what functions of PostGIS and other databases do."""


def unknown_function(message: str, there: Iterable[str]) -> str | None:
    """The sentence about a function that a database does not have, with the nearest that it has."""
    found = re.search(r'Function with name "?(\w+)"? does not exist', message)
    if found is None:
        return None
    name = found[1].lower()
    if (instead := INSTEAD.get(name)) is not None:
        return f"There is no function {name}; {instead} does that."
    names = sorted({each.lower() for each in there})
    near = get_close_matches(name, names, n=3, cutoff=0.6)
    hint = f"; did you mean {' or '.join(near)}?" if near else "."
    return f"There is no function {name}{hint}"


def _check_node(node: dict[str, Any], views: tuple[str, ...], cte_names: set[str]) -> None:
    kind = node.get("type")
    if kind == "BASE_TABLE":
        name = str(node.get("table_name", ""))
        outside = node.get("catalog_name") or node.get("schema_name") not in ("", None)
        if outside or (name.lower() not in views and name.lower() not in cte_names):
            full = ".".join(p for p in (node.get("catalog_name"), node.get("schema_name"), name) if p)
            raise CatalogueError(f"There is no table {full!r} to read here; there are {', '.join(views)}.")
    elif kind == "TABLE_FUNCTION":
        name = str((node.get("function") or {}).get("function_name", ""))
        if name.lower() not in TABLE_FUNCTIONS:
            raise CatalogueError(
                f"The function {name!r} cannot be read from here, since no file is reached; there are "
                f"{', '.join(views)}."
            )
    elif kind == "SHOW_REF":
        raise CatalogueError(f"Only a SELECT can be run here; write one over {', '.join(views)}.")
    function = node.get("function_name")
    if isinstance(function, str) and _FORBIDDEN_FUNCTIONS.match(function.lower()):
        raise CatalogueError(
            f"The function {function!r} cannot be used here; it reaches beyond the catalogue's rows."
        )
    if (what := _differing(node)) is not None:
        raise CatalogueError(
            f"{what} gives something else each time, and a conversation gives the same when it is replayed; "
            "sample_rows takes rows by chance with a seed, and hash(…) puts them in an order like chance."
        )
    # DuckDB's parser puts `main` before the functions that it reads [1, 2] and {'a': 1} as.
    if isinstance(function, str) and (node.get("schema") not in ("", None, "main") or node.get("catalog")):
        raise CatalogueError(f"The function {function!r} must be named without a schema.")


def _differing(node: dict[str, Any]) -> str | None:
    """What in a node is of chance or of the clock; None where nothing is."""
    if node.get("sample"):
        return "A sample"
    names = node.get("column_names") or []
    if len(names) == 1 and str(names[0]).lower() in _CLOCK:
        return f"{names[0]!r}"
    function = str(node.get("function_name") or "").lower()
    if function in _DIFFERS or (function == "age" and len(node.get("children") or []) == 1):
        return f"The function {function!r}"
    return None


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from _nodes(part)
    elif isinstance(value, list):
        for part in value:
            yield from _nodes(part)


def _cte_entries(node: dict[str, Any]) -> list[dict[str, Any]]:
    ctes = node.get("cte_map")
    return list(ctes.get("map", [])) if isinstance(ctes, dict) else []


def _parser() -> duckdb.DuckDBPyConnection:
    connection: duckdb.DuckDBPyConnection | None = getattr(_local, "parser", None)
    if connection is None:
        config: Settings = {
            **CLOSED,
            "threads": 1,
            "enable_external_access": "false",
            "lock_configuration": "true",
        }
        connection = _local.parser = duckdb.connect(":memory:", config=config)
    return connection
