"""Forms that callers request: pydantic models, TypedDicts and JSON schemas."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Annotated, Any

from jsonschema import Draft202012Validator, SchemaError
from pydantic import AfterValidator, BaseModel, RootModel, WithJsonSchema
from typing_extensions import is_typeddict

from ...state import InputError


def make_form(response_format: Any) -> type[BaseModel]:
    """Return the form as a pydantic model. Raises `InputError` unless it is the schema of an object."""
    if isinstance(response_format, type) and issubclass(response_format, BaseModel):
        return response_format
    if isinstance(response_format, type) and is_typeddict(response_format):
        return make_root_model(response_format)
    if not isinstance(response_format, Mapping) or response_format.get("type") != "object":
        remedy = "give a pydantic model, a TypedDict, or a JSON schema of type object"
        raise InputError("response_format", response_format, remedy)
    schema: dict[str, Any] = deepcopy(dict(response_format))
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise InputError("response_format", response_format, f"it is no JSON schema: {error.message}") from None
    validator = Draft202012Validator(deepcopy(schema))

    def check_value(value: dict[str, Any]) -> dict[str, Any]:
        if fault := next(validator.iter_errors(value), None):
            raise ValueError(fault.message)
        return value

    return make_root_model(Annotated[dict[str, Any], AfterValidator(check_value), WithJsonSchema(schema)])


def make_root_model(content: Any) -> type[BaseModel]:
    """Make a model whose only content has this type."""
    return type("Form", (RootModel[content],), {"__module__": __name__})


def read_form(form: type[BaseModel], values: Mapping[str, Any] | None) -> Any:
    """Return the caller's object for filled-in values, or `None` without values."""
    if values is None:
        return None
    filled_form = form.model_validate(values)
    return filled_form.root if isinstance(filled_form, RootModel) else filled_form
