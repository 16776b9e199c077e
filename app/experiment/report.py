"""Report of an experiment: one page in the style of a run's own report."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ...prompts import load_phrases
from .. import report as run_report
from ..report.page import format_tint
from ..saved.experiments import SavedExperiment
from .arms.early_stop import format_evidence, judge_runs
from .arms.figure import estimate_share
from .arms.findings import Findings, build_findings
from .arms.headline import build_effect_sentences, list_price_sentences
from .arms.section import build_sections
from .data import ExperimentRun, has_only_rehearsals
from .measures import COMPARISONS
from .plan import Plan
from .planned_runs import list_conditions
from .run_measures import RunMeasure, list_measures
from .seal_sentence import format_seal_sentence
from .statistics import IntervalEstimate, estimate_difference, estimate_mean
from .status import ExperimentStatus, format_unfinished
from .wording import describe_measure, get_plan_language, join_sentences, translate_for_plan

EMPTY_CELL = "–"

ValuesByCluster = dict[str, list[float]]
"""Values of the units of each cluster."""


@dataclass(frozen=True)
class MeasureRow:
    """One measure under one condition."""

    condition: str
    per_protocol: str
    failures: str
    difference: str


@dataclass(frozen=True)
class MeasureSection:
    """One measure, condition by condition."""

    name: str
    meaning: str
    graded: bool
    rows: list[MeasureRow]
    is_rough: bool


def render_report(
    plan: Plan,
    experiment: SavedExperiment,
    runs: Sequence[ExperimentRun],
    status: ExperimentStatus,
    links: Mapping[str, str],
) -> str:
    """Render the report page of an experiment.

    `links`: relative path of each run's own report, by run.
    """
    talk_runs = [run for run in runs if not run.planned.arm]
    conditions = build_findings(plan, runs) if plan.has_comparisons else []
    suffix = "" if len(plan.items) > 1 else "_one"
    page: str = _load_template().render(
        say=partial(translate_for_plan, plan),
        language=get_plan_language(plan),
        clustered=suffix,
        plan=plan,
        stored=experiment,
        status=status,
        opening=list_opening_sentences(plan, experiment, status, runs, conditions),
        facts=_list_facts(plan, experiment, status, runs),
        rehearsed=has_only_rehearsals(runs),
        said=build_sections(conditions),
        protocol=translate_protocol_name(plan),
        sections=[_build_section(plan, measure, talk_runs) for measure in list_measures(talk_runs)],
        runs=runs,
        links=links,
        style=Markup((files(run_report) / "templates" / "report.css").read_text("utf-8")),
        version=version("moot"),
    )
    return page


def list_opening_sentences(
    plan: Plan,
    experiment: SavedExperiment,
    status: ExperimentStatus,
    runs: Sequence[ExperimentRun],
    conditions: Sequence[Findings],
) -> list[str]:
    """Return the report's opening sentences: result, price, question and plan."""
    remaining = format_unfinished(plan, ((run.planned, run.state) for run in runs))
    texts = [
        build_headline(plan, status, runs, conditions),
        join_sentences(plan, list_price_sentences(plan, conditions)),
        _describe_task(plan),
        format_seal_sentence(plan, experiment, get_plan_language(plan)),
        format_evidence(plan, judge_runs(plan, runs)) if plan.until else "",
        translate_for_plan(plan, "opening.left", what=remaining) if remaining else "",
        *(translate_for_plan(plan, "opening.hypothesis", text=hypothesis) for hypothesis in plan.hypotheses),
        translate_for_plan(plan, "opening.primary", name=_describe_primary(plan)) if plan.primary else "",
        *(translate_for_plan(plan, "opening.excluded", text=exclusion) for exclusion in plan.exclusions),
    ]
    return [text for text in texts if text]


def _describe_task(plan: Plan) -> str:
    values = {"items": len(plan.items), "topic": plan.items[0].topic}
    if plan.task:
        return translate_for_plan(plan, "opening.asked", task=plan.task["task"], **values)
    return translate_for_plan(plan, "opening.asked_several" if len(plan.items) > 1 else "opening.asked_one", **values)


def _describe_primary(plan: Plan) -> str:
    if plan.primary not in COMPARISONS:
        return describe_measure(plan, plan.primary)[0]
    arm, against = (translate_for_plan(plan, f"arms.{arm_name}") for arm_name in COMPARISONS[plan.primary])
    return translate_for_plan(plan, "opening.difference", name=plan.primary, arm=arm, against=against)


def _list_facts(
    plan: Plan, experiment: SavedExperiment, status: ExperimentStatus, runs: Sequence[ExperimentRun]
) -> list[tuple[str, str]]:
    facts = {
        "begun": experiment.started,
        "models": ", ".join(_list_models(runs)),
        "participants": ", ".join(_list_participants(runs)),
        "runs": str(len(runs)),
        "items": str(len(plan.items)),
        "repeats": str(plan.repeats),
        "assignment": translate_for_plan(plan, f"opening.{plan.assignment}"),
        "calls": f"{status.calls:,}",
        "tokens": f"{status.tokens:,}",
        "money": f"{status.cost:,.4g}" if status.cost else "",
    }
    return [(translate_for_plan(plan, f"opening.{name}"), value) for name, value in facts.items() if value]


def translate_protocol_name(plan: Plan) -> str:
    """Return the protocol's name in the plan's language."""
    phrase_table, key = load_phrases("report"), f"protocols.{plan.protocol}"
    return (
        phrase_table.translate_phrase(get_plan_language(plan), key)
        if plan.protocol in phrase_table.list_keys("protocols")
        else plan.protocol
    )


def build_headline(
    plan: Plan, status: ExperimentStatus, runs: Sequence[ExperimentRun], conditions: Sequence[Findings] = ()
) -> str:
    """Return the headline: the effect of talking, or without arms the counts and the primary measure."""
    headline = build_effect_sentences(plan, conditions)
    if has_only_rehearsals(runs):
        return join_sentences(plan, [translate_for_plan(plan, "opening.rehearsed"), headline])
    return headline or _describe_results(plan, status, runs)


def _describe_results(plan: Plan, status: ExperimentStatus, runs: Sequence[ExperimentRun]) -> str:
    done_count, planned_count = (
        sum(condition.done for condition in status.cells),
        sum(condition.planned for condition in status.cells),
    )
    failed_count = sum(condition.failed for condition in status.cells)
    texts = [translate_for_plan(plan, "opening.results", done=done_count, planned=planned_count, failed=failed_count)]
    talk_runs = [run for run in runs if not run.planned.arm]
    for measure in list_measures(talk_runs):
        if measure.name == plan.primary:
            name, rows = describe_measure(plan, measure.name)[0], _build_section(plan, measure, talk_runs).rows
            figures = (
                translate_for_plan(
                    plan, "opening.primary_figure", measure=name, condition=row.condition, figure=row.per_protocol
                )
                for row in rows
            )
            texts.append(
                translate_for_plan(plan, "opening.between").join(figures) + translate_for_plan(plan, "opening.stop")
            )
    return join_sentences(plan, texts)


def _list_models(runs: Sequence[ExperimentRun]) -> list[str]:
    """Return the names of all models that were called, sorted."""
    return sorted({call["model"] for run in runs if run.document for call in run.document["calls"]})


def _list_participants(runs: Sequence[ExperimentRun]) -> list[str]:
    """Return the names of all participants of the talks."""
    documents = (run.document for run in runs if run.document is not None and not run.planned.arm)
    return list(
        dict.fromkeys(participant["name"] for document in documents for participant in document["participants"])
    )


def _build_section(plan: Plan, measure: RunMeasure, runs: Sequence[ExperimentRun]) -> MeasureSection:
    labels = [condition.label for condition in list_conditions(plan)]
    runs_by_label = {
        label: [run for run in runs if run.planned.condition.label == label and run.progress] for label in labels
    }
    extremes = _compute_extremes(measure, runs)
    values_by_label = {
        label: _collect_values(plan, measure, condition_runs, None) for label, condition_runs in runs_by_label.items()
    }
    rows = [_build_row(plan, measure, label, runs_by_label[label], extremes, values_by_label) for label in labels]
    return MeasureSection(
        *describe_measure(plan, measure.name),
        measure.is_graded,
        rows,
        any(estimate_mean(values).is_rough for values in values_by_label.values()),
    )


def _build_row(
    plan: Plan,
    measure: RunMeasure,
    label: str,
    runs: Sequence[ExperimentRun],
    extremes: tuple[float, float],
    values_by_label: Mapping[str, ValuesByCluster],
) -> MeasureRow:
    has_failures = any(not run.is_done for run in runs)
    first_label = next(iter(values_by_label))
    if measure.is_graded:
        failure_text = format_measure(estimate_mean(_collect_values(plan, measure, runs, 0.0)), measure)
    elif has_failures:
        lowest_mean, highest_mean = (
            estimate_mean(_collect_values(plan, measure, runs, extreme)).value for extreme in extremes
        )
        failure_text = translate_for_plan(
            plan, "heads.range", least=_format_figure(lowest_mean, measure), most=_format_figure(highest_mean, measure)
        )
    else:
        failure_text = EMPTY_CELL
    difference_text = (
        EMPTY_CELL
        if label == first_label
        else format_measure(
            estimate_difference(values_by_label[label], values_by_label[first_label]), measure, signed=True
        )
    )
    return MeasureRow(
        label,
        format_measure((estimate_share if measure.is_share else estimate_mean)(values_by_label[label]), measure),
        failure_text,
        difference_text,
    )


def _compute_extremes(measure: RunMeasure, runs: Sequence[ExperimentRun]) -> tuple[float, float]:
    """Return the measure's own bounds, 0 and 1 for a share, else 0 and the maximum of all runs."""
    if measure.bounds:
        return measure.bounds
    values = [value for run in runs if run.is_done and (value := measure.compute(run)) is not None]
    return (0.0, 1.0) if measure.is_share else (0.0, max(values))


def _collect_values(
    plan: Plan, measure: RunMeasure, runs: Sequence[ExperimentRun], failed_value: float | None
) -> ValuesByCluster:
    """Return the values of the units of each cluster: of each item, or of each repeat of a single item.

    A unit is one item in one repeat; the values of its swapped runs are averaged.
    `failed_value`: value of a failed run; `None` leaves the run out.
    """
    units: dict[tuple[str, int], list[float]] = defaultdict(list)
    for run in runs:
        value = measure.compute(run) if run.is_done and run.document is not None else failed_value
        if value is not None:
            units[run.planned.item.id, run.planned.repeat].append(value)
    clusters: ValuesByCluster = defaultdict(list)
    for (item, repeat), values in units.items():
        clusters[item if len(plan.items) > 1 else str(repeat)].append(sum(values) / len(values))
    return dict(clusters)


def format_measure(estimate: IntervalEstimate, measure: RunMeasure, *, signed: bool = False) -> str:
    """Format a figure with its interval, clamped to the measure's bounds."""
    if estimate.low is None or estimate.high is None:
        return _format_figure(estimate.value, measure, signed)
    lowest, highest = measure.bounds or ((0.0, 1.0) if measure.is_share else (-math.inf, math.inf))
    lowest, highest = (lowest - highest, highest - lowest) if signed else (lowest, highest)
    interval_ends = max(estimate.low, lowest), min(estimate.high, highest)
    low, high = (_format_figure(end, measure, signed) for end in interval_ends)
    return f"{_format_figure(estimate.value, measure, signed)} [{low}, {high}]"


def _format_figure(value: float | None, measure: RunMeasure, signed: bool = False) -> str:
    if value is None:
        return EMPTY_CELL
    sign = "+" if signed else ""
    if measure.is_share:
        return f"{100 * value:{sign}.1f} %"
    return f"{value:{sign},.0f}" if abs(value) >= 1000 else f"{value:{sign}.4g}"


@cache
def _load_template() -> Any:
    environment = Environment(
        loader=PackageLoader(str(__package__), "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"tint": format_tint}
    return environment.get_template("report.html")
