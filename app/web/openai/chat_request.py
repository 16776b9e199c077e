"""Request of a client: a chat in OpenAI's format, and the deliberation that it asks for."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ....models import fetch_default_spec, list_allowed_tools
from ....state import MAX_TOPIC_LENGTH, InputError, convert_input_error, explain_unknown_key
from ...agent.deliberation import FORM_CALLS
from ...agent.response_form import check_client_schema, make_form
from ...council_api import CouncilSeat, name_seats
from ...display.wording import translate_display_phrase
from ...protocols import ProtocolEntry, get_hooks, map_protocols
from ...run.request import RunRequest, build_client_request, parse_client_seats
from .errors import EndpointError

CLIENT_SETTINGS = (
    "participants",
    "language",
    "seed",
    "max_turns",
    "max_rounds",
    "profile",
    "temperature",
    "vote",
    "max_calls",
    "max_total_tokens",
    "max_cost",
)
"""Settings that a client may send under `moot`. None of them names a file or an address."""

QUOTED_LENGTH = 1500
"""Characters that the topic quotes from the beginning, and from the end, of a long question."""

UNSUPPORTED_FIELDS = {
    "functions": "leave it out; a deliberation calls no functions",
    "n": "leave it out; a deliberation has only one synthesis",
    "logprobs": "leave it out; a synthesis has no probabilities",
    "audio": "leave it out; a synthesis is plain text",
    "modalities": "leave it out; a synthesis is plain text",
}
"""Remedies for unsupported fields that would change the kind of answer."""


class TextPart(BaseModel):
    """Part of a chat message. Only texts are supported."""

    type: Literal["text", "input_text", "output_text"]
    text: str


class ChatMessage(BaseModel):
    """Message of the chat."""

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[TextPart] | None = None

    @property
    def text(self) -> str:
        """Return the text of all parts of the message."""
        return "\n".join(part.text for part in self.content) if isinstance(self.content, list) else self.content or ""


class StreamOptions(BaseModel):
    """Options of a streamed answer."""

    include_usage: bool = False


class ResponseFormat(BaseModel):
    """Format of an answer: the text of the synthesis, any JSON object, or JSON by a schema."""

    type: Literal["text", "json_object", "json_schema"]
    json_schema: dict[str, Any] | None = None


class ChatRequest(BaseModel):
    """Chat completion that a client requests. The types of its fields reject unsupported values."""

    model_config = ConfigDict(extra="allow", frozen=True)

    model: str
    messages: list[ChatMessage] = Field(min_length=1)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    seed: int | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    n: Literal[1] | None = None
    tools: list[dict[str, Any]] | None = None
    functions: list[Any] | None = Field(default=None, max_length=0)
    response_format: ResponseFormat = ResponseFormat(type="text")
    logprobs: Literal[False] | None = None
    audio: None = None
    modalities: list[Literal["text"]] | None = None
    moot: dict[str, Any] = {}

    @property
    def unused_fields(self) -> list[str]:
        """Return the fields in the request that have no meaning for a deliberation."""
        return sorted(key for key, value in (self.model_extra or {}).items() if value is not None)


def make_requested_form(answer_format: ResponseFormat) -> type[BaseModel] | None:
    """Make the pydantic model of the requested JSON; `None` for a text.

    Raises `InputError` for a schema that is unusable, too long or too slow to validate.
    """
    if answer_format.type == "text":
        return None
    schema: Any = (
        (answer_format.json_schema or {}).get("schema") if answer_format.type == "json_schema" else {"type": "object"}
    )
    if isinstance(schema, dict):
        check_client_schema(schema)
    return make_form(schema)


@dataclass(frozen=True)
class ModelDefaults:
    """Default models and language of the endpoint.

    `models`: models of the server. By default, the first one answers for all seats. `language`: language of each run.
    """

    models: Sequence[str] = ()
    language: str = ""


def map_offered_models() -> dict[str, ProtocolEntry]:
    """Return the protocols that the endpoint offers, by model name.

    Each of these protocols can run with models only, and ends with a synthesis. A session is left out, because models
    alone would never end it.
    """
    models = {}
    for entry in map_protocols().values():
        with suppress(InputError):  # its package cannot be imported
            if (
                entry.topic_key
                and get_hooks(entry.name).is_bounded(entry.graph.context_schema())
                and "synthesis" in get_type_hints(entry.graph.output_schema)
            ):
                models[f"moot/{entry.name}"] = entry
    return models


C = TypeVar("C", bound=BaseModel)


def parse_body(body: bytes) -> Any:
    """Parse the JSON of a request body. Raises `InputError`."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise InputError("body", body[:40].decode("utf-8", "replace"), "send JSON") from None


def parse_document(document: Any, kind: type[C]) -> C:
    """Parse the JSON of a request as `kind`. Raises `InputError`, which names the first faulty key."""
    try:
        return kind.model_validate(document)
    except ValidationError as error:
        key, *path = error.errors(include_url=False)[0]["loc"] or ("",)
        fault = convert_input_error(error, kind)
        if key in UNSUPPORTED_FIELDS:
            fault = InputError(str(key), fault.value, UNSUPPORTED_FIELDS[str(key)])
        elif key == "messages" and path[1:2] == ["content"]:
            fault = InputError(
                f"messages.{path[0]}.content", fault.value, "give a text, or a list of parts of the type text"
            )
        raise fault from None


def get_model_protocol(model: str) -> ProtocolEntry:
    """Return the protocol that a model name stands for.

    Raises `EndpointError` if the endpoint does not offer the model.
    """
    protocols = map_offered_models()
    if model not in protocols:
        raise EndpointError(
            404, str(InputError("model", model, f"choose one of {', '.join(protocols)}")), "model_not_found", "model"
        )
    return protocols[model]


async def build_chat_run_request(
    chat: ChatRequest, defaults: ModelDefaults, *, seats_people: bool = False
) -> RunRequest:
    """Build the run request of a chat. Raises `InputError` or `EndpointError`.

    `seats_people`: whether participants may be people, as `NAME=person`.

    The last message is the question. Earlier messages are material that everyone sees. A question that is too long for
    a topic is material too, and the topic quotes its beginning and its end.
    """
    protocol = get_model_protocol(chat.model)
    *earlier_messages, question = chat.messages
    if question.role != "user" or not question.text.strip():
        raise InputError("messages", question.role, "end with a user's message that asks something")
    for key, value in chat.moot.items():
        if key not in CLIENT_SETTINGS:
            raise InputError(f"moot.{key}", value, explain_unknown_key(key, CLIENT_SETTINGS))
    tools = [
        function.get("name", tool.get("type")) if isinstance(function, dict) else function
        for tool in chat.tools or []
        for function in [tool.get("function") or tool]
    ]
    for name in tools:
        if name not in list_allowed_tools():
            allowed_tools = ", ".join(list_allowed_tools()) or "it allows no tools"
            remedy = f"must be allowed by this server: {allowed_tools}; leave it out"
            raise EndpointError(400, str(InputError("tools", name, remedy)), "unsupported_tool", "tools")
    models = list(defaults.models) or [await fetch_default_spec()]
    topic, material_messages = question.text, earlier_messages
    if len(topic) > MAX_TOPIC_LENGTH:
        material_messages = chat.messages
        start, end = topic[:QUOTED_LENGTH].rstrip() + " …", "… " + topic[-QUOTED_LENGTH:].lstrip()
        language = str(chat.moot.get("language") or defaults.language or "en")
        topic = translate_display_phrase(language, "endpoint.long_question", start=start, end=end)
    values = {
        protocol.topic_key: topic,
        "material": join_background(material_messages),
        "language": defaults.language,
        "seed": chat.seed,
        "temperature": chat.temperature,
        "tools": tools or None,
        **chat.moot,
    }
    seat_texts = values.pop("participants", None)
    if seat_texts is None:
        participants = assign_seats(protocol.name, models)
    else:
        participants = parse_client_seats(protocol, seat_texts, "moot.participants", '["Ada", "Ben"]')
        for participant in (entry for entry in participants if isinstance(entry, dict)):
            if participant.get("model", "") not in ("", *models) or ("kind" in participant and not seats_people):
                remedy = f"must be one of this server's models: {', '.join(models)}"
                raise InputError("moot.participants", participant.get("model") or participant["kind"], remedy)
    values = {key: value for key, value in values.items() if value not in (None, "")}
    if "vote" in values and "vote" not in protocol.graph.context_schema.model_fields:
        raise InputError(
            "moot.vote",
            values["vote"],
            f"leave it out; in this protocol ({protocol.name}) you cannot choose a final vote",
        )
    try:
        request = build_client_request(protocol, values | ({"participants": participants} if participants else {}))
    except InputError as error:
        if error.key == protocol.topic_key:
            raise InputError("messages", error.value, error.remedy) from None
        key = f"moot.{error.key}" if error.key in chat.moot else error.key
        raise InputError(key, error.value, error.remedy) from None
    budget = request.settings.budget
    if (
        await asyncio.to_thread(make_requested_form, chat.response_format) and budget.calls is not None
    ):  # the form gets a call of them
        budget = budget.model_copy(update={"calls": max(1, budget.calls - FORM_CALLS)})
        request = replace(request, settings=request.settings.with_choices(budget=budget.model_dump()))
    return request.with_model(models[0])


def join_background(messages: Sequence[ChatMessage]) -> str:
    """Return the messages before the question as one text: system messages first, then the chat in order."""
    instructions = [message.text for message in messages if message.role in ("system", "developer")]
    chat = [f"{message.role}: {message.text}" for message in messages if message.role in ("user", "assistant")]
    return "\n\n".join(text for text in [*instructions, *chat] if text.strip())


def assign_seats(protocol: str, models: Sequence[str]) -> list[dict[str, Any]]:
    """Return the seats of a protocol as participants, who get the models in turn.

    A protocol with any number of seats gets one for each model, but at least three. The list is empty for fewer than
    two models, and for a protocol that chooses its own participants.
    """
    hooks = get_hooks(protocol)
    if len(models) < 2 or hooks.names_participants:
        return []
    seat_count = len(hooks.seat_names) or max(3, len(models))
    participants = [CouncilSeat(model=models[index % len(models)]) for index in range(seat_count)]
    return [seat.model_dump(exclude_defaults=True) for seat in name_seats(participants, hooks.seat_names)]
