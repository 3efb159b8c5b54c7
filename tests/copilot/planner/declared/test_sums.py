"""What the wording of a sum, a conversion or a position tells."""

from __future__ import annotations

from datetime import date

import pytest

from copilot.planner.declared.idioms.sums import IDIOMS, told

TODAY = date(2024, 6, 15)


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ("how much is 12% of 850", "calculate", {"expression": "12 / 100 * 850"}),
        ("1,250 divided by 8, please", "calculate", {"expression": "1250 / 8"}),
        ("sum of 17.5, 3.25 and 9.25", "calculate", {"expression": "17.5 + 3.25 + 9.25"}),
        ("45 km in 30 min, how many km/h is that", "calculate", {"expression": "45 km / 30 min", "unit": "km/h"}),
        ("25 nautical miles -> kilometres", "convert_units", {"value": 25, "from_unit": "nautical miles", "to_unit": "kilometres"}),
        ("-12 dB as a linear power ratio", "convert_units", {"value": -12, "from_unit": "dB", "to_unit": "power ratio"}),
        ("which UTM zone is 60 N 4 E in?", "convert_coordinates", {"coordinates": "60 N 4 E", "to": "utm"}),
        ("38SMB4488 as longitude and latitude", "convert_coordinates", {"coordinates": "38SMB4488"}),
    ],
)  # fmt: skip
def test_a_sum_a_conversion_or_a_position_tells_its_tool_and_arguments(
    text: str, tool: str, arguments: dict[str, object]
) -> None:
    assert (told(text, TODAY), IDIOMS[tool](text, TODAY)) == (tool, arguments)


@pytest.mark.parametrize(
    "text", ["ships within 5 km of the port", "from 2018-05-01 to 2018-09-30", "20 images of Paris"]
)
def test_numbers_alone_are_no_sum(text: str) -> None:
    assert told(text, TODAY) is None
