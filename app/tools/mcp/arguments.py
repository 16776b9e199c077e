"""Flat arguments of the MCP tools, and the run requests built from them.

Descriptions and bounds come from the schemas of the settings.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ....models import FILE_CHOICES, get_operator_policy, parse_spec
from ....state import MAX_TOPIC_LENGTH, Budget, InputError, explain_unknown_key
from ...protocols import get_hooks, get_protocol, map_protocols
from ...run import CAP_SETTINGS, RunRequest, build_client_request, parse_client_seats
from ...schema_fields import list_schema_fields

ArgumentSchemas = dict[str, Any]
"""JSON schema of each argument, by name."""


def map_tool_settings() -> dict[str, Sequence[str]]:
    """Return the settings that each protocol's tool offers, by protocol.

    Protocols without a tool are left out.
    """
    return {name: settings for name in map_protocols() if (settings := get_hooks(name).tool_settings) is not None}


def build_arguments(name: str) -> ArgumentSchemas:
    """Return the JSON schemas of the arguments of a protocol's tool, the topic first."""
    protocol = get_protocol(name)
    settings, caps = (
        {
            field.name: {**field.source, "anyOf": field.alternatives} if "anyOf" in field.source else field.source
            for field in list_schema_fields(model.model_json_schema())
        }
        for model in (protocol.graph.context_schema, Budget)
    )
    topic_arguments: ArgumentSchemas = {
        protocol.topic_key: {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_TOPIC_LENGTH,
            "description": "Question or topic.",
        },
        "material": {"type": "string", "description": "Background that everyone sees."},
    }
    return {
        **(topic_arguments if protocol.topic_key else {}),
        "participants": {
            "type": "array",
            "items": {"type": "string"},
            "description": (
                "Participants: NAME, NAME=MODEL, or NAME=person for the user; in a panel NAME or NAME: role."
            ),
        },
        **{
            setting: _simplify_schema(settings[setting], FILE_CHOICES.get(setting))
            for setting in map_tool_settings()[name]
        },
        **{cap: _simplify_schema(caps[setting.partition(".")[2]]) for cap, setting in CAP_SETTINGS.items()},
    }


def list_required(name: str) -> list[str]:
    """Return the arguments that a protocol's tool requires.

    They are the topic and, if nothing else ends a run, a cap.
    """
    protocol = get_protocol(name)
    return [
        *filter(None, [protocol.topic_key]),
        *([] if get_hooks(name).is_bounded(protocol.graph.context_schema()) else ["max_turns"]),
    ]


def _simplify_schema(schema: Mapping[str, Any], excluded_choice: str | None = None) -> dict[str, Any]:
    simple_schema = {key: value for key, value in schema.items() if key != "title"}
    if excluded_choice:
        simple_schema["enum"] = [choice for choice in simple_schema["enum"] if choice != excluded_choice]
    return simple_schema


def build_tool_request(name: str, values: Mapping[str, Any]) -> RunRequest:
    """Build the run request of a call to a protocol's tool.

    `values`: arguments of the call. Raises `InputError` for an unknown or unusable one.
    """
    protocol, known_schemas = get_protocol(name), build_arguments(name)
    for key, value in values.items():
        if key not in known_schemas:
            raise InputError(key, value, explain_unknown_key(key, list(known_schemas)))
    layer = {key: value for key, value in values.items() if value is not None}
    if "max_turns" in list_required(name) and "max_turns" not in layer:
        raise InputError("max_turns", None, "must be given, since a session of models alone would never end")
    if seats := layer.pop("participants", None):
        layer["participants"] = parse_client_seats(protocol, seats, "participants", '["Ada", "Ben=openai:gpt-5-mini"]')
    return build_client_request(protocol, layer)


def check_addresses(request: RunRequest) -> None:
    """Check that the server's operator allows every model address in the request. Raises `InputError`.

    Without this check, a malicious text could make the assistant send the API key to another server.
    """
    specs = {
        "model": str(request.settings.model),
        **{f"models.{name}": str(spec) for name, spec in request.settings.models.items()},
        "embeddings": str(getattr(request.settings, "embeddings", "")),
        **{f"model of {participant.name}": participant.model for participant in request.named_seats},
    }
    for key, spec in specs.items():
        if spec and parse_spec(spec).base_url:
            get_operator_policy().check_spec(key, spec)
