"""What a tool is asked with: flat arguments, in the words and bounds of the schemas, and the request they make."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...nodes.models.operator_limits import BY_PLACE, check_spec_of_stranger
from ...nodes.models.spec import parse
from ...state.refused import Refused, unknown_key
from ...state.settings import Budget
from ..config import CAPS
from ..options import seats_of
from ..panel.experts import experts
from ..panel.question_language import in_its_language
from ..protocols import protocol
from ..request import Request, layered

Properties = dict[str, Any]
"""Arguments by name, each with its JSON schema."""

SHARED = ("model", "language", "seed", "max_turns", "stopping")
KNOBS: Mapping[str, Sequence[str]] = {
    "debate": (*SHARED, "profile"),
    "consensus": (
        *SHARED,
        "profile",
        "max_rounds",
        "turn_order",
        "blind_first_round",
        "convergence",
        "consensus_rule",
        "threshold",
        "vote",
    ),
    "panel": (*SHARED, "max_rounds", "n_papers", "min_similarity_threshold"),
}
"""The knobs that each protocol's tool offers; none that names a file."""

ABOUT = {"type": "string", "minLength": 1, "maxLength": 4000, "description": "What it is about: the question."}
MATERIAL = {"type": "string", "description": "Background that everyone sees."}
PARTICIPANTS = {
    "type": "array",
    "items": {"type": "string"},
    "description": "Who takes part: NAME, NAME=MODEL, or NAME=person for the user; in a panel NAME or NAME: role.",
}


def arguments(name: str) -> Properties:
    """The arguments of a protocol's tool, what it is about first."""
    one = protocol(name)
    known = one.drawing.context_schema.model_json_schema()["properties"]
    caps = Budget.model_json_schema()["properties"]
    return {
        one.about: ABOUT,
        "material": MATERIAL,
        "participants": PARTICIPANTS,
        **{knob: _plain(known[knob], BY_PLACE.get(knob)) for knob in KNOBS[name]},
        **{cap: _plain(caps[knob.partition(".")[2]]) for cap, knob in CAPS.items()},
    }


def _plain(schema: Mapping[str, Any], without: str | None = None) -> dict[str, Any]:
    """A knob's schema without the title that is made of its name, and `without` one of its choices."""
    kept = {key: value for key, value in schema.items() if key != "title"}
    return kept | {"enum": [one for one in kept["enum"] if one != without]} if without else kept


def asked(name: str, given: Mapping[str, Any]) -> Request:
    """The request that arguments make; raises `Refused` for an argument the tool does not have or cannot use."""
    one, offered = protocol(name), arguments(name)
    for key, value in given.items():
        if key not in offered:
            raise Refused(key, value, unknown_key(key, list(offered)))
    settings = {key: value for key, value in given.items() if value is not None}
    if people := settings.pop("participants", None):
        settings["participants"] = _seats(name, people)
    return in_its_language(layered(one, [settings]))


def _seats(name: str, people: Any) -> list[Any]:
    if not isinstance(people, list) or not all(isinstance(one, str) for one in people):
        raise Refused("participants", people, 'give a list of names, such as ["Ada", "Ben=openai:gpt-5-mini"]')
    return experts(people) if name == "panel" else list(seats_of(people))


def check_addresses(request: Request) -> None:
    """Refuse an address, and the key that would go there, that the operator of this server did not name.

    What an assistant read may have told it to name one.
    """
    people = request.input.get("participants", [])
    specs = {"model": str(request.rules.model), **{f"model of {one.name}": one.model for one in people}}
    for key, spec in specs.items():
        if spec and parse(spec).base_url:
            check_spec_of_stranger(key, spec)
