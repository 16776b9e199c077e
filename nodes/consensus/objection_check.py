"""Check that an objection has a reason."""

from ...prompts import get_term
from ..ask import Answer, Check


def make_reason_check(language: str) -> Check:
    """Make the check of a reply with the property `lacks_reason`."""

    def find_answer_fault(answer: Answer) -> str | None:
        return get_term(language, "again", "no_reason") if getattr(answer.value, "lacks_reason", False) else None

    return find_answer_fault
