"""The right answer of an item, as participants would give it."""

from ....state.positions import Question
from ....state.refused import Refused
from ..items import Item, folded
from ..measures import Answer


def truth_of(item: Item, question: Question) -> Answer | None:
    """The truth as an answer is given: a number, or the sign of the option. Raises `Refused` where it is neither."""
    if item.truth is None:
        return None
    if question.numeric:
        try:
            return float(item.truth)
        except ValueError:
            raise Refused(f"items.{item.id}.truth", item.truth, "the answer is a number; give one") from None
    said = folded(str(item.truth))
    for sign, text in question.texts.items():
        if said in (folded(text), folded(sign)):
            return sign
    raise Refused(f"items.{item.id}.truth", item.truth, f"is none of the options {', '.join(question.texts.values())}")
