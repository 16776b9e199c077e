"""The settings of a justice experiment: every key with its bounds, in any of its spellings; unknown keys refused."""

from collections.abc import Iterator

import pytest
from moot.state.errors import InputError
from moot.state.justice.principle import SharingRule, get_principle
from moot.state.justice.settings import JusticeSettings, parse_justice_settings
from moot.state.justice.situations import BASE_DISTRIBUTIONS
from moot.state.statement import MAX_PARTICIPANTS

DEFAULTS = {
    "language": "en",
    "seed": None,
    "repeats": 1,
    "ceiling_warning_share": 0.8,
    "max_rounds": 10,
    "min_rounds_before_vote": 1,
    "decision_rule": "unanimity",
    "imposed_principle": None,
    "imposed_amount": None,
    "no_consensus_mode": "random_distribution_per_participant",
    "speaking_order_strategy": "random",
    "max_finishes_per_participant": None,
    "distribution_range_phase1": [0.5, 2.0],
    "distribution_range_phase2": [0.5, 2.0],
    "income_class_probabilities": [0.05, 0.1, 0.5, 0.25, 0.1],
    "reveal_class_probabilities": "after_choice",
    "custom_tables": None,
    "table_spread": 1,
    "frame": "gain",
    "loss_credit": 40.0,
    "statement_min_length": 10,
    "statement_min_length_cjk": 5,
    "statement_length_limit": None,
    "statement_timeout": 60,
    "reasoning_timeout": 60,
    "statement_retry_attempts": 3,
    "reasoning_max_retries": 2,
    "retry_backoff_factor": 1.5,
    "voting_retry_backoff": 1.5,
    "voting_initiation_timeout": 30,
    "voting_confirmation_timeout": 30,
    "voting_secret_ballot_timeout": 45,
    "voting_retry_limit": 3,
    "principle_extraction_retries": 3,
    "amount_extraction_retries": 3,
    "amount_min_reasonable": 1000,
    "amount_max_reasonable": 10_000_000,
    "max_constraint_correction_attempts": 2,
    "max_participant_retries": 2,
    "max_memory_retries": 5,
    "retry_feedback_detail": "concise",
    "verbosity_level": "standard",
    "force_vote_in_final_round": True,
    "randomize_speaking_order": True,
    "phase1_first_round_unscaled": True,
    "quarantine_failed_responses": True,
    "enable_intelligent_retries": True,
    "include_experiment_explanation": True,
    "include_experiment_explanation_each_turn": False,
    "original_values_mode": {"enabled": False},
    "guidance_style": "narrative",
    "statement_max_length": 300,
    "reasoning_max_length": 200,
    "enable_truncation": True,
    "public_history_max_length": 100_000,
    "compression_threshold": 0.8,
    "compression_target": 0.6,
    "include_internal_reasoning": False,
    "memory_max_chars": 100_000,
    "transcript_logging": {
        "enabled": False,
        "include_input_prompts": True,
        "include_agent_responses": True,
        "include_instructions": False,
        "include_memory_updates": False,
        "path": None,
    },
}


def flat(rules: JusticeSettings) -> dict[str, object]:
    dumped = rules.model_dump()
    groups = ("discussion", "voting", "memory", "tables", "wording", "logging")
    return {**dumped, **{key: value for group in groups for key, value in dumped[group].items()}}


def test_every_key_has_its_default() -> None:
    rules = flat(JusticeSettings())
    assert {key: rules[key] for key in DEFAULTS} == DEFAULTS
    assert rules["wording"] == "justice"


def test_five_named_participants_take_part_by_default() -> None:
    cast = JusticeSettings().participants
    assert len({participant.name for participant in cast}) == 5
    assert [participant.id for participant in cast] == [participant.name for participant in cast]
    first = cast[0].model_dump(exclude={"name", "id"})
    assert first == {
        "kind": "model",
        "model": "",
        "personality": "",
        "temperature": 0.7,
        "reasoning_enabled": True,
        "memory_max_chars": 100_000,
        "language": None,
    }


@pytest.mark.parametrize(
    "given",
    [
        {"max_rounds": 4, "voting_retry_limit": 2, "guidance_style": "structured", "verbosity_level": "debug"},
        {
            "discussion": {"max_rounds": 4},
            "voting": {"voting_retry_limit": 2},
            "memory": {"guidance_style": "structured"},
            "logging": {"verbosity_level": "debug"},
        },
        {
            "phase2_settings": {"max_rounds": 4, "voting_retry_limit": 2},
            "memory_guidance_style": "structured",
            "logging.verbosity_level": "debug",
        },
        {
            "voting": {"max_rounds": 4, "voting_retry_limit": 2},
            "memory_management": {"guidance_style": "structured"},
            "logging": {"verbosity_level": "debug"},
            "max_rounds": 4,
        },
    ],
)
def test_grouped_flat_and_older_spellings_are_read_alike(given: dict[str, object]) -> None:
    rules = parse_justice_settings(given)
    assert (rules.discussion.max_rounds, rules.voting.voting_retry_limit) == (4, 2)
    assert (rules.memory.guidance_style, rules.logging.verbosity_level) == ("structured", "debug")
    assert rules == parse_justice_settings(rules.model_dump())


def test_wording_is_a_key_and_a_heading() -> None:
    assert parse_justice_settings({"wording": "neutral"}).wording.wording == "neutral"
    assert parse_justice_settings({"wording": {"wording": "neutral", "frame": "loss"}}).wording.frame == "loss"


def test_dotted_keys_are_mappings() -> None:
    given = {
        "original_values_mode.enabled": True,
        "transcript_logging.enabled": True,
        "transcript_logging.path": "t.md",
    }
    rules = parse_justice_settings(given)
    assert rules.tables.original_values_mode.enabled
    assert (rules.logging.transcript_logging.enabled, rules.logging.transcript_logging.path) == (True, "t.md")


UNKNOWN = [
    ({"max_round": 3}, "max_round", "mean max_rounds?"),
    ({"discussion": {"max_rouns": 3}}, "max_rouns", "mean max_rounds?"),
    ({"participants": ["a", {"name": "b", "personalty": ""}]}, "participants.1.personalty", "mean personality?"),
    ({"original_values_mode": {"enable": True}}, "tables.original_values_mode.enable", "mean enabled?"),
    ({"logging": {"transcript_logging": {"paths": ""}}}, "logging.transcript_logging.paths", "mean path?"),
    ({"custom_tables": [{"hihg": 1}]}, "tables.custom_tables.0.hihg", "mean high?"),
    ({"xyzzy": 1}, "xyzzy", "moot settings"),
]


@pytest.mark.parametrize(("given", "key", "remedy"), UNKNOWN)
def test_unknown_keys_are_refused_by_name_with_the_nearest(given: dict[str, object], key: str, remedy: str) -> None:
    with pytest.raises(InputError) as error:
        parse_justice_settings(given)
    assert error.value.key == key
    assert remedy in error.value.remedy


ALIKE = ["ADA", " ada ", "Ａｄａ", "A\u200bda", "Ada\ufe0f", "\u202eAda"]
"""Names that look like Ada's."""
BAD = [
    ({"max_rounds": 0}, "discussion.max_rounds", "at least 1"),
    ({"max_rounds": 101}, "discussion.max_rounds", "at most 100"),
    ({"max_rounds": "10"}, "discussion.max_rounds", "whole number"),
    ({"max_rounds": True}, "discussion.max_rounds", "whole number"),
    ({"max_rounds": 5, "discussion": {"max_rounds": 6}}, "max_rounds", "given twice"),
    ({"discussion": 5}, "discussion", "mapping"),
    ({"min_rounds_before_vote": 11}, "min_rounds_before_vote", "at most max_rounds, 10"),
    ({"participants": ["a"]}, "participants", "at least 2"),
    ({"participants": ["a", "a"]}, "participants.name", "must differ"),
    *(({"participants": ["Ada", alike]}, "participants.name", "must differ from the other names") for alike in ALIKE),
    ({"participants": ["Ada", "Mode\u200brator"]}, "participants.name", "uses this word itself"),
    ({"participants": ["Ada", "*"]}, "participants.name", "a letter or a digit"),
    ({"participants": ["Ada", "\u200b"]}, "participants.name", "not be blank"),
    ({"participants": [f"P{number}" for number in range(1001)]}, "participants", "at most 1000"),
    ({"participants": ["a", {"name": "b", "id": "a"}]}, "participants.id", "another participant has this id"),
    ({"participants": ["a", " "]}, "participants.1.name", "not blank"),
    ({"participants": ["a", {"name": "b", "temperature": 2.1}]}, "participants.1.temperature", "at most 2"),
    ({"participants": ["a", {"name": "b", "memory_max_chars": 0}]}, "participants.1.memory_max_chars", "least 100"),
    ({"language": "fr"}, "language", "'en', 'es' or 'zh'"),
    ({"seed": 2**31}, "seed", "2147483647"),
    ({"repeats": 1001}, "repeats", "1000"),
    ({"ceiling_warning_share": 0.4}, "ceiling_warning_share", "0.5"),
    ({"decision_rule": "consensus"}, "voting.decision_rule", "'unanimity', 'majority' or 'imposed'"),
    ({"decision_rule": "imposed"}, "voting.imposed_principle", "1 to 4"),
    ({"imposed_principle": 1}, "voting.imposed_principle", "decision_rule is imposed"),
    ({"imposed_amount": 9}, "voting.imposed_amount", "imposed_principle is 3 or 4"),
    ({"decision_rule": "imposed", "imposed_principle": 3}, "voting.imposed_amount", "imposed_principle is 3 or 4"),
    (
        {"no_consensus_mode": "random"},
        "voting.no_consensus_mode",
        "'random_distribution_per_participant', 'random_distribution_group' or 'random_principle'",
    ),
    ({"speaking_order_strategy": "x"}, "discussion.speaking_order_strategy", "'random', 'fixed' or 'conversational'"),
    ({"max_finishes_per_participant": 0}, "discussion.max_finishes_per_participant", "at least 1"),
    ({"distribution_range_phase1": [2, 1]}, "tables.distribution_range_phase1", "min ≤ max"),
    ({"distribution_range_phase2": [0, 1]}, "tables.distribution_range_phase2", "0 < min"),
    ({"distribution_range_phase2": [0.00001, 1]}, "tables.distribution_range_phase2", "fall to 0"),
    ({"income_class_probabilities": [0.2] * 4}, "tables.income_class_probabilities", "at least 5"),
    ({"income_class_probabilities": [0.1] * 5}, "tables.income_class_probabilities", "add up to 1"),
    ({"income_class_probabilities": [1.2, -0.2, 0, 0, 0]}, "tables.income_class_probabilities.0", "at most 1"),
    ({"reveal_class_probabilities": "always"}, "tables.reveal_class_probabilities", "'never', 'after_choice'"),
    ({"custom_tables": [[5, 4, 3, 2, 1]]}, "tables.custom_tables", "at least 4"),
    ({"custom_tables": [[1, 2, 3, 4, 5]] * 4}, "tables.custom_tables.0", "must not rise"),
    ({"custom_tables": [[5, 4, 3, 2, 1]] * 4}, "tables.distribution_range_phase1", "fall to 0"),
    ({"table_spread": 0.9}, "tables.table_spread", "at least 1"),
    ({"table_spread": 3}, "tables.table_spread", "fall to -5500"),
    ({"loss_credit": 0}, "wording.loss_credit", "more than 0"),
    ({"loss_credit": 1.005}, "wording.loss_credit", "multiple of 0.01"),
    ({"loss_credit": float("nan")}, "wording.loss_credit", "finite"),
    ({"statement_length_limit": 9}, "discussion.statement_length_limit", "at least 10"),
    ({"statement_timeout": 9}, "discussion.statement_timeout", "at least 10"),
    ({"statement_retry_attempts": 11}, "discussion.statement_retry_attempts", "10"),
    ({"retry_backoff_factor": 3.1}, "discussion.retry_backoff_factor", "3"),
    ({"voting_initiation_timeout": 601}, "voting.voting_initiation_timeout", "600"),
    ({"amount_min_reasonable": 10_000_000}, "voting.amount_min_reasonable", "below"),
    ({"max_participant_retries": 6}, "discussion.max_participant_retries", "5"),
    ({"max_memory_retries": 0}, "memory.max_memory_retries", "1"),
    ({"memory_compression_target": 0.8}, "memory", "below compression_threshold"),
    ({"statement_max_length": 3}, "memory.statement_max_length", "more than 3"),
    ({"transcript_logging": {"path": "../x"}}, "logging.transcript_logging.path", '".."'),
]


def test_as_many_may_take_part_as_in_every_other_protocol() -> None:
    assert (
        len(parse_justice_settings({"participants": [f"P{number}" for number in range(MAX_PARTICIPANTS)]}).participants)
        == MAX_PARTICIPANTS
    )


@pytest.mark.parametrize(("given", "key", "remedy"), BAD)
def test_bad_values_are_refused_with_key_and_remedy(given: dict[str, object], key: str, remedy: str) -> None:
    with pytest.raises(InputError) as error:
        parse_justice_settings(given)
    assert error.value.key == key
    assert remedy in error.value.remedy


def test_a_memory_bound_for_all_is_that_of_each_without_its_own() -> None:
    cast = ["a", {"name": "b"}, {"name": "c", "memory_max_chars": 700}]
    rules = parse_justice_settings({"memory": {"memory_max_chars": 5000}, "participants": cast})
    assert [participant.memory_max_chars for participant in rules.participants] == [5000, 5000, 700]
    assert {
        participant.memory_max_chars for participant in parse_justice_settings({"memory_max_chars": 5000}).participants
    } == {5000}


def test_the_seed_comes_from_the_settings_unless_it_is_given() -> None:
    assert parse_justice_settings({"seed": 0}).run_seed == 0
    default = JusticeSettings().run_seed
    assert default == 0x44136FA3 % 2**31
    assert parse_justice_settings({"max_rounds": 10}).run_seed == default
    assert parse_justice_settings({"max_rounds": 9}).run_seed != default


def test_an_imposed_rule_is_announced_with_its_amount() -> None:
    given = {"decision_rule": "imposed", "imposed_principle": 3, "imposed_amount": 14000}
    expected = SharingRule(principle=get_principle(3), constraint_amount=14000)
    assert parse_justice_settings(given).voting.imposed_rule == expected
    assert JusticeSettings().voting.imposed_rule is None


def test_custom_tables_replace_the_base_set_and_the_spread_applies_to_either() -> None:
    assert JusticeSettings().tables.base == BASE_DISTRIBUTIONS
    custom = parse_justice_settings({"custom_tables": [[500, 400, 300, 200, 100]] * 4, "table_spread": 1.5}).tables.base
    assert custom["D1"].incomes == [613, 463, 313, 163, 13]
    assert parse_justice_settings({"table_spread": 1.5}).tables.base["D1"].low == 7625


def test_vector_23_timeouts_of_the_vote() -> None:
    voting = JusticeSettings().voting
    assert voting.list_step_timeouts("initiation", 3) == voting.list_step_timeouts("confirmation", 3) == [30, 45, 67.5]
    assert voting.list_step_timeouts("secret_ballot", 3) == [45, 67.5, 101.25]


def test_vector_31_waits_and_timeouts_of_a_statement() -> None:
    assert JusticeSettings().discussion.retry_delays == [1.0, 1.5]
    assert JusticeSettings().statement_timeouts == [60, 45, 30]
    assert parse_justice_settings({"statement_retry_attempts": 5}).statement_timeouts == [60, 45, 30, 30, 30]


def test_the_limits_of_a_slow_model_need_not_shrink() -> None:
    settings = parse_justice_settings({"statement_timeout": 600.0, "timeouts": {"attempt_factors": [1.0]}})
    assert settings.statement_timeouts == settings.with_choices(seed=1).statement_timeouts == [600, 600, 600]


@pytest.mark.parametrize(
    ("values", "remedy"),
    [
        ({"comprehension_tries": 4}, "set comprehension_test to true"),
        ({"speaking_order_strategy": "fixed", "max_finishes_per_participant": 2}, "choose another speaking order"),
        ({"timeouts": {"total": 30.0}}, "Moot takes the limits from `discussion.statement_timeout`"),
    ],
)
def test_a_setting_without_effect_is_refused_with_a_remedy(values: dict[str, object], remedy: str) -> None:
    with pytest.raises(InputError, match=remedy):
        parse_justice_settings(values)


@pytest.mark.parametrize(("rounds", "after"), [(5, [3]), (3, [1]), (2, []), (1, [])])
def test_vector_38_the_countdown_line_stands_two_rounds_before_the_end(rounds: int, after: list[int]) -> None:
    discussion = parse_justice_settings({"max_rounds": rounds}).discussion
    assert [round for round in range(1, rounds + 1) if discussion.needs_countdown(round)] == after


def described(schema: dict[str, object]) -> Iterator[tuple[str, dict[str, object]]]:
    definitions = schema.get("$defs", {})
    assert isinstance(definitions, dict)
    for model in (schema, *definitions.values()):
        for name, field in model.get("properties", {}).items():
            yield f"{model['title']}.{name}", field


def test_the_schema_says_what_every_key_means() -> None:
    schema = JusticeSettings.model_json_schema()
    assert [name for name, field in described(schema) if not field.get("description")] == []
    required = {name for model in schema["$defs"].values() for name in model.get("required", [])}
    assert required == {"kind", "name", "high", "medium_high", "medium", "medium_low", "low"}
    assert "required" not in schema


def test_the_schema_names_every_knob_that_a_run_has() -> None:
    properties = JusticeSettings.model_json_schema()["properties"]
    assert set(JusticeSettings.model_fields) <= set(properties)
    for key in ("temperature", "max_attempts", "retry_delays"):
        assert properties[key]["description"].startswith("Does nothing: ")
        assert "default" not in properties[key]
        with pytest.raises(InputError, match=f"{key} = .*participants.temperature|{key} = .*Moot (takes|computes)"):
            parse_justice_settings({key: JusticeSettings.model_fields[key].default})
    grouped = JusticeSettings.model_json_schema()["$defs"]
    settings = grouped["JusticeDiscussionSettings"]["properties"] | grouped["JusticeMemorySettings"]["properties"]
    for key in ("statement_min_length", "statement_min_length_cjk", "public_history_max_length"):
        assert "default" not in properties[key]
        assert {properties[key][one] == settings[key][one] for one in ("type", "minimum", "maximum")} == {True}
        assert getattr(parse_justice_settings({key: 200}), key) == 200


@pytest.mark.parametrize(
    ("settings", "higher"),
    [
        ({}, True),
        ({"phase1_first_round_unscaled": False}, False),
        ({"distribution_range_phase2": [2.0, 3.0]}, True),
        ({"distribution_range_phase2": [0.5, 1.0]}, False),
        ({"distribution_range_phase1": [0.9, 1.1], "distribution_range_phase2": [0.8, 1.2]}, False),
        ({"distribution_range_phase1": [1.0, 1.0], "distribution_range_phase2": [0.5, 1.6]}, True),
        ({"original_values_mode": {"enabled": True}, "distribution_range_phase2": [1.0, 1.0]}, False),
        ({"original_values_mode": {"enabled": True}, "distribution_range_phase2": [1.1, 1.1]}, True),
    ],
)
def test_stakes_are_raised_where_the_group_s_incomes_are_expected_above_those_of_the_applications(
    settings: dict[str, object], higher: bool
) -> None:
    assert parse_justice_settings(settings).tables.has_higher_stakes is higher
