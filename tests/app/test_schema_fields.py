"""A schema is read once: type, bounds, choices and parts of each field, as every place shows them."""

from typing import Annotated, Literal

import pytest
from moot.app.schema_fields import SchemaField, list_schema_fields
from pydantic import BaseModel, Field


class Part(BaseModel):
    """A part."""

    unit: str = ""


class Sample(BaseModel):
    """A field of each sort."""

    seed: int | None = Field(default=None, ge=0, le=9, description="Seed of every draw.")
    share: float = Field(default=0.5, gt=0, lt=1)
    rule: Literal["off", "borda"] = "off"
    flag: bool = False
    names: list[str] = []
    models: dict[str, Annotated[int, Field(ge=1)]] = {}
    part: Part | None = None
    answer: Literal["none"] | Part = "none"


FIELDS = {field.name: field for field in list_schema_fields(Sample.model_json_schema())}


@pytest.mark.parametrize(
    ("name", "type", "bounds", "choices", "parts"),
    [
        ("seed", "integer or none", "0–9", [], []),
        ("share", "number", "above 0 below 1", [], []),
        ("rule", "off | borda", "", ["off", "borda"], []),
        ("flag", "true | false", "", [], []),
        ("names", "list of text", "", [], []),
        ("models", "mapping to integer", "", [], []),
        ("part", "mapping or none", "", [], ["unit"]),
        ("answer", "none or mapping", "", [], ["unit"]),
    ],
)
def test_a_field_says_its_type_its_bounds_its_choices_and_its_parts(
    name: str, type: str, bounds: str, choices: list[str], parts: list[str]
) -> None:
    field = FIELDS[name]
    assert (field.type, field.bounds, field.choices) == (type, bounds, choices)
    assert [part.name for part in field.parts] == parts


def test_only_a_field_with_a_null_may_be_none() -> None:
    assert [name for name, field in FIELDS.items() if field.may_be_none] == ["seed", "part"]


def test_a_description_is_the_fields_own_or_that_of_its_type() -> None:
    assert FIELDS["seed"].meaning == "Seed of every draw."
    nested = SchemaField("part", {"$ref": "#/$defs/Part"}, Sample.model_json_schema())
    assert nested.meaning == "A part."
