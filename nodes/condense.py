"""Fold the statements that leave the window into the running summary: their content, not their number."""

from collections.abc import Callable
from dataclasses import replace

from ..prompts import Catalogue, term
from ..state.deliberation import Turn
from ..state.history import shown_of
from ..state.window import SUMMARY_LENGTH, Summary, by_clipping, folds_next
from ..state.writes import Update
from .asking import asking_role
from .asking.ask import Answer, Check, ask
from .asking.brief import brief, length_in_words
from .asking.cost import cost
from .models.failures import Unavailable

FIELDS = "words language"
"""What the template may ask for."""


def condense(words: Catalogue) -> Callable[[Turn], object]:
    """The step that keeps a sliding view's summary."""

    async def condense(state: Turn) -> Update:
        """Ask the summarizer to fold the older half of the window into the summary; clip it where that fails.

        Reads what was given, record, summary, view_limits; writes summary, calls, incidents, view_limits.
        """
        before, total = state["summary"], len(state["history"])
        count = folds_next(state["rules"], len(state["participants"]), total, before)
        leaving = state["history"][before.folded : before.folded + count]
        asking = replace(asking_role(state, "summarizer", "summary"), max_tokens=SUMMARY_LENGTH // 8)
        told = brief(state, words, "summarize", {"words": length_in_words(asking.max_tokens, state["rules"].language)})
        told = replace(told, summary=before.text, history=leaving)
        told = told.within(state["view_limits"].get("summarizer"))
        folded = before.folded + count
        try:
            answer = await ask(told, asking, short_enough(told.language))
        except Unavailable as lost:
            clipped = Summary(text=by_clipping(before, shown_of(leaving)), folded=folded)
            return Update(summary=clipped) | cost("summarizer", lost.followed_by("clipped statements kept"))
        return Update(summary=Summary(text=answer.text.strip(), folded=folded)) | cost("summarizer", answer)

    return condense


def short_enough(language: str) -> Check:
    """The check of a summary: neither empty nor too long; what it finds is told in this language."""

    def check(answer: Answer) -> str | None:
        length = len(answer.text.strip())
        if length < 3:
            return term(language, "again", "empty")
        return term(language, "again", "too_long", most=SUMMARY_LENGTH - 1) if length >= SUMMARY_LENGTH else None

    return check
