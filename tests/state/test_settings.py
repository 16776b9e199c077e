"""Rules: every knob with a unit, bounds and a default; stored without models; revived as their protocol's own."""

import subprocess
import sys
from typing import Any

import pytest
from chats.scripted import ScriptedChat
from moot.state.consensus.settings import ConsensusSettings
from moot.state.debate import DebateSettings
from moot.state.errors import convert_input_error
from moot.state.prices import Prices
from moot.state.records import Call
from moot.state.setting_types import Budget, Timeouts
from moot.state.settings import Settings, get_settings_class, parse_settings
from pydantic import BaseModel, ValidationError

KINDS = [(name, get_settings_class(name)) for name in ("consensus", "debate", "discussion", "justice", "panel")]


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_every_knob_has_a_description_and_every_number_bounds(name: str, kind: type[Settings]) -> None:
    schema = kind.model_json_schema()
    forms = [schema, *schema.get("$defs", {}).values()]
    for form in forms:
        for key, knob in form.get("properties", {}).items():
            assert knob.get("description") or "$ref" in str(knob), f"{name}.{key} says nothing"
            for part in [knob, *knob.get("anyOf", [])]:
                if part.get("type") in ("integer", "number") and not {"const", "enum"} & set(part):
                    low, high = {"minimum", "exclusiveMinimum"} & set(part), {"maximum", "exclusiveMaximum"} & set(part)
                    assert low, f"{name}.{key} has no lower bound"
                    assert high or key in ("calls", "tokens", "cost", "input", "cached", "output", "lookups"), (
                        f"{name}.{key}: no upper"
                    )


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_every_knob_has_a_default_and_a_protocol_names_itself(name: str, kind: type[Settings]) -> None:
    rules = kind()
    assert rules.protocol == name
    assert rules.schema_version == 2


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_rules_come_back_from_plain_values_as_they_were(name: str, kind: type[Settings]) -> None:
    rules = kind().with_choices(seed=7, model="openai:x")
    assert parse_settings(rules) is rules
    assert parse_settings(rules.model_dump()) == rules
    assert type(parse_settings(rules.model_dump(mode="json"))) is kind
    assert kind.model_validate_json(rules.model_dump_json()) == rules


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_an_unknown_knob_is_refused_by_name(name: str, kind: type[Settings]) -> None:
    with pytest.raises(ValidationError, match="max_tokns"):
        kind.model_validate({"max_tokns": 3})


def test_a_checkpoint_s_rules_are_found_though_nothing_else_of_their_protocol_is_loaded() -> None:
    code = """
from moot.state.settings import Settings, parse_settings
assert not Settings.classes
for name in ("consensus", "debate", "discussion", "justice", "panel"):
    assert parse_settings({"protocol": name}).model_dump()["protocol"] == name
print(*sorted(kind.__name__ for kind in Settings.classes.values()))
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert process.stdout.split() == [
        "ConsensusSettings",
        "DebateSettings",
        "DiscussionSettings",
        "JusticeSettings",
        "PanelSettings",
    ]


@pytest.mark.parametrize("protocol", ["", "tribunal", "rules", "settings", "../debate", "count.tally", "déjà vu"])
def test_a_protocol_without_rules_of_its_own_has_those_that_all_share(protocol: str) -> None:
    assert get_settings_class(protocol) is Settings


def test_rules_of_another_time_or_none_are_refused_or_plain() -> None:
    assert type(parse_settings({})) is Settings
    with pytest.raises(ValidationError, match="schema_version"):
        parse_settings({"protocol": "debate", "schema_version": 3})


def test_rules_cannot_be_changed_half_way() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        DebateSettings().max_turns = 4


def test_settled_rules_name_a_model_object_by_its_class_alone() -> None:
    model = ScriptedChat(script=[])
    rules = DebateSettings(model=model, models={"judge": model, "PRO": " openai:x "}, stop_rule="judge")
    assert rules.model is model
    settled = rules.with_choices()
    assert (settled.model, settled.models) == (
        "object:ScriptedChat",
        {"judge": "object:ScriptedChat", "PRO": "openai:x"},
    )
    assert settled.with_choices() == settled


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": 2.01},
        {"max_tokens_per_turn": 0},
        {"max_attempts": 0},
        {"max_attempts": 11},
        {"timeouts": {"first_token": 0}},
        {"retry_delays": [-1]},
        {"seed": 2**31},
        {"reasoning_tokens": -1},
        {"public_history_max_length": 99},
        {"language": ""},
        {"language": "en_US"},
        {"budget": {"calls": 0}},
        {"budget": {"call": 3}},
        {"budget": {"cost": 0}},
        {"prices": {"models": {"openai:x": {"input": -1}}}},
        {"memory": {"compression_target": 0.9}},
        {"schema_version": 3},
        {"protocol": "consensus"},
        {"judge_interval": 0},
        {"profile": "x" * 81},
        {"model": 3},
        {"models": ["openai:x"]},
    ],
    ids=str,
)
def test_a_value_out_of_bounds_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        DebateSettings.model_validate(settings)


@pytest.mark.parametrize("tag", ["en", "zh-Hans", "pt-BR", "sr-Latn-RS", "es-419", "de-CH-1996"])
def test_any_well_formed_language_tag_is_taken(tag: str) -> None:
    assert DebateSettings(language=tag).language == tag


def test_a_consensus_needs_a_turn_for_each_of_three() -> None:
    with pytest.raises(ValidationError, match="max_turns"):
        ConsensusSettings(max_turns=2)


def call(read: int, cached: int, written: int) -> Call:
    return Call(purpose="statement", input_tokens=read, cached_tokens=cached, output_tokens=written)


@pytest.mark.parametrize(
    ("prices", "cost"),
    [
        ({"input": 2, "output": 8}, 2.0 + 8.0),
        ({"input": 2, "output": 8, "cached": 0.5}, 1.5 + 0.125 + 8.0),
        ({"input": 2, "output": 8, "cached": 0}, 1.5 + 8.0),
        ({}, None),
    ],
)
def test_calls_cost_what_the_provider_asks_per_million_tokens(prices: dict[str, float], cost: float | None) -> None:
    made = [call(500_000, 250_000, 400_000), call(500_000, 0, 600_000)]
    assert Prices.model_validate(prices).compute_cost(made) == pytest.approx(cost)


NESTED = [
    ("consensus", {"windowed": {"recent_n": 4}}, ("windowed", 4)),
    ("consensus", {"full": None}, ("full", None)),
    ("discussion", {"windowed_summary": {"recent_n": None}}, ("windowed_summary", None)),
    ("discussion", {"windowed": {}}, ("windowed", None)),
    ("discussion", {"recent_n": 6}, ("windowed_summary", 6)),
    ("discussion", {"policy": "full"}, ("full", None)),
]


@pytest.mark.parametrize(("protocol", "view", "means"), NESTED)
def test_a_view_is_spelled_flat_or_beneath_the_name_of_its_policy(protocol: str, view: Any, means: Any) -> None:
    found: Any = get_settings_class(protocol).model_validate({"view": view})
    assert (found.view.policy, found.view.recent_n) == means


@pytest.mark.parametrize(
    "view",
    [
        {"windowed": {"recent_n": 4}, "recent_n": 5},
        {"windowed": {"recent_n": 4}, "policy": "windowed"},
        {"windowed": {"recent_n": 4}, "full": None},
        {"windowed": 4},
        {"windowed": {"policy": "full"}},
    ],
)
@pytest.mark.parametrize("protocol", ["consensus", "discussion"])
def test_a_view_that_mixes_both_spellings_is_refused(protocol: str, view: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        get_settings_class(protocol).model_validate({"view": view})
    fault = convert_input_error(caught.value)
    assert (fault.key, fault.value) == ("view.windowed", view["windowed"])
    assert "write {windowed: {recent_n: 4}}" in fault.remedy


def test_no_cap_is_the_default() -> None:
    assert Budget() == Budget(calls=None, tokens=None, cost=None)


@pytest.mark.parametrize("name", [name for name, _ in KINDS])
def test_no_stored_form_holds_anything(name: str) -> None:
    """A field of any type would come back from a checkpoint as plain values; a model choice is stored as its spec."""

    def fields(kind: type[BaseModel]) -> set[str]:
        return {key for key, field in kind.model_fields.items() if field.annotation is Any}

    assert fields(Settings.classes[name]) <= {"model"}


def test_the_limits_of_each_attempt_follow_the_factors() -> None:
    assert Timeouts().scale_for_attempt(3) == Timeouts()
    limits = Timeouts(first_token=100, attempt_factors=[1, 0.5]).scale_for_attempt(2)
    assert (limits.first_token, limits.between_tokens, limits.total, limits.whole_reply) == (50, 30, 450, 150)
    assert limits == Timeouts(first_token=100, attempt_factors=[1, 0.5]).scale_for_attempt(3)


@pytest.mark.long
def test_a_new_process_finds_the_settings_of_every_protocol_by_its_name() -> None:
    names = ["consensus", "council", "debate", "delphi", "discussion", "independent", "jury", "justice", "panel"]
    code = f"from moot.state import get_settings_class as get; print([get(name).__name__ for name in {names}])"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == str([f"{name.title()}Settings" for name in names])
