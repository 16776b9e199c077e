"""The settings of a justice experiment, from a file and from what is said beside it, in any of their spellings."""

from collections.abc import Mapping
from typing import Any

from ...state.justice import JusticeRules, is_short, overruled, read_justice_rules
from ..config import CAPS, merged


def experiment_rules(base: Mapping[str, Any], said: Mapping[str, Any]) -> JusticeRules:
    """The settings of a file under what is said, checked, with their seed; Refused names key, value and remedy."""
    given: dict[str, Any] = {}
    for key, value in said.items():
        given = merged(given, f"{key}.{key}" if is_short(key, value) else CAPS.get(key, key), value)
    settings = overruled(base, given)
    for key, value in given.items():
        settings = merged(settings, key, value)
    rules = read_justice_rules(settings)
    return rules.settled(seed=rules.run_seed)
