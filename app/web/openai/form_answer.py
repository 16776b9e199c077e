"""Answers in a form that a client requests: JSON by its schema, or any JSON object."""

import asyncio
import json
from collections.abc import Sequence
from typing import get_type_hints
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import RunControl
from pydantic import BaseModel

from ....graphs.with_form import FormState, build_form_graph
from ....models import CLIENT_LEFT, use_client_policy
from ....nodes.ask.step_spending import RUN_SPENDING_KEY, RunSpending
from ....storage import TaskJournal, use_task_journal
from ...agent.deliberation import FORM_CALLS
from ...protocols.protocol import get_protocol
from ...run.execution import save_figures
from ...saved import SavedRun, Store, make_thread_config


async def fill_requested_form(
    store: Store, saved_run: SavedRun, form: type[BaseModel], models: Sequence[str]
) -> tuple[SavedRun, str | None]:
    """Let the synthesizer fill a form with the result of a run, and add its calls to the saved run.

    Return the run and the form as JSON, or `None` if all attempts failed. `models`: models that the operator offers. If
    the client leaves, the current call is finished and saved.
    """
    control = RunControl()
    filling = asyncio.ensure_future(_fill_and_save(store, saved_run, form, models, control))
    try:
        return await asyncio.shield(filling)
    except asyncio.CancelledError:
        control.request_drain(CLIENT_LEFT)
        await asyncio.wait({filling})
        raise


async def _fill_and_save(
    store: Store, saved_run: SavedRun, form: type[BaseModel], models: Sequence[str], control: RunControl
) -> tuple[SavedRun, str | None]:
    run, protocol, state = saved_run.run.run, get_protocol(saved_run.run.protocol), saved_run.state
    graph = build_form_graph(form, protocol.module.TEMPLATES, FORM_CALLS)
    input = {key: state[key] for key in get_type_hints(FormState) if key in state}
    task = TaskJournal(store.journal, run, uuid4().hex, state["settings"].prices)
    config: RunnableConfig = {"configurable": {RUN_SPENDING_KEY: RunSpending(has_claimed=True)}}
    with use_client_policy(models):
        async with use_task_journal(task):
            values = await graph.ainvoke(input, config, control=control)
    news = {key: values[key][len(state[key]) :] for key in ("calls", "incidents")}
    while await store.is_held(run):  # whoever ran it is about to leave
        await asyncio.sleep(0.05)
    async with store.lock(run):
        await store.get_graph(protocol.name).aupdate_state(make_thread_config(run), news)
        store.journal.record_task(task.task)
        await store.journal.flush()
        saved_run = await save_figures(store, run)
    filled_form = values.get("filled_form")
    return saved_run, None if filled_form is None else json.dumps(filled_form, ensure_ascii=False)
