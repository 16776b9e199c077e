"""How well each stopping rule reads labelled dialogues: recall by reason, false stops, recall by language.

    python benchmarks/endings.py

`dev` dialogues were looked at while the rules were written, `held` ones were not. A false stop is a dialogue that must
go on and is ended; groups are also scored for consensus, which only the default rule can see.
"""

import sys
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from dialogues import GO_ON, LANGUAGES, Dialogue, dialogues, macro, recalls
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


def main() -> None:
    """Print the four tables."""
    console = Console(width=130)
    for kind in ("debate", "group"):
        for part in ("dev", "held"):
            console.print(table(kind, part))


if __name__ == "__main__":
    main()
