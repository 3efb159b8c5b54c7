"""What a model's server can do wrong: whether to try again, how long to wait, and what the user is told."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from langchain_core.exceptions import (
    ContextOverflowError,
    ModelAuthenticationError,
    ModelError,
    ModelNotFoundError,
    ModelPermissionDeniedError,
    ModelRateLimitError,
    ModelTimeoutError,
)

from data.catalogue.base import CatalogueError
from state.store import StoreUnavailable

NO_ANSWER = "The model could not be reached or did not answer properly. Nothing was lost; try again."
OURS = "This failed inside Azimuth. Nothing was lost, and the log has the details; try it in other words."
"""Where neither a server nor the way to it had a part in it."""
_OVERFLOWS = (
    "context length",
    "context window",
    "context size",
    "maximum context",
    "context_length_exceeded",
    "prompt is too long",
)
"""How servers other than OpenAI's say that a prompt is too long; their error has no class of its own."""


class CutStream(ConnectionError):
    """A streamed answer that ended before the model did."""


def is_passing(error: Exception) -> bool:
    """Whether the same request may succeed when it is sent again."""
    if isinstance(error, ModelError):
        return error.is_retryable
    # A connection that breaks while an answer is read reaches us as the HTTP library's own error.
    return isinstance(error, ConnectionError | TimeoutError) or _is_a(error, "TransportError")


def is_known(error: Exception) -> bool:
    """Whether the server or the way to it failed, so that the error's own words say all there is."""
    return _status(error) is not None or is_passing(error)


def is_overflow(error: Exception) -> bool:
    """Whether the prompt is longer than the model can read."""
    if isinstance(error, ContextOverflowError):
        return True
    return _status(error) in (400, 413, 422) and any(mark in str(error).lower() for mark in _OVERFLOWS)


def is_refused(error: Exception) -> bool:
    """Whether the server takes the request for a wrong one: something in it is not supported."""
    return _status(error) in (400, 422) and not is_overflow(error)


def retry_after(error: Exception) -> float | None:
    """The seconds that the server asks to wait, from its Retry-After header: seconds, or a date."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    value = headers.get("retry-after") if headers is not None else None
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):  # neither; or a date without a zone
        return None


def sentence(error: Exception, here: bool = False) -> str:
    """What the user is told. What the server wrote goes to the log only: it may hold anything.

    `here` is for a model that answers in Azimuth itself.
    """
    if isinstance(error, CatalogueError):
        return str(error)
    if isinstance(error, StoreUnavailable):
        return error.public
    if here:
        return OURS
    if is_overflow(error):
        return (
            "The conversation is longer than the model can read. Nothing was lost; go on in a new session, "
            "or set COPILOT_FALLBACK_MODEL to a model with a longer context."
        )
    if isinstance(error, ModelAuthenticationError | ModelPermissionDeniedError):
        return (
            f"The model's server refused the key ({_status(error)}); check OPENAI_API_KEY. "
            "Nothing was lost; try again."
        )
    if isinstance(error, ModelNotFoundError):
        return (
            "The model's server does not know the model or the address (404); check COPILOT_MODEL and "
            "OPENAI_BASE_URL. Nothing was lost; try again."
        )
    if isinstance(error, ModelRateLimitError):
        wait = retry_after(error)
        when = f"in {wait:.0f} s" if wait else "in a while"
        return f"The model's server takes no more requests now (429). Nothing was lost; try again {when}."
    if isinstance(error, ModelTimeoutError | TimeoutError):
        return "The model did not answer in time. Nothing was lost; try again."
    status = _status(error)
    if status is not None and status >= 500:
        return f"The model's server failed ({status}). Nothing was lost; try again."
    if status is not None:
        return (
            f"The model's server refused the request ({status}); the log has its reason. "
            "Nothing was lost; try again."
        )
    return NO_ANSWER


def _status(error: Exception) -> int | None:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def _is_a(error: Exception, name: str) -> bool:
    """By the class's name: importing the HTTP library to ask would cost every start of the program."""
    return any(each.__name__ == name for each in type(error).__mro__)
