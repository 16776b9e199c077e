"""Instances of stored types with every field filled."""

import re
import typing
from typing import Any

from fakeserver.schema import Filler
from moot.state.justice.principle import PRINCIPLES
from pydantic import BaseModel, ValidationError

Json = dict[str, Any]

INCOMES = {"high": 5, "medium_high": 4, "medium": 3, "medium_low": 2, "low": 1}
BALLOT = {"voter": "Ada", "choice": "Lyon", "amount": 3, "weight": 2, "reason": "why"}
RANKING = {"order": PRINCIPLES, "certainty": "sure", "raw_replies": ["1, 2, 3, 4"]}
FACTORS = {"attempt_factors": [1.0, 0.5]}
AGREEING: dict[str, Json] = {
    "Distribution": INCOMES,
    "Ballot": BALLOT,
    "Ranking": RANKING,
    "JusticeTimeouts": FACTORS,
    "McpServer": {"url": "https://mcp.example.org/mcp"},
}
"""Values of types whose fields must agree."""
EXAMPLES = ("en", "doe2020", "2020-01-02", "a" * 64, "10.1000/x1", "2101.00001", "https://example.org/")
"""Strings for patterns."""


def kinds_in(hint: Any) -> set[type[BaseModel]]:
    """The models a channel's annotation names, at any depth, those of their fields included."""
    found: set[type[BaseModel]] = set()
    _gather(hint, found)
    return found


def _gather(hint: Any, found: set[type[BaseModel]]) -> None:
    if isinstance(hint, type) and issubclass(hint, BaseModel) and hint not in found:
        found.add(hint)
        for field in hint.model_fields.values():
            _gather(field.annotation, found)
    for part in typing.get_args(hint):
        _gather(part, found)


def filled(kind: type[BaseModel]) -> BaseModel:
    """An instance with every field given; where fields must agree with each other, with as many as agree."""
    faults: list[ValidationError] = []
    for every in (True, False):
        schema = _readable(kind.model_json_schema(), every)
        values = Filler(schema, b"whole", lambda n: f"text {n % 97}").fill(schema)
        try:
            return kind.model_validate(values)
        except ValidationError as fault:
            faults.append(fault)
    raise AssertionError(f"{kind.__name__}: write an instance of it into AGREEING") from faults[0]


def _readable(node: Any, every: bool) -> Any:
    """The schema with an example in place of each pattern, and with every property required."""
    if isinstance(node, list):
        return [_readable(child, every) for child in node]
    if not isinstance(node, dict):
        return node
    if str(node.get("title")) in AGREEING and "properties" in node:
        return {"const": AGREEING[str(node["title"])]}
    if "pattern" in node and isinstance(node["pattern"], str):
        return {"const": next((EXAMPLE for EXAMPLE in EXAMPLES if re.search(node["pattern"], EXAMPLE)), "")}
    kept = {key: _readable(value, every) for key, value in node.items()}
    if every and "properties" in node:
        kept["required"] = list(node["properties"])
    return kept
