"""Right answer of an item, in the form of a participant's answer."""

from ....state.errors import InputError
from ....state.positions import AnswerFormat
from ..items import Item, fold_text
from ..measures import Answer


def find_truth(item: Item, question: AnswerFormat) -> Answer | None:
    """Return the truth as a number or as the sign of an option, or `None` if it is unknown.

    Raises `InputError` for a truth that is neither.
    """
    if item.truth is None:
        return None
    if question.numeric:
        try:
            return float(item.truth)
        except ValueError:
            raise InputError(f"items.{item.id}.truth", item.truth, "the answer is a number; give one") from None
    truth = fold_text(str(item.truth))
    for sign, text in question.texts.items():
        if truth in (fold_text(text), fold_text(sign)):
            return sign
    raise InputError(
        f"items.{item.id}.truth", item.truth, f"is none of the options {', '.join(question.texts.values())}"
    )
