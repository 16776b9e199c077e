"""Memory lines of the experiment: each participant's results of Phase 1, and the rounds of the group."""

from collections.abc import Sequence

from ...state import MODERATOR, MemoryReplacement, MemoryWrite, Statement, compress_memory, format_memory_line
from ...state.justice import (
    QUESTION_COUNT,
    ApplicationResult,
    ComprehensionAnswer,
    Counterfactual,
    DistributionSet,
    JusticeRoundState,
    Phase1Result,
    Ranking,
    SharingRule,
    format_dollars,
    list_shown_rules,
    select_distribution,
)
from ...storage import get_timestamp
from .addressee import Addressee, get_justice_settings


def describe_phase1(addressee: Addressee, phase1: Phase1Result | None) -> str:
    """Return a text with a participant's own rankings and results of Phase 1, one line each.

    `phase1`: results so far; `None` gives an empty text.
    """
    if phase1 is None:
        return ""
    ranking_lines = [
        format_ranking_line(addressee, stage, getattr(phase1, stage), "group.own_ranking")
        for stage in ("initial_ranking", "post_explanation_ranking", "final_ranking")
    ]
    result_lines = [_describe_application(addressee, result) for result in phase1.application_results]
    return "\n".join([addressee.translate_phrase("group.own"), *ranking_lines, *result_lines])


def _describe_application(addressee: Addressee, result: ApplicationResult) -> str:
    values: dict[str, object] = {
        "round": result.round,
        "class": addressee.translate_phrase(f"classes.{result.assigned_class}"),
        "income": f"{result.income:,}",
        "paid": addressee.describe_payoff(result.payoff_cents, result.round),
    }
    if result.choice is None:
        return addressee.translate_phrase("group.own_result_missing", **values)
    return addressee.translate_phrase("group.own_result", rule=addressee.format_rule(result.choice.rule), **values)


def format_ranking_line(addressee: Addressee, stage: str, ranking: Ranking | None, key: str = "memory.ranking") -> str:
    """Format a ranking as one line of text.

    `stage`: stage of the ranking, for the text. `ranking`: `None` for a missing one. `key`: key of the phrase; the
    default is that of a memory line.
    """
    stage_name = addressee.translate_phrase(f"stages.{stage}")
    if ranking is None or ranking.defaulted:
        return addressee.translate_phrase(f"{key}_missing", stage=stage_name)
    certainty = addressee.translate_phrase(f"certainties.{ranking.certainty}")
    return addressee.translate_phrase(
        key, stage=stage_name, order=addressee.format_ranking(ranking), certainty=certainty
    )


def list_comprehension_lines(addressee: Addressee, answers: Sequence[ComprehensionAnswer]) -> list[str]:
    """Return the memory line that reports the comprehension test, as a list.

    The list is empty until the last question is over.
    """
    if len(answers) < QUESTION_COUNT:
        return []
    right_count = sum(answer.right for answer in answers)
    return [addressee.translate_phrase("memory.comprehension", right=right_count, of=len(answers))]


def format_comment_line(addressee: Addressee, comment: str) -> str:
    """Return the participant's comment on the explanation as a memory line, clipped like a statement."""
    memory = addressee.settings.memory
    text = format_memory_line(comment, memory.statement_max_length, memory)
    return addressee.translate_phrase("memory.explanation" if text else "memory.explanation_missing", text=text)


def describe_selections(addressee: Addressee, table: DistributionSet) -> str:
    """Return lines that say which distribution each principle selects, for every possible amount.

    The amounts are the floors and ranges of the set.
    """
    return "\n".join(
        addressee.translate_phrase(
            "table.pick", rule=addressee.format_rule(rule), distribution=select_distribution(table, rule).distribution
        )
        for rule in addressee.sort_by_presentation(list_shown_rules(table))
    )


def describe_alternatives(
    addressee: Addressee, outcomes: list[Counterfactual], draw: int, actual: int | None = None
) -> str:
    """Return lines that say what the participant's income class would have earned under each rule.

    `outcomes`: incomes and payoffs by rule. `draw`: number of the paid draw, from 1. `actual`: the participant's own
    payoff in cents, to show each difference from it; `None` shows no differences.
    """
    lines = []
    for outcome in addressee.sort_by_presentation(outcomes):
        values = {
            "rule": addressee.format_rule(
                SharingRule(principle=outcome.principle, constraint_amount=outcome.constraint_amount)
            ),
            "distribution": outcome.distribution,
            "income": f"{outcome.income:,}",
            "outcome": addressee.describe_payoff(outcome.payoff_cents, draw, "outcome"),
        }
        if actual is not None:
            cents = outcome.payoff_cents - actual
            key, amount = "table.more" if cents > 0 else "table.less", format_dollars(abs(cents))
            equal_phrase = addressee.translate_phrase("table.same")
            values["difference"] = addressee.translate_phrase(key, amount=amount) if cents else equal_phrase
        key = "table.alternative" if actual is None else "table.difference"
        lines.append(addressee.translate_phrase(key, **values))
    return "\n".join(lines)


def explain_selection(addressee: Addressee, result: ApplicationResult) -> str:
    """Return the sentence that says which distribution determined the payoff of an application, and why."""
    if result.choice is None or result.selection is None:
        return addressee.translate_phrase("feedback.defaulted", distribution=result.distribution)
    is_satisfied = result.selection.constraint_satisfied
    key = "picked" if is_satisfied is None else "satisfied" if is_satisfied else "unsatisfied"
    return addressee.translate_phrase(
        f"feedback.{key}", rule=addressee.format_rule(result.choice.rule), distribution=result.distribution
    )


def write_memories(state: JusticeRoundState, additions: dict[str, list[str]]) -> MemoryWrite:
    """Return the memory write that adds lines to each participant's memory.

    `additions`: new lines by participant. A memory above the compression threshold of the settings is compressed. The
    participant's Phase 1 results and the new lines stay.
    """
    write: dict[str, Sequence[str] | MemoryReplacement] = dict(additions)
    for participant in get_justice_settings(state["settings"]).participants:
        memory_settings = get_justice_settings(state["settings"]).memory.model_copy(
            update={"memory_max_chars": participant.memory_max_chars}
        )
        lines = [*state["memory"].get(participant.name, []), *additions.get(participant.name, [])]
        phase1 = state["alone"].get(participant.id)
        shorter_lines = compress_memory(
            lines,
            memory_settings,
            [*(phase1.final_memory_state.splitlines() if phase1 else []), *additions.get(participant.name, [])],
        )
        if shorter_lines is not None:
            write[participant.name] = MemoryReplacement(replace=shorter_lines)
    return write


def make_moderator_statement(state: JusticeRoundState, text: str) -> Statement:
    """Make a statement of the moderator for the public history."""
    turn, round = max(1, state["turn"]), max(1, state["round"])
    return Statement(turn=turn, round=round, speaker=MODERATOR, content=text, at=get_timestamp())


def make_narrator(state: JusticeRoundState) -> Addressee:
    """Return an addressee that has the run's language, for the moderator's texts."""
    settings = get_justice_settings(state["settings"])
    return Addressee(settings, settings.participants[0].model_copy(update={"language": settings.language}))
