"""The sentence of a report: gained, lost, equal within the margin, no difference found, or too little to say."""

from collections.abc import Sequence
from typing import Any

import pytest
from moot.app.experiment.arms.findings import Findings
from moot.app.experiment.arms.headline import build_effect_sentences
from moot.app.experiment.measures import Unit
from moot.app.experiment.plan import parse_plan

PLAN: dict[str, Any] = {"name": "told", "protocol": "consensus", "items": ["x"], "arms": ["samples"], "margin": 0.05}


def said(differences: Sequence[int], language: str = "en") -> str:
    """The sentence over items whose talk was right, as samples were, or not."""
    credit = {1: (1.0, 0.0), 0: (1.0, 1.0), -1: (0.0, 1.0)}
    units = [
        Unit(str(item), {"talk": credit[one][0], "samples_calls": credit[one][1]})
        for item, one in enumerate(differences)
    ]
    plan = parse_plan(PLAN | {"settings": {"language": language}})
    found = Findings(plan, "all", [object()])  # type: ignore[list-item]
    found.__dict__.update(units=units, flips=None, shortfalls={})
    return build_effect_sentences(plan, [found])


OVER = "the same calls spent on independent answers"


@pytest.mark.long
@pytest.mark.parametrize(
    ("differences", "told"),
    [
        ([1] * 18 + [0] * 6, f"Talking gained +75.0 points over {OVER} [+56.3, +93.7]"),
        ([-1] * 18 + [0] * 6, f"Talking lost 75.0 points over {OVER} [−93.7, −56.3]"),
        ([1, 1, -1, -1] + [0] * 396, f"Talking made no difference against {OVER}: equal within 5 points [−1.0, +1.0]"),
        ([1, 1, 1, -1, -1] + [0] * 20, "which does not show that they are equal within 5 points"),
        ([1, 1, 1, -1, -1] + [0] * 3, "With 8 items the interval is rough."),
        ([1] * 5, "5 items are too few for any test to tell that from chance"),
        ([1] * 7 + [0], f"Talking gained +87.5 points over {OVER} [+57.9, +100.0]"),
        ([1], "One item says nothing about others."),
    ],
    ids=["gained", "lost", "equal", "not shown", "rough", "too few", "no further than can be", "one item"],
)
def test_the_sentence_claims_what_the_data_show_and_no_more(differences: list[int], told: str) -> None:
    assert told in said(differences)


@pytest.mark.parametrize(
    ("language", "told"),
    [
        (
            "zh",
            "与把同样多的调用用于独立回答相比，讨论带来了提高：+87.5 个百分点 [+57.9, +100.0]。"
            "只有 8 道题目，区间是粗略的。",
        ),
        (
            "es",
            "Conversar ganó +87.5 puntos frente a las mismas llamadas gastadas en respuestas independientes "
            "[+57.9, +100.0]. Con 8 ítems el intervalo es aproximado.",
        ),
    ],
)
def test_the_sentence_is_in_the_language_of_the_plan(language: str, told: str) -> None:
    assert said([1] * 7 + [0], language) == told
