"""Flat arguments of the tools, and the run requests made from them.

Descriptions and bounds come from the schemas of the settings.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ....models.operator_limits import FILE_CHOICES, check_client_spec
from ....models.spec import parse_spec
from ....state.errors import InputError, explain_unknown_key
from ....state.setting_types import Budget
from ...protocols.panel.experts import parse_expert_options
from ...protocols.panel.question_language import with_question_language
from ...protocols.protocol import get_protocol
from ...run.command_options import parse_seats
from ...run.config import CAP_SETTINGS
from ...run.request import RunRequest, merge_layers

ArgumentSchemas = dict[str, Any]
"""JSON schema of each argument, by name."""

SHARED_SETTINGS = ("model", "language", "seed", "max_turns", "stopping")
TOOL_SETTINGS: Mapping[str, Sequence[str]] = {
    "debate": (*SHARED_SETTINGS, "profile"),
    "consensus": (
        *SHARED_SETTINGS,
        "profile",
        "max_rounds",
        "turn_order",
        "blind_first_round",
        "convergence",
        "consensus_rule",
        "threshold",
        "vote",
    ),
    "panel": (*SHARED_SETTINGS, "max_rounds", "n_papers", "min_similarity_threshold"),
}
"""Settings that each protocol's tool offers. None of them names a file."""

TOPIC_SCHEMA = {"type": "string", "minLength": 1, "maxLength": 4000, "description": "What it is about: the question."}
MATERIAL_SCHEMA = {"type": "string", "description": "Background that everyone sees."}
PARTICIPANTS_SCHEMA = {
    "type": "array",
    "items": {"type": "string"},
    "description": "Who takes part: NAME, NAME=MODEL, or NAME=person for the user; in a panel NAME or NAME: role.",
}


def build_arguments(name: str) -> ArgumentSchemas:
    """Build the arguments of a protocol's tool, its topic first."""
    protocol = get_protocol(name)
    schemas = protocol.graph.context_schema.model_json_schema()["properties"]
    cap_schemas = Budget.model_json_schema()["properties"]
    return {
        protocol.topic_key: TOPIC_SCHEMA,
        "material": MATERIAL_SCHEMA,
        "participants": PARTICIPANTS_SCHEMA,
        **{setting: _simplify_schema(schemas[setting], FILE_CHOICES.get(setting)) for setting in TOOL_SETTINGS[name]},
        **{cap: _simplify_schema(cap_schemas[setting.partition(".")[2]]) for cap, setting in CAP_SETTINGS.items()},
    }


def _simplify_schema(schema: Mapping[str, Any], excluded_choice: str | None = None) -> dict[str, Any]:
    """Return a setting's schema without its generated title, and without the excluded choice."""
    simple_schema = {key: value for key, value in schema.items() if key != "title"}
    return (
        simple_schema | {"enum": [choice for choice in simple_schema["enum"] if choice != excluded_choice]}
        if excluded_choice
        else simple_schema
    )


def build_tool_request(name: str, values: Mapping[str, Any]) -> RunRequest:
    """Build the run request of a tool call. Raises `InputError` for an unknown or unusable argument."""
    protocol, known_schemas = get_protocol(name), build_arguments(name)
    for key, value in values.items():
        if key not in known_schemas:
            raise InputError(key, value, explain_unknown_key(key, list(known_schemas)))
    layer = {key: value for key, value in values.items() if value is not None}
    if participants := layer.pop("participants", None):
        layer["participants"] = _parse_participants(name, participants)
    return with_question_language(merge_layers(protocol, [layer]))


def _parse_participants(name: str, participants: Any) -> list[Any]:
    if not isinstance(participants, list) or not all(isinstance(entry, str) for entry in participants):
        raise InputError("participants", participants, 'give a list of names, such as ["Ada", "Ben=openai:gpt-5-mini"]')
    return parse_expert_options(participants) if name == "panel" else list(parse_seats(participants))


def check_addresses(request: RunRequest) -> None:
    """Raise `InputError` for a model address that the operator of this server did not allow.

    The API key would go to that address. An assistant may have found the address in a text that it read.
    """
    participants = request.input.get("participants", [])
    specs = {
        "model": str(request.settings.model),
        **{f"model of {participant.name}": participant.model for participant in participants},
    }
    for key, spec in specs.items():
        if spec and parse_spec(spec).base_url:
            check_client_spec(key, spec)
