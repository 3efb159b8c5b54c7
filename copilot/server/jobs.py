"""What the page asks of jobs: what one has found so far, and that it stop."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from copilot.server.guard import Denied, from_our_page, guarded, number, own_session, the_live
from copilot.worker.folder import MAX_SHOWN


@guarded
async def found(request: Request) -> Response:
    """GET ?after=n: the GeoJSON features that a running job has shown, without the first n."""
    session = await own_session(request)
    job = _job(session.id, request)
    after = round(number(request, "after", 0, MAX_SHOWN)) if "after" in request.query_params else 0
    features = await run_in_threadpool(the_live().engine.desk.found, job, after)
    return JSONResponse({"features": features}, headers={"Cache-Control": "no-store"})


@guarded
async def cancel(request: Request) -> Response:
    """POST: stop a job."""
    from_our_page(request)
    session = await own_session(request)
    await run_in_threadpool(the_live().engine.desk.cancel, _job(session.id, request))
    return JSONResponse({"stopped": True})


def _job(session_id: str, request: Request) -> str:
    """The id of one of the session's jobs that run here. Raises Denied."""
    wanted = str(request.path_params["job"])
    if all(each.job.id != wanted for each in the_live().engine.desk.doing(session_id)):
        raise Denied(404, f"No job {wanted!r} of this session runs.")
    return wanted


def routes() -> list[BaseRoute]:
    """The routes of this module."""
    base = "/api/sessions/{session}/jobs/{job}"
    return [Route(f"{base}/found", found), Route(f"{base}/cancel", cancel, methods=["POST"])]
