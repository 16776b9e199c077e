"""Positions on record: what each participant holds before, during and after the talk, and what the run answers."""

from .answer import RunAnswer, answer_of, clusters
from .position import SYNTHESIZER, Position, declared_after, final_positions, moved_between
from .rules import NumberAnswer, PositionRules, Question, asked_alone, asked_at_first, question_of, seats_asked
