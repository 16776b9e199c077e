"""`moot settings`: every knob with its type, bounds, default and meaning."""

import json
from typing import Any

import pytest
from command import moot
from moot.app.protocols.registry import PROTOCOLS, get_protocol
from moot.state.settings import Settings


def knobs(name: str) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in json.loads(moot("settings", name, "--json").stdout)}


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_knob_that_does_something_is_listed_with_what_it_means(name: str) -> None:
    rules: type[Settings] = get_protocol(name).build_graph().context_schema
    found = knobs(name)
    heads = {one.partition(".")[0] for one in found}
    on_record = {"protocol", "schema_version", "packages", "recipients"}
    left_out = {key for key, field in rules.model_fields.items() if field.exclude} | on_record
    assert heads == set(rules.model_fields) - left_out - set(rules.unused_settings)
    assert [key for key, one in found.items() if not (one["meaning"] and one["type"])] == []


def test_a_knob_is_shown_with_its_type_bounds_and_default() -> None:
    text = moot("settings", "consensus").stdout
    assert "temperature: number, 0–2, default 0.7\n  Sampling temperature of statements and answers.\n" in text
    assert "seed: integer or none, 0–2,147,483,647, default none\n" in text
    assert "budget.cost: number or none, above 0, default none\n" in text
    assert "turn_order: round_robin | least_spoken | yield_floor | shuffled, default" in text
    assert "models: mapping to text, default {}\n" in text


def test_what_another_protocol_calls_its_own_is_refused() -> None:
    assert "judge_interval" not in knobs("discussion")
    assert moot("settings", "duel").exit_code == 2
