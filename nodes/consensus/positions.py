"""What a group can vote for: the positions on the table, by sign."""

from string import ascii_uppercase

from ...state.consensus.channels import GroupStage
from ...state.history import latest_statements, shown_of
from ...state.positions import PositionRules, Question, question_of
from ...state.positions.answer import with_unit
from ...state.text import clipped

LENGTH = 600
"""Characters of a position shown on a ballot."""


def positions_on_the_table(state: GroupStage) -> dict[str, str]:
    """The run's own options, if it has some; else positions, equal ones once, with the signs A, B, C …

    A position is a participant's last number, where the run asks for one, else what it declared last, else what it
    said last.
    """
    rules = state["rules"]
    question = question_of(rules) if isinstance(rules, PositionRules) else Question()
    if question.texts:
        return dict(question.texts)
    texts = {name: one.content for name, one in latest_statements(shown_of(state["history"])).items()}
    texts |= {position.who: position.position for position in state["positions"] if position.position}
    if question.numeric:
        texts |= {one.who: with_unit(one.answer, one.unit) for one in state["positions"] if one.answer}
    seats = [one.name for one in state["participants"]]
    shown = list(dict.fromkeys(" ".join(clipped(texts[name], LENGTH).split()) for name in seats if name in texts))
    return {sign(number): text for number, text in enumerate(shown)}


def sign(number: int) -> str:
    """A, B, …, Z, A1, B1, …"""
    letter, lap = ascii_uppercase[number % 26], number // 26
    return letter if not lap else f"{letter}{lap}"
