"""What a client asks: a chat in OpenAI's form, and the deliberation it means."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ....nodes.models.chat import default_spec
from ....nodes.models.operator_limits import capped
from ....state.refused import Refused, refused_input, unknown_key
from ...council import Seat, named
from ...options import seats_of
from ...panel.experts import experts
from ...panel.question_language import in_its_language
from ...protocol_list import Protocol, every_protocol
from ...request import Request, layered
from .errors import Fault

PREFIX = "moot/"
UNOFFERED = "discussion"
"""A session of models alone has no end and no closing text of its own."""

SETTINGS = (
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
"""What a client may set under `moot`; nothing here names a file or an address."""

UNMEANT = {
    "tools": "leave it out; a deliberation calls no tools",
    "functions": "leave it out; a deliberation calls no functions",
    "n": "leave it out; a deliberation has one closing text",
    "response_format": "leave it out; a closing text is plain text",
    "logprobs": "leave it out; a closing text has none",
    "audio": "leave it out; a closing text is plain text",
    "modalities": "leave it out; a closing text is plain text",
}
"""What would change what an answer is, and cannot be had."""

GROUPS, LEAST = ("council", "consensus", "jury", "delphi"), 3
"""Protocols whose seats follow the server's models where it has several, and the fewest seats then."""


class Part(BaseModel):
    """A piece of a message. Only texts can be deliberated."""

    type: Literal["text"]
    text: str


class Message(BaseModel):
    """A message of the chat."""

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        """Its words."""
        if isinstance(self.content, list):
            return "\n".join(one.text for one in self.content)
        return self.content or ""


class StreamOptions(BaseModel):
    """What a stream brings beside the words."""

    include_usage: bool = False


class TextAlone(BaseModel):
    """The one form of an answer."""

    type: Literal["text"]


class Asked(BaseModel):
    """A chat completion that is asked for. What can be neither done nor left undone is refused by its type."""

    model_config = ConfigDict(extra="allow", frozen=True)

    model: str
    messages: list[Message] = Field(min_length=1)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    seed: int | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    n: Literal[1] | None = None
    tools: list[Any] | None = Field(default=None, max_length=0)
    functions: list[Any] | None = Field(default=None, max_length=0)
    response_format: TextAlone | None = None
    logprobs: Literal[False] | None = None
    audio: None = None
    modalities: list[Literal["text"]] | None = None
    moot: dict[str, Any] = {}

    @property
    def unused(self) -> list[str]:
        """The settings that were sent and say nothing to a deliberation."""
        return sorted(key for key, value in (self.model_extra or {}).items() if value is not None)


@dataclass(frozen=True)
class Seating:
    """Who is asked. `models`: those the server was started with, its first for all; `language`: of every run."""

    models: Sequence[str] = ()
    language: str = ""


def offered() -> dict[str, Protocol]:
    """The protocols by the name of their model: those that models alone hold on a question, and that close it."""
    found = [one for one in every_protocol().values() if one.about and one.name != UNOFFERED]
    return {f"{PREFIX}{one.name}": one for one in found if "synthesis" in get_type_hints(one.drawing.output_schema)}


def read(body: bytes) -> Asked:
    """The chat that a body asks for; raises `Refused` with the key that cannot be used."""
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused("body", body[:40].decode("utf-8", "replace"), "send JSON") from None
    try:
        return Asked.model_validate(given)
    except ValidationError as error:
        raise _refused(error) from None


def _refused(error: ValidationError) -> Refused:
    """The first fault, with what is left to do about it where a setting means nothing here."""
    key, *place = error.errors(include_url=False)[0]["loc"] or ("",)
    found = refused_input(error, Asked)
    if key in UNMEANT:
        return Refused(str(key), found.value, UNMEANT[str(key)])
    if key == "messages" and place[1:2] == ["content"]:
        return Refused(f"messages.{place[0]}.content", found.value, "give a text, or a list of parts of the type text")
    return found


def protocol_of(model: str) -> Protocol:
    """The protocol of a model; raises `Fault` for one that is not offered."""
    known = offered()
    if model not in known:
        remedy = f"choose one of {', '.join(known)}"
        raise Fault(404, str(Refused("model", model, remedy)), "model_not_found", "model")
    return known[model]


async def requested(asked: Asked, seating: Seating) -> Request:
    """The run that a chat means. Raises `Refused` or `Fault`.

    The last message is the question; what was said before it is material that everyone sees.
    """
    protocol = protocol_of(asked.model)
    *before, last = asked.messages
    if last.role != "user" or not last.text.strip():
        raise Refused("messages", last.role, "end with a user's message that asks something")
    models = list(seating.models) or [await default_spec()]
    given = {protocol.about: last.text, "material": background(before), "language": seating.language}
    given |= {"seed": asked.seed, "temperature": asked.temperature} | _set(asked.moot)
    people = given.pop("participants", None)
    cast = seats(protocol.name, models) if people is None else _named(protocol.name, people, models)
    given = {key: value for key, value in given.items() if value not in (None, "")}
    if "vote" in given and "vote" not in protocol.drawing.context_schema.model_fields:
        raise Refused("moot.vote", given["vote"], f"leave it out; a {protocol.name} ends by no vote that can be chosen")
    try:
        made = in_its_language(layered(protocol, [given | ({"participants": cast} if cast else {})]))
    except Refused as fault:
        raise _in_its_words(fault, protocol.about, asked) from None
    return Request(made.protocol, capped(made.rules), made.input).with_model(models[0])


def _in_its_words(fault: Refused, about: str, asked: Asked) -> Refused:
    """A fault under the key that the client gave."""
    if fault.key == about:
        long = "; put background into a message before the question" if "at most" in fault.remedy else ""
        return Refused("messages", fault.value, fault.remedy + long)
    return Refused(f"moot.{fault.key}" if fault.key in asked.moot else fault.key, fault.value, fault.remedy)


def background(before: Sequence[Message]) -> str:
    """What was said before the question: first what the system says, then the talk in its order."""
    rules = [one.text for one in before if one.role in ("system", "developer")]
    talk = [f"{one.role}: {one.text}" for one in before if one.role in ("user", "assistant")]
    return "\n\n".join(text for text in [*rules, *talk] if text.strip())


def seats(name: str, models: Sequence[str]) -> list[dict[str, Any]]:
    """The seats of a protocol where there are several models; none: its own, all of the first model."""
    if len(models) < 2 or name not in ("debate", *GROUPS):
        return []
    places = 2 if name == "debate" else max(LEAST, len(models))
    cast = [Seat(model=models[place % len(models)]) for place in range(places)]
    return [one.model_dump(exclude_defaults=True) for one in named(cast, sides=name == "debate")]


def _set(given: Mapping[str, Any]) -> dict[str, Any]:
    for key, value in given.items():
        if key not in SETTINGS:
            raise Refused(f"moot.{key}", value, unknown_key(key, SETTINGS))
    return dict(given)


def _named(name: str, people: Any, models: Sequence[str]) -> list[Any]:
    """The participants that a client names, each `NAME` or `NAME=MODEL`, with no other models than the server's."""
    if not isinstance(people, list) or not all(isinstance(one, str) for one in people):
        raise Refused("moot.participants", people, 'give a list of names, such as ["Ada", "Ben"]')
    if name == "panel":
        return experts(people)
    cast = list(seats_of(people))
    for one in cast:
        if one.get("model", "") not in ("", *models) or "kind" in one:
            remedy = f"seat one of this server's models: {', '.join(models)}"
            raise Refused("moot.participants", one.get("model") or one["kind"], remedy)
    return cast
