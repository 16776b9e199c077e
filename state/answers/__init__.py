"""Answers in text: their labelled lines, their values and their record."""

from .labelled_lines import MAX_REPLY_LENGTH, AnswerField, AnswerForm, ReadAs
from .record import AnswerRecord
from .text import (
    UnclearAnswerError,
    clean_answer,
    closes_passage,
    ends_in_passage,
    fold_wording,
    normalize_wording,
    remove_invisible,
    strip_reasoning,
)
from .values import (
    index_options,
    parse_amount,
    parse_list,
    parse_number,
    parse_numbers,
    parse_ranking,
    parse_scores,
    parse_word,
)
