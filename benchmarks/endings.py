"""How well each stopping rule reads labelled dialogues: recall by reason, false stops, recall by language.

A last table has the rules that ask for more: the same debates of the rehearsal, which concedes in set phrases and
declares what it thinks, under each rule, with what the rule costs. Nothing of what they find there follows for a model.

    python benchmarks/endings.py

`dev` dialogues were looked at while the rules were written, `held` ones were not. A false stop is a dialogue that must
go on and is ended; groups are also scored for consensus, which only the default rule can see.
"""

import sys
from pathlib import Path
from statistics import mean
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from dialogues import GO_ON, LANGUAGES, Dialogue, dialogues, macro, recalls
from moot.graphs import debate
from moot.state.ending import RULES, find_ending

LABELS = {
    GO_ON: "goes on",
    "concession_detected": "concession",
    "stalemate_repetition": "repetition",
    "stalemate_disengagement": "disengaged",
    "consensus": "consensus",
}


def table(kind: str, part: str) -> Table:
    """One row a rule: recall of each reason, their mean, false stops, mean recall by language, time."""
    found = dialogues(kind, part)
    labels = [label for label in LABELS if any(each.label == label for each in found)]
    shown = Table(title=f"{kind} dialogues, {part}: {len(found)}")
    heads = ["rule", *(LABELS[label] for label in labels), "mean", "false stops", *LANGUAGES, "ms a verdict"]
    for head in heads:
        shown.add_column(head, justify="left" if head == "rule" else "right")
    for rule in RULES:
        recall = recalls(found, rule)
        by_language = [macro((each for each in found if each.language == language), rule) for language in LANGUAGES]
        figures = [*(recall[label] for label in labels), macro(found, rule), 1 - recall[GO_ON], *by_language]
        shown.add_row(rule, *(f"{figure:.2f}" for figure in figures), f"{milliseconds(found, rule):.2f}")
    return shown


def milliseconds(found: tuple[Dialogue, ...], rule: str) -> float:
    """Mean time of a verdict when all statements but the last have been read before."""
    talks = [([*each.turns[:-1], (each.turns[-1][0], each.turns[-1][1] + " ")], each.topic) for each in found]
    start = perf_counter()
    for turns, topic in talks:
        find_ending(turns, rule, topic=topic)
    return (perf_counter() - start) / len(found) * 1000


SEEDS, TURNS = range(12), 20
"""Debates of the rehearsal played under each rule, and the cap on their turns."""
PLAYED = ("dialogue", "judge", "declared", "sequential")
HEADS = ("ended", "conceded", "still", "mean turn", "calls a debate", "of them its own", "own tokens")
OWN = ("declaration", "judgement")
"""What calls are made for that only a stopping rule makes."""


def rehearsed() -> Table:
    """One row a rule: how many of the same debates it ends before the cap, why, at which turn, and at what price."""
    shown = Table(title=f"{len(SEEDS)} debates of the rehearsal, {TURNS} turns at most")
    for head in ("rule", *HEADS):
        shown.add_column(head, justify="left" if head == "rule" else "right")
    for rule in PLAYED:
        shown.add_row(rule, *played(rule))
    return shown


def played(rule: str) -> list[str]:
    """The figures of one rule, as they are shown."""
    runs = [_debate(seed, rule) for seed in SEEDS]
    reasons = [one["outcome"].reason for one in runs]
    conceded, capped = reasons.count("concession_detected"), reasons.count("max_turns_reached")
    own = [call for one in runs for call in one["calls"] if call.purpose in OWN]
    return [
        f"{len(runs) - capped}",
        f"{conceded}",
        f"{len(runs) - capped - conceded}",
        f"{mean(one['history'][-1].turn for one in runs):.1f}",
        f"{mean(len(one['calls']) for one in runs):.1f}",
        f"{len(own) / len(runs):.1f}",
        f"{sum(call.input_tokens + call.output_tokens for call in own) / len(runs):,.0f}",
    ]


def _debate(seed: int, rule: str) -> dict[str, Any]:
    knobs = {"model": "rehearsal", "seed": seed, "max_turns": TURNS, "stopping": rule}
    found: dict[str, Any] = debate.graph.invoke({"topic": "Should cities ban cars from downtown areas?"}, context=knobs)
    return found


def main() -> None:
    """Print the four tables, and that of the rehearsal."""
    console = Console(width=130)
    for kind in ("debate", "group"):
        for part in ("dev", "held"):
            console.print(table(kind, part))
    console.print(rehearsed())


if __name__ == "__main__":
    main()
