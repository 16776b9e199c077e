"""Answers of one model to a chat client's own requests, such as a title or next questions."""

import re
from typing import cast
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.func import entrypoint

from ....models import NoAnswerError, add_prices, apply_policy, fetch_default_spec, use_client_policy
from ....nodes.ask import Answer, CallOptions, Prompt, ask
from ....nodes.ask.step_spending import RUN_SPENDING_KEY, RunSpending
from ....state import Settings
from ....storage import SpendJournal, TaskJournal, use_task_journal
from ...display.wording import translate_display_phrase
from .chat_request import ChatRequest, ModelDefaults, join_background
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
    """Return whether a chat client asks for itself, in its own words."""
    return any(task.match(chat.messages[-1].text.strip()) for task in CLIENT_TASKS)


async def ask_plain_model(chat: ChatRequest, defaults: ModelDefaults, journal: SpendJournal) -> tuple[Answer, str]:
    """Ask the server's first model, without a deliberation. Return the answer, and a line that says so.

    Each request is in the journal under `PLAIN_RUN`, and the operator's policy applies. Raises `EndpointError` if the
    model does not answer.
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
    config: RunnableConfig = {"configurable": {RUN_SPENDING_KEY: RunSpending(has_claimed=True)}}
    try:
        with use_client_policy(list(defaults.models)):
            async with use_task_journal(task):
                answer = cast(Answer, await answer_plainly.ainvoke(prompt, config))
        journal.record_task(task.task)
        await journal.flush()
    except NoAnswerError as failure:
        raise EndpointError(502, failure.incidents[-1].what if failure.incidents else failure.kind, "stopped") from None
    return answer, translate_display_phrase(language, "endpoint.plain_note", model=spec)
