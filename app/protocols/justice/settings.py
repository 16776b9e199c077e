"""Settings of a justice experiment, from a file and overriding values, in any spelling."""

from collections.abc import Mapping
from typing import Any

from ....state import InputError, Participant
from ....state.justice import JusticeSettings, drop_overridden_settings, is_short_form, parse_justice_settings
from ...run.config_file import CAP_SETTINGS, merge_value


def read_experiment_settings(file_values: Mapping[str, Any], overrides: Mapping[str, Any]) -> JusticeSettings:
    """Read the settings of a file, with overrides and a seed, and check them.

    Raises `InputError` with key, value and remedy.
    """
    override_values: dict[str, Any] = {}
    for key, value in overrides.items():
        override_values = merge_value(
            override_values, f"{key}.{key}" if is_short_form(key, value) else CAP_SETTINGS.get(key, key), value
        )
    merged_values = drop_overridden_settings(file_values, override_values)
    for key, value in override_values.items():
        merged_values = merge_value(merged_values, key, value)
    settings = parse_justice_settings(merged_values)
    return settings.with_choices(seed=settings.run_seed)


def update_participants(
    settings: JusticeSettings, previous_settings: JusticeSettings, participants: list[Participant]
) -> list[Participant]:
    """Return the participants with the personas and models of changed settings.

    Raises `InputError` if an id or a name differs.
    """
    if [(participant.id, participant.name) for participant in settings.participants] != [
        (participant.id, participant.name) for participant in previous_settings.participants
    ]:
        names = ", ".join(participant.name for participant in previous_settings.participants)
        new_names = [participant.name for participant in settings.participants]
        raise InputError("participants", new_names, f"a resumed run keeps its participants and their ids: {names}")
    updates = {
        participant.name: {"persona": participant.personality, "model": participant.model}
        for participant in settings.participants
    }
    return [participant.model_copy(update=updates.get(participant.name, {})) for participant in participants]
