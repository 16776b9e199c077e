"""Documents of runs for tests of what shows them: a rehearsal of each protocol, and a debate written by hand."""

from pathlib import Path
from typing import Any

from command import document
from moot.app.report.document import build_document as document_of
from moot.app.saved.runs import Run
from moot.app.saved.saved_run import SavedRun
from moot.state.debate import DebateSettings
from moot.state.ending import Evidence, Outcome
from moot.state.prices import Prices
from moot.state.records import Call, Incident
from moot.state.statement import Participant, Statement

CARS = "Should cities ban cars?"
WORDS: dict[str, list[str]] = {
    "debate": ["debate", CARS, "--seed", "3"],
    "consensus": ["consensus", CARS, "--seed", "4", "--set", "vote=ranked_pairs"],
    "discussion": ["discussion", CARS, "--models-only", "--max-turns", "6", "--seed", "1"],
    "panel": ["panel", "How do groups agree on a rule?", "--samples", "--language", "en", "--seed", "1"],
    "delphi": ["delphi", "How many cars are there?", "--seed", "3"],
    "jury": ["jury", CARS, "--seed", "5", "--verdict-rule", "5/6"],
    "justice": ["justice", "--seed", "5", "--max-rounds", "2", "--set", "participants=[Ada, Ben, Cleo]"],
}
"""By protocol: the command of a short run."""

NAMES = ["W" * 80, "李" * 80, "Participant_with_a_name_that_never_ends", "Bo"]
LONG = ["consensus", CARS, "--seed", "3", "--max-rounds", "2", "--set", "vote=score", "--set", "open_ballot=true"]
LONG += [word for name in NAMES for word in ("--participant", name)]
"""A run of participants whose names are as long as names can be."""

SPANISH = ["consensus", "¿Debemos prohibir los coches?", "--language", "es", "--seed", "4", "--max-rounds", "2"]
CHINESE = ["consensus", "城市是否应该禁止汽车？", "--language", "zh", "--seed", "4", "--max-rounds", "2"]


def run(words: list[str], folder: Path) -> dict[str, Any]:
    """The document of a rehearsal."""
    return document(*words, "--model", "rehearsal", "--db", folder / "runs.db", MOOT_DB=str(folder / "runs.db"))


SCRIPT = "<script>alert(1)</script>"
HOSTILE = "\n\n".join(
    [
        f"# A heading of mine {SCRIPT}",
        "\x1b[31mred\x1b[0m \x1b]0;title\x07and \u202ereversed\u202c, \x00nothing.",
        "![spy](https://example.org/spy.png) <img src=x onerror=alert(2)>",
        "[one](javascript:alert(3)) [two](data:text/html,x) [three](//example.org/x) [four](https://example.org/a)",
        "[1]: https://example.org/stolen",
        "As was said [1], [2; 9] and `[1]`. {{ 7 * 7 }} {% raw %}",
        "W" * 400,
        "W[" + "@x" * 40 + "]",
        "| a | b |\n|---|---|\n| 1 | " + "2 " * 80 + "|",
    ]
)
"""A statement that tries everything."""


def saved(**state: Any) -> SavedRun:
    """A debate of three turns, the second of them passed over, that ended by concession; changed as a test wants it."""
    whole: dict[str, Any] = {
        "topic": f"Tea {SCRIPT} or coffee?",
        "material": "",
        "participants": [
            Participant(name="PRO", side="pro", role="argues for it", persona="An <b>optimist</b>.", model="openai:x"),
            Participant(name="CON", side="con", role="argues against it"),
        ],
        "settings": DebateSettings(model="openai:x", seed=4, prices=Prices(input=1_000_000, output=2_000_000)),
        "history": [
            Statement(turn=1, round=1, speaker="PRO", content=HOSTILE, at="2026-01-01T00:00:01Z", tokens=1234),
            Statement(turn=3, round=2, speaker="PRO", content="I **give in**.", cut_off=True),
        ],
        "memory": {"PRO": [f"I remember {SCRIPT}.", "\x1b[1mbold\x1b[0m"], "CON": []},
        "incidents": [
            Incident(where="speak", who="CON", what="no answer", kind="timeout", consequence="missed", turn=2),
        ],
        "calls": [
            Call(purpose="statement", who="PRO", model="openai:x", input_tokens=20, output_tokens=10, ms=1500),
            Call(purpose="statement", who="CON", model="openai:x", outcome="timeout", ms=500),
            Call(purpose="synthesis", model="openai:y", input_tokens=5),
        ],
        "outcome": Outcome(
            reason="concession_detected",
            evidence=Evidence(turns=[3], quote="I give in", figure=0.9, threshold=0.6, note="confidence"),
            headline="PRO conceded.",
        ),
        "synthesis": "# Both\n\nPRO gave in [3], CON kept silent [2].\n\n### Open\n\n" + SCRIPT,
    }
    row = Run(run="debate-tea-abcd", protocol="debate", topic="Tea", started="2026-01-01T00:00:00Z")
    return SavedRun(row, whole | state, [], at="2026-01-01T00:01:05+00:00")


def by_hand(**state: Any) -> dict[str, Any]:
    """The document of that debate."""
    return document_of(saved(**state))
