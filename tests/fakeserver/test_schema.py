"""The model server's instances satisfy the schemas they are made from."""

from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from fakeserver.echo import paragraph
from fakeserver.schema import Filler, without_enums
from pydantic import BaseModel, Field, TypeAdapter, ValidationError


class Fruit(Enum):
    apple = "apple"
    pear = "pear"


class Claim(BaseModel):
    text: str = Field(min_length=30, max_length=60)
    reply_to: "Claim | None"


class Ranking(BaseModel):
    order: list[Fruit] = Field(min_length=2, max_length=2, json_schema_extra={"uniqueItems": True})
    scores: dict[str, Annotated[int, Field(ge=3, le=4)]] = Field(min_length=2)


KINDS: list[Any] = [
    bool,
    None,
    Literal["only"],
    Fruit,
    Claim,
    Ranking,
    Annotated[int, Field(gt=2, lt=4)],
    Annotated[int, Field(le=-7)],
    Annotated[int, Field(ge=1, multiple_of=25, le=100)],
    Annotated[float, Field(gt=0, lt=0.5)],
    Annotated[float, Field(ge=0, le=1, multiple_of=0.25)],
    Annotated[str, Field(min_length=200)],
    Annotated[list[str], Field(min_length=3)],
    int | Fruit,
    Claim | None,
]


def fill(schema: dict[str, object], seed: bytes = b"seed") -> object:
    return Filler(schema, seed, lambda n: paragraph(n.to_bytes(8), 8)).fill(schema)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_instance_is_valid_and_the_seed_decides(kind: Any) -> None:
    adapter = TypeAdapter(kind)
    schema = adapter.json_schema()
    for i in range(40):
        instance = fill(schema, bytes([i]))
        adapter.validate_python(instance)
        assert instance == fill(schema, bytes([i]))


def test_seeds_reach_every_choice() -> None:
    schema = TypeAdapter(Fruit).json_schema()
    assert {fill(schema, bytes([i])) for i in range(20)} == {"apple", "pear"}


def test_optional_properties_are_left_out() -> None:
    assert fill({"type": "object", "properties": {"a": {"const": 1}, "b": {}}, "required": ["a"]}) == {"a": 1}


def test_a_pattern_asks_for_a_reply_of_its_own() -> None:
    with pytest.raises(ValueError, match="give the server a reply"):
        fill({"type": "string", "pattern": "^[ab]+$"})


def test_without_its_enums_a_schema_gives_what_it_forbids() -> None:
    adapter = TypeAdapter(Ranking)
    with pytest.raises(ValidationError, match="'apple' or 'pear'"):
        adapter.validate_python(fill(without_enums({**adapter.json_schema(), "uniqueItems": False})))
