"""What stands before every route: the session must be the browser's own, a change must come from our page."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from copilot.bounds import SessionFull
from copilot.live import Live, Refused, live
from copilot.messages import COOKIE, preferred, speaking
from copilot.server import hosts
from copilot.server.owner import owner_of
from copilot.session import Session
from data.catalogue.base import CatalogueAway, CatalogueError
from state.store import StoreUnavailable, UnknownSession
from tools.base import ToolError

HEADER = "x-azimuth"
"""A page of another site cannot send it without asking first, and we never say yes."""
LOCAL_OWNER = "local"
"""Sessions of the command line: whoever knows their id may open them."""

Handler = Callable[[Request], Awaitable[Response]]
_log = logging.getLogger(__name__)


class Denied(Exception):
    """A request that is turned down: an HTTP status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def sentence(status: int, text: str) -> JSONResponse:
    """An error as the page shows it."""
    return JSONResponse({"error": text}, status_code=status)


def guarded(handler: Handler) -> Handler:
    """Turn what goes wrong into a status and one sentence; a traceback goes to the log only."""

    @wraps(handler)
    async def run(request: Request) -> Response:
        code = preferred(request.headers.get("accept-language"), request.cookies.get(COOKIE))
        try:
            with speaking(code):
                return await handler(request)
        except Denied as denied:
            return sentence(denied.status, str(denied))
        except UnknownSession:
            return sentence(404, "There is no such session here.")
        except (Refused, SessionFull) as refused:
            return sentence(409, str(refused))
        except StoreUnavailable as error:
            return sentence(503, error.public)
        except CatalogueAway as error:
            return sentence(503, str(error))
        except (ToolError, CatalogueError) as error:
            return sentence(422, the_live().engine.mask.text(str(error)))
        except Exception:
            _log.exception("%s %s failed", request.method, request.url.path)
            return sentence(
                500, "This failed inside Azimuth; nothing was changed. The details are in the log."
            )

    return run


def may_open(session_owner: str, owner: str | None) -> bool:
    """Whether a browser may see a session of that owner."""
    return session_owner == LOCAL_OWNER or (owner is not None and session_owner == owner)


async def own_session(request: Request) -> Session:
    """The session in the path. Raises UnknownSession, also for one of another browser."""
    session_id = str(request.path_params["session"])
    found: Session = await run_in_threadpool(live().session, session_id)
    if not may_open(found.row.owner, owner_of(request)):
        raise UnknownSession(session_id)
    return found


def from_our_page(request: Request) -> None:
    """Raises Denied for a change that another site's page may have sent."""
    if not hosts.is_ours(request.scope, request.scope.get("state", {}).get("origin")):
        raise Denied(403, "This request came from another site; open Azimuth itself.")
    if request.headers.get(HEADER) != "1":
        raise Denied(403, "Changes need the header X-Azimuth: 1, which Azimuth's own page sends.")


def the_live() -> Live:
    """The open sessions of this process."""
    return live()


def number(request: Request, name: str, low: float, high: float, default: float | None = None) -> float:
    """A number of the query string. Raises Denied with the bounds."""
    text = request.query_params.get(name)
    try:
        value = float(text) if text is not None else default
    except ValueError:
        value = None
    if value is None or not low <= value <= high:
        raise Denied(400, f"'{name}' must be a number from {low:g} to {high:g}; {text!r} came in.")
    return value


async def json_object(request: Request, max_bytes: int = 256 * 1024) -> dict[str, Any]:
    """The body as a JSON object. Raises Denied for anything else, and for too much of it."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > max_bytes:
            raise Denied(413, f"The request's body is over {max_bytes // 1024} KiB.")
    try:
        value = json.loads(bytes(body))
    except (ValueError, RecursionError) as error:
        raise Denied(400, "The body is not JSON.") from error
    if not isinstance(value, dict):
        raise Denied(400, "The body must be a JSON object.")
    return value
