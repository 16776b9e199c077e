"""What a run answers: its vote's winner, what the synthesizer named, or what most participants held at the end."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from .position import SYNTHESIZER, Position, final_positions
from .rules import PositionRules, Question, question_of


class RunAnswer(BaseModel):
    """What a run answers, and what that rests on."""

    model_config = ConfigDict(frozen=True)

    answer: str = Field(
        default="", description="An option's id or sign, for, against, undecided, or a number; empty: tied."
    )
    text: str = Field(default="", description="What the option says; empty where it is no option.")
    number: float | None = Field(default=None, description="The answer as a number; none where it is no number.")
    unit: str = Field(default="", description="The unit of the number.")
    by: Literal["vote", "synthesizer", "positions", "median"] = Field(description="Whose answer it is.")
    tied: list[str] = Field(default_factory=list, description="Answers that most hold equally; empty: one leads.")
    held: dict[str, int] = Field(default_factory=dict, description="How many hold each answer, most first.")


class Held(Protocol):
    """A vote that was held: its options by sign, and its count."""

    @property
    def options(self) -> Mapping[str, str]: ...

    @property
    def tally(self) -> Any: ...


def answer_of(state: Mapping[str, Any]) -> RunAnswer | None:
    """The run's answer so far, from its channels; none where nothing on record gives one.

    The winner of the latest vote that was won; else, where the synthesizer names it, what that named; else what most
    participants held when they were last asked, numbers within the tolerance taken together.
    """
    rules = state["rules"]
    question = question_of(rules) if isinstance(rules, PositionRules) else Question()
    if won := _voted(state.get("polls") or [], question):
        return won
    positions: list[Position] = state.get("positions") or []
    if isinstance(rules, PositionRules) and rules.named:
        named = [one for one in positions if one.who == SYNTHESIZER]
        return _of_one("synthesizer", named[-1].answer, question) if named else None
    return plurality([one.answer for one in final_positions(positions).values()], question)


def _voted(polls: Sequence[Held], question: Question) -> RunAnswer | None:
    """The winner of the latest vote that had one; where the run asks for a number, the number it stands for."""
    for poll in reversed(polls):
        if poll.tally and (sign := poll.tally.winner):
            text = poll.options.get(sign, sign)
            figure = as_number(text, question)
            if question.numeric and figure is not None:
                return _of_one("vote", shown(figure), question)
            return RunAnswer(answer=sign, text=text, by="vote")
    return None


def _of_one(by: Literal["vote", "synthesizer", "positions"], answer: str, question: Question) -> RunAnswer:
    number = float(answer) if question.numeric else None
    return RunAnswer(answer=answer, text=question.texts.get(answer, ""), number=number, unit=question.unit, by=by)


def plurality(answers: Sequence[str], question: Question) -> RunAnswer | None:
    """The answer that most hold, none where nobody answered; a tie names those tied and is no answer."""
    held = held_by(answers, question)
    if not held:
        return None
    leading = [one for one, count in held.items() if count == max(held.values())]
    leading.sort(key=lambda one: list(question.signs).index(one) if one in question.signs else 0)
    if len(leading) > 1:
        return RunAnswer(unit=question.unit, by="positions", tied=leading, held=held)
    return _of_one("positions", leading[0], question).model_copy(update={"held": held})


def held_by(answers: Sequence[str], question: Question) -> dict[str, int]:
    """How many hold each answer, most first; a number stands for those around it, by their median."""
    if question.numeric:
        found = clusters([float(one) for one in answers], question)
        return {shown(median(one)): len(one) for one in sorted(found, key=lambda one: -len(one))}
    counts = {one: answers.count(one) for one in dict.fromkeys(answers)}
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def clusters(numbers: Sequence[float], question: Question) -> list[list[float]]:
    """The largest groups of numbers that all lie within the tolerance of one another, in order; groups may overlap."""
    ordered = sorted(numbers)
    found: list[list[float]] = []
    end = 0
    for start in range(len(ordered)):
        reach = max(end, start)
        while reach < len(ordered) and question.near(ordered[start], ordered[reach]):
            reach += 1
        if reach > end:
            found.append(ordered[start:reach])
        end = reach
    return found


def shown(number: float) -> str:
    """A number as an answer is written: as many digits as it has."""
    return repr(float(number)).removesuffix(".0")


def with_unit(answer: str, unit: str) -> str:
    """A number and its unit."""
    return f"{answer} {unit}".strip()


def as_number(text: str, question: Question) -> float | None:
    """The number in a text that is `with_unit`; none for any other."""
    if not question.numeric or not text.endswith(question.unit):
        return None
    try:
        return float(text.removesuffix(question.unit))
    except ValueError:
        return None
