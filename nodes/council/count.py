"""The rankings are counted, and how far they agree. No model is asked."""

from ...state.ballot import Ballot
from ...state.council import CouncilRules, concordance
from ...state.council.channels import CouncilUpdate, Reviewed
from ...state.count import CountSettings, count_all
from ...state.count import count as count_by
from ...state.statement import names
from ...state.text import clipped
from ...state.voting import Poll
from ...state.writes import Update

LENGTH = 200
"""Characters of an answer that stand beside its author's name where it is an option."""


async def count(state: Reviewed, rules: CouncilRules) -> Update:
    """Count the rankings under the run's rule and under every other they support; measure how far they agree.

    Reads participants, history, reviews, round; writes polls, concordance.
    """
    settings, authors = rules.counting, {one.turn: one.speaker for one in state["history"]}
    box = [counted_of(one.ballot, settings) for one in state["reviews"]]
    named = {author for ballot in box for author in ballot.named}
    options = {one.speaker: _shortened(one.content) for one in state["history"] if one.speaker in named}
    voters = names(state["participants"])
    tally = count_by(box, rules.rule, options=list(options), voters=voters, settings=settings)
    report = count_all(box, options=list(options), voters=voters, settings=settings, also=[rules.rule])
    poll = Poll(number=1, round=state["round"], event="completed", options=options, tally=tally, report=report)
    rankings = {one.ranker: [authors[turn] for turn in one.ranking] for one in state["reviews"] if one.ranking}
    found = concordance(rankings, settings)
    return CouncilUpdate(polls=[poll.model_copy(update={"ballots": box})], concordance=found)


def counted_of(ballot: Ballot, settings: CountSettings) -> Ballot:
    """The ballot as it is counted: less its voter's own answer where that is left out."""
    if not settings.exclude_self or ballot.voter not in ballot.named:
        return ballot
    if ballot.scores is not None:
        return ballot.model_copy(update={"scores": {one: n for one, n in ballot.scores.items() if one != ballot.voter}})
    kind = "ranking" if ballot.ranking is not None else "approvals"
    return ballot.model_copy(update={kind: [one for one in ballot.named if one != ballot.voter]})


def _shortened(text: str) -> str:
    return clipped(" ".join(text.split()), LENGTH)
