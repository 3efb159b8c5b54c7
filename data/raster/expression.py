"""Sums over bands as people write them, `(nir - red) / (nir + red)`, read safely and computed on blocks."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.raster.errors import RasterError

Block = NDArray[Any]
"""Pixel values of a band in a window, or a plain number."""

MAX_CHARS = 1000
MAX_PARTS = 300
"""Numbers, names, operators and calls in one expression: what a person writes has a few dozen."""

_CALL_SIZES: dict[str, tuple[int, int]] = {
    **dict.fromkeys(
        ("abs", "sqrt", "exp", "log", "log10", "log2", "sin", "cos", "tan", "arcsin", "arccos", "arctan"),
        (1, 1),
    ),
    **dict.fromkeys(("floor", "ceil", "round", "radians", "degrees"), (1, 1)),
    **dict.fromkeys(("arctan2", "hypot", "pow"), (2, 2)),
    **dict.fromkeys(("min", "max", "mean"), (2, 20)),
    **dict.fromkeys(("where", "clip"), (3, 3)),
}
_ALIASES = {
    "ln": "log",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "minimum": "min",
    "maximum": "max",
    "average": "mean",
}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.true_divide,
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.mod,
    ast.Pow: np.power,
    ast.BitAnd: np.logical_and,
    ast.BitOr: np.logical_or,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: np.negative,
    ast.UAdd: np.positive,
    ast.Not: np.logical_not,
    ast.Invert: np.logical_not,
}
CONSTANTS = {"pi": math.pi, "e": math.e}


@dataclass(frozen=True)
class Expression:
    """An expression that was read: its text, the names it asks values for, and how it is computed."""

    text: str
    names: tuple[str, ...]
    """In the order of their first use, as they were written."""
    is_condition: bool
    """Whether the result is true or false, not a number."""
    tree: ast.expr

    def evaluate(self, values: Mapping[str, Block]) -> Block:
        """The value on blocks of one shape, in their own precision (floats expected).

        What is undefined (0/0, the root of a negative number) is NaN, and x/0 is infinite: the caller
        makes nodata of both. A result that depends on no name is a plain number.
        """
        with np.errstate(all="ignore"):
            result: Block = np.asarray(_value(self.tree, values))
        return result


def parse(text: str, names: frozenset[str] | None = None) -> Expression:
    """Read an expression: + - * / // % ** (or ^), comparisons, and or not, `a if c else b`, functions.

    Names are those in `names`, or any where that is None. Raises RasterError in one sentence.
    """
    if len(text) > MAX_CHARS:
        raise RasterError(f"An expression may have {MAX_CHARS:,} characters, and this one has {len(text):,}.")
    # Python's ^ binds weaker than +, which nobody who writes A^2 + 1 means.
    plain = text.replace("^", "**").strip()
    try:
        tree = ast.parse(plain, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise RasterError(f"{_shown(text)} is not an expression such as (A - B) / (A + B).") from error
    parts = _parts(tree)
    if len(parts) > MAX_PARTS:
        raise RasterError(f"An expression may have {MAX_PARTS} parts, and this one has {len(parts)}.")
    called = {id(part.func) for part in parts if isinstance(part, ast.Call)}
    found: dict[str, None] = {}
    for part in parts:
        _check(part)
        if isinstance(part, ast.Name) and id(part) not in called:
            _check_name(part.id, names)
            found[part.id] = None
    used = tuple(name for name in found if name in (names or ()) or name not in CONSTANTS)
    return Expression(" ".join(text.split()), used, _is_condition(tree), tree)


def _parts(tree: ast.expr) -> list[ast.expr]:
    """Every part in the order in which it is written; the operators' own markers left out."""
    return sorted(
        (part for part in ast.walk(tree) if isinstance(part, ast.expr)),
        key=lambda part: (part.lineno, part.col_offset),
    )


def _check(part: ast.expr) -> None:
    if isinstance(part, ast.Constant):
        if isinstance(part.value, (str, bytes, complex)) or part.value is None or part.value is Ellipsis:
            raise RasterError(f"An expression holds numbers and band names, not {_shown(part.value)}.")
        _number(part.value)
    elif isinstance(part, ast.BinOp):
        if type(part.op) not in _BINARY:
            raise RasterError("An expression may use + - * / // % ** and &, |; not that operator.")
        if isinstance(part.op, (ast.BitAnd, ast.BitOr)):
            _check_conditions((part.left, part.right))
    elif isinstance(part, ast.Compare):
        if any(type(op) not in _COMPARE for op in part.ops):
            raise RasterError("An expression may compare with < <= > >= == and !=, and with nothing else.")
    elif isinstance(part, ast.Call):
        _check_call(part)
    elif not isinstance(part, (ast.Name, ast.UnaryOp, ast.BoolOp, ast.IfExp)):
        raise RasterError(
            "An expression is made of numbers, band names, operators and functions such as sqrt and where."
        )


def _check_call(part: ast.Call) -> None:
    if not isinstance(part.func, ast.Name) or part.keywords:
        raise RasterError("A function is called by its name with values in brackets: sqrt(A), max(A, B).")
    name = _function(part.func.id)
    if name not in _CALL_SIZES:
        raise RasterError(f"There is no function {_shown(part.func.id)}; there are {', '.join(_CALL_SIZES)}.")
    least, most = _CALL_SIZES[name]
    if not least <= len(part.args) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        raise RasterError(f"{part.func.id} takes {wanted} values, and was given {len(part.args)}.")


def _check_conditions(sides: tuple[ast.expr, ast.expr]) -> None:
    """& binds stronger than <, so that `A > 1 & B < 2` is read as nobody means it."""
    if not all(_is_condition(side) for side in sides):
        raise RasterError("& and | join conditions in brackets, as in (A > 1) & (B < 2); `and` needs none.")


def _check_name(name: str, names: frozenset[str] | None) -> None:
    if names is None or name in names or name in CONSTANTS:
        return
    known = ", ".join(sorted(names, key=lambda each: (len(each), each))[:20])
    raise RasterError(f"Nothing here is called {_shown(name)}; there are {known}.")


def _is_condition(tree: ast.expr) -> bool:
    if isinstance(tree, ast.Compare):
        return True
    if isinstance(tree, ast.BoolOp):
        return all(_is_condition(each) for each in tree.values)
    if isinstance(tree, ast.UnaryOp):
        return isinstance(tree.op, (ast.Not, ast.Invert))
    if isinstance(tree, ast.BinOp):
        return isinstance(tree.op, (ast.BitAnd, ast.BitOr))
    return False


def _function(name: str) -> str:
    return _ALIASES.get(name.lower(), name.lower())


def _number(value: Any) -> float:
    try:
        return float(value)
    except OverflowError as error:
        raise RasterError("A number in the expression is too large to compute with.") from error


def _value(part: ast.expr, values: Mapping[str, Block]) -> Any:
    if isinstance(part, ast.Constant):
        return _number(part.value)  # a Python float takes the precision of the block it meets
    if isinstance(part, ast.Name):
        return values[part.id] if part.id in values else CONSTANTS[part.id]
    if isinstance(part, ast.BinOp):
        left, right = _value(part.left, values), _value(part.right, values)
        if isinstance(part.op, ast.Pow):
            return _power(left, right)
        return _plain(_BINARY[type(part.op)](_numeric(part.op, left), _numeric(part.op, right)))
    if isinstance(part, ast.UnaryOp):
        operand = _value(part.operand, values)
        turned = operand if isinstance(part.op, (ast.Not, ast.Invert)) else _numbers(operand)
        return _plain(_UNARY[type(part.op)](turned))
    if isinstance(part, ast.Compare):
        sides = [_value(each, values) for each in (part.left, *part.comparators)]
        pairs = zip(part.ops, sides, sides[1:], strict=False)
        return reduce(np.logical_and, (_COMPARE[type(op)](left, right) for op, left, right in pairs))
    if isinstance(part, ast.BoolOp):
        join = np.logical_and if isinstance(part.op, ast.And) else np.logical_or
        return reduce(join, (_value(each, values) for each in part.values))
    if isinstance(part, ast.IfExp):
        return _plain(np.where(*(_value(each, values) for each in (part.test, part.body, part.orelse))))
    assert isinstance(part, ast.Call) and isinstance(part.func, ast.Name)
    return _plain(_called(_function(part.func.id), [_value(each, values) for each in part.args]))


def _called(name: str, given: list[Any]) -> Any:
    match name:
        case "min":
            return reduce(np.minimum, given)
        case "max":
            return reduce(np.maximum, given)
        case "mean":
            return _numbers(reduce(np.add, map(_numbers, given))) / float(len(given))
        case "pow":
            return _power(given[0], given[1])
        case "where":
            return np.where(given[0], given[1], given[2])
        case "clip":
            return np.minimum(np.maximum(given[0], given[1]), given[2])
        case _:
            return getattr(np, name)(*map(_numbers, given))


def _power(base: Any, exponent: Any) -> Any:
    """Small whole powers by multiplying, which is many times faster than `pow` and as exact."""
    if isinstance(exponent, float) and exponent in (2.0, 3.0, 4.0):
        square = np.multiply(_numbers(base), base)
        if exponent == 2.0:
            return _plain(square)
        return _plain(np.multiply(square, base if exponent == 3.0 else square))
    return _plain(np.power(_numbers(base), exponent))


def _numeric(operator: ast.operator, value: Any) -> Any:
    return value if isinstance(operator, (ast.BitAnd, ast.BitOr)) else _numbers(value)


def _numbers(value: Any) -> Any:
    """True and false as 1 and 0: numpy has no minus for them."""
    if isinstance(value, (bool, np.bool_)):
        return float(value)
    return value.astype(np.float32) if isinstance(value, np.ndarray) and value.dtype == bool else value


def _plain(value: Any) -> Any:
    """A number that numpy made of plain numbers as a plain one, so that it does not widen the blocks."""
    return float(value) if np.ndim(value) == 0 else value


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
