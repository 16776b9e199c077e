"""An experiment: how far it has come, what it has spent of its caps, and its report."""

import asyncio

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ...state.refused import Refused
from ..experiment.begin import stored_plan
from ..experiment.data import outcomes
from ..experiment.status import status
from ..report.render import report_policy
from ..saved.experiments import Stored
from .room import room_of
from .words import language_of, shown


async def experiment(request: Request) -> Response:
    """Progress, condition by condition."""
    store = room_of(request).store
    found = await status(store, await _stored(request))
    caps = found.cap.model_dump(exclude_none=True)
    return shown("experiment.html", language_of(request), status=found, caps=caps)


async def _stored(request: Request) -> Stored:
    """The experiment of a request. Raises `Refused` where there is none."""
    return await room_of(request).store.experiments.get(request.path_params["name"][:200].replace("\0", ""))


async def report(request: Request) -> Response:
    """The report of an experiment. Raises `Refused` where the packages of its figures are missing."""
    try:
        from ..experiment.report import report as written  # needs the extra `science`
    except ImportError:
        raise Refused("report", None, 'its figures need packages of their own: pip install "moot[science]"') from None
    store = room_of(request).store
    stored = await _stored(request)
    found, standing = await outcomes(store, stored), await status(store, stored)
    links = {one.trial.run: f"/runs/{one.trial.run}/report" for one in found if one.document is not None}
    page = await asyncio.to_thread(written, stored_plan(stored), stored, found, standing, links)
    return HTMLResponse(page, headers={"content-security-policy": report_policy()})
