"""What is measured of every run: how far those who rank agree."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from moot.app.experiment.comparisons import RunMeasure, list_measures
from moot.app.experiment.data import ExperimentRun
from moot.app.experiment.failures import find_failure
from moot.app.experiment.plan import describe_measure, parse_plan
from moot.app.experiment.planned_runs import plan_runs
from moot.app.experiment.report import _clip_interval, _format_measure
from moot.app.experiment.statistics import IntervalEstimate
from moot.app.saved.experiments import RunProgress
from moot.prompts import LANGUAGES, load_phrases
from moot.state.settings import parse_settings

RUN: dict[str, Any] = {
    "protocol": "debate",
    "terminationReason": "x",
    "turns": [],
    "totalCalls": 1,
    "totalTokens": 1,
    "totalCost": None,
    "totalTimeMs": 1,
}


def measured(**found: Any) -> dict[str, float | None]:
    (trial,) = plan_runs(parse_plan({"name": "x", "protocol": "debate", "items": ["Tea?"]}))
    experiment_run = ExperimentRun(trial, RunProgress("done", "", 0, 0, 0.0), RUN | found)
    return {
        measure.name: measure.compute(experiment_run)
        for measure in list_measures([experiment_run])
        if "Kendall" in measure.name
    }


def ranked(*orders: str) -> list[dict[str, Any]]:
    return [{"order": list(order), "defaulted": not order} for order in orders]


def test_the_agreement_of_rankings_is_kendall_s_w_before_and_after_the_talk() -> None:
    first, last = ranked("abc", "abc", "cba", ""), ranked("abc", "abc", "abc", "bac")
    alone = {str(place): {"initial_ranking": one, "total_earnings": 100} for place, one in enumerate(first)}
    group = {"final_rankings": {str(place): one for place, one in enumerate(last)}, "consensus_reached": None}
    found = measured(phase1=alone, phase2=group | {"payoffs": {}})
    assert found == {"Kendall's W, first": pytest.approx(12 * 2 / (9 * 24)), "Kendall's W, last": pytest.approx(0.8125)}


def test_rankings_of_different_answers_have_no_common_agreement() -> None:
    assert measured(reviews=[{"ranking": [1, 2, 3]}, {"ranking": [1, 2, 3]}, {"ranking": []}]) == {
        "Kendall's W, answers": 1
    }
    assert measured(reviews=[{"ranking": [2, 3]}, {"ranking": [1, 3]}]) == {}


def test_a_measure_is_called_in_english_what_a_plan_calls_it_and_has_words_in_every_language() -> None:
    english = {
        name.replace("N", "3").replace("ended", "ended: x") for name in load_phrases("findings").list_keys("measures")
    }
    plans = {
        tag: parse_plan({"name": "x", "protocol": "debate", "items": ["Tea?"], "settings": {"language": tag}})
        for tag in LANGUAGES
    }
    assert {name: describe_measure(plans["en"], name)[0] for name in english} == {name: name for name in english}
    assert all(all(describe_measure(plan, name)) for plan in plans.values() for name in english)
    assert describe_measure(plans["es"], "what we care for") == ("what we care for", "")


def ended(reason: str, positions: list[tuple[str, int]], by: str = "positions") -> dict[str, Any]:
    """A run of two statements with these positions, by when and turn."""
    return {
        "outcome": SimpleNamespace(reason=reason),
        "settings": parse_settings({"protocol": "consensus", "answer": "option", "options": {"A": "yes", "B": "no"}}),
        "history": [
            SimpleNamespace(turn=turn, speaker=who) for turn, who in ((1, "Ada"), (2, "Ben"), (3, "moderator"))
        ],
        "positions": [SimpleNamespace(when=when, turn=turn) for when, turn in positions],
        "answer": SimpleNamespace(by=by),
        "incidents": [],
        "calls": [],
    }


@pytest.mark.parametrize(
    ("positions", "by", "failure"),
    [
        ([("before", 0), ("after", 2)], "positions", ""),
        ([("before", 0), ("round", 1)], "positions", "cap"),
        ([("before", 2)], "positions", "cap"),
        ([], "vote", ""),
        ([], "synthesizer", ""),
    ],
)
def test_a_run_cut_by_its_cap_counts_if_an_answer_was_declared_after_its_last_statement(
    positions: list[tuple[str, int]], by: str, failure: str
) -> None:
    assert find_failure(ended("budget_spent", positions, by), needs_answer=True) == failure
    assert find_failure(ended("max_rounds_reached", positions, by), needs_answer=True) == ""
    assert find_failure(ended("budget_spent", positions, by), needs_answer=False) == ""


def test_the_interval_of_a_count_does_not_go_below_0_and_that_of_a_difference_of_counts_does() -> None:
    calls, estimate = RunMeasure("calls", lambda run: None), IntervalEstimate(2.0, -1.0, 5.0, 4, 2, 0.1)
    assert _format_measure(estimate, calls) == "2 [0,\u00a05]"
    assert _format_measure(estimate, calls, signed=True) == "+2 [−1,\u00a0+5]"
    assert _clip_interval(estimate, calls) == replace(estimate, low=0)


def test_no_interval_exceeds_the_bounds_of_its_measure() -> None:
    agreement = RunMeasure("agreement", lambda run: None, bounds=(0.0, 1.0))
    estimate = IntervalEstimate(0.9, -0.3, 1.3, 4, 2, 0.1)
    assert _clip_interval(estimate, agreement) == replace(estimate, low=0, high=1)
    assert _format_measure(estimate, agreement) == "0.9 [0,\u00a01]"
