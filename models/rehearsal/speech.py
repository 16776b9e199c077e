"""Composition of a rehearsed statement: quoted words, key words of an answer, and the opinion."""

from ...prompts import get_term
from ...state import make_rng
from .reply_context import BRIEF_STATEMENT, MAX_KEY_WORDS, ReplyContext, count_words

DEFAULT_WORDS = 150
"""Words of a statement whose task asks for no number."""
UNEASY_CONVICTION = 0.62
"""Conviction below which a speaker partly gives up its side, 0 to 1."""


def write_statement(context: ReplyContext) -> str:
    """Write the speaker's next statement."""
    if context.last_statement is None:
        return write_opening(context)
    quote = context.quote_statement(context.last_text)
    has_conceded = any(statement.act == "concede" for statement in context.brief.statements)
    if context.side and not has_conceded and context.conviction < 0.5 and len(context.own_statements) > 1:
        concession = context.fill_phrase("lines", "concede", quote=quote)
        return f"{concession}\n\n{get_term(context.brief.language, 'sides', 'concede')}"
    if _is_weary(context):
        for farewell in context.get_variants("lines", "tired"):
            if (text := farewell.format(who=context.addressee, quote=quote)) not in context.record_text:
                return text
    return context.gap.join([write_answer(context), write_stance(context)])


def _is_weary(context: ReplyContext) -> bool:
    """Return whether the speaker is weary of a group that makes no progress.

    This lasts for three rounds after the group runs out of patience.
    """
    statements, seats = context.brief.statements, len(context.brief.roles)
    rng = make_rng(context.seed, "temper", *sorted(context.brief.roles))
    is_patient, patience = rng.random() < 0.6, seats * rng.randint(2, 3)
    has_quit = all(count_words(statement.content) < BRIEF_STATEMENT for statement in statements[-seats:])
    is_stuck = patience < context.turn <= patience + 3 * seats and context.opinion_state.quiet_count >= 4
    return is_stuck and not (is_patient or has_quit or context.is_settled or context.is_united)


def write_opening(context: ReplyContext) -> str:
    """Write the first statement, which has no other statement to answer."""
    opening = context.fill_phrase("lines", f"open_{context.attitude}" if context.side else "open_group")
    return context.gap.join([opening, context.fill_phrase("lines", "points", points=_join_next_key_words(context))])


def write_answer(context: ReplyContext) -> str:
    """Write an answer: quote the statement that it answers, and add key words."""
    return context.fill_phrase(
        "lines", "answer", quote=context.quote_statement(context.last_text), points=_join_next_key_words(context)
    )


def write_stance(context: ReplyContext) -> str:
    """Write a sentence that says what the speaker thinks now."""
    key = "agreed" if context.is_united else f"stand_{context.attitude}"
    return context.fill_phrase("lines", key, share=round(100 * context.conviction))


def _join_next_key_words(context: ReplyContext) -> str:
    """Join the next key words: one for 30 words that the task asks for, from 4 to `MAX_KEY_WORDS`."""
    return context.join_key_words(context.list_key_words(min(MAX_KEY_WORDS, max(4, get_word_target(context) // 30))))


def get_word_target(context: ReplyContext) -> int:
    """Return the length in words that the task asks for; `DEFAULT_WORDS` without one."""
    words = context.brief.values.get("words")
    return words if isinstance(words, int) else DEFAULT_WORDS
