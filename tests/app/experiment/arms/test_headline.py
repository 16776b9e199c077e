"""The first sentence of a report: helped, hurt, no difference that matters, none found, or too little to say."""

from collections.abc import Sequence
from typing import Any

import pytest
from moot.app.experiment.arms.findings import Findings
from moot.app.experiment.arms.headline import build_effect_sentences
from moot.app.experiment.flow import ExperimentProgress
from moot.app.experiment.measures import Unit
from moot.app.experiment.plan import parse_plan

PLAN: dict[str, Any] = {"name": "told", "protocol": "consensus", "items": ["x"], "arms": ["samples"], "margin": 0.05}
CREDITS = {1: (1.0, 0.0), 0: (1.0, 1.0), -1: (0.0, 1.0)}
DONE = ExperimentProgress(1, is_interim=False, is_rehearsal=False)


class Talk:
    """A talk of which only the kind of failure counts."""

    def __init__(self, failure: str = "") -> None:
        self.run, self.failure = self, failure

    def list_samples(self, arm: str, model: str = "") -> list[object]:
        return []

    def get_target(self, arm: str) -> None:
        return None


def said(
    differences: Sequence[int], language: str = "en", failed: int = 0, progress: ExperimentProgress = DONE, **think: Any
) -> str:
    """The sentence over items whose talk was right, as samples were, or not; the last ones failed."""
    units = []
    for item, one in enumerate(differences):
        credit = {"talk": CREDITS[one][0], "samples_tokens": CREDITS[one][1], **think}
        units.append(Unit(str(item), credit))
    for item in range(failed):
        units.append(Unit(f"failed {item}", {"talk": None, "samples_tokens": 1.0}, failures={"talk": "cap"}))
    plan = parse_plan(PLAN | {"settings": {"language": language}})
    talks = [Talk()] * len(differences) + [Talk("cap")] * failed
    found = Findings(plan, "all", talks)  # type: ignore[arg-type]
    found.__dict__.update(units=units, flips=None, arms=[])
    return build_effect_sentences(plan, [found], progress)


OVER = "independent answers of the same tokens"


@pytest.mark.parametrize(
    ("differences", "told"),
    [
        ([1] * 18 + [0] * 6, "Talking helped: – right, against – for independent answers of the same tokens: +75.0"),
        ([1] * 18 + [0] * 6, "+75.0 [+56.3, +93.7] points, 24 questions. Not compared with thinking in writing."),
        ([-1] * 18 + [0] * 6, "Talking hurt: – right"),
        ([1] * 9 + [0] * 391, "Talking helped a little, less than the 5 points that matter: "),
        ([-1] * 9 + [0] * 391, "Talking hurt a little, less than the 5 points that matter: "),
        ([1, 1, -1, -1] + [0] * 396, "No difference that matters: +0.0 [−0.8, +0.8], within 5 points (90 % interval)."),
        ([1, 1, 1, -1, -1] + [0] * 20, "No difference was found; −14.8 to +22.8 is possible."),
        ([1, 1, 1, -1, -1] + [0] * 3, "With 8 items the interval is rough."),
        ([1] * 5, "5 questions cannot tell: even 5 of 5 happens by chance (p = .062)."),
        ([1], "One question: +100.0 points against independent answers of the same tokens."),
    ],
)
def test_the_sentence_claims_what_the_data_show_and_no_more(differences: list[int], told: str) -> None:
    assert told in said(differences)


def test_where_failed_talks_decide_the_verdict_the_sentence_says_so() -> None:
    told = "It depends on 9 failed deliberations: −4.0 points counted as wrong, +50.0 without them."
    assert said([1] * 8 + [0] * 8, failed=9) == told
    told = "It depends on 9 failed deliberations: −22.0 points counted as wrong, +0.0 without them."
    assert said([0] * 32, failed=9) == told


def test_before_the_end_and_in_a_rehearsal_no_verdict_stands() -> None:
    interim = ExperimentProgress(31, is_interim=True, is_rehearsal=False)
    assert said([1] * 30, progress=interim) == "Interim: 31 of 1 questions."
    rehearsal = ExperimentProgress(31, is_interim=True, is_rehearsal=True)
    assert said([1] * 30, progress=rehearsal).startswith("No model took part")


@pytest.mark.parametrize(
    ("gain", "bound", "told"),
    [
        (
            "net",
            {"above": 0.0},
            "Talking helped by at least +19.8 points, valid at any stop. The average, +66.7 [+14.8",
        ),
        ("voting", {"above": 0.1}, "Voting helped by at least +19.8 points, valid at any stop."),
        ("net", {"either": 0.0}, "Talking changed accuracy by +14.8 to +94.9 points, valid at any stop."),
    ],
)
def test_at_a_stop_the_bound_is_told_that_holds_at_any_stop(gain: str, bound: dict[str, float], told: str) -> None:
    differences = [1.0] * 25 + [-1.0] * 5
    units = [
        Unit(
            str(item),
            dict.fromkeys(("talk", "vote"), max(d, 0.0)) | dict.fromkeys(("samples_tokens", "single"), -min(d, 0.0)),
        )
        for item, d in enumerate(differences)
    ]
    plan = parse_plan(PLAN | {"arms": ["single", "vote", "samples"], "until": {gain: bound}, "items": ["x"] * 44})
    found = Findings(plan, "all", [Talk()] * 30, differences)  # type: ignore[arg-type, list-item]
    found.__dict__.update(units=units, flips=None, arms=[])
    assert told in build_effect_sentences(plan, [found], DONE)
    assert "Stopped after 30 of 44 questions." in build_effect_sentences(plan, [found], DONE)
    row = found.get_gain(gain)
    assert row is not None
    assert (row.wrong.p, row.wrong.equivalence, row.left_out.p, row.bootstrap, row.change) == (None,) * 5
    assert row.wrong.estimate.method == "sequence"


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("zh", "讨论有帮助：– 正确，词元相同的独立回答为 –：+87.5 [+57.9, +100.0] 个百分点，8 个问题。"),
        ("es", "Conversar ayudó: – correctas, frente a – de respuestas independientes con los mismos tokens: +87.5"),
    ],
)
def test_the_sentence_is_in_the_language_of_the_plan(language: str, told: str) -> None:
    assert told in said([1] * 7 + [0], language)
