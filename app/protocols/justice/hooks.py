"""Hooks of the justice experiment: its settings, its measures, and the bounds of its estimates."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

from ....state import InputError, Participant
from ....state.justice import (
    PRINCIPLES,
    JusticeSettings,
    build_justice_result,
    drop_overridden_settings,
    format_dotted_key,
    is_short_form,
    parse_justice_result,
    parse_justice_settings,
)
from ...run.config_file import CAP_SETTINGS, merge_value
from ..hooks import SEAT_SETTINGS, DocumentMeasure, Hooks, RunDocument
from .log import make_log_callbacks
from .payoffs import build_payoff_chart, build_payoff_tables, list_payoff_tables, summarize_result
from .rankings import build_ranking_tables, list_ranking_tables
from .report import (
    build_round_charts,
    build_vote_chart,
    collect_texts_with_memories,
    describe_condition,
    find_agreement_round,
    list_applications,
    list_private_folds,
    list_vote_attempts,
)
from .step_messages import describe_step
from .table_columns import JUSTICE_COLUMNS
from .table_rows import build_justice_tables


def build_experiment_settings(file_values: Mapping[str, Any], overrides: Mapping[str, Any]) -> JusticeSettings:
    """Build the settings of an experiment from a file's values and the overrides, and check them.

    A missing seed is added. Raises `InputError` with key, value and remedy.
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
    """Return the participants with the personas and models of the changed settings.

    Raises `InputError` if the id or the name of a participant differs from `previous_settings`.
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


def list_justice_measures() -> Iterator[DocumentMeasure]:
    """Yield the measures of an experiment: the adopted rule, its payoffs, and the rankings."""
    yield DocumentMeasure("rule adopted", partial(_measure_group, "consensus_reached"), is_share=True)
    for number, principle in enumerate(PRINCIPLES, 1):
        yield DocumentMeasure(f"principle {number}", partial(_measure_principle, principle), is_share=True)
    for number in (3, 4):
        yield DocumentMeasure(
            f"amount of principle {number}",
            partial(_measure_group, "constraint_amount", principle=PRINCIPLES[number - 1]),
        )
    for key in ("constraint_satisfied", "binding", "decisive"):
        yield DocumentMeasure(f"amount {key.removeprefix('constraint_')}", partial(_measure_group, key), is_share=True)
    yield DocumentMeasure("payoff", partial(_compute_mean, "phase2", "payoff_cents"))
    yield DocumentMeasure("payoff alone", partial(_compute_mean, "phase1", "total_earnings"))
    for (number, principle), (index, when) in product(enumerate(PRINCIPLES, 1), ((0, "before"), (3, "after"))):
        yield DocumentMeasure(
            f"rank of principle {number}, {when}", partial(_measure_rank, principle, index), bounds=(1, 4)
        )
    yield DocumentMeasure("rankings moved", _measure_ranking_changes, bounds=(0, 6))


def _measure_group(key: str, document: RunDocument, principle: str = "") -> float | None:
    """Return a figure of the group; `None` if it is unknown or if the group adopted another principle.

    `key`: key of the figure. `principle`: the principle that the figure requires; empty for any.
    """
    group = document.get("phase2") or {}
    value = group.get(key)
    return None if value is None or principle not in ("", group["agreed_principle"]) else float(value)


def _measure_principle(principle: str, document: RunDocument) -> float | None:
    group = document.get("phase2") or {}
    return None if group.get("consensus_reached") is None else float(principle == group["agreed_principle"])


def _compute_mean(phase: str, key: str, document: RunDocument) -> float | None:
    entries = document.get(phase) or {}
    values = [entry[key] for entry in (entries.get("payoffs") or {} if phase == "phase2" else entries).values()]
    return sum(values) / len(values) if values else None


def _measure_rank(principle: str, index: int, document: RunDocument) -> float | None:
    standings = (document.get("measures") or {}).get("standings", [])
    rank = standings[index]["mean_rank"].get(principle) if index < len(standings) else None
    return None if rank is None else float(rank)


def _measure_ranking_changes(document: RunDocument) -> float | None:
    for change in (document.get("measures") or {}).get("changes", []):
        if (change["first"], change["second"]) == (1, 4):
            return None if change["kendall_mean"] is None else float(change["kendall_mean"])
    return None


def get_longest_overrides(settings: JusticeSettings) -> dict[str, Any]:
    """Return the settings with which the group votes only in the last round."""
    late_vote_settings = {"min_rounds_before_vote": settings.discussion.max_rounds, "force_vote_in_final_round": True}
    return {"voting": settings.voting.model_dump() | late_vote_settings}


def count_questions(settings: JusticeSettings) -> Mapping[str, int]:
    """Return how many questions of votes and memories a run may ask, by purpose.

    The mapping is empty if the settings impose a rule.
    """
    voting = settings.voting
    if voting.decision_rule == "imposed":
        return {}
    seat_count = sum(participant.kind == "model" for participant in settings.participants)
    poll_count = settings.discussion.max_rounds - voting.min_rounds_before_vote + 1
    free_poll_count = poll_count - voting.force_vote_in_final_round  # polls that a participant starts
    confirming_count = min(seat_count, len(settings.participants) - 1)
    return {
        "initiation": seat_count * free_poll_count,
        "confirmation": confirming_count * free_poll_count + seat_count * voting.force_vote_in_final_round,
        "ballot": seat_count * poll_count,
        "amount": seat_count * poll_count,
        "memory": 2 * seat_count,
    }


def count_attempts(settings: JusticeSettings) -> Mapping[str, int]:
    """Return how many attempts a question may have, by purpose."""
    discussion, voting = settings.discussion, settings.voting
    attempts = 1 + discussion.max_participant_retries
    return {
        "comprehension": settings.checks.comprehension_tries,
        "ranking": attempts,
        "explanation": attempts,
        "choice": attempts + discussion.max_constraint_correction_attempts,
        "reasoning": discussion.reasoning_max_retries,
        "initiation": voting.voting_retry_limit,
        "confirmation": voting.voting_retry_limit,
        "ballot": voting.principle_extraction_retries,
        "amount": voting.amount_extraction_retries,
        "memory": settings.memory.max_memory_retries,
    }


HOOKS = Hooks(
    keys=lambda saved_run, _: build_justice_result(saved_run.state).model_dump(mode="json"),
    step_lines=describe_step,
    summary=summarize_result,
    condition=describe_condition,
    charts=[build_payoff_chart, build_vote_chart],
    round_charts=build_round_charts,
    agreement_round=find_agreement_round,
    sections={
        "votes": [list_vote_attempts],
        "payoffs": [list_payoff_tables],
        "rankings": [list_ranking_tables],
        "applications": [list_applications],
    },
    measures=[*list_justice_measures()],
    tables=JUSTICE_COLUMNS,
    table_rows=lambda document: build_justice_tables(parse_justice_result(document)),
    record_sections={"private": [list_private_folds]},
    closing_blocks=lambda page: [*build_payoff_tables(page), *build_ranking_tables(page)],
    longest_overrides=get_longest_overrides,
    question_counts=count_questions,
    attempt_counts=count_attempts,
    run_count=lambda settings: settings.repeats,
    offline_overrides=lambda settings: {
        "participants": [seat.model_dump() | {"model": "", "kind": "model"} for seat in settings.participants]
    },
    setting_key=format_dotted_key,
    forked_participants=update_participants,
    private_texts=collect_texts_with_memories,
    tool_settings=SEAT_SETTINGS,
    settings_reader=build_experiment_settings,
    callbacks=make_log_callbacks,
)
