"""Forms that callers request for an answer: pydantic models, TypedDicts and JSON schemas."""

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Annotated, Any, cast

from jsonschema import Draft202012Validator, SchemaError
from pydantic import AfterValidator, BaseModel, RootModel, WithJsonSchema
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012
from typing_extensions import is_typeddict

from ...state import InputError

MAX_CLIENT_PARTS, MAX_CLIENT_DEPTH, MAX_CLIENT_LENGTH = 1000, 20, 16_000
"""Maximum parts, nesting and characters of a client's schema, counted with every `$ref` resolved."""
CLIENT_KEYWORDS = (
    "pattern",
    "patternProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "$dynamicRef",
    "$id",
)
"""Keywords forbidden in a client's schema. Their validation may never end, or may need another schema."""
NAMED_PARTS = ("properties", "$defs", "definitions", "dependentSchemas")
"""Keywords whose value maps names to schemas."""


def make_form(response_format: Any) -> type[BaseModel]:
    """Return the requested form as a pydantic model. Raises `InputError` unless it describes an object."""
    if isinstance(response_format, type) and issubclass(response_format, BaseModel):
        return response_format
    if isinstance(response_format, type) and is_typeddict(response_format):
        return make_root_model(response_format)
    if not isinstance(response_format, Mapping) or response_format.get("type") != "object":
        raise InputError(
            "response_format", response_format, "give a pydantic model, a TypedDict, or a JSON schema of type object"
        )
    schema: dict[str, Any] = deepcopy(dict(response_format))
    try:
        Draft202012Validator.check_schema(schema)
        for subschema in list_subschemas(schema):
            resolve_reference(schema, subschema)
    except SchemaError as error:
        raise InputError("response_format", response_format, f"must be a JSON schema: {error.message}") from None
    # An empty registry: the library's own would fetch any address in `$ref`.
    validator = Draft202012Validator(deepcopy(schema), registry=Registry())

    def check_value(value: dict[str, Any]) -> dict[str, Any]:
        try:
            fault = next(validator.iter_errors(value), None)
        except (RecursionError, Unresolvable) as error:
            raise ValueError(f"the schema cannot be checked: {type(error).__name__}") from None
        if fault:
            raise ValueError(fault.message)
        return value

    return make_root_model(Annotated[dict[str, Any], AfterValidator(check_value), WithJsonSchema(schema)])


def list_subschemas(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield a JSON schema and all objects in it."""
    pending = [schema]
    while pending:
        subschema = pending.pop()
        if isinstance(subschema, dict):
            yield subschema
        pending += (
            subschema.values() if isinstance(subschema, dict) else subschema if isinstance(subschema, list) else ()
        )


def resolve_reference(schema: dict[str, Any], subschema: dict[str, Any]) -> Any:
    """Return the target of the part's `$ref`, or `None` without one.

    `subschema`: part of `schema`. Raises `InputError` for a reference to no part of the schema.
    """
    if not isinstance(reference := subschema.get("$ref"), str):
        return None
    resource: Resource[Any] = DRAFT202012.create_resource(schema)
    try:
        return Registry[Any]().with_resource("", resource).resolver().lookup(reference).contents
    except Unresolvable:
        raise InputError(
            "response_format.$ref", reference, "must name a part of the schema, as in #/$defs/item"
        ) from None


def check_client_schema(schema: dict[str, Any]) -> None:
    """Check that a client's schema is short and fast to validate. Raises `InputError` otherwise."""
    count, pending = 0, [(cast(Any, schema), 0)]
    while pending:
        subschema, depth = pending.pop()
        count += 1
        if count > MAX_CLIENT_PARTS or depth > MAX_CLIENT_DEPTH:
            remedy = (
                f"must have at most {MAX_CLIENT_PARTS} parts and {MAX_CLIENT_DEPTH} levels, with each $ref written out"
            )
            raise InputError("response_format", None, f"{remedy}; simplify the schema")
        if isinstance(subschema, dict):
            if keyword := next((key for key in CLIENT_KEYWORDS if key in subschema), ""):
                raise InputError(f"response_format.{keyword}", subschema[keyword], "must be absent; leave it out")
            named_parts = [
                value
                for key in NAMED_PARTS
                if isinstance(subschema.get(key), dict)
                for value in subschema[key].values()
            ]
            values = [
                *named_parts,
                *(subschema[key] for key in subschema.keys() - set(NAMED_PARTS)),
                resolve_reference(schema, subschema),
            ]
        else:
            values = subschema if isinstance(subschema, list) else []
        pending += [(value, depth + 1) for value in values if isinstance(value, dict | list)]
    if len(json.dumps(schema)) > MAX_CLIENT_LENGTH:
        raise InputError(
            "response_format", None, f"must have at most {MAX_CLIENT_LENGTH:,} characters; shorten the schema"
        )


def make_root_model(content: Any) -> type[BaseModel]:
    """Make a pydantic model whose whole value has the type `content`."""
    return type("Form", (RootModel[content],), {"__module__": __name__})


def parse_filled_form(form: type[BaseModel], values: Mapping[str, Any] | None) -> Any:
    """Return the values of a filled form as the caller's object, or `None` without values."""
    if values is None:
        return None
    filled_form = form.model_validate(values)
    return filled_form.root if isinstance(filled_form, RootModel) else filled_form
