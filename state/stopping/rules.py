"""Stopping rules: functions that decide when a deliberation ends.

A protocol lists them in order. Each returns an ending with its evidence, or `None`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ..budget import is_budget_spent
from ..channel_requirements import mark_reads, select_by_setting
from ..deliberation import ProgressState
from ..ending import PARTICIPANTS_UNAVAILABLE, Ending, Evidence
from ..errors import InputError
from ..plugins.chosen_plugins import load_chosen_plugin
from ..positions.settings import DECLARATION_RULES
from ..settings import StoppingSettings
from ..statement import Statement
from .concession import find_conceding_sentence, find_formal_concession
from .lexical_rule import find_ending
from .stalemate import find_stalemate

StoppingRule = Callable[[Any], Ending | None]
"""Function of a group of channels, and sometimes of settings, that returns an `Ending` or `None`."""


ROUNDS_NOTE = "rounds held"
"""Note on evidence with a figure that counts completed rounds."""


def list_speaker_texts(history: Sequence[Statement]) -> list[tuple[str, str]]:
    """Return the speaker and the text of each statement."""
    return [(statement.speaker, statement.content) for statement in history]


def stop_on_first(*rules: StoppingRule) -> StoppingRule:
    """Combine stopping rules into one, which returns the first ending that a rule finds.

    The combined rule reads the channels of all rules.
    """

    def stop_on_first_ending(state: Any) -> Ending | None:
        return next((ending for rule in rules if (ending := _apply_rule(rule, state))), None)

    return mark_reads(stop_on_first_ending, *rules)


def _apply_rule(rule: StoppingRule, state: Any) -> Ending | None:
    ending = rule(state)
    if ending is None or isinstance(ending, Ending):
        return ending
    rule_name = f"{getattr(rule, '__module__', '')}.{getattr(rule, '__name__', '')}"
    raise InputError(
        "ending", ending, f"{rule_name}: give an Ending with its reason, strategy and evidence, or None to continue"
    )


CONFIRMED = "confirmed"
"""Strategy of an ending in which participants accepted the common ground in words."""
UNCONFIRMED_NOTE = "declared, not confirmed"
"""Note on an agreement that no participant confirmed in words."""
LOST_SYNTHESIS = "closing"
"""Strategy name of an ending whose synthesis failed."""


def make_unsummarized_ending(ending: Ending) -> Ending:
    """Make the ending of a run whose synthesis failed. Its note names the reason of the original ending.

    For a direct answer, the note is empty.
    """
    evidence = Evidence(quote="synthesizer", note="" if ending.reason == "answered_directly" else ending.reason)
    return Ending(reason=PARTICIPANTS_UNAVAILABLE, strategy=LOST_SYNTHESIS, evidence=evidence)


def stop_at_budget(state: ProgressState) -> Ending | None:
    """Stop if another turn leaves too little budget for the synthesis, or the budget denied a turn."""
    is_denied = any(incident.kind == "budget_spent" and incident.turn for incident in state["incidents"])
    if not is_denied and not is_budget_spent(state["settings"], state["calls"]):
        return None
    return make_budget_ending(state)


def make_budget_denial_rule(purpose: str) -> StoppingRule:
    """Make the rule that stops if the budget denied calls for `purpose` in the last round."""

    def stop_at_budget_denial(state: ProgressState) -> Ending | None:
        denied_call = purpose, state["round"], "budget_spent"
        if not any((incident.where, incident.round, incident.kind) == denied_call for incident in state["incidents"]):
            return None
        return make_budget_ending(state)

    return stop_at_budget_denial


def make_budget_ending(state: ProgressState) -> Ending:
    """Make the ending of a run whose budget is spent."""
    evidence = Evidence(figure=len(state["calls"]), note="calls made")
    return Ending(reason="budget_spent", strategy="budget", evidence=evidence)


MIN_STATEMENTS = 4
"""Minimum number of statements before a rule that reads statements can end a deliberation."""


@select_by_setting("stop_rule")
def stop_on_conversation(state: ProgressState, settings: StoppingSettings) -> Ending | None:
    """Stop if the configured stopping rule finds an ending such as a concession or a stalemate.

    Without `dynamic_termination`, and with rules that read declarations, never stop.
    """
    if not settings.dynamic_termination or settings.stop_rule in DECLARATION_RULES:
        return None
    if settings.stop_rule == "judge":
        return state["verdict"]
    if rule := load_chosen_plugin(settings, "stop_rule"):
        return _apply_rule(rule, state)
    history: list[Statement] = state["history"]
    if settings.stop_rule == "lexical":
        return _with_turn_numbers(find_ending(list_speaker_texts(history)), history)
    if len(history) < MIN_STATEMENTS:
        return None
    return (
        find_formal_concession(history)
        or state["verdict"]
        or _with_turn_numbers(find_stalemate(list_speaker_texts(history), state["topic"]), history)
    )


def _with_turn_numbers(ending: Ending | None, history: Sequence[Statement]) -> Ending | None:
    """Return `ending` with the turn numbers of its evidence instead of positions in `history`."""
    if ending is None:
        return None
    turns = [history[position - 1].turn for position in ending.evidence.turns]
    return ending.model_copy(update={"evidence": ending.evidence.model_copy(update={"turns": turns})})


@mark_reads
def stop_at_turn_cap(state: ProgressState, settings: StoppingSettings) -> Ending | None:
    """Stop if the turn cap is reached. Missed turns count."""
    cap = settings.get_turn_cap(len(state["participants"]))
    if cap is None or state["turn"] < cap:
        return None
    return Ending(reason="max_turns_reached", strategy="cap", evidence=Evidence(figure=state["turn"], threshold=cap))


@mark_reads
def stop_at_round_cap(state: ProgressState, settings: StoppingSettings) -> Ending | None:
    """Stop if the round cap is reached and the last round is complete."""
    return _stop_after_rounds(state, settings.max_rounds, "max_rounds_reached")


@mark_reads
def stop_after_planned_rounds(state: ProgressState, settings: StoppingSettings) -> Ending | None:
    """Stop if `max_rounds` rounds are complete, in a protocol that plans its rounds in advance."""
    return _stop_after_rounds(state, settings.max_rounds, "all_have_spoken", ROUNDS_NOTE)


def _stop_after_rounds(state: ProgressState, cap: int | None, reason: str, note: str = "") -> Ending | None:
    if cap is None or state["floor"] or state["round"] < cap:
        return None
    return Ending(reason=reason, strategy="cap", evidence=Evidence(figure=state["round"], threshold=cap, note=note))


@mark_reads
def stop_mid_round(state: ProgressState, settings: StoppingSettings) -> Ending | None:
    """Stop if the turn cap is reached before the round is complete."""
    return stop_at_turn_cap(state) if state["floor"] else None


def has_no_statements(state: ProgressState) -> bool:
    """Return whether a round has been opened but the public history is still empty."""
    return state["round"] > 0 and not state["history"]


def needs_judge(state: ProgressState, settings: StoppingSettings) -> bool:
    """Return whether to ask the judge now.

    With `stop_rule: judge`, the judge is due after `judge_interval` turns, or if a concession phrase or a stalemate
    suggests an ending. With any other rule, it is never due.
    """
    history: list[Statement] = state["history"]
    if settings.stop_rule != "judge" or not settings.dynamic_termination:
        return False
    if len(history) < MIN_STATEMENTS or state["judged_turn"] >= state["turn"]:
        return False
    is_overdue = state["turn"] - state["judged_turn"] >= settings.judge_interval
    is_conceded = find_formal_concession(history) is not None or bool(find_conceding_sentence(history[-1].content))
    return is_overdue or is_conceded or find_stalemate(list_speaker_texts(history), state["topic"]) is not None
