"""What is said over the web without the server's folders: a file is called by its name, wherever it lies."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from tools.base import Step


class Mask:
    """Takes the folders of this machine out of what a tool says and tells."""

    def __init__(self, folders: Iterable[Path]) -> None:
        """`folders` are those that nobody on the web is to learn of; temporary files are among them."""
        named = {
            str(form) for each in (*folders, Path(tempfile.gettempdir())) for form in (each, each.resolve())
        }
        roots = sorted((each for each in named if len(each) > 1), key=len, reverse=True)
        self._paths = re.compile(
            rf"(?<![\w/])(?:{'|'.join(map(re.escape, roots))})(?:/[^\s'\"`,;)]*)?(?![\w-])"
        )

    def text(self, text: str) -> str:
        """The text with file names in place of paths."""
        return self._paths.sub(_name, text)

    def step(self, step: Step) -> Step:
        """The step with file names in place of paths, in what it says and in its data."""
        data = {key: self._plain(value) for key, value in step.data.items()}
        return replace(step, observation=self.text(step.observation), data=data)

    def _plain(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {key: self._plain(each) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._plain(each) for each in value]
        return value


@lru_cache(maxsize=16)
def mask_of(folders: tuple[Path, ...]) -> Mask:
    """The mask of those folders, kept: each call over the web goes through one."""
    return Mask(folders)


def _name(found: re.Match[str]) -> str:
    return found[0].rstrip("/").rpartition("/")[2]
