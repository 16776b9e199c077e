"""The first sentence of a report: helped, hurt, no difference that matters, none found, or too little to say."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from moot.app.experiment.arms.accuracy import build_gain_rows
from moot.app.experiment.arms.early_stop import format_evidence
from moot.app.experiment.arms.findings import Findings
from moot.app.experiment.arms.headline import build_effect_sentences, list_primary_rows
from moot.app.experiment.comparisons import compare_conditions
from moot.app.experiment.data import ExperimentRun
from moot.app.experiment.measures import MECHANISMS, Spend, Unit
from moot.app.experiment.plan import parse_plan
from moot.app.experiment.planned_runs import plan_runs
from moot.app.experiment.report import describe_answer
from moot.app.experiment.statistics import compute_bounds
from moot.app.experiment.status import ExperimentProgress
from moot.app.saved.experiments import RunProgress
from moot.state.settings import parse_settings

PLAN: dict[str, Any] = {"name": "told", "protocol": "consensus", "items": ["x"], "arms": ["samples"], "margin": 0.05}
CREDITS = {1: (1.0, 0.0), 0: (1.0, 1.0), -1: (0.0, 1.0)}
DONE = ExperimentProgress(1, is_interim=False, is_rehearsal=False)


class Talk:
    """A talk of which only the kind of failure counts."""

    def __init__(self, failure: str = "", target: Spend | None = None) -> None:
        self.run, self.failure, self.target = self, failure, target
        self.spent = Spend(1, 10, None)

    def list_samples(self, arm: str, model: str = "") -> list[object]:
        return [self] if self.target and arm == "think" else []

    def find_target_spend(self, arm: str) -> Spend | None:
        return self.target


def write_headline(
    differences: Sequence[int],
    language: str = "en",
    failed: int = 0,
    progress: ExperimentProgress = DONE,
    changes: dict[str, Any] | None = None,
    target: Spend | None = None,
    **think: Sequence[float],
) -> str:
    """The sentence over items whose talk was right, as samples were, or not; the last ones failed.

    `think`: what written answers were worth by item. `target`: what these were to cost.
    """
    units = []
    for item, difference in enumerate(differences):
        credit = dict(zip(("talk", "samples_tokens"), CREDITS[difference], strict=True))
        units.append(Unit(str(item), credit | {arm: values[item] for arm, values in think.items()}))
    for item in range(failed):
        units.append(Unit(f"failed {item}", {"talk": None, "samples_tokens": 1.0}, failures={"talk": "cap"}))
    plan = parse_plan(PLAN | {"settings": {"language": language}} | (changes or {}))
    talks = [Talk("", target)] * len(differences) + [Talk("cap")] * failed
    findings = Findings(plan, "all", talks)  # type: ignore[arg-type]
    findings.__dict__.update(units=units, flips=None, arms=[])
    return plan.join_sentences(build_effect_sentences(plan, [findings], list_primary_rows(plan, [findings]), progress))


OVER = "samples (up to as many tokens)"


@pytest.mark.parametrize(
    ("differences", "told"),
    [
        ([1] * 18 + [0] * 6, "Talking helped: – right, against – for samples (up to as many tokens): +75.0"),
        (
            [1] * 18 + [0] * 6,
            "+75.0 [+56.3,\u00a0+93.7] points, 24 items. No arm thinks in writing without the others.",
        ),
        ([-1] * 18 + [0] * 6, "Talking hurt: – right"),
        ([1] * 9 + [0] * 391, "Talking helped a little, but by less than the 5 points that matter: "),
        ([-1] * 9 + [0] * 391, "Talking hurt a little, but by less than the 5 points that matter: "),
        (
            [1, 1, -1, -1] + [0] * 396,
            "No difference that matters: +0.0 [−0.8,\u00a0+0.8], within 5 points (90 % interval).",
        ),
        ([1, 1, 1, -1, -1] + [0] * 20, "No difference was found; −14.8 to +22.8 is possible."),
        ([1, 1, 1, -1, -1] + [0] * 3, "With 8 items the interval is rough."),
        ([0] * 30, "No difference in points was found: every one of 30 items came out alike, +0.0."),
        ([1] * 5, "5 items are too few: even 5 of 5 can be chance (p = .062)."),
        ([1], "One item: +100.0 points against samples (up to as many tokens)."),
    ],
)
def test_the_sentence_claims_what_the_data_show_and_no_more(differences: list[int], told: str) -> None:
    assert told in write_headline(differences)


def test_of_several_conditions_no_gain_is_claimed_that_their_correction_does_not_leave() -> None:
    plan, conditions = parse_plan(PLAN | {"factors": {"max_rounds": [1, 2]}}), []
    for label, differences in (("short", [1] * 6 + [0] * 6), ("long", [1] * 5 + [0] * 7)):  # p .031 and .062
        credits = [dict(zip(("talk", "samples_tokens"), CREDITS[change], strict=True)) for change in differences]
        findings = Findings(plan, label, [Talk()] * len(differences))  # type: ignore[arg-type,list-item]
        units = [Unit(str(item), row) for item, row in enumerate(credits)]
        findings.__dict__.update(units=units, flips=None, arms=[])
        conditions.append(findings)
    first, several = (list_primary_rows(plan, own_conditions) for own_conditions in (conditions[:1], conditions))
    headline, notes = build_effect_sentences(plan, conditions, several, DONE)
    assert "Talking helped" in build_effect_sentences(plan, conditions[:1], first, DONE)[0]
    assert "helped" not in headline
    assert headline.count("12 items; corrected over the conditions p = 0.062: no difference shown.") == 2
    assert "Under short: With 12 items the interval is rough." in notes


def test_equal_data_give_equal_figures_in_every_comparison() -> None:
    credits = [{"talk": 1.0, "samples_tokens": item**0.5 % 1} for item in range(27)]
    units = [Unit(str(item), row | {"samples_calls": row["samples_tokens"]}) for item, row in enumerate(credits)]
    tokens, calls = (row for row in build_gain_rows(units, parse_plan(PLAN)) if row.name.startswith("net_"))
    assert tokens.wrong.p is not None
    assert tokens.wrong.p.error > 0, "patterns are drawn for so many differences"
    assert (tokens.wrong, tokens.left_out, tokens.bootstrap) == (calls.wrong, calls.left_out, calls.bootstrap)
    assert tokens.wrong.p == tokens.left_out.p


def test_where_failed_talks_decide_the_verdict_the_sentence_says_so() -> None:
    text = "Exploratory: It depends on 9 failed deliberations: −4.0 points counted as wrong, +50.0 without them."
    assert write_headline([1] * 8 + [0] * 8, failed=9) == text
    text = "Exploratory: It depends on 9 failed deliberations: −22.0 points counted as wrong, +0.0 without them."
    assert write_headline([0] * 32, failed=9) == text


SEALED, UNSEALED = DONE, ExperimentProgress(1, is_interim=False, is_rehearsal=False, is_exploratory=True)


@pytest.mark.parametrize(
    ("changes", "progress", "is_exploratory"),
    [
        ({"primary": "net_tokens"}, SEALED, False),
        ({"primary": "net_tokens"}, UNSEALED, True),
        ({}, SEALED, True),
        ({"until": {"net": {"above": 0.0}}}, SEALED, False),
    ],
)
def test_what_was_not_declared_and_sealed_before_is_exploratory(
    changes: dict[str, Any], progress: ExperimentProgress, is_exploratory: bool
) -> None:
    headline = write_headline(LARGE, changes=changes, progress=progress)
    assert headline.startswith("Exploratory: Talking helped" if is_exploratory else "Talking helped")


def mechanisms(right: dict[str, Sequence[float]], p: Sequence[float] | None) -> str:
    """The sentences on the parts of a gain, over arms that were right as told and, if told, with these p values."""
    rows = zip(*right.values(), strict=True)
    units = [Unit(str(item), dict(zip(right, credits, strict=True))) for item, credits in enumerate(rows)]
    findings = Findings(parse_plan(PLAN | {"arms": list(right)[:-1]}), "all", [Talk()])  # type: ignore[arg-type, list-item]
    findings.__dict__.update(units=units, flips=None, arms=[])
    if p is not None:
        values = dict(zip(MECHANISMS, p, strict=True))
        findings.__dict__["gains"] = [replace(gain, adjusted_p=values.get(gain.name)) for gain in findings.gains]
    return findings.plan.join_sentences(
        build_effect_sentences(findings.plan, [findings], list_primary_rows(findings.plan, [findings]), DONE)
    )


LADDER = ("single", "vote", "written", "notes", "rethought", "talk")
STAIRS = {arm: [1.0] * (5 + 3 * step) + [0.0] * (25 - 3 * step) for step, arm in enumerate(LADDER)}
PARTS = (
    "The +50.0 points consist of: voting +10.0, writing +10.0, exchange +10.0, rethinking +10.0, talking back +10.0."
)


@pytest.mark.parametrize(
    ("right", "p", "told"),
    [
        (STAIRS, None, f"{PARTS} No single gain differs from zero (Holm-corrected)."),
        (
            STAIRS,
            [0.01, 0.2, 0.05, 0.2, 0.2],
            f"{PARTS} Gains that differ from zero (Holm-corrected): voting, exchange.",
        ),
        (STAIRS, [0.051] * 5, f"{PARTS} No single gain differs from zero (Holm-corrected)."),
        (
            STAIRS | {"talk": [0.0] * 30},
            [0.9] * 4 + [0.001],
            "talking back −56.7. Gains that differ from zero (Holm-corrected): talk",
        ),
        (
            STAIRS | {"talk": [0.0] * 30},
            [0.9] * 4 + [0.001],
            "The −16.7 points consist of: voting +10.0, writing +10.0,",
        ),
        ({arm: STAIRS[arm] for arm in LADDER if arm != "notes"}, None, ""),
    ],
)
def test_the_parts_of_a_gain_are_named_with_those_that_differ_from_zero(
    right: dict[str, Sequence[float]], p: Sequence[float] | None, told: str
) -> None:
    sentence = mechanisms(right, p)
    assert told in sentence
    assert ("Holm" in sentence) == bool(told), "a ladder with a missing rung has no parts"


THINK = {"arms": ["samples", "think"]}
LITTLE, LARGE = [1] * 9 + [0] * 391, [1] * 18 + [0] * 6
GAINED = "Talking gained +75.0 [+56.3,\u00a0+93.7] points over samples (up to as many tokens)"


@pytest.mark.parametrize(
    ("differences", "right", "changes", "told"),
    [
        (
            LARGE,
            22,
            {},
            f"{GAINED}; not shown over answers with written reasoning of the same cost: +8.3 [−3.6,\u00a0+20.3]; 24 ",
        ),
        (
            LARGE,
            24,
            {},
            f"{GAINED}; not shown over answers with written reasoning of the same cost: +0.0; 24 items.",
        ),
        (LITTLE, 400, {}, "Talking gained +2.2 [+0.8,\u00a0+3.7] points over samples (up to as many tokens); not "),
        (
            LARGE,
            22,
            {"primary": "net_tokens"},
            f"{GAINED}; not shown over answers with written reasoning of the same cost: +8.3",
        ),
        (LARGE, 0, {}, "Gain over answers with written reasoning of the same cost: +100.0 points."),
        ([1] * 24 + [-1] * 8, 32, {}, "points over samples (up to as many tokens), but lost to answers with written"),
        (LARGE, None, {}, "24 items. No arm thinks in writing without the others."),
    ],
)
def test_talking_helped_only_if_it_gained_over_thinking_in_writing_too(
    differences: list[int], right: int | None, changes: dict[str, Any], told: str
) -> None:
    written = {} if right is None else {"think_tokens": [1.0] * right + [0.0] * (len(differences) - right)}
    assert told in write_headline(differences, changes=THINK | changes, **written)


def test_written_answers_that_cost_less_than_the_talk_give_no_verdict() -> None:
    headline = write_headline(LARGE, changes=THINK, target=Spend(1, 40, None), think_tokens=[0.0] * 24)
    assert headline.startswith(f"Exploratory: {GAINED}; not shown over answers with written reasoning")
    assert (
        "In 24 of 24 deliberations, all samples together took only 10 tokens, the deliberation 40 tokens: +100.0 points"
    ) in headline


def test_before_the_end_and_in_a_rehearsal_no_verdict_stands() -> None:
    interim = ExperimentProgress(31, is_interim=True, is_rehearsal=False)
    assert write_headline([1] * 30, progress=interim) == "Interim: 31 of 1 items."
    rehearsal = ExperimentProgress(31, is_interim=True, is_rehearsal=True)
    assert write_headline([1] * 30, progress=rehearsal).startswith("No model took part")


@pytest.mark.parametrize(
    ("gain", "bound", "told"),
    [
        (
            "net",
            {"above": 0.0},
            "Talking helped by at least +19.8 points, valid at any stop. At such a stop the average, +66.7 [+14.8",
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
    findings = Findings(plan, "all", [Talk()] * 30, differences)  # type: ignore[arg-type, list-item]
    findings.__dict__.update(units=units, flips=None, arms=[])
    sentences = plan.join_sentences(build_effect_sentences(plan, [findings], list_primary_rows(plan, [findings]), DONE))
    assert told in sentences
    assert "Stopped after 30 of 44 items." in sentences
    row = findings.find_gain_row(gain)
    assert row is not None
    assert (row.wrong.p, row.wrong.equivalence, row.left_out.p, row.bootstrap, row.change) == (None,) * 5
    assert row.wrong.estimate.method == "sequence"


def test_where_the_stop_never_fires_intervals_are_for_all_items_and_the_sequence_is_told_beside_them() -> None:
    differences = [1.0, 0.0, 0.0, -1.0, 0.0, 1.0] * 4
    headline = write_headline([int(d) for d in differences], changes={"until": {"net": {"above": 0.0}}})
    assert "No difference was found; −13.0 to +46.3 is possible." in headline
    plan = parse_plan(PLAN | {"until": {"net": {"above": 0.0}}, "items": ["x"] * 24})
    sentence = format_evidence(plan, differences)
    low, high = compute_bounds(differences, 0.05)
    assert low < -0.13 < 0.463 < high
    assert sentence.startswith(
        "Not stopped early: after 24 items the evidence that net is more than 0 points is 1.1, not 20."
    )
    assert f"valid at any of these looks: {100 * low:+.1f} to {100 * high:+.1f} points".replace("-", "−") in sentence
    assert format_evidence(plan, [1.0] * 8).startswith("Stopped after 7 items: ")


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("zh", "讨论有帮助：– 正确，样本（词元至多相同）为 –：+87.5 [+57.9,\u00a0+100.0] 个百分点，8 道题目。"),
        ("es", "Conversar ayudó: – correctas, frente a – de muestras (hasta los mismos tokens): +87.5"),
    ],
)
def test_the_sentence_is_in_the_language_of_the_plan(language: str, told: str) -> None:
    assert told in write_headline([1] * 7 + [0], language)


def answered(right: dict[str, Sequence[int]], failed: str = "", **changes: Any) -> str:
    """The sentence over conditions whose runs were right (1), wrong (0) or failed (−1), item by item."""
    options: dict[str, Any] = {"options": ["yes", "no"]} | ({} if changes.get("blind") else {"truth": "yes"})
    items = [{"id": f"i{number}", "topic": "Is it so?", **options} for number in range(len(right["short"]))]
    given = {"name": "x", "protocol": "consensus", "items": items, "conditions": {one: {} for one in right}}
    changes.pop("blind", None)
    plan, runs = parse_plan(given | changes), list[ExperimentRun]()
    settings = parse_settings(
        {"protocol": "consensus", "answer": "option", "options": {"A": "yes", "B": "no"}}
    ).model_dump(mode="json")
    for planned in plan_runs(plan):
        result = right[planned.condition.label][int(planned.item.id.removeprefix("i"))]
        answer = {"answer": "AB"[result < 1], "text": "", "tied": []}
        record = {"settings": settings, "runAnswer": answer, "protocol": "consensus", "totalCalls": 5 + result}
        record |= {"terminationReason": "x", "turns": [], "totalTokens": 9, "totalCost": None, "totalTimeMs": 1}
        progress = RunProgress("failed" if result < 0 else "done", "", 0, 0, 0.0, failed if result < 0 else "")
        runs.append(ExperimentRun(planned, progress, None if result < 0 else record))
    return plan.join_sentences(describe_answer(plan, [], [], compare_conditions(plan, runs), DONE))


AGAINST = {"against": "short"}
RIGHT = {"measure": "right", **AGAINST}


@pytest.mark.parametrize(
    ("right", "changes", "told"),
    [
        (
            {"short": [0] * 3, "long": [1] * 3},
            {"compare": RIGHT},
            "right: long 100.0 %, short 0.0 %. 3 comparisons are too few: even 3 of 3 can be chance (p = .25).",
        ),
        (
            {"short": [0] * 8, "long": [1] * 8},
            {"compare": RIGHT},
            "right: long (100.0 %) differs from short (0.0 %) by +100.0 points, p = 0.008, 8 items. "
            "With 8 items the interval is rough.",
        ),
        (
            {"short": [0] * 24, "long": [1] * 12 + [0] * 12},
            {},
            "Exploratory: right: long (50.0 %) differs from short (0.0 %) by +50.0 points [+28.4,\u00a0+71.6], "
            "p < .001, 24 items.",
        ),
        (
            {"short": [1] * 9 + [0] * 391, "long": [0] * 400},
            {"margin": 0.05},
            "by −2.2 points [−3.7,\u00a0−0.8], less than the 5 points that matter, p = 0.004",
        ),
        (
            {"short": [1, 1, 0, 0] + [0] * 396, "long": [0, 0, 1, 1] + [0] * 396},
            {"margin": 0.05},
            "right: no difference that matters between long (0.5 %) and short (0.5 %): +0.0 points [−0.8,\u00a0+0.8], "
            "within 5 points (90 % interval), 400 items.",
        ),
        ({"short": [1] * 20, "long": [1] * 20}, {}, "every one of 20 items came out alike."),
        ({"short": [0], "long": [1]}, {}, "right: one item gave 100.0 % under long and 0.0 % under short."),
        (
            {"short": [1] * 20 + [-1] * 10, "long": [1] * 10 + [0] * 10 + [1] * 10},
            {},
            "right: the difference of long from short depends on 10 failed deliberations: +0.0 counted as wrong, −50.0",
        ),
        (
            {"short": [0] * 10, "long": [1] * 5 + [0] * 5},
            {"blind": True, "compare": {"measure": "calls", **AGAINST}},
            "calls: no difference was found between long (5.5) and short (5); +0.123 to +0.877 is ",
        ),
        (
            {"short": [0] * 20, "long": [1] * 20},
            {"blind": True},
            "Exploratory: statements: no difference was found between long (0) and short (0); every one of 20 "
            "items came out alike.",
        ),
        (
            {"short": [0] * 20, "long": [1] * 20},
            {"assignment": "random", "margin": 0.05},
            "right: long (100.0 %) differs from short (0.0 %) by +100.0 points, p = 0.002",
        ),
        (
            {"short": [0] * 6, "long": [1] * 6},
            {"assignment": "random"},
            "3 comparisons are too few: even 3 of 3 can be chance (p = .25).",
        ),
    ],
)
def test_conditions_have_the_same_verdicts_as_arms(
    right: dict[str, Sequence[int]], changes: dict[str, Any], told: str
) -> None:
    assert told in answered(right, "no_answer", **changes)


@pytest.mark.long
def test_equality_of_conditions_is_shown_under_random_assignment_too() -> None:
    right = {name: [number % 50 == 7 for number in range(3000)] for name in ("short", "long")}
    assert "no difference that matters" in answered(right, assignment="random", margin=0.05)
