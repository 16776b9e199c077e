"""Reviews: each member ranks and criticizes the anonymous answers, shuffled for this member."""

from collections.abc import Sequence

from pydantic import Field

from ..answers.record import AnswerRecord
from ..ballot import Ballot
from ..frozen_models import FrozenModel
from ..random_streams import make_rng
from ..statement import Statement


class Critique(FrozenModel):
    """Critique that a member writes about one answer."""

    turn: int = Field(ge=1, description="Turn of the answer.")
    text: str = Field(description="Text of the critique, unchanged.")


class Review(AnswerRecord):
    """Ranking of the answers by one member, with a critique of each answer."""

    shown_turns: list[int] = Field(description="Turns of the answers in the order shown, as A, B, C …")
    ranking: list[int] = Field(default_factory=list, description="Turns, best first; empty: no usable ranking.")
    critiques: list[Critique] = Field(
        default_factory=list, description="Critiques of the answers; some answers may have none."
    )
    ballot: Ballot = Field(
        description="Counted ballot, with the authors as options. An unusable ranking is invalid, with the reason."
    )


def list_answers_to_rank(ranker: str, history: Sequence[Statement], rank_own_answer: bool) -> list[Statement]:
    """Return the answers that a member ranks: all of them, or all except its own.

    A list of fewer than two answers is too short for a ranking.
    """
    return [statement for statement in history if rank_own_answer or statement.speaker != ranker]


def shuffle_answers(answers: Sequence[Statement], ranker: str, seed: int) -> list[Statement]:
    """Return the answers in a random order for one member, fixed by `seed` and the name `ranker`."""
    shuffled_answers = list(answers)
    make_rng(seed, "council", "shown", ranker).shuffle(shuffled_answers)
    return shuffled_answers
