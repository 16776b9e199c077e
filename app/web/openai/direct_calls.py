"""Single calls to a model: for a chat program's own requests, and for a requested form."""

import asyncio
import json
import re
from collections.abc import Sequence
from typing import cast, get_type_hints
from uuid import uuid4

from langgraph.func import entrypoint
from langgraph.runtime import RunControl
from pydantic import BaseModel

from ....graphs.form_graph import FormState, build_form_graph
from ....models import CLIENT_LEFT, NoAnswerError, add_prices, apply_policy, fetch_default_spec, use_client_policy
from ....nodes.ask import Answer, CallOptions, Prompt, ask
from ....nodes.ask.step_spending import RUN_SPENDING_KEY, RunSpending
from ....state import Settings
from ....storage import SpendJournal, TaskJournal, use_task_journal
from ...agent.deliberation import FORM_CALLS
from ...display.wording import translate_display_phrase
from ...protocols.registry import get_protocol
from ...run.execution import save_figures
from ...saved import SavedRun, make_thread_config
from .chat_request import ChatRequest, ModelDefaults, join_background
from .client_runs import ClientRuns
from .errors import EndpointError

CLIENT_TASKS = (
    re.compile(r"### Task:\n.*<chat_history>", re.DOTALL),  # Open WebUI
    re.compile(r"\W*(?:please )?(?:provide|generate) a concise, 5-word-or-less title for the conv", re.I),  # LibreChat
)
"""Beginnings of requests that chat clients make for themselves."""

MAX_PLAIN_TOKENS = 1000
PLAIN_RUN = "plain"
"""Name in the journal for requests outside a run."""


def is_client_task(chat: ChatRequest) -> bool:
    """Return whether the chat program itself sends the request, such as for a title, not its user."""
    return any(task.match(chat.messages[-1].text.strip()) for task in CLIENT_TASKS)


async def ask_plain_model(chat: ChatRequest, defaults: ModelDefaults, journal: SpendJournal) -> tuple[Answer, str]:
    """Ask the server's first model for an answer, without a deliberation.

    Return the answer, and a line that says that a single model answered. Each request is in the journal under
    `PLAIN_RUN`, and the operator's policy applies. Raises `EndpointError` if the model does not answer.
    """
    spec, language = next(iter(defaults.models), "") or await fetch_default_spec(), defaults.language or "en"
    settings = Settings(model=spec, language=language, max_attempts=2, on_outage="skip")
    with use_client_policy(list(defaults.models)):
        settings = await apply_policy(await add_prices(settings, []))
    call = CallOptions(
        who="chat",
        purpose="plain",
        spec=spec,
        settings=settings,
        max_tokens=min(MAX_PLAIN_TOKENS, settings.max_tokens_per_turn),
        max_attempts=settings.max_attempts,
        reserve=0,
    )
    *earlier_messages, question = chat.messages
    prompt = Prompt(
        head=translate_display_phrase(language, "endpoint.plain_head"),
        task=question.text,
        language=language,
        material=join_background(earlier_messages),
    )

    @entrypoint()
    async def answer_plainly(prompt: Prompt) -> Answer:
        return await ask(prompt, call)

    task = TaskJournal(journal, PLAIN_RUN, uuid4().hex, settings.prices)
    try:
        with use_client_policy(list(defaults.models)):
            async with use_task_journal(task):
                answer = cast(
                    Answer,
                    await answer_plainly.ainvoke(
                        prompt, {"configurable": {RUN_SPENDING_KEY: RunSpending(has_claimed=True)}}
                    ),
                )
        journal.record_task(task.task)
        await journal.save_settlements()
    except NoAnswerError as failure:
        raise EndpointError(502, failure.incidents[-1].what if failure.incidents else failure.kind, "stopped") from None
    return answer, translate_display_phrase(language, "endpoint.plain_note", model=spec)


async def fill_requested_form(
    runs: ClientRuns, saved_run: SavedRun, form: type[BaseModel], models: Sequence[str]
) -> None:
    """Ask the synthesizer to fill a form with the result of a run, unless an earlier request does so.

    Keep the form as JSON in `runs.filled_forms`, or `None` if all attempts failed, and add the calls to the saved run.
    `models`: models that the operator offers. If the client leaves, the current call is finished and saved.
    """
    control = RunControl()
    filling = asyncio.ensure_future(_fill_and_save(runs, saved_run, form, models, control))
    try:
        await asyncio.shield(filling)
    except asyncio.CancelledError:
        control.request_drain(CLIENT_LEFT)
        await asyncio.wait({filling})
        raise


async def _fill_and_save(
    runs: ClientRuns, saved_run: SavedRun, form: type[BaseModel], models: Sequence[str], control: RunControl
) -> None:
    run, state, store = saved_run.run.run, saved_run.state, runs.room.store
    graph = build_form_graph(form, get_protocol(saved_run.run.protocol).module.TEMPLATES, FORM_CALLS)
    input = {key: state[key] for key in get_type_hints(FormState) if key in state}
    task = TaskJournal(store.journal, run, uuid4().hex, state["settings"].prices)
    async with runs.form_locks.setdefault(run, asyncio.Lock()):
        if runs.filled_forms.get(run) is not None:
            return
        with use_client_policy(models):
            async with use_task_journal(task):
                values = await graph.ainvoke(
                    input, {"configurable": {RUN_SPENDING_KEY: RunSpending(has_claimed=True)}}, control=control
                )
        while await store.is_held(run):  # whoever ran it is about to leave
            await asyncio.sleep(0.05)
        async with store.lock(run):
            await store.get_graph(saved_run.run.protocol).aupdate_state(
                make_thread_config(run), {key: values[key][len(state[key]) :] for key in ("calls", "incidents")}
            )
            store.journal.record_task(task.task)
            await store.journal.save_settlements()
            await save_figures(store, run)
        filled_form = values.get("filled_form")
        runs.filled_forms[run] = None if filled_form is None else json.dumps(filled_form, ensure_ascii=False)
