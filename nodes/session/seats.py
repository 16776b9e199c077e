"""Who sits at the table of a session, in which order; a session that could never end is refused."""

from collections.abc import Sequence

from ...state.discussion import DiscussionRules
from ...state.refused import Refused
from ...state.session import LEAST, ends_by_itself, rotation
from ...state.statement import Participant, names
from ..seats import check_names


def around_the_table(
    given: Sequence[Participant], personas: dict[str, str], rules: DiscussionRules
) -> tuple[list[Participant], list[str]]:
    """The seats of a session, the creator first. A session that could never end is refused."""
    people = list(given) or [Participant(name=name) for name in ("Ada", "Ben", "Cleo")]
    check_seats(people)
    if unknown := sorted(set(personas) - set(names(people))):
        raise Refused("personas", unknown, f"personas go by participant: {', '.join(names(people))}")
    if not can_end(people, rules):
        raise Refused("ttl", None, "a session of models only never ends by itself: give max_turns, max_rounds or ttl")
    seats = {one.name: one for one in people}
    ordered = [seats[name] for name in rotation(people)]
    return [one.model_copy(update={"persona": personas.get(one.name) or one.persona}) for one in ordered], []


def check_seats(people: list[Participant]) -> None:
    """Refuse too few participants, and names or explicit orders that collide; order 0 is the creator's."""
    check_names(people)
    if len(people) < LEAST:
        raise Refused("participants", names(people), "a session takes two or more")
    taken: dict[int, str] = {0: people[0].name}
    for one in people:
        if one.order is not None and (one.order < 0 or taken.setdefault(one.order, one.name) != one.name):
            remedy = f"{one.name}: orders count from 1 and must differ; 0 is the creator's, who is named first"
            raise Refused("participants.order", one.order, remedy)
    if people[0].order:
        raise Refused("participants.order", people[0].order, f"{people[0].name} is the creator, whose order is 0")


def can_end(people: Sequence[Participant], rules: DiscussionRules) -> bool:
    """Whether somebody or something can end the session: a person, a program, a cap, a time to live."""
    return ends_by_itself(rules) or any(one.kind != "model" for one in people)
