"""Answers in a form that a client requests: JSON by its schema, or any JSON object."""

import asyncio
import json
from collections.abc import Sequence
from typing import get_type_hints

from pydantic import BaseModel

from ....graphs.with_form import FormState, build_form_graph
from ....models import use_client_policy
from ...agent.deliberation import FORM_CALLS
from ...protocols.protocol import get_protocol
from ...run.drive_run import save_figures
from ...saved import SavedRun, Store, make_thread_config


async def fill_requested_form(
    store: Store, saved_run: SavedRun, form: type[BaseModel], models: Sequence[str]
) -> tuple[SavedRun, str | None]:
    """Let the synthesizer fill a form with the result of a run, and add its calls to the saved run.

    Return the run and the form as JSON, or `None` if all attempts failed. `models`: models that the operator offers.
    """
    run, protocol, state = saved_run.run.run, get_protocol(saved_run.run.protocol), saved_run.state
    graph = build_form_graph(form, protocol.module.TEMPLATES, FORM_CALLS)
    with use_client_policy(models):
        values = await graph.ainvoke({key: state[key] for key in get_type_hints(FormState) if key in state})
    news = {key: values[key][len(state[key]) :] for key in ("calls", "incidents")}
    while await store.is_held(run):  # whoever ran it is about to leave
        await asyncio.sleep(0.05)
    async with store.lock(run):
        await store.get_graph(protocol.name).aupdate_state(make_thread_config(run), news)
        saved_run = await save_figures(store, run)
    filled_form = values.get("filled_form")
    return saved_run, None if filled_form is None else json.dumps(filled_form, ensure_ascii=False)
