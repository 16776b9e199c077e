"""Pages of an experiment: progress, spending, caps and report."""

import asyncio
from collections import Counter
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ...state import InputError, Prices
from ...storage import get_timestamp
from ..display import format_money
from ..experiment import load_experiment_runs, load_status, parse_plan
from ..report import format_duration, format_security_policy
from ..saved import Store, count_milliseconds
from .rendering import detect_browser_language, render_response
from .room import get_room


async def render_experiment(request: Request) -> Response:
    """Return the page with the progress of an experiment, condition by condition."""
    return render_response(
        "experiment.html",
        detect_browser_language(request),
        **await summarize_experiment(get_room(request).store, _get_name(request)),
    )


async def summarize_experiment(store: Store, name: str) -> dict[str, Any]:
    """Return the template values of an experiment's page: status, sums, spending, cap, and time left."""
    experiment = await store.experiments.get_experiment(name)
    status, plan = await load_status(store, experiment), parse_plan(experiment.plan)
    totals = Counter[str]()
    for condition in status.conditions:
        totals.update(condition.model_dump(exclude={"condition"}))
    prices = Prices.model_validate(plan.settings.get("prices") or {})
    milliseconds = count_milliseconds(status.started, get_timestamp()) / (totals["done"] or 1)
    is_estimated = totals["running"] and totals["done"]
    return {
        "status": status,
        "totals": totals,
        "spent": format_money(status.cost, prices) if status.cost else "",
        "most": format_money(status.cap.cost, prices) if status.cap.cost else "",
        "left": format_duration(round(milliseconds * (totals["running"] + totals["waiting"]))) if is_estimated else "",
    }


def _get_name(request: Request) -> str:
    return str(request.path_params["name"])[:200].replace("\0", "")


async def render_experiment_report(request: Request) -> Response:
    """Return the page with the report of an experiment.

    Raises `InputError` if the packages for the figures are missing.
    """
    try:
        from ..experiment.report import render_report as render_report_page  # needs the extra `science`
    except ImportError:
        raise InputError("report", None, 'the report needs additional packages: pip install "moot[science]"') from None
    store = get_room(request).store
    experiment = await store.experiments.get_experiment(_get_name(request))
    runs, progress = await load_experiment_runs(store, experiment), await load_status(store, experiment)
    return HTMLResponse(
        await asyncio.to_thread(
            render_report_page,
            parse_plan(experiment.plan),
            experiment,
            runs,
            progress,
            {run.planned.run: f"/runs/{run.planned.run}/report" for run in runs if run.document is not None},
        ),
        headers={"content-security-policy": format_security_policy()},
    )
