"""One request to a model: streaming metadata, settings the endpoint accepts, and structured replies."""

import json
from dataclasses import dataclass
from typing import Any

from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import JsonOutputParser
from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel, ValidationError

from ..prompts import Catalogue
from .asking import Asking
from .brief import Brief
from .models import REHEARSAL, chat, manners

SCHEMA_BOUND = ("openai", REHEARSAL)
"""Providers that take a JSON schema with the request; others are told it in words."""


@dataclass(frozen=True)
class Structure:
    """The schema a reply must follow, and the words that ask for it where the endpoint cannot."""

    schema: type[BaseModel]
    words: Catalogue

    def as_response_format(self) -> dict[str, object]:
        """The schema as OpenAI-compatible endpoints take it."""
        schema = self.schema.model_json_schema()
        return {"type": "json_schema", "json_schema": {"name": self.schema.__name__, "schema": schema}}

    def in_words(self, language: str, folder: str) -> str:
        """The schema as part of a prompt."""
        text = json.dumps(self.schema.model_json_schema(), ensure_ascii=False)
        return "\n\n" + self.words.fill(language, "schema", {"schema": text}, folder)


async def send(brief: Brief, asking: Asking, structure: Structure | None) -> AIMessage:
    """Make one call. Its tokens stream under the speaker's name, unless it is hidden."""
    model = chat(asking.spec, asking.rules, asking.who)
    config: RunnableConfig = {
        "run_name": f"{asking.purpose}: {asking.who}",
        "metadata": {"speaker": asking.who, "purpose": asking.purpose, "language": brief.language},
        "tags": ["nostream"] if asking.hidden or structure else [],
    }
    settings = _settings(model, asking)
    messages = brief.messages()
    if structure:
        if _takes_schema(asking.spec, settings):
            settings["response_format"] = structure.as_response_format()
        else:
            messages[-1].content = f"{messages[-1].content}{structure.in_words(brief.language, asking.rules.templates)}"
    return await model.ainvoke(messages, config, **settings)


def _settings(model: BaseChatModel, asking: Asking) -> dict[str, Any]:
    """Temperature and length, where the endpoint takes them; an object the caller made keeps its own."""
    if asking.spec.startswith("object:"):
        return {}
    known = manners(asking.spec)
    reasons = known.reasons or bool((model.profile or {}).get("reasoning_output"))
    cap = asking.max_tokens + (asking.rules.reasoning_allowance if reasons else 0)
    settings: dict[str, Any] = {"temperature": asking.temperature, "max_tokens": cap}
    if known.refused & {"max_tokens", "max_completion_tokens"}:
        del settings["max_tokens"]
    if "temperature" in known.refused:
        del settings["temperature"]
    return settings


def _takes_schema(spec: str, settings: dict[str, Any]) -> bool:
    return (
        bool(settings) and "response_format" not in manners(spec).refused and spec.startswith(("openai", "rehearsal"))
    )


def read(message: AIMessage, structure: Structure) -> tuple[BaseModel | None, str]:
    """The reply as the schema's model, or what is wrong with it. Prose or a code fence around one JSON object is
    peeled off by the library's parser; anything else is refused rather than repaired."""
    try:
        return structure.schema.model_validate(JsonOutputParser().parse(message.text)), ""
    except OutputParserException:
        return None, "no JSON object"
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the object"
        return None, f"{place}: {first['msg']}"


def refusal_in(message: AIMessage) -> str:
    """The refusal an endpoint reported in its own field or finish reason; never guessed from words."""
    if refused := message.additional_kwargs.get("refusal"):
        return str(refused)[:300]
    reason = message.response_metadata.get("finish_reason")
    return "stopped by the content filter" if reason == "content_filter" else ""


def was_cut_off(message: AIMessage) -> bool:
    """Whether the model ran into its length limit."""
    return message.response_metadata.get("finish_reason") in ("length", "max_tokens")
