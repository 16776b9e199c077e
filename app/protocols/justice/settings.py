"""Settings of a justice experiment, from a file and overriding values, in any spelling."""

from collections.abc import Mapping
from typing import Any

from ....state.justice import JusticeSettings, drop_overridden_settings, is_short_form, parse_justice_settings
from ...run.config import CAP_SETTINGS, merge_value


def read_experiment_settings(file_values: Mapping[str, Any], overrides: Mapping[str, Any]) -> JusticeSettings:
    """Return the checked settings of a file with overrides, and with a seed.

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
