"""Right answer of an item, in the form of a participant's answer."""

from ....state.errors import InputError
from ....state.positions import AnswerFormat
from ..items import Item, fold_text
from ..measures import Answer


def find_truth(item: Item, answer_format: AnswerFormat) -> Answer | None:
    """Return the truth as a number or as the id of an option, or `None` if it is unknown.

    Raises `InputError` for a truth that is neither.
    """
    if item.truth is None:
        return None
    if answer_format.is_numeric:
        try:
            return float(item.truth)
        except ValueError:
            raise InputError(f"items.{item.id}.truth", item.truth, "the answer is a number; give one") from None
    truth = fold_text(str(item.truth))
    for option_id, text in answer_format.texts.items():
        if truth in (fold_text(text), fold_text(option_id)):
            return option_id
    raise InputError(
        f"items.{item.id}.truth", item.truth, f"is none of the options {', '.join(answer_format.texts.values())}"
    )
