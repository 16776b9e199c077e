"""Replies that follow a schema: how one is asked for, and how it is read."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.utils.json import parse_json_markdown
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ...prompts import Catalogue, table, term
from ...state.ballot import Unclear
from ...state.fence import storable


@dataclass(frozen=True)
class Structure:
    """The schema a reply must follow, and the words that ask for it where the endpoint cannot.

    `plainly`: how a reply in plain words is read; raises `Unclear`. None: not at all. `language`: of the prompt, in
    which faults are told.
    """

    schema: type[BaseModel]
    words: Catalogue
    plainly: Callable[[str], BaseModel] | None = None
    language: str = "en"

    def as_response_format(self) -> dict[str, object]:
        """The schema as OpenAI-compatible endpoints take it."""
        schema = worded(self.schema, self.language)
        return {"type": "json_schema", "json_schema": {"name": self.schema.__name__, "schema": schema}}

    def in_words(self, language: str, folder: str) -> str:
        """The schema as part of a prompt."""
        text = json.dumps(worded(self.schema, language), ensure_ascii=False)
        return "\n\n" + self.words.fill(language, "schema", {"schema": text}, folder)


def worded(form: type[BaseModel], language: str) -> dict[str, Any]:
    """The JSON schema of a form as a model is told it: what its fields mean in words of `language`, and no other words.

    In the form itself the description of a field is the key of that phrase; one that is no key is told as it stands.
    """
    schema, phrases = form.model_json_schema(), table("terms", language)["fields"]
    for one in [schema, *schema.get("$defs", {}).values()]:
        fields = one.get("properties", {}).values()
        for part in [one, *fields]:
            part.pop("title", None)
        one.pop("description", None)
        for field in fields:
            if said := field.get("description"):
                field["description"] = phrases.get(said, said)
    return schema


FAULTS: Mapping[str, str] = {
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
"""By pydantic's type of a fault: the phrase that tells it; a type that is not here is told as another form."""


def read(message: AIMessage, structure: Structure) -> tuple[BaseModel | None, str]:
    """The reply as the schema's model, or what is wrong with it, in the language of its prompt.

    A code fence around one JSON object, and prose around the fence or after the object, is peeled off by the library's
    parser; anything else, such as an object that breaks off or names a key twice, is refused rather than repaired.
    """
    try:
        return structure.schema.model_validate(parse_json_markdown(message.text, parser=_strictly)), ""
    except ValidationError as fault:
        return None, told(fault.errors(include_url=False, include_input=False)[0], structure.language)
    except Broken as fault:
        return _in_words(message.text, structure, term(structure.language, "faults", fault.kind, given=fault.key))
    except (ValueError, RecursionError):
        return _in_words(message.text, structure, term(structure.language, "faults", "no_object"))


def told(fault: ErrorDetails, language: str) -> str:
    """One fault of a value: its place, and what is asked for there."""
    place = ".".join(str(part) for part in fault["loc"]) or term(language, "faults", "whole")
    bounds = {key: value for key, value in (fault.get("ctx") or {}).items() if isinstance(value, str | int | float)}
    if "expected" in bounds:
        bounds["expected"] = str(bounds["expected"]).replace("' or '", "', '")
    said = term(language, "faults", FAULTS.get(fault["type"], "form"), **bounds)
    return f"{place}: {said}"


def _in_words(text: str, structure: Structure, flaw: str) -> tuple[BaseModel | None, str]:
    """What a reply without its form says in plain words, where these are read; else what is wrong with it."""
    if structure.plainly is None or "{" in text:
        return None, flaw
    try:
        return structure.plainly(storable(text)), ""
    except Unclear as unclear:
        said = told(unclear.flaw, structure.language) if unclear.flaw else _unclear(unclear, structure.language)
        return None, term(structure.language, "faults", "plainly", flaw=flaw, unclear=said)


def _unclear(unclear: Unclear, language: str) -> str:
    return term(language, "unclear", unclear.kind, **unclear.given)


class Broken(ValueError):
    """Text that is no one JSON object; `kind`: the phrase that tells how, `key`: the key it is about."""

    def __init__(self, kind: str, key: str = "") -> None:
        super().__init__(kind)
        self.kind, self.key = kind, key


def _strictly(text: str, **_: object) -> object:
    """The one JSON object at the beginning of `text`; what follows it may be words, but no second value."""
    value, end = json.JSONDecoder(object_pairs_hook=_once_each).raw_decode(text)
    if not isinstance(value, dict):
        raise Broken("no_object")
    if re.search(r"[{}\[\]]", text[end:]):
        raise Broken("several")
    return json.loads(storable(json.dumps(value, ensure_ascii=False)))


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    keys = [key for key, _ in pairs]
    if twice := {key for key in keys if keys.count(key) > 1}:
        raise Broken("twice", min(twice))
    return dict(pairs)
