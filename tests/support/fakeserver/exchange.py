"""What the model server was asked (`Request`) and what it says (`Reply`)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

Json = dict[str, Any]


class FakeFailure(AssertionError):
    """The test, not the model, is at fault: answered as HTTP 500 with `code` and kept in `server.errors`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


@dataclass(frozen=True)
class Reply:
    """One answer of the model.

    `text`: said, or the arguments when a function was offered and it begins with "{". `refusal`: the refusal field.
    `finish`: finish_reason. `reasoning`: hidden tokens, counted in the usage. `usage`: whether usage is reported, or
    figures in place of those it was. `odd`: fields of the message in place of the usual ones. `latency`: seconds before
    this answer, in place of the server's.
    """

    text: str = ""
    refusal: str | None = None
    finish: str = "stop"
    reasoning: int = 0
    usage: bool | Mapping[str, Any] = True
    odd: Mapping[str, Any] = field(default_factory=dict)
    latency: float | None = None


@dataclass(frozen=True)
class Request:
    """One request as it came. `at`: its number among all, from 1; `n`: among those of the same path, from 1.

    `headers`: names in lower case. `body`: the decoded JSON.
    """

    at: int
    n: int
    path: str
    headers: Mapping[str, str]
    body: Json

    @cached_property
    def messages(self) -> list[Json]:
        found: list[Json] = self.body.get("messages", [])
        return found

    @cached_property
    def text(self) -> str:
        """The text of all messages in order, a line break between them; the inputs of an embedding request."""
        if "input" in self.body:
            inputs = self.body["input"]
            return inputs if isinstance(inputs, str) else "\n".join(map(str, inputs))
        return "\n".join(self.texts)

    @cached_property
    def texts(self) -> list[str]:
        """The text of each message."""
        return [_text(message) for message in self.messages]

    @cached_property
    def system(self) -> str:
        return self._said_by("system", "developer")

    @cached_property
    def human(self) -> str:
        return self._said_by("user")

    def _said_by(self, *roles: str) -> str:
        return "\n".join(
            text for message, text in zip(self.messages, self.texts, strict=True) if message["role"] in roles
        )

    @property
    def stream(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def cap(self) -> int | None:
        """The token cap asked for."""
        return self.body.get("max_completion_tokens", self.body.get("max_tokens"))

    @cached_property
    def tool(self) -> Json | None:
        """The function to be called: the one demanded by name, else the first one offered."""
        choice = self.body.get("tool_choice", "auto")
        tools: list[Json] = [] if choice == "none" else [one["function"] for one in self.body.get("tools", [])]
        demanded = choice["function"]["name"] if isinstance(choice, dict) and "function" in choice else None
        return next((tool for tool in tools if demanded in (None, tool["name"])), None)

    @cached_property
    def form(self) -> Json:
        """The response format, {} for none."""
        return self.body.get("response_format") or {}

    @cached_property
    def schema(self) -> Json | None:
        """The JSON schema the answer must have; {} for any JSON object, None for plain text."""
        found: Json | None = self.tool.get("parameters", {}) if self.tool else None
        if self.form.get("type") == "json_schema":
            found = self.form["json_schema"].get("schema", {})
        return {} if self.form.get("type") == "json_object" else found

    @cached_property
    def schema_name(self) -> str | None:
        named = self.form["json_schema"] if self.form.get("type") == "json_schema" else self.tool
        return str(named["name"]) if named else None

    @cached_property
    def seed(self) -> bytes:
        """32 bytes that follow from the prompt and the schema's name alone."""
        return blake2b(f"{self.schema_name or ''}\n{self.text}".encode(), digest_size=32).digest()


def _text(message: Json) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
