"""Quality of stopping rules in debates: concessions and stalemates found, false stops, and calls.

    python benchmarks/endings.py

A scripted model that answers truthfully speaks labelled dialogues in three languages as debates. A speaker concedes by
the act, after a fixed phrase that triggers the question, or in other words only. A second table compares the rules and
their cost in the same rehearsed debates; its findings do not apply to models.
"""

import sys
from pathlib import Path
from statistics import mean
from typing import Any

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from dialogues import LANGUAGES, Dialogue, hold_dialogue, read_dialogues
from moot.graphs import debate

CONCESSION = "concession_detected"
CONDITIONS = {
    "asked: the act": ("asked", "act"),
    "asked: a phrase in each statement": ("asked", "phrase"),
    "asked: other words": ("asked", ""),
    "lexical": ("lexical", ""),
}
"""Rule and wording of a concession."""
SEEDS, TURNS = range(12), 20
"""Seeds of the rehearsed debates under each rule, and the cap on their turns."""
RULES = ("asked", "judge", "declared")
HEADS = ("ended", "conceded", "stalemates", "mean turn", "calls a debate", "of them its own", "own tokens")
OWN_PURPOSES = ("concession", "declaration", "judgement")
"""Purposes of calls that only a stopping rule makes."""


def main() -> None:
    """Print the tables of labelled dialogues and of rehearsed debates."""
    console = Console(width=130)
    console.print(build_dialogue_table())
    console.print(build_rehearsal_table())


def build_dialogue_table() -> Table:
    """Build the table of labelled dialogues, with a row for each stopping rule and manner of conceding."""
    dialogues = [dialogue for language in LANGUAGES for dialogue in read_dialogues(language)]
    heads = ("conceded", "stalemates", "false stops", "questions a debate")
    table = _make_table(f"{len(dialogues)} labelled dialogues", "rule", *heads)
    for name, (rule, manner) in CONDITIONS.items():
        results = [(dialogue, hold_dialogue(dialogue, manner, stop_rule=rule)) for dialogue in dialogues]
        concessions = [is_found(*result) for result in results if result[0].label == CONCESSION]
        stalemates = [is_found(*result) for result in results if result[0].label.startswith("stalemate")]
        questions = mean(sum(call.purpose == "concession" for call in state["calls"]) for _, state in results)
        shares = [f"{sum(matches)} of {len(matches)}" for matches in (concessions, stalemates)]
        table.add_row(name, *shares, f"{sum(is_false_stop(*result) for result in results)}", f"{questions:.2f}")
    return table


def is_found(dialogue: Dialogue, state: dict[str, Any]) -> bool:
    """Return whether a dialogue ended for the reason in its label.

    A concession must end it after the last turn.
    """
    is_complete = len(state["history"]) == len(dialogue.turns)
    return state["outcome"].reason == dialogue.label and (is_complete or dialogue.label != CONCESSION)


def is_false_stop(dialogue: Dialogue, state: dict[str, Any]) -> bool:
    """Return whether a rule ended a dialogue too early, or for a reason other than its label."""
    is_capped = state["outcome"].reason == "max_turns_reached"
    return not is_capped and not is_found(dialogue, state)


def build_rehearsal_table() -> Table:
    """Build the table of rehearsed debates, with a row for each stopping rule."""
    table = _make_table(f"{len(SEEDS)} debates of the rehearsal, {TURNS} turns at most", "rule", *HEADS)
    for rule in RULES:
        table.add_row(rule, *list_figures(rule))
    return table


def list_figures(rule: str) -> list[str]:
    """Return the table cells of one stopping rule in rehearsed debates."""
    topic, settings = "Should cities ban cars from downtown areas?", {"model": "rehearsal", "max_turns": TURNS}
    runs = [
        debate.graph.invoke({"topic": topic}, context={**settings, "seed": seed, "stop_rule": rule}) for seed in SEEDS
    ]
    reasons = [state["outcome"].reason for state in runs]
    reason_count, conceded = len(reasons) - reasons.count("max_turns_reached"), reasons.count(CONCESSION)
    own_calls = [call for state in runs for call in state["calls"] if call.purpose in OWN_PURPOSES]
    return [
        f"{reason_count}",
        f"{conceded}",
        f"{reason_count - conceded}",
        f"{mean(state['history'][-1].turn for state in runs):.1f}",
        f"{mean(len(state['calls']) for state in runs):.1f}",
        f"{len(own_calls) / len(runs):.1f}",
        f"{sum(call.tokens for call in own_calls) / len(runs):,.0f}",
    ]


def _make_table(title: str, *heads: str) -> Table:
    table = Table(title=title)
    for head in heads:
        table.add_column(head, justify="left" if head == "rule" else "right")
    return table


if __name__ == "__main__":
    main()
