"""Arguments of the tools, flat, and the run requests made from them.

Texts and bounds come from the schemas of the settings.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ....models.operator_limits import FILE_CHOICES, check_client_spec
from ....models.spec import parse_spec
from ....state.errors import InputError, explain_unknown_key
from ....state.setting_types import Budget
from ...protocols.panel.experts import parse_experts
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
    entry = get_protocol(name)
    schemas = entry.graph.context_schema.model_json_schema()["properties"]
    caps = Budget.model_json_schema()["properties"]
    return {
        entry.topic_key: TOPIC_SCHEMA,
        "material": MATERIAL_SCHEMA,
        "participants": PARTICIPANTS_SCHEMA,
        **{setting: _simplify_schema(schemas[setting], FILE_CHOICES.get(setting)) for setting in TOOL_SETTINGS[name]},
        **{cap: _simplify_schema(caps[setting.partition(".")[2]]) for cap, setting in CAP_SETTINGS.items()},
    }


def _simplify_schema(schema: Mapping[str, Any], excluded: str | None = None) -> dict[str, Any]:
    """Return a setting's schema without its generated title, and without one of its choices."""
    simplified = {key: value for key, value in schema.items() if key != "title"}
    return (
        simplified | {"enum": [choice for choice in simplified["enum"] if choice != excluded]}
        if excluded
        else simplified
    )


def build_tool_request(name: str, values: Mapping[str, Any]) -> RunRequest:
    """Build the run request of a tool call. Raises `InputError` for an unknown or unusable argument."""
    entry, known_arguments = get_protocol(name), build_arguments(name)
    for key, value in values.items():
        if key not in known_arguments:
            raise InputError(key, value, explain_unknown_key(key, list(known_arguments)))
    settings = {key: value for key, value in values.items() if value is not None}
    if people := settings.pop("participants", None):
        settings["participants"] = _parse_participants(name, people)
    return with_question_language(merge_layers(entry, [settings]))


def _parse_participants(name: str, people: Any) -> list[Any]:
    if not isinstance(people, list) or not all(isinstance(entry, str) for entry in people):
        raise InputError("participants", people, 'give a list of names, such as ["Ada", "Ben=openai:gpt-5-mini"]')
    return parse_experts(people) if name == "panel" else list(parse_seats(people))


def check_addresses(request: RunRequest) -> None:
    """Refuse a model address that the operator of this server did not name.

    The API key would go to that address. A text that an assistant read may have told it to name one.
    """
    people = request.input.get("participants", [])
    specs = {
        "model": str(request.settings.model),
        **{f"model of {participant.name}": participant.model for participant in people},
    }
    for key, spec in specs.items():
        if spec and parse_spec(spec).base_url:
            check_client_spec(key, spec)
