"""Answers of one model to requests that a chat client makes for itself, such as a title, tags or next questions."""

import re
from typing import cast

from langgraph.func import entrypoint

from ....models.chat import fetch_default_spec
from ....models.failures import NoAnswerError
from ....models.operator_policy import use_client_policy
from ....nodes.ask import Answer, CallOptions, Prompt, ask
from ....state.settings import Settings
from ...display.wording import translate_display_phrase
from .chat_request import ChatRequest, ModelDefaults, join_background
from .errors import EndpointError

CLIENT_TASKS = (
    re.compile(r"### Task:\n.*<chat_history>", re.DOTALL),  # Open WebUI
    re.compile(r"\W*(?:please )?(?:provide|generate) a concise, 5-word-or-less title for the conv", re.I),  # LibreChat
)
"""Beginnings of requests that chat clients make for themselves."""

MAX_PLAIN_TOKENS = 1000


def is_client_task(chat: ChatRequest) -> bool:
    """Return whether a chat client asks for itself, in its own words."""
    return any(task.match(chat.messages[-1].text.strip()) for task in CLIENT_TASKS)


async def ask_plain_model(chat: ChatRequest, defaults: ModelDefaults) -> tuple[Answer, str]:
    """Ask the server's first model, without a deliberation. Return the answer, and a line that says so.

    Raises `EndpointError` if the model does not answer.
    """
    spec, language = next(iter(defaults.models), "") or await fetch_default_spec(), defaults.language or "en"
    settings = Settings(model=spec, language=language, max_attempts=2, on_outage="skip")
    call = CallOptions(
        who="chat", purpose="plain", spec=spec, settings=settings, max_tokens=MAX_PLAIN_TOKENS, max_attempts=2
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

    try:
        with use_client_policy(list(defaults.models)):
            answer = cast(Answer, await answer_plainly.ainvoke(prompt))
    except NoAnswerError as failure:
        raise EndpointError(502, failure.incidents[-1].what if failure.incidents else failure.kind, "stopped") from None
    return answer, translate_display_phrase(language, "endpoint.plain_note", model=spec)
