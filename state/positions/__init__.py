"""Positions that participants declare before, during and after the deliberation, and the run's answer."""

from .answer import RunAnswer, append_unit, compute_answer, compute_plurality, format_number, group_numbers
from .position import SYNTHESIZER, Position, group_by_moment, has_changed, select_final_positions
from .settings import (
    POSITION_SIDES,
    AnswerFormat,
    NumberAnswer,
    PositionSettings,
    build_answer_format,
    count_asked_first,
    count_blind_starters,
    list_asked_seats,
)
