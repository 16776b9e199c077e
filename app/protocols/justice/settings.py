"""Settings of a justice experiment, from a file and overriding values, in any spelling."""

from collections.abc import Mapping
from typing import Any

from ....state.justice import JusticeSettings, drop_overridden, is_short_form, parse_justice_settings
from ...run.config import CAP_SETTINGS, merge_value


def read_experiment_settings(base: Mapping[str, Any], overrides: Mapping[str, Any]) -> JusticeSettings:
    """Return the settings of a file with overrides, checked and seeded.

    Raises `InputError` with key, value and remedy.
    """
    values: dict[str, Any] = {}
    for key, value in overrides.items():
        values = merge_value(values, f"{key}.{key}" if is_short_form(key, value) else CAP_SETTINGS.get(key, key), value)
    merged_values = drop_overridden(base, values)
    for key, value in values.items():
        merged_values = merge_value(merged_values, key, value)
    settings = parse_justice_settings(merged_values)
    return settings.with_choices(seed=settings.run_seed)
