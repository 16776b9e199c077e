"""What is counted in a vote: the consents to it, and the ballots. No model is asked."""

from ...prompts import listed, term
from ...state.count import count, count_all
from ...state.deliberation import Floor, Given, Remembering
from ...state.statement import names
from ...state.voting import VotingRules, ballots_of, confirmed, consenting, refusing
from ...state.voting.channels import Voting, VotingUpdate
from ...state.writes import Update
from .told import told_to_all


class Count(Given, Floor, Remembering, Voting):
    """What the count reads."""


async def heed(state: Count) -> Update:
    """Count the consents: one refusal sends the group back to its discussion.

    Reads polls, consents, participants, turn, memory, rules; writes polls, notices and memory.
    """
    poll, language = state["polls"][-1], state["rules"].language
    given = {one.who: one.agrees for one in state["consents"] if one.poll == poll.number}
    said = {who: given.get(who, False) for who in consenting(names(state["participants"]), poll.initiator)}
    event, refused = "confirmed" if confirmed(said, poll.initiator) else "confirmation_failed", refusing(said)
    after: Update = VotingUpdate(polls=[poll.model_copy(update={"event": event, "refused": refused})])
    return after | told_to_all(
        state, term(language, "memory", event, number=poll.number, who=listed(language, refused))
    )


async def tally(state: Count, rules: VotingRules) -> Update:
    """Open the box and count, under the run's rule and under every other the ballots support.

    Reads polls, ballots, participants, turn, rules, memory; writes polls, notices and memory.
    """
    poll, voters = state["polls"][-1], names(state["participants"])
    box, options = ballots_of(state["ballots"], poll.number), list(poll.options)
    settings = rules.ballot.model_copy(update={"seed": rules.seed or 0})
    counted = count(box, rules.counted_by, options=options, voters=voters, settings=settings)
    report = count_all(box, options=options, voters=voters, settings=settings, also=[rules.counted_by])
    opened = box if rules.open_ballot else []
    done = poll.model_copy(update={"event": "completed", "tally": counted, "report": report, "ballots": opened})
    winner = poll.options.get(counted.winner or "", counted.winner or "")
    key = "counted" if counted.winner else "undecided"
    closed: Update = VotingUpdate(polls=[done])
    return closed | told_to_all(state, term(rules.language, "memory", key, number=poll.number, winner=winner))
