"""Topic and material of a deliberation, taken from a text or a chat."""

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, convert_to_messages

from ...state import InputError, clip_text

QUESTION_LIMIT = 4000
"""Maximum characters of a topic."""


def parse_question(input: Any) -> tuple[str, str]:
    """Return topic and material of a text, a message, a list of messages, or a mapping with `messages`.

    The last human message is the topic. Earlier messages are material. If the topic is longer than `QUESTION_LIMIT`
    characters, its first line becomes the topic, and its full text becomes material too. Raises `InputError` if there
    is no question.
    """
    if isinstance(input, Mapping):
        input = input.get("messages")
    if isinstance(input, str):
        input = [HumanMessage(input)]
    try:
        messages = convert_to_messages([input] if isinstance(input, BaseMessage) else input)
    except (TypeError, ValueError, NotImplementedError):
        raise InputError("input", input, "give a text, messages, or a mapping with messages") from None
    question_indexes = [index for index, message in enumerate(messages) if isinstance(message, HumanMessage)]
    question = messages[question_indexes[-1]].text.strip() if question_indexes else ""
    if not question:
        raise InputError(
            "messages", [message.type for message in messages], "end with a human message that asks something"
        )
    roles = {HumanMessage: "user", AIMessage: "assistant"}
    material = [
        f"{roles[type(message)]}: {message.text}"
        for message in messages[: question_indexes[-1]]
        if type(message) in roles and message.text.strip()
    ]
    if len(question) > QUESTION_LIMIT:
        material.append(question)
        question = clip_text(question.splitlines()[0], QUESTION_LIMIT)
    return question, "\n\n".join(material)
