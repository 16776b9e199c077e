"""Requests for replies that follow a schema, and the parsing of such replies."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.utils.json import parse_json_markdown
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ...prompts import Templates, get_term, load_table
from ...state.ballot import UnclearAnswerError
from ...state.fence import repair_surrogates


@dataclass(frozen=True)
class ReplySchema:
    """Schema that a reply must follow, and the templates that state it if the endpoint takes no schema.

    `parse_plain`: parser of a plain reply, which raises `UnclearAnswerError`; `None` refuses plain replies.
    `language`: language of the prompt and of the described faults.
    """

    schema: type[BaseModel]
    templates: Templates
    parse_plain: Callable[[str], BaseModel] | None = None
    language: str = "en"

    def build_response_format(self) -> dict[str, object]:
        """Build the schema in the form that OpenAI-compatible endpoints take."""
        schema = describe_schema(self.schema, self.language)
        return {"type": "json_schema", "json_schema": {"name": self.schema.__name__, "schema": schema}}

    def format_for_prompt(self, language: str, folder: str) -> str:
        """Format the schema as part of a prompt."""
        text = json.dumps(describe_schema(self.schema, language), ensure_ascii=False)
        return "\n\n" + self.templates.fill_template(language, "schema", {"schema": text}, folder)


def describe_schema(form: type[BaseModel], language: str) -> dict[str, Any]:
    """Return the JSON schema of a form, with the meaning of its fields in `language` and no other texts.

    A field's description is the key of its phrase. A description without a phrase stays unchanged.
    """
    schema, phrases = form.model_json_schema(), load_table("terms", language)["fields"]
    for definition in [schema, *schema.get("$defs", {}).values()]:
        fields = definition.get("properties", {}).values()
        for part in [definition, *fields]:
            part.pop("title", None)
        definition.pop("description", None)
        for field in fields:
            if key := field.get("description"):
                field["description"] = phrases.get(key, key)
    return schema


FAULT_PHRASES: Mapping[str, str] = {
    "missing": "missing",
    "extra_forbidden": "extra",
    "literal_error": "choice",
    "enum": "choice",
    "string_type": "text",
    "int_type": "whole_number",
    "int_parsing": "whole_number",
    "int_from_float": "whole_number",
    "float_type": "number",
    "float_parsing": "number",
    "finite_number": "number",
    "bool_type": "truth",
    "bool_parsing": "truth",
    "list_type": "list",
    "dict_type": "mapping",
    "model_type": "mapping",
    "model_attributes_type": "mapping",
    "string_too_long": "longer",
    "string_too_short": "shorter",
    "too_long": "more",
    "too_short": "fewer",
    "greater_than_equal": "at_least",
    "greater_than": "above",
    "less_than_equal": "at_most",
    "less_than": "below",
    "vote_or_abstain": "vote_or_abstain",
    "named_twice": "named_twice",
    "points_total": "points_total",
    "share": "share",
}
"""Phrase for each of pydantic's types of error; other types get the phrase `form`."""


def parse_reply(message: AIMessage, reply_schema: ReplySchema) -> tuple[BaseModel | None, str]:
    """Parse the reply as the schema's model, or describe its fault in the language of the prompt.

    The library's parser removes a code fence around one JSON object, and prose around the fence or after the
    object. Any other fault, such as an incomplete object or a repeated key, is refused and not repaired.
    """
    try:
        return reply_schema.schema.model_validate(parse_json_markdown(message.text, parser=_parse_single_object)), ""
    except ValidationError as error:
        return None, describe_fault(error.errors(include_url=False, include_input=False)[0], reply_schema.language)
    except BrokenJsonError as error:
        return _parse_plain_reply(
            message.text, reply_schema, get_term(reply_schema.language, "faults", error.kind, given=error.key)
        )
    except (ValueError, RecursionError):
        return _parse_plain_reply(message.text, reply_schema, get_term(reply_schema.language, "faults", "no_object"))


def describe_fault(fault: ErrorDetails, language: str) -> str:
    """Describe one fault of a value: its location, and the value that is expected there."""
    location = ".".join(str(part) for part in fault["loc"]) or get_term(language, "faults", "whole")
    bounds = {key: value for key, value in (fault.get("ctx") or {}).items() if isinstance(value, str | int | float)}
    if "expected" in bounds:
        bounds["expected"] = str(bounds["expected"]).replace("' or '", "', '")
    text = get_term(language, "faults", FAULT_PHRASES.get(fault["type"], "form"), **bounds)
    return f"{location}: {text}"


def _parse_plain_reply(text: str, reply_schema: ReplySchema, fault: str) -> tuple[BaseModel | None, str]:
    if reply_schema.parse_plain is None or "{" in text:
        return None, fault
    try:
        return reply_schema.parse_plain(repair_surrogates(text)), ""
    except UnclearAnswerError as error:
        reason = (
            describe_fault(error.flaw, reply_schema.language)
            if error.flaw
            else get_term(reply_schema.language, "unclear", error.kind, **error.values)
        )
        return None, get_term(reply_schema.language, "faults", "plainly", flaw=fault, unclear=reason)


class BrokenJsonError(ValueError):
    """Text that is not one JSON object.

    `kind`: key of the phrase that describes the fault. `key`: the repeated key, or empty.
    """

    def __init__(self, kind: str, key: str = "") -> None:
        super().__init__(kind)
        self.kind, self.key = kind, key


def _parse_single_object(text: str, **_: object) -> object:
    """Parse the one JSON object at the beginning of `text`; prose may follow it, but no second value."""
    value, end = json.JSONDecoder(object_pairs_hook=_build_unique_mapping).raw_decode(text)
    if not isinstance(value, dict):
        raise BrokenJsonError("no_object")
    if re.search(r"[{}\[\]]", text[end:]):
        raise BrokenJsonError("several")
    return json.loads(repair_surrogates(json.dumps(value, ensure_ascii=False)))


def _build_unique_mapping(pairs: list[tuple[str, object]]) -> dict[str, object]:
    keys = [key for key, _ in pairs]
    if repeated_keys := {key for key in keys if keys.count(key) > 1}:
        raise BrokenJsonError("twice", min(repeated_keys))
    return dict(pairs)
