"""Sums: expressions, and values from one unit to another."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any

from pydantic import Field

from state.model import State
from tools.base import Step, ToolError, World, tool
from tools.python.expressions import worked_out
from tools.python.quantities import precise, registry, spelled, unit_of

_RATIOS = {
    "ratio": 10, "power ratio": 10, "linear": 10, "power": 10, "linear power": 10, "intensity": 10,
    "sigma0": 10,
    "amplitude ratio": 20, "amplitude": 20, "linear amplitude": 20, "field": 20, "voltage ratio": 20,
}  # fmt: skip
"""What a level in decibels stands for without a reference, and what times its logarithm that is."""
_LEVELS_W = {"dbm": 1e-3, "dbw": 1.0}
_SHOWN_DIGITS = 60
_EXACT = 2**53

UnitText = Annotated[
    str,
    Field(max_length=80, description="A unit: km, nautical miles, acres, m/s, degrees C, dB, power ratio."),
]


@tool("python")
def calculate(
    state: State,
    world: World,
    *,
    expression: Annotated[
        str,
        Field(
            min_length=1,
            max_length=500,
            description="A sum: + - * / // % ^ ( ), functions such as sqrt and sin (radians), 15% of 240, "
            "units as in 5 km / 20 min.",
            json_schema_extra={"format": "expression"},
        ),
    ],
    unit: Annotated[UnitText | None, Field(description="The unit that the result is wanted in.")] = None,
) -> Step:
    """Work out an expression with numbers, functions and units, exactly where that is possible.

    Whole numbers and decimals are reckoned with as fractions; log is the natural logarithm, angles are
    radians unless they bear a unit. Results are limited to 8,192 bits.

    Example: copilot call calculate expression="3 * (4 + 5)^2"

    Asked as: what is 17 times 23 | compute 2^10 | how much is 15 % of 240 | work out sqrt(2) / 3 | add up 3.5
    and 4.25 | divide 1,200 by 7 | how fast is 5 km in 20 minutes
    """
    plain, wanted = _asked(expression, unit)
    value = worked_out(plain)
    value = _settled(value) if wanted is None else _in_unit(value, wanted, expression)
    number: Any = getattr(value, "magnitude", value)
    number = number if isinstance(number, (float, Fraction)) else Fraction(number)
    name = spelled(value.units, number) if value is not number and hasattr(value, "units") else ""
    shown = _shown(number)
    said = f"{' '.join(plain.split())} = {shown}{f' {name}' if name else ''}."
    return Step(state, said, {"value": _plain(number), "text": _text(number), "unit": name})


@tool("python")
def convert_units(
    state: State,
    world: World,
    *,
    value: Annotated[float, Field(description="How many of the unit to convert from.")],
    from_unit: UnitText,
    to_unit: UnitText,
) -> Step:
    """Convert a value from one unit to another: lengths, areas, speeds, temperatures, decibels and more.

    Definitions are Pint's (SI brochure, NIST SP 811), exact where they are; acres are international
    (4,046.8564224 m²). C and F alone are temperatures. A level in dB is 10 log10 of a power ratio or 20
    log10 of an amplitude ratio; dBm and dBW refer to 1 mW and 1 W.

    Example: copilot call convert_units value=26.2 from_unit=miles to_unit=km

    Asked as: how many hectares are 500 acres | convert 12 knots to km/h | 68 °F in Celsius | 30 nautical
    miles in kilometres | what is -17 dB as a power ratio | square feet to square metres
    """
    exact = Fraction(repr(value))
    source, target = from_unit.strip(), to_unit.strip()
    if _is_level(source) or _is_level(target):
        result: Fraction | float = _level(value, source, target)
        names = (source, target)
    else:
        had, wanted = unit_of(source), unit_of(target)
        result = _converted(registry().Quantity(exact, had), wanted, target).magnitude
        names = (spelled(had, exact), spelled(wanted, result))
        _not_too_cold(registry().Quantity(exact, had))
    _in_range(result, value, names)
    said = f"{precise(exact)} {names[0]} = {precise(result)} {names[1]}."
    facts = {"value": _plain(result), "unit": names[1], "from_value": value, "from_unit": names[0]}
    return Step(state, said, facts)


def _asked(expression: str, unit: str | None) -> tuple[str, str | None]:
    """The sum and the unit that its result is wanted in, which may stand at its end: `5 km in miles`."""
    plain = expression.strip().rstrip("=? ")
    found = re.fullmatch(r"(.*\S)\s+(?:in|to|as)\s+(\D.{0,79})", plain)
    return (found[1], found[2]) if found and unit is None else (plain, unit)


def _settled(value: Any) -> Any:
    """A product of units that measures a length, a time or a mass, in the unit of that."""
    if hasattr(value, "to") and len(value.units._units) > 1 and list(value.dimensionality.values()) == [1]:
        return value.to_base_units()
    return value


def _in_unit(value: Any, unit: str, expression: str) -> Any:
    if not hasattr(value, "to"):
        raise ToolError(
            f"{expression[:80]!r} comes to a plain number without a unit; leave out unit={unit!r}, "
            "or write the "
            "units in the expression."
        )
    return _converted(value, unit_of(unit), unit)


def _converted(quantity: Any, wanted: Any, named: str) -> Any:
    from pint import DimensionalityError

    try:
        return quantity.to(wanted)
    except DimensionalityError:
        raise ToolError(
            f"{spelled(quantity.units) or 'A plain number'} cannot be converted to {named}: the one is "
            f"{_dimension(quantity.units)}, the other {_dimension(wanted)}."
        ) from None
    except (OverflowError, ValueError) as error:
        raise ToolError(f"{quantity.magnitude!s:.40} is too large for a conversion to {named}.") from error


def _not_too_cold(quantity: Any) -> None:
    """Raises ToolError for a temperature below absolute zero, 0 K."""
    if quantity.dimensionality == {"[temperature]": 1} and quantity.to("kelvin").magnitude < 0:
        said = f"{precise(quantity.magnitude)} {spelled(quantity.units)}"
        raise ToolError(f"{said} is below absolute zero, which is -273.15 °C; give a temperature above it.")


def _dimension(unit: Any) -> str:
    """What a unit measures, as a sentence says it: `a length`, `length/time²`."""
    parts = {str(name).strip("[]"): int(power) for name, power in unit.dimensionality.items()}
    if not parts:
        return "a plain number"
    known = {(("length", 1),): "a length", (("length", 2),): "an area", (("length", 3),): "a volume",
             (("time", 1),): "a time", (("mass", 1),): "a mass", (("temperature", 1),): "a temperature",
             (("length", 1), ("time", -1)): "a speed"}  # fmt: skip
    key = tuple(sorted(parts.items()))
    return known.get(key) or " ".join(f"{name}^{power}" if power != 1 else name for name, power in key)


def _is_level(text: str) -> bool:
    return text.casefold() in ("db", "decibel", "decibels", *_LEVELS_W)


def _level(value: float, source: str, target: str) -> float:
    """A level from or to what it is the logarithm of."""
    had, wanted = source.casefold(), target.casefold()
    try:
        if had in _LEVELS_W or wanted in _LEVELS_W:
            watts = _LEVELS_W[had] * 10 ** (value / 10) if had in _LEVELS_W else _watts(value, source)
            if wanted in _LEVELS_W:
                return 10 * math.log10(_positive(watts, source) / _LEVELS_W[wanted])
            return float(_converted(registry().Quantity(watts, "watt"), unit_of(target), target).magnitude)
        if _is_level(source) and _is_level(target):
            return value
        other = wanted if _is_level(source) else had
        factor = _RATIOS.get(other)
        if factor is None:
            raise ToolError(
                "A level in dB is converted to or from a power ratio or an amplitude ratio, not "
                f"{other[:40]!r}."
            )
        return 10 ** (value / factor) if _is_level(source) else factor * math.log10(_positive(value, source))
    except OverflowError:
        raise ToolError(
            f"{value:g} {source} is more than a number can hold; levels go to 3,000 dB."
        ) from None


def _watts(value: float, unit: str) -> float:
    if _is_level(unit):
        raise ToolError("dB without a reference is no power; give dBm or dBW.")
    return float(
        _converted(registry().Quantity(value, unit_of(unit)), registry().Unit("watt"), "W").magnitude
    )


def _positive(value: float, unit: str) -> float:
    if value <= 0:
        raise ToolError(f"{value:g} {unit} has no level in decibels; only what is above 0 has one.")
    return value


def _in_range(result: Fraction | float, value: float, names: tuple[str, str]) -> None:
    try:
        if math.isfinite(float(result)):
            return
    except OverflowError:
        pass
    raise ToolError(f"{value:g} {names[0]} in {names[1]} is more than a number can hold.")


def _plain(number: Fraction | float) -> int | float | None:
    """A JSON number; None where it is beyond what one holds."""
    if isinstance(number, Fraction) and number.denominator == 1 and abs(number) < _EXACT:
        return int(number)
    try:
        return float(number)
    except OverflowError:
        return None


def _text(number: Fraction | float) -> str:
    """Every digit of a whole number, a fraction as one, a float with 17 digits."""
    return str(number) if isinstance(number, Fraction) else repr(number)


def _shown(number: Fraction | float) -> str:
    """The result for a sentence, with its count of digits where there are very many."""
    if isinstance(number, float):
        return precise(number)
    if number.denominator == 1:
        digits = f"{abs(number.numerator):,}"
        if len(digits) <= _SHOWN_DIGITS * 4 // 3:
            return precise(number)
        plain = str(number.numerator)
        return f"{plain[:20]}…{plain[-5:]} ({len(plain.lstrip('-')):,} digits)"
    try:
        return precise(number)
    except OverflowError:
        return f"{Decimal(number.numerator) / Decimal(number.denominator):.12g}"


TOOLS = (calculate, convert_units)
