"""Replies in the form of a schema: how Moot requests and parses them."""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from langchain_core.messages import AIMessage
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ...prompts import Templates, get_term, load_table
from ...state import (
    AnswerForm,
    ReadAs,
    UnclearAnswerError,
    closes_passage,
    ends_in_passage,
    find_duplicate,
    repair_surrogates,
    strip_reasoning,
)
from ..answer_forms import format_form

END_KEYS = ("finish_reason", "stop_reason", "stopReason", "done_reason", "incomplete_details")
"""Keys of the metadata in which providers report why a reply ended."""
CUT_OFF_REASONS = (
    *("length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"),
    *("error", "failed", "cancelled", "canceled", "abort", "aborted"),
)
"""Reasons, in lower case, with which providers report that a reply reached its length limit or broke off."""
REFUSAL_REASONS = (
    *("content_filter", "content_filtered", "refusal", "guardrail_intervened"),
    *("safety", "recitation", "blocklist", "prohibited_content", "spii"),
)
"""Reasons, in lower case, with which providers report that they stopped a reply for its content."""
_FENCE = "`{3,}|~{3,}"
_CODE_BLOCK = re.compile(rf"^[ \t]*({_FENCE})[\w-]*\s*(\{{.*\}})\s*\1[ \t]*\r?$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class ReplySchema:
    """Schema for a reply, and the templates that describe it to endpoints without schema support.

    `answer_form`: text form of the answer; `None` accepts only JSON. `language`: language of the prompt and of
    messages about faults.
    """

    schema: type[BaseModel]
    templates: Templates
    answer_form: AnswerForm | None = None
    language: str = "en"

    def build_response_format(self) -> dict[str, object]:
        """Build the `response_format` parameter of OpenAI-compatible endpoints from the schema."""
        schema = build_json_schema(self.schema, self.language)
        return {"type": "json_schema", "json_schema": {"name": self.schema.__name__, "schema": schema}}

    def format_for_prompt(self, language: str, folder: str) -> str:
        """Return the reply's text form or JSON schema for a prompt. `folder`: the user's templates."""
        if self.answer_form:
            return "\n\n" + format_form(self.answer_form, language, self.schema.model_fields)
        text = json.dumps(build_json_schema(self.schema, language), ensure_ascii=False)
        return "\n\n" + self.templates.fill_template(language, "schema", {"schema": text}, folder)


@lru_cache(256)
def build_json_schema(form: type[BaseModel], language: str) -> dict[str, Any]:
    """Return the JSON schema of `form`. Its only texts are descriptions of the fields in `language`.

    In `form`, a field's description is the key of a phrase. A description that is no such key stays unchanged.
    Do not change the schema: later calls return the same one.
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
"""Phrase for each of pydantic's error types. Any other type gets the phrase `form`."""


class UnusableReplyError(ValueError):
    """Error for a reply without a valid answer.

    `fault`: explanation in the language of the prompt. `is_read`: whether the reply has the right form but breaks a
    rule of the schema.
    """

    def __init__(self, fault: str, *, is_read: bool) -> None:
        super().__init__(fault)
        self.fault, self.is_read = fault, is_read


def is_cut_off(message: AIMessage) -> bool:
    """Return whether a reply ended at the length limit, or broke off."""
    return _has_ended(message, CUT_OFF_REASONS)


def is_stopped_for_content(message: AIMessage) -> bool:
    """Return whether the provider stopped a reply for its content, or the reply contains a refusal."""
    blocks = message.content if isinstance(message.content, list) else []
    has_refusal = any(isinstance(block, dict) and block.get("type") == "refusal" for block in blocks)
    return has_refusal or _has_ended(message, REFUSAL_REASONS)


def _has_ended(message: AIMessage, reasons: Collection[str]) -> bool:
    ends = [message.response_metadata.get(key) for key in END_KEYS]
    end_reasons = [end.get("reason") if isinstance(end, dict) else end for end in ends]
    return any(str(reason).casefold() in reasons for reason in end_reasons)


def parse_reply(message: AIMessage, reply_schema: ReplySchema) -> tuple[BaseModel, ReadAs]:
    """Return the reply as an instance of the schema, and how it was read. Raises `UnusableReplyError`.

    A reply with an object of the schema is read as JSON: the object must be the complete reply, or its only code block,
    without labelled lines or other objects. Incomplete objects and repeated keys are faults, which Moot does not
    repair. Other replies are read by the text form, if there is one. A reply that was cut off counts only if it is a
    JSON object.
    """
    text, form, language = repair_surrogates(message.text), reply_schema.answer_form, reply_schema.language
    objects = re.compile(rf'\{{\s*"(?:{"|".join(map(re.escape, reply_schema.schema.model_fields))})"\s*:')
    read_as: ReadAs = "schema"
    try:
        if is_cut_off(message):
            values = _load_object(text)
        elif form is None or objects.search(strip_reasoning(text)):
            values = _parse_object(text, form, objects)
        else:
            answers, read_as = form.parse(text)
            values = _build_values(answers, form, reply_schema.schema)
    except (UnclearAnswerError, RecursionError) as error:
        unclear = error if isinstance(error, UnclearAnswerError) else UnclearAnswerError("no_object")
        reason = get_term(language, "unclear", unclear.kind, **unclear.values)
        if is_cut_off(message):
            reason = get_term(language, "kinds", "cut_off")
        raise UnusableReplyError(reason, is_read=False) from None
    try:
        return reply_schema.schema.model_validate(values), read_as
    except ValidationError as error:
        fault = describe_fault(error.errors(include_url=False, include_input=False)[0], language)
        raise UnusableReplyError(fault, is_read=True) from None


def _build_values(answers: Mapping[str, object], form: AnswerForm, schema: type[BaseModel]) -> dict[str, object]:
    """Return the answers by the schema's field names, without free text that has no field."""
    values: dict[str, Any] = {}
    for field in form.fields:
        if field.key not in answers:
            continue
        answer, (key, _, inner_key) = answers[field.key], field.key.partition(".")
        if not field.is_free:
            values |= answer if isinstance(answer, dict) else {key: answer}
        elif inner_key:
            values.setdefault(key, {})[inner_key] = answer
        elif key in schema.model_fields:
            values[key] = answer
    return values


def describe_fault(fault: ErrorDetails, language: str) -> str:
    """Return a text in `language` that names the place of a fault and the expected value."""
    location = ".".join(str(part) for part in fault["loc"]) or get_term(language, "faults", "whole")
    bounds = {key: value for key, value in (fault.get("ctx") or {}).items() if isinstance(value, str | int | float)}
    if "expected" in bounds:
        bounds["expected"] = str(bounds["expected"]).replace("' or '", "', '")
    text = get_term(language, "faults", FAULT_PHRASES.get(fault["type"], "form"), **bounds)
    return f"{location}: {text}"


def _parse_object(text: str, form: AnswerForm | None, objects: re.Pattern[str]) -> dict[str, object]:
    """Parse the JSON object that is the complete reply, after hidden reasoning, or its only code block.

    `objects`: pattern of the start of an object. Raises `UnclearAnswerError`, also next to a labelled line or another
    object, and for a block in a hidden or struck passage.
    """
    if form and form.has_answer_line(text):
        raise UnclearAnswerError("several")
    text = strip_reasoning(text)
    block = _CODE_BLOCK.search(text) if len(re.findall(_FENCE, text)) == 2 else None
    if block is None:
        return _load_object(text)
    before, after = text[: block.start()], text[block.end() :]
    if objects.search(before + after):
        raise UnclearAnswerError("several")
    if ends_in_passage(before) or closes_passage(after):
        raise UnclearAnswerError("no_object")
    return _load_object(block[2])


def _load_object(text: str) -> dict[str, object]:
    try:
        value = json.loads(
            text.removeprefix("\ufeff"), object_pairs_hook=_build_unique_mapping, parse_constant=_reject_constant
        )
    except UnclearAnswerError:
        raise
    except ValueError as error:  # also a number with too many digits
        is_several = isinstance(error, json.JSONDecodeError) and error.msg == "Extra data" and text[:1] == "{"
        raise UnclearAnswerError("several" if is_several else "no_object") from None
    if not isinstance(value, dict):
        raise UnclearAnswerError("no_object")
    return dict[str, object](json.loads(repair_surrogates(json.dumps(value, ensure_ascii=False))))


def _build_unique_mapping(pairs: list[tuple[str, object]]) -> dict[str, object]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise UnclearAnswerError("twice", given=find_duplicate(key for key, _ in pairs))
    return mapping


def _reject_constant(_: str) -> object:
    raise UnclearAnswerError("no_object")
