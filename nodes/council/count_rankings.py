"""Count of the members' rankings, and their agreement, without a model."""

from ...state import Poll, Update, clip_text, count_ballots, count_by_all_rules, list_names, mark_reads
from ...state.council import CouncilSettings, CouncilState, CouncilUpdate, compute_concordance

OPTION_LENGTH = 200


@mark_reads
async def count_rankings(state: CouncilState, settings: CouncilSettings) -> Update:
    """Count the rankings by the run's rule and all other rules, and measure their agreement.

    If no member had to rank, count nothing.

    Reads participants, history, incidents, reviews, round; writes polls, concordance.
    """
    if not state["reviews"] and not any(incident.where == "review" for incident in state["incidents"]):
        return Update()
    count_settings = settings.count_settings
    authors = {statement.turn: statement.speaker for statement in state["history"]}
    ballots = [review.ballot for review in state["reviews"]]
    if count_settings.exclude_self:
        ballots = [
            ballot.rename_options({name: name for name in ballot.named_options if name != ballot.voter})
            if ballot.voter in ballot.named_options
            else ballot
            for ballot in ballots
        ]
    ranked_authors = {author for ballot in ballots for author in ballot.named_options}
    options = {
        statement.speaker: clip_text(" ".join(statement.content.split()), OPTION_LENGTH)
        for statement in state["history"]
        if statement.speaker in ranked_authors
    }
    voters = list_names(state["participants"])
    tally = count_ballots(ballots, settings.voting_rule, options=list(options), voters=voters, settings=count_settings)
    report = count_by_all_rules(
        ballots, options=list(options), voters=voters, settings=count_settings, extra_rules=[settings.voting_rule]
    )
    poll = Poll(number=1, round=state["round"], event="completed", options=options, tally=tally, report=report)
    rankings = {
        review.voter: [authors[turn] for turn in review.ranking] for review in state["reviews"] if review.ranking
    }
    agreement = compute_concordance(rankings, count_settings)
    return CouncilUpdate(polls=[poll.model_copy(update={"ballots": ballots})], concordance=agreement)
