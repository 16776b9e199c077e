"""A cast for justice experiments: who says what to which question, and what everyone was told."""

from collections.abc import Callable, Mapping
from typing import Any

from moot.graphs.justice import build
from moot.state.justice_report import JusticeResult, justice_result
from pydantic import Field
from scripted import Said, ScriptedChat, Told

Line = Said | list[Said] | Callable[[Told], Said]

LINES: dict[str, Line] = {
    "ranking": "2\n3\n1\n4\nCertainty: sure",
    "explanation": "The principles pick different distributions, which strikes me.",
    "choice": "Principle: 2\nAmount: none\nCertainty: sure\nReason: most on average",
    "reasoning": "I think the others want a floor, and so do I.",
    "statement": "I propose that we adopt principle 3 with an amount of 14000, since it protects the worst place.",
    "initiation": "1",
    "confirmation": "1",
    "ballot": "3",
    "amount": "14000",
    "memory": "What I keep: we agreed, and I was paid.",
}
"""What everyone says unless a test says otherwise."""


class Cast(ScriptedChat):
    """Answers by purpose, or by (who, purpose); a list is said in order, its last line ever after."""

    script: list[Said] = Field(default_factory=list)
    lines: dict[Any, Any] = Field(default_factory=dict)
    asked: dict[tuple[str, str], int] = Field(default_factory=dict)

    def answer(self, told: Told) -> Said:
        key = (told.who, told.purpose)
        line = self.lines.get(key, self.lines.get(told.purpose, LINES[told.purpose]))
        self.asked[key] = place = self.asked.get(key, 0) + 1
        if isinstance(line, list):
            return line[min(place, len(line)) - 1]
        return line(told) if callable(line) else line

    def told_for(self, *purposes: str) -> list[Told]:
        """What was told for these purposes, in order."""
        return [one for one in self.told if one.purpose in purposes]


def experiment(lines: Mapping[Any, Line] | None = None, **settings: Any) -> tuple[JusticeResult, Cast]:
    """Run one, without waits, and give its result with the cast that played it."""
    cast = Cast(lines=dict(lines or {}))
    state = build().compile().invoke({}, context={"model": cast, **settings})
    return justice_result(state), cast


WORKED = {
    "participants": ["A", "B", "C", "D", "E"],
    "distribution_range_phase2": [1, 1],
    "max_rounds": 2,
}
