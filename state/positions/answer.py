"""Answer of a run: the winner of its vote, the synthesizer's answer, or the most common position."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, Literal

from pydantic import Field

from ..frozen_models import FrozenModel
from .position import SYNTHESIZER, Position, select_final_positions
from .settings import AnswerFormat, PositionSettings, build_answer_format


class RunAnswer(FrozenModel):
    """Answer of a run, and how it was determined."""

    answer: str = Field(
        default="", description="An option's id or sign, for, against, undecided, or a number; empty: tied."
    )
    text: str = Field(default="", description="Text of the option; empty: not an option.")
    number: float | None = Field(default=None, description="Answer as a number; none: not a number.")
    unit: str = Field(default="", description="Unit of the number.")
    by: Literal["vote", "synthesizer", "positions", "median"] = Field(description="Source of the answer.")
    tied: list[str] = Field(default_factory=list, description="Tied answers; empty: one answer leads.")
    held: dict[str, int] = Field(
        default_factory=dict, description="Number of participants with each answer, most first."
    )


def compute_answer(state: Mapping[str, Any]) -> RunAnswer | None:
    """Compute the answer of a run so far from its channels; `None` without a recorded answer.

    The winner of the latest decided vote comes first. Without one, a debate takes the synthesizer's answer. Every other
    protocol takes the most common answer when Moot last asked for positions. Numbers within the tolerance count
    together.
    """
    settings = state["settings"]
    answer_format = build_answer_format(settings) if isinstance(settings, PositionSettings) else AnswerFormat()
    positions: list[Position] = state.get("positions") or []
    for poll in reversed(state.get("polls") or []):
        if poll.tally and (sign := poll.tally.winner):
            text = poll.options.get(sign, sign)
            if answer_format.is_numeric and text in (numbers := _map_numbers(positions)):
                return _make_answer("vote", numbers[text], answer_format)
            return RunAnswer(answer=sign, text=text, by="vote")
    if isinstance(settings, PositionSettings) and settings.named:
        answers = [position.answer for position in positions if position.who == SYNTHESIZER]
        return _make_answer("synthesizer", answers[-1], answer_format) if answers else None
    return compute_plurality(
        [position.answer for position in select_final_positions(positions).values()], answer_format
    )


def _map_numbers(positions: Sequence[Position]) -> dict[str, str]:
    """Map each numeric answer, as an option of a vote shows it (with its unit), to the number alone."""
    return {" ".join(append_unit(position.answer, position.unit).split()): position.answer for position in positions}


def _make_answer(
    by: Literal["vote", "synthesizer", "positions"], answer: str, answer_format: AnswerFormat
) -> RunAnswer:
    return RunAnswer(
        answer=answer,
        text=answer_format.option_texts.get(answer, ""),
        number=float(answer) if answer_format.is_numeric else None,
        unit=answer_format.unit,
        by=by,
    )


def compute_plurality(answers: Sequence[str], answer_format: AnswerFormat) -> RunAnswer | None:
    """Return the most common answer; `None` if `answers` is empty.

    If several answers are equally common, the result names all of them in `tied` and has no answer.
    """
    counts = count_answers(answers, answer_format)
    if not counts:
        return None
    leading_answers = [answer for answer, count in counts.items() if count == max(counts.values())]
    leading_answers.sort(
        key=lambda answer: list(answer_format.signs).index(answer) if answer in answer_format.signs else 0
    )
    if len(leading_answers) > 1:
        return RunAnswer(unit=answer_format.unit, by="positions", tied=leading_answers, held=counts)
    return _make_answer("positions", leading_answers[0], answer_format).model_copy(update={"held": counts})


def count_answers(answers: Sequence[str], answer_format: AnswerFormat) -> dict[str, int]:
    """Count how many participants gave each answer, most frequent first.

    Numbers within the tolerance count together, under their median.
    """
    if answer_format.is_numeric:
        groups = group_numbers([float(answer) for answer in answers], answer_format)
        return {format_number(median(group)): len(group) for group in sorted(groups, key=len, reverse=True)}
    return dict(Counter(answers).most_common())


def group_numbers(numbers: Sequence[float], answer_format: AnswerFormat) -> list[list[float]]:
    """Return groups of numbers that are within the tolerance of one another. No group contains another.

    Groups are in ascending order and may overlap.
    """
    sorted_numbers = sorted(numbers)
    groups: list[list[float]] = []
    end = 0
    for start in range(len(sorted_numbers)):
        next_end = max(end, start)
        while next_end < len(sorted_numbers) and answer_format.is_near(sorted_numbers[start], sorted_numbers[next_end]):
            next_end += 1
        if next_end > end:
            groups.append(sorted_numbers[start:next_end])
        end = next_end
    return groups


def format_number(number: float) -> str:
    """Return a number as the text of an answer, without rounding."""
    return repr(float(number) + 0.0).removesuffix(".0")  # a negative zero is zero


def append_unit(answer: str, unit: str) -> str:
    """Return a number followed by its unit."""
    return f"{answer} {unit}".strip()
