"""Request for a run: settings from the config file, options and `--set`, or a recorded example."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_type_hints

from ...models import (
    EXAMPLE,
    REHEARSAL,
    find_seat_model,
    get_environment_model,
    list_examples,
    load_example,
    pick_first_model,
)
from ...state import InputError, Participant, Settings, check_budget, explain_unknown_key, format_model, validate_input
from ..protocols import ProtocolEntry, get_hooks, get_protocol
from .config_file import SETTING_ALIASES, merge_value, parse_assignments, read_config
from .deliberation_options import RunOptions, parse_seats

SETTINGS_HEADING = "phase2_settings"
"""Heading over settings in experiment files. Entries under it count as top-level entries."""


@dataclass(frozen=True)
class RunRequest:
    """Checked request for a run: protocol, settings and input. No model has been called."""

    protocol: ProtocolEntry
    settings: Settings
    input: dict[str, Any] = field(default_factory=dict)

    @property
    def topic(self) -> str:
        """Return the topic, or an empty text if the protocol has no such input."""
        return str(self.input.get(self.protocol.topic_key, ""))

    @property
    def models(self) -> set[str]:
        """Return the names of all models: the default model, and the models of roles and participants."""
        participant_models = (seat.get("model") for seat in self._seats)
        return {
            str(spec) for spec in (self.settings.model, *self.settings.models.values(), *participant_models) if spec
        }

    @property
    def languages(self) -> set[str]:
        """Return the language tags of all prompts and replies."""
        return {self.settings.language, *(seat["language"] for seat in self._seats if seat.get("language"))}

    @property
    def participants(self) -> list[Participant]:
        """Return the participants that the input names."""
        return [Participant.model_validate(record) for record in self.input.get("participants") or []]

    @property
    def _seats(self) -> list[dict[str, Any]]:
        return [dict(entry) for entry in self.input.get("participants") or getattr(self.settings, "participants", [])]

    @property
    def named_seats(self) -> list[Participant]:
        """Return the names, models and kinds of the participants that the input or the settings name."""
        return [
            Participant(name=seat["name"], model=seat.get("model", ""), kind=seat.get("kind", "model"))
            for seat in self._seats
        ]

    def build_input(self, run: str) -> dict[str, Any]:
        """Return the input for the graph. If the graph takes an `experiment_id`, the id is the name `run`."""
        named_keys = {"experiment_id"} & set(get_type_hints(self.protocol.graph.input_schema))
        return dict.fromkeys(named_keys, run) | self.input

    def with_model(self, spec: str) -> "RunRequest":
        """Return the request with a model: its own, its first seat's, or `spec`.

        The first seat's model counts if every seat names a model. It also counts if `spec` is the rehearsal and the
        environment names no model. A saved run then does not depend on the environment.
        """
        model = format_model(self.settings.model) or find_seat_model(self.settings, self.named_seats)
        if not model and spec == REHEARSAL and not get_environment_model():
            model = pick_first_model(seat.model for seat in self.named_seats)
        return replace(self, settings=self.settings.with_choices(model=model or spec))


def build_request(protocol: ProtocolEntry, input: dict[str, Any], options: RunOptions) -> RunRequest:
    """Build and check the request of a command.

    `input`: entries that are `None` count as absent. Raises `InputError` with the key, its value and the remedy.
    """
    file_settings = read_config(options.config) if options.config else {}
    input = {key: value for key, value in input.items() if value is not None}
    return merge_layers(protocol, [file_settings, options.collect_values(), input, parse_assignments(options.set)])


def merge_layers(protocol: ProtocolEntry, layers: Sequence[dict[str, Any]]) -> RunRequest:
    """Merge layers of settings and input into a checked request.

    `layers`: mappings of keys to values. A later layer overrides earlier ones. Raises `InputError` for an unknown or
    unusable value.
    """
    graph = protocol.graph
    inputs = get_type_hints(graph.input_schema)
    if read_settings := get_hooks(protocol.name).settings_reader:
        overrides = {key: value for layer in layers[1:] for key, value in layer.items()}
        input = {key: overrides.pop(key) for key in list(overrides) if key in inputs}
        return RunRequest(protocol, read_settings(layers[0], overrides), input)
    settings_class: type[Settings] = graph.context_schema
    aliases = SETTING_ALIASES | settings_class.setting_aliases
    values, original_keys = dict[str, Any](), dict[str, str]()
    for layer in layers:
        section = layer.get(SETTINGS_HEADING)
        if isinstance(section, dict):
            layer = {key: value for key, value in layer.items() if key != SETTINGS_HEADING} | section
        for key, value in layer.items():
            values = merge_value(values, aliases.get(key, key), value)
            original_keys[aliases.get(key, key)] = key
    input = {key: values.pop(key) for key in list(values) if key in inputs}
    known_keys = [*settings_class.model_fields, *inputs, *aliases]
    try:
        settings_class.check_unused(values)
        for key in values:
            if key not in known_keys:
                raise InputError(key, values[key], explain_unknown_key(key, known_keys))
        settings: Settings = validate_input(settings_class, values)
        if not settings.allows_direct_answer:
            check_budget(settings)
        subject = str(input.get(protocol.topic_key, ""))
        return RunRequest(protocol, settings.with_subject(subject), validate_input(graph.input_schema, input))
    except InputError as error:
        raise InputError(original_keys.get(error.key, error.key), error.value, error.remedy) from None


def build_client_request(protocol: ProtocolEntry, values: dict[str, Any]) -> RunRequest:
    """Build and check the request of a web page, a tool or the OpenAI-compatible endpoint.

    `values`: settings and input by key. Raises `InputError` for an unknown or unusable value.
    """
    return merge_layers(protocol, [{}, values])


def parse_client_seats(protocol: ProtocolEntry, seat_texts: Any, key: str, example: str) -> list[Any]:
    """Return the participants that a program lists as texts.

    `key`, `example`: key and valid list that an error shows. Raises `InputError`.
    """
    if not isinstance(seat_texts, list) or not all(isinstance(text, str) for text in seat_texts):
        raise InputError(key, seat_texts, f"give a list of names, such as {example}")
    return list((get_hooks(protocol.name).seat_reader or parse_seats)(seat_texts))


def build_example_request(name: str) -> RunRequest:
    """Build the request that plays a recorded example. Raises `InputError` for an unknown name."""
    example = load_example(name)
    return build_client_request(
        get_protocol(example["protocol"]), {**example["settings"], **example["input"], "model": f"{EXAMPLE}:{name}"}
    )


def find_example_request(request: RunRequest) -> RunRequest | None:
    """Return the request for the recorded example with the same topic, or `None`.

    The request must set only a topic.
    """
    topic_key = request.protocol.topic_key
    if not topic_key or request != build_client_request(request.protocol, {topic_key: request.topic}):
        return None
    for name in list_examples():
        example = load_example(name)
        if example["protocol"] == request.protocol.name and request.topic in example["input"].values():
            return build_example_request(name)
    return None
