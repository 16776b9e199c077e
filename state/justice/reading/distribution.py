"""Reading which of four distributions a reply names: by its name, alone, labelled or declared; never by guessing."""

import re
from typing import Final

from ...ballot.normalize import UnclearAnswerError, get_mark_value, list_marks, make_mark, mask_names
from ...ballot.plain_sentences import answer_in
from ..income import DISTRIBUTION_IDS, DistributionId
from .principle import Unreadable, normalised

_LABEL: Final = r"(?:(?<!\w)(?:(?:the )?distribution|(?:la )?distribución)|(?:收入)?分配方案|方案)"
_NAME = re.compile(rf"(?:{_LABEL}\s*)?(?<![a-z0-9_])d ?(?P<number>[0-9]+)(?!\w)")
_OTHER: Final = 15
"""Stands for a name that none of the four has."""


def read_distribution(text: str) -> DistributionId:
    """The one distribution a reply names: "D3", "Distribution D3", "My answer is D3".

    A digit alone is none: it could mean a column as well, and columns may stand in any order. Unreadable where a reply
    names none, or two, or one that is not there, or says anything that speaks against it.
    """
    reply = normalised(text)
    marked = mask_names(_NAME.sub(_marked, reply))
    found = {get_mark_value(one) for one in list_marks(marked)}
    if not found:
        raise Unreadable("invalid_format_general", reply)
    if len(found) > 1:
        raise Unreadable("multiple_valid_numbers", reply)
    if _OTHER in found:
        raise Unreadable("number_out_of_range", reply)
    try:
        return DISTRIBUTION_IDS[answer_in(marked) - 1]
    except UnclearAnswerError:
        raise Unreadable("answer_unclear", reply) from None


def _marked(found: re.Match[str]) -> str:
    number = found["number"]
    return make_mark(int(number) if number in ("1", "2", "3", "4") else _OTHER)
