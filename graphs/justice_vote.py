"""The group's vote in the justice experiment: started by someone, confirmed by everyone, cast in secret, counted."""

from ..nodes.justice.roads import after_ballots, after_initiation, is_agreed
from ..nodes.justice.tally import collect, heed, tally
from ..nodes.justice.vote import amount, ballot, confirm, initiate
from .voting import Course, add_course
from .wiring import Drawing, place

COURSE = Course(
    initiate=initiate,
    consent=confirm,
    heed=heed,
    cast=ballot,
    begun=after_initiation,
    ways={"ask the next": "initiate", "no vote": "tally"},
    agreed=is_agreed,
)


def add_group_vote(graph: Drawing) -> None:
    """Add the vote: it begins at `initiate`, or at `confirm` where nobody has to start it, and ends at `tally`.

    Where nobody starts it or someone refuses, nothing is cast; `tally` keeps the attempt. The protocol draws the edges
    in and those out of `tally`.
    """
    add_course(graph, COURSE, refused="tally", then="collect")
    place(graph, "collect", collect)
    place(graph, "amount", amount)
    place(graph, "tally", tally)

    graph.add_conditional_edges("collect", after_ballots, {"no amounts": "tally", "amount": "amount"})
    graph.add_edge("amount", "tally")
