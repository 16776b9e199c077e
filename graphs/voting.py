"""A vote as a phase that any protocol may add: proposed, consented to, cast in secret, counted."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from ..nodes.voting.roads import after_consents, after_initiation, is_agreed
from ..nodes.voting.tally import heed, tally
from ..nodes.voting.vote import Options, cast, consent, initiate
from ..prompts import Catalogue
from ..state.ends import EndingRule
from .wiring import Drawing, place


@dataclass(frozen=True)
class Course:
    """The steps up to the ballot box as one protocol takes them; each is placed under its own name.

    `begun` is the road from the proposal, with its `ways` beside the one to the consents; `agreed` says whether the
    vote is held.
    """

    initiate: Callable[..., Any]
    consent: Callable[..., Any]
    heed: Callable[..., Any]
    cast: Callable[..., Any]
    begun: Callable[..., Any]
    ways: Mapping[Hashable, str]
    agreed: Callable[[Any], bool]


def add_course(graph: Drawing, course: Course, refused: str, then: str) -> None:
    """Add the course every vote takes: proposed, consented to by the others, heeded, cast in secret, and `then` on.

    Where consent is `refused`, nothing is cast.
    """
    consent, cast = course.consent.__name__, course.cast.__name__
    place(graph, "initiate", course.initiate)
    place(graph, consent, course.consent)
    place(graph, "heed", course.heed)
    place(graph, cast, course.cast)

    graph.add_conditional_edges("initiate", course.begun, {**course.ways, consent: consent})
    graph.add_edge(consent, "heed")
    graph.add_conditional_edges("heed", after_consents(course.agreed, cast), {"refused": refused, cast: cast})
    graph.add_edge(cast, then)


def add_vote(
    graph: Drawing, words: Catalogue, options: Options, capped: EndingRule, unheld: EndingRule, on: str = "synthesize"
) -> None:
    """Add a vote on `options`: it begins at `initiate` and leads `on`, or to `order` when it was refused.

    `words` needs the templates `consent` and `ballot`. Where `unheld` finds an ending, no vote is held and everyone is
    told why. Once `capped`, nobody is asked for consent, whatever led to the vote: there is no discussion to go back
    to. The protocol draws the edges into `initiate`.
    """
    course = Course(
        initiate=initiate(options, unheld),
        consent=consent(words),
        heed=heed,
        cast=cast(words),
        begun=after_initiation(capped),
        ways={"cast": "cast", "not held": on},
        agreed=is_agreed,
    )
    add_course(graph, course, refused="order", then="tally")
    place(graph, "tally", tally)
    graph.add_edge("tally", on)
