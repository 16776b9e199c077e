"""Independent: the same question answered alone, by samples, round by round, or by one who knows everything.

Nobody hears anybody who answers it too; a talk on the same question is compared with what they answer.
"""

from collections.abc import Hashable
from typing import Any

from langgraph.graph import END, START

from ..nodes.convene import convene
from ..nodes.independent import answer_alone as answering
from ..nodes.independent.answer_alone import answer_alone
from ..nodes.independent.conclude_alone import conclude_alone, count_answers
from ..nodes.independent.roads import next_answers
from ..nodes.seats import as_given
from ..prompts import Catalogue, catalogue
from ..state.deliberation import Deliberation, Judging
from ..state.independent import Apart, IndependentInput, IndependentRules
from ..state.positions.channels import Positions, PositionsResult
from .wiring import Drawing, place

WORDS = catalogue("independent", system="topic language", answer=answering.FIELDS, again=answering.AGAIN)


class Independent(Deliberation, Judging, Positions, Apart):
    """What answers given alone are made from."""


def build(*, words: Catalogue = WORDS) -> Drawing[IndependentRules, IndependentInput]:
    """The drawing, not yet compiled: add a checkpointer of your own with `build().compile(...)`."""
    graph: Drawing[Any, Any] = Drawing(
        Independent, IndependentRules, input_schema=IndependentInput, output_schema=PositionsResult
    )
    place(graph, "convene", convene(IndependentRules, as_given, words))
    place(graph, "answer_alone", answer_alone(words))
    place(graph, "count_answers", count_answers)
    place(graph, "conclude_alone", conclude_alone)

    asked: dict[Hashable, str] = {"answer_alone": "answer_alone", "over": "conclude_alone"}
    graph.add_edge(START, "convene")
    graph.add_conditional_edges("convene", next_answers, asked)
    graph.add_edge("answer_alone", "count_answers")
    graph.add_conditional_edges("count_answers", next_answers, asked)
    graph.add_edge("conclude_alone", END)
    return graph


graph = build().compile(name="independent")
