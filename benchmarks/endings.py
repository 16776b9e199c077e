"""How well each stopping rule reads labelled dialogues: recall by reason, false stops, recall by language.

Then last statements that were written when the rules were finished, by somebody who had read neither them nor their
words: how many concessions each rule finds, and how many of its stops are right. A last table has the rules that ask
for more: the same debates of the rehearsal, which concedes in set phrases and declares what it thinks, under each rule,
with what the rule costs. Nothing of what they find there follows for a model.

    python benchmarks/endings.py
    python benchmarks/endings.py small-model

The second has a real model of 135 million parameters on this machine debate under `declared`, and shows what became of
its declarations; that takes minutes.

`dev` dialogues were looked at while the rules were written, `held` ones were not. A false stop is a dialogue that must
go on and is ended; groups are also scored for consensus, which only the default rule can see.
"""

import sys
from collections import Counter
from pathlib import Path
from statistics import mean
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from dialogues import GO_ON, LANGUAGES, Dialogue, conceding, dialogues, macro, recalls
from moot.graphs import debate
from moot.state.ending import TEXT_RULES, find_ending

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
    for rule in TEXT_RULES:
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


def fresh() -> Table:
    """One row a rule: concessions it finds in words nobody made it for, by language; stops, and how many are right."""
    shown = Table(title="last statements written after the rules")
    for head in ("rule", *LANGUAGES, "found", "stops", "right"):
        shown.add_column(head, justify="left" if head == "rule" else "right")
    for rule in ("dialogue", "lexical"):
        read = [conceding("fresh_words", language, rule) for language in LANGUAGES]
        found = [f"{one.found} of {one.concessions}" for one in read]
        stops, right = sum(one.stops for one in read), sum(one.found for one in read)
        shown.add_row(rule, *found, f"{right} of {sum(one.concessions for one in read)}", f"{stops}", f"{right}")
    return shown


SEEDS, TURNS = range(12), 20
"""Debates of the rehearsal played under each rule, and the cap on their turns."""
PLAYED = ("dialogue", "judge", "declared")
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


def _debate(seed: int, rule: str, **more: Any) -> dict[str, Any]:
    knobs = {"model": "rehearsal", "seed": seed, "max_turns": TURNS, "stopping": rule} | more
    found: dict[str, Any] = debate.graph.invoke({"topic": "Should cities ban cars from downtown areas?"}, context=knobs)
    return found


DEBATES, LENGTH = 2, {"max_turns": 4, "max_tokens_per_turn": 60, "max_tokens_synthesis": 40, "waits": [0]}
"""Debates of the small model, and how short they are."""


def declared_by_a_small_model() -> None:
    """Print of each debate what its declarations came to, what they say, and how it ended."""
    from servers.small_model import serving

    print(f"{DEBATES} debates of SmolLM2-135M under `declared`, {LENGTH['max_turns']} turns at most")
    with serving() as url:
        for seed in range(DEBATES):
            run = _debate(seed, "declared", model=f"openai:smollm2@{url}", **LENGTH)
            print(_declarations(run), flush=True)


def _declarations(run: dict[str, Any]) -> str:
    tries = Counter((call.who, call.turn) for call in run["calls"] if call.purpose == "declaration")
    kept = [one for one in run["positions"] if one.answer]
    first = sum(tries[one.who, one.turn] == 1 for one in kept)
    figures = f"{len(tries)} declarations: {first} at once, {len(kept) - first} repaired, {len(tries) - len(kept)} lost"
    said = [f"{one.answer} {one.certainty:g} {one.stance}".strip() for one in kept]
    flaws = [one.what for one in run["incidents"] if one.where == "declaration"]
    return f"{figures}; {', '.join(said)}; ended by {run['outcome'].reason}; {Counter(flaws).most_common()}"


def main(what: str = "") -> None:
    """Print the tables of words and that of the rehearsal, or that of a small model."""
    console = Console(width=130)
    if what == "small-model":
        return declared_by_a_small_model()
    for kind in ("debate", "group"):
        for part in ("dev", "held"):
            console.print(table(kind, part))
    console.print(fresh())
    console.print(rehearsed())


if __name__ == "__main__":
    main(*sys.argv[1:])
