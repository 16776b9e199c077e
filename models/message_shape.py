"""Repair of malformed messages, whose parts the client library could not read."""

import json
from typing import Any

MALFORMED = "malformed"
"""Key in an answer's `additional_kwargs` for the description of malformed content."""


def find_message_fault(message: object) -> str:
    """Return what is malformed in a server's message, or in a piece of one; empty for a sound message."""
    if not isinstance(message, dict):
        return f"a message of type {type(message).__name__}"
    role, content, tool_calls = (message.get(key) for key in ("role", "content", "tool_calls"))
    if role not in (None, "assistant"):
        return f"role: {role!r}"[:100]
    if not isinstance(content, list) and content is not None and not isinstance(content, str):
        return f"content of type {type(content).__name__}"
    if isinstance(content, list) and not all(
        isinstance(part, dict) and isinstance(part.get("type"), str) and isinstance(part.get("text", ""), str)
        for part in content
    ):
        return "content with a part that is no text"
    if tool_calls and not (
        isinstance(tool_calls, list)
        and all(isinstance(call, dict) and isinstance(call.get("function"), dict) for call in tool_calls)
    ):
        return "tool_calls without a function"
    return "function_call, which was not offered" if message.get("function_call") else ""


def clean_first_choice(choices: object, key: str) -> tuple[list[dict[str, Any]], str]:
    """Return the first choice of an answer, as a list, and what is malformed in its message.

    The JSON of a malformed message becomes its text. `key`: key of the message in a choice.
    """
    first_choice = choices[0] if isinstance(choices, list) and choices else None
    choice: dict[str, Any] = first_choice if isinstance(first_choice, dict) else {}
    message: Any = choice.get(key)
    fault = find_message_fault(message)
    if fault:
        message = {"role": "assistant", "content": json.dumps(message)}
    elif key == "message":
        message = message | {"role": "assistant"}
    return [choice | {key: message}], fault
