"""Text with the totals of a ballot, for the participants and for the result."""

from ...prompts import get_term, join_words
from ...state import Poll, Tally
from ...state.jury import JurySettings, compute_needed_votes


def format_ballot_count(poll: Poll, tally: Tally, settings: JurySettings) -> str:
    """Return a text with the votes for each option, the missing votes, and the votes that a verdict needs."""
    language = settings.language
    parts = [
        get_term(language, "jury", "part", option=text, count=tally.totals[sign]) for sign, text in poll.options.items()
    ]
    missing_count = tally.voters - tally.votes
    parts += [get_term(language, "jury", "missing", count=missing_count)] if missing_count else []
    values = {
        "number": poll.number,
        "counts": join_words(language, parts),
        "needed": compute_needed_votes(settings.verdict_rule, tally.voters),
    }
    return get_term(language, "jury", "count", **values)
