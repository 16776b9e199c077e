"""What is counted in a vote: the consents to it, and the ballots. No model is asked."""

from ..prompts import listed, term
from ..state.consensus import ConsensusRules
from ..state.consensus.channels import GroupStage, GroupUpdate
from ..state.count import count, count_all
from ..state.deliberation import Remembering
from ..state.memory import remembered
from ..state.statement import names
from ..state.voting import ballots_of


class Count(GroupStage, Remembering):
    """What the count reads."""


async def heed(state: Count) -> GroupUpdate:
    """Count the consents: one refusal sends the group back to its discussion.

    Reads polls, consents, cast, memory, rules; writes polls and memory.
    """
    poll = state["polls"][-1]
    given = {one.who: one.agrees for one in state["consents"] if one.poll == poll.number}
    asked = [name for name in names(state["participants"]) if name != poll.initiator]
    refused = [name for name in asked if not given.get(name, False)]
    event = "confirmation_failed" if refused else "confirmed"
    after = poll.model_copy(update={"event": event, "refused": refused})
    line = term(
        state["rules"].language, "memory", event, number=poll.number, who=listed(state["rules"].language, refused)
    )
    return GroupUpdate(polls=[after], memory=remembered(state["memory"], [line], state["rules"].memory, []))


async def tally(state: Count) -> GroupUpdate:
    """Open the box and count, under the run's rule and under every other the ballots support.

    Reads polls, ballots, cast, rules, memory; writes polls and memory.
    """
    rules, poll, voters = state["rules"], state["polls"][-1], names(state["participants"])
    assert isinstance(rules, ConsensusRules)
    assert rules.vote != "off"
    box, options = ballots_of(state["ballots"], poll.number), list(poll.options)
    settings = rules.ballot.model_copy(update={"seed": rules.seed or 0})
    counted = count(box, rules.vote, options=options, voters=voters, settings=settings)
    report = count_all(box, options=options, voters=voters, settings=settings)
    opened = box if rules.open_ballot else []
    done = poll.model_copy(update={"event": "completed", "tally": counted, "report": report, "ballots": opened})
    winner = poll.options.get(counted.winner or "", counted.winner or "")
    line = term(
        rules.language, "memory", "counted" if counted.winner else "undecided", number=poll.number, winner=winner
    )
    return GroupUpdate(polls=[done], memory=remembered(state["memory"], [line], rules.memory, []))
