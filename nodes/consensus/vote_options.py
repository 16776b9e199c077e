"""Options of the vote in a consensus dialogue, each with a letter."""

from string import ascii_uppercase

from ...state import (
    AnswerFormat,
    PositionSettings,
    append_unit,
    build_answer_format,
    clip_text,
    drop_silenced_statements,
    map_latest_statements,
)
from ...state.consensus.channels import GroupState

OPTION_LENGTH = 600


def map_vote_options(state: GroupState) -> dict[str, str]:
    """Map the letters A, B, C … to the options of a vote.

    They are the configured options or, without any, the participants' distinct positions. A position is the last number
    if the run asks for numbers. Otherwise it is the last declaration or, without one, the last statement.
    """
    settings = state["settings"]
    question = build_answer_format(settings) if isinstance(settings, PositionSettings) else AnswerFormat()
    if question.option_texts:
        return dict(question.option_texts)
    texts = {
        name: statement.content
        for name, statement in map_latest_statements(drop_silenced_statements(state["history"])).items()
    }
    texts |= {position.who: position.position for position in state["positions"] if position.position}
    if question.is_numeric:
        texts |= {
            position.who: append_unit(position.answer, position.unit)
            for position in state["positions"]
            if position.answer
        }
    seats = [participant.name for participant in state["participants"]]
    options = list(
        dict.fromkeys(" ".join(clip_text(texts[name], OPTION_LENGTH).split()) for name in seats if name in texts)
    )
    return {format_option_letter(number): text for number, text in enumerate(options)}


def format_option_letter(index: int) -> str:
    """Return the letter for an option's index: A, B, …, Z, A1, B1, …"""
    letter, cycle = ascii_uppercase[index % 26], index // 26
    return letter if not cycle else f"{letter}{cycle}"
