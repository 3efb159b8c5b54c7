"""What README and docs show is what happens: what they ask for is answered so, their references exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from copilot.engine import default_engine
from scripts.docs import (
    MODELS_PAGE,
    PAGES,
    ROOT,
    TOOLS_PAGE,
    DocumentError,
    fresh_page,
    sample_home,
    tools_page,
    with_models,
)
from tests.copilot.cli.conftest import Copilot
from tests.suite.walking import walks

README = "README.md"
ASKED = re.compile(r"^\$ python -m copilot (ask .*)\n((?:(?!\$ |```).*\n)*)", re.MULTILINE)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    catalogue = default_engine().catalogue_root
    assert catalogue is not None, "The sample catalogue is not built; `make sample` builds it."
    return sample_home(tmp_path / "home", catalogue)


def test_what_the_readme_asks_for_is_answered_as_it_says(home: Path):
    """In this process; `exhaustive_docs.py` runs every block of every page as it is written."""
    asked = [
        (shlex.split(command), said)
        for command, said in ASKED.findall((ROOT / README).read_text(encoding="utf-8"))
        if "harbours" not in command
    ]
    assert len(asked) == 3
    copilot = Copilot({"AZIMUTH_HOME": str(home)})
    assert [copilot(*command).out for command, _ in asked] == [said for _, said in asked]


def test_the_python_of_the_readme_prints_what_it_says(home: Path):
    text = (ROOT / README).read_text(encoding="utf-8")
    part = text[text.index("## In Python") : text.index("## Bring your own data")]
    assert fresh_page(part, home) == part, "python scripts/docs.py writes the page anew"


def test_the_table_of_models_is_made_from_their_cards():
    text = (ROOT / MODELS_PAGE).read_text(encoding="utf-8")
    assert with_models(text) == text, "python scripts/docs.py"
    assert "## Every model" in text


def test_the_tools_page_is_made_from_the_tools():
    assert (ROOT / TOOLS_PAGE).read_text(encoding="utf-8") == tools_page(), "python scripts/docs.py"


@walks("document", [*PAGES, TOOLS_PAGE, "CHANGELOG.md", "CONTRIBUTING.md", "LICENSES.md"])
def test_links_to_files_lead_somewhere(document: str):
    text = (ROOT / document).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    assert [link for link in links if not (ROOT / document).parent.joinpath(link).exists()] == []


def test_the_readme_stays_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 150


def test_output_that_is_not_true_is_put_right(tmp_path: Path):
    page = "```console\n$ echo 1\n{}\n$ echo 3 \\\n  4\n{}```\nThen:\n\n"
    page += "```python\nprint(6 * 7)\n```\n\n```text\n{}\n```\n"
    assert fresh_page(page.format("2", "", "41"), tmp_path) == page.format("1", "3 4\n", "42")


def test_a_block_that_fails_is_named_with_its_error(tmp_path: Path):
    with pytest.raises(DocumentError, match="'ls nowhere' ended with 2"):
        fresh_page("```console\n$ ls nowhere\n```\n", tmp_path)


def test_a_block_that_says_why_it_is_not_run_is_left_alone(tmp_path: Path):
    page = "<!-- not run: it never ends -->\n```console\n$ sleep infinity\n```\n"
    assert fresh_page(page, tmp_path) == page


def test_how_long_something_took_is_not_compared(tmp_path: Path):
    page = "```console\n$ echo read in 0.3 s\nread in 0.1 s\n$ echo 2 rows in 7 ms\n1 rows in 6 ms\n```\n"
    assert fresh_page(page, tmp_path) == page.replace("1 rows in 6 ms", "2 rows in 7 ms")
