"""The two ways a plan can end before it begins: a question to the user, or a reason why not."""

from __future__ import annotations

from collections.abc import Sequence


class Ask(Exception):
    """The request can mean several things: ask which."""

    def __init__(
        self, question: str, choices: Sequence[str], about: str = "", *, lacks_data: bool = False
    ) -> None:
        super().__init__(question)
        self.question = question
        self.choices = tuple(choices)
        self.about = about
        """The words of the request that the choice stands in for; empty when it replaces the whole request."""
        self.lacks_data = lacks_data
        """Whether it is asked only because no data set is loaded, or no image of one picked."""


class Reject(Exception):
    """No tool can do it: say why."""


ASKS_FOR = "I need to know more. Please tell me"
"""What the question for a missing argument says, which is answered in the user's own words."""
