"""Pages of an experiment: progress, spending, caps and report."""

import asyncio

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ...state import InputError
from ..experiment import load_experiment_runs, load_status, restore_plan
from ..report import format_security_policy
from ..saved.experiments import SavedExperiment
from .rendering import detect_browser_language, render_response
from .room import get_room


async def render_experiment(request: Request) -> Response:
    """Return the progress of an experiment, condition by condition."""
    store = get_room(request).store
    progress = await load_status(store, await _load_experiment(request))
    caps = progress.cap.model_dump(exclude_none=True)
    return render_response("experiment.html", detect_browser_language(request), status=progress, caps=caps)


async def _load_experiment(request: Request) -> SavedExperiment:
    return await get_room(request).store.experiments.get_experiment(request.path_params["name"][:200].replace("\0", ""))


async def render_experiment_report(request: Request) -> Response:
    """Return the report of an experiment.

    Raises `InputError` if the packages for the figures are missing.
    """
    try:
        from ..experiment.report import render_report as render_report_page  # needs the extra `science`
    except ImportError:
        raise InputError(
            "report", None, 'its figures need packages of their own: pip install "moot[science]"'
        ) from None
    store = get_room(request).store
    experiment = await _load_experiment(request)
    runs, progress = await load_experiment_runs(store, experiment), await load_status(store, experiment)
    links = {run.planned.run: f"/runs/{run.planned.run}/report" for run in runs if run.document is not None}
    report_html = await asyncio.to_thread(
        render_report_page, restore_plan(experiment), experiment, runs, progress, links
    )
    return HTMLResponse(report_html, headers={"content-security-policy": format_security_policy()})
