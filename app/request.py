"""A request for a run: its input and rules, from the config file, the options and `--set`; a later one replaces."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from ..nodes.models.spec import REHEARSAL, first_model, named_model
from ..state.budget import check_budget
from ..state.refused import Refused, refused_input, unknown_key
from ..state.rules import Rules
from .config import SPELLINGS, assignments, merged, read_config
from .hooks import hooks_of
from .options import Knobs
from .protocols import Protocol

HEADING = "phase2_settings"
"""A heading that files for experiments put over settings; what stands under it is read as if it stood at the top."""


@dataclass(frozen=True)
class Request:
    """A checked request: nothing has been asked of a model yet."""

    protocol: Protocol
    rules: Rules
    input: dict[str, Any] = field(default_factory=dict)

    @property
    def topic(self) -> str:
        """What it is about; empty where the protocol has no such input."""
        return str(self.input.get(self.protocol.about, ""))

    @property
    def models(self) -> set[str]:
        """The specs of all models it names: the default one, those of roles, and those of participants."""
        own = (one.get("model") for one in self._seats)
        return {str(spec) for spec in (self.rules.model, *self.rules.models.values(), *own) if spec}

    @property
    def languages(self) -> set[str]:
        """The tags of all languages in which anybody is told anything."""
        return {self.rules.language, *(one["language"] for one in self._seats if one.get("language"))}

    @property
    def _seats(self) -> list[dict[str, Any]]:
        return [dict(one) for one in self.input.get("participants") or getattr(self.rules, "participants", [])]

    def with_model(self, spec: str) -> "Request":
        """The same with its default model named, so that a saved run never depends on the environment.

        Where that is a rehearsal nobody named, the first participant's own model takes its place.
        """
        if spec == REHEARSAL and not (self.rules.model or named_model()):
            seats = [*self.input.get("participants", []), *getattr(self.rules, "participants", [])]
            spec = first_model(str(dict(one).get("model", "")) for one in seats) or spec
        return replace(self, rules=self.rules.settled(model=spec))


def request(protocol: Protocol, input: dict[str, Any], knobs: Knobs) -> Request:
    """The request of a command, checked; raises `Refused` naming the key, its value, and what would be accepted."""
    file = read_config(knobs.config) if knobs.config else {}
    return layered(protocol, [file, knobs.given(), input, assignments(knobs.set)])


def layered(protocol: Protocol, layers: Sequence[dict[str, Any]]) -> Request:
    """The request that layers of settings and input make, a later one before the earlier ones; checked."""
    graph = protocol.drawing
    inputs = get_type_hints(graph.input_schema)
    if read := hooks_of(protocol.name).rules:
        said = {key: value for layer in layers[1:] for key, value in layer.items()}
        chosen = {key: said.pop(key) for key in list(said) if key in inputs}
        return Request(protocol, read(layers[0], said), chosen)
    rules_class: type[Rules] = graph.context_schema
    spellings = SPELLINGS | rules_class.own_words
    settings, said = dict[str, Any](), dict[str, str]()
    for layer in layers:
        for key, value in _beneath(layer).items():
            settings = merged(settings, spellings.get(key, key), value)
            said[spellings.get(key, key)] = key
    chosen = {key: settings.pop(key) for key in list(settings) if key in inputs}
    known = [*rules_class.model_fields, *inputs, *spellings]
    try:
        rules_class.refuse_idle(settings)
        for key in settings:
            if key not in known:
                raise Refused(key, settings[key], unknown_key(key, known))
        rules = _rules(rules_class, settings)
        if not rules.direct:
            check_budget(rules)
        return Request(protocol, rules, _input(graph.input_schema, chosen))
    except Refused as fault:
        raise Refused(said.get(fault.key, fault.key), fault.value, fault.remedy) from None


def _beneath(layer: dict[str, Any]) -> dict[str, Any]:
    headed = layer.get(HEADING)
    if not isinstance(headed, dict):
        return layer
    return {key: value for key, value in layer.items() if key != HEADING} | headed


def _rules(rules_class: type[Rules], settings: dict[str, Any]) -> Rules:
    try:
        return rules_class.model_validate(settings)
    except ValidationError as error:
        raise refused_input(error, rules_class) from None


def _input(schema: type, chosen: dict[str, Any]) -> dict[str, Any]:
    try:
        checked: dict[str, Any] = TypeAdapter(schema).validate_python(chosen)
    except ValidationError as error:
        raise refused_input(error, schema) from None
    return checked
