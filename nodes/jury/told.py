"""How a count is told: to everyone after each ballot, and in the result."""

from ...prompts import listed, term
from ...state.count import Tally
from ...state.jury import JuryRules, needed
from ...state.voting import Poll


def counted(poll: Poll, tally: Tally, rules: JuryRules) -> str:
    """The count of a ballot in words, with how many ballots were not valid, and what a verdict takes."""
    language = rules.language
    parts = [
        term(language, "jury", "part", option=text, count=tally.totals[sign]) for sign, text in poll.options.items()
    ]
    missing = tally.voters - tally.votes
    parts += [term(language, "jury", "missing", count=missing)] if missing else []
    values = {"number": poll.number, "counts": listed(language, parts), "needed": needed(rules.verdict, tally.voters)}
    return term(language, "jury", "count", **values)
