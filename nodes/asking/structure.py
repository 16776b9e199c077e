"""Replies that follow a schema: how one is asked for, and how it is read."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from langchain_core.messages import AIMessage
from langchain_core.utils.json import parse_json_markdown
from pydantic import BaseModel, ValidationError

from ...prompts import Catalogue
from ...state.ballot import Unclear
from ...state.fence import storable


@dataclass(frozen=True)
class Structure:
    """The schema a reply must follow, and the words that ask for it where the endpoint cannot.

    `plainly`: how a reply in plain words is read; raises `Unclear`. None: not at all.
    """

    schema: type[BaseModel]
    words: Catalogue
    plainly: Callable[[str], BaseModel] | None = None

    def as_response_format(self) -> dict[str, object]:
        """The schema as OpenAI-compatible endpoints take it."""
        schema = self.schema.model_json_schema()
        return {"type": "json_schema", "json_schema": {"name": self.schema.__name__, "schema": schema}}

    def in_words(self, language: str, folder: str) -> str:
        """The schema as part of a prompt."""
        text = json.dumps(self.schema.model_json_schema(), ensure_ascii=False)
        return "\n\n" + self.words.fill(language, "schema", {"schema": text}, folder)


def read(message: AIMessage, structure: Structure) -> tuple[BaseModel | None, str]:
    """The reply as the schema's model, or what is wrong with it.

    A code fence around one JSON object, and prose around the fence or after the object, is peeled off by the library's
    parser; anything else, such as an object that breaks off or names a key twice, is refused rather than repaired.
    """
    try:
        return structure.schema.model_validate(parse_json_markdown(message.text, parser=_strictly)), ""
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the object"
        return None, f"{place}: {first['msg'].removeprefix('Value error, ')}"
    except (ValueError, RecursionError) as fault:
        return _in_words(message.text, structure, f"no JSON object ({storable(str(fault))[:100]})")


def _in_words(text: str, structure: Structure, flaw: str) -> tuple[BaseModel | None, str]:
    """What a reply without its form says in plain words, where these are read; else what is wrong with it."""
    if structure.plainly is None or "{" in text:
        return None, flaw
    try:
        return structure.plainly(storable(text)), ""
    except Unclear as unclear:
        return None, f"{flaw}; in plain words, {unclear}"


def _strictly(text: str, **_: object) -> object:
    """The one JSON object at the beginning of `text`; what follows it may be words, but no second value."""
    value, end = json.JSONDecoder(object_pairs_hook=_once_each).raw_decode(text)
    if not isinstance(value, dict):
        raise ValueError("another value")
    if re.search(r"[{}\[\]]", text[end:]):
        raise ValueError("more than one JSON value")
    return json.loads(storable(json.dumps(value, ensure_ascii=False)))


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    keys = [key for key, _ in pairs]
    if twice := {key for key in keys if keys.count(key) > 1}:
        raise ValueError(f"{min(twice)} is given twice")
    return dict(pairs)
