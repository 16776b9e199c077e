"""Report of an experiment: a page in the style of a run's report, or plain text with bars."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any, Literal

from jinja2 import PackageLoader
from rich.cells import cell_len, set_cell_size

from ..display import get_label
from ..report import load_report_templates, read_asset
from ..saved.experiments import SavedExperiment
from .arms import (
    SPEND_KEYS,
    EstimateRow,
    Findings,
    GainRow,
    build_effect_sentences,
    build_findings,
    draw_estimates,
    draw_flips,
    draw_rounds,
    draw_scatter,
    fill_verdict,
    format_amount,
    list_primary_rows,
    list_task_scores,
    split_arm,
)
from .comparisons import ConditionComparison, RunMeasure, collect_values, compare_conditions, list_measures
from .data import ExperimentRun, list_documents
from .measures import ValuesByItem
from .plan import Plan, describe_measure
from .planned_runs import list_conditions
from .seal import get_seal_phrase
from .statistics import (
    NO_BREAK,
    NO_FIGURE,
    SIGNIFICANCE_LEVEL,
    IntervalEstimate,
    estimate_difference,
    estimate_mean,
    estimate_share,
    format_estimate,
    format_interval,
    format_points,
)
from .status import (
    FLOW_COUNTS,
    ExperimentProgress,
    ExperimentStatus,
    build_flow_table,
    format_flow_lines,
    format_unfinished,
    measure_progress,
)
from .trust import PrimaryRows, list_cost_sentences, list_failure_sentences, list_trust_sentences

BAR_LENGTH = 40
"""Characters of a bar of 100 %."""


def render_report(
    plan: Plan,
    experiment: SavedExperiment,
    runs: Sequence[ExperimentRun],
    status: ExperimentStatus,
    links: Mapping[str, str],
    template: Literal["report.html", "report.md"] = "report.html",
) -> str:
    """Render the report of an experiment: the answer, its chart, how far to trust it, then the tables.

    `status`: progress and spending. `links`: relative path of each run's own report, by run.
    """
    talk_runs = [run for run in runs if not run.planned.arm]
    conditions = build_findings(plan, runs) if plan.has_comparisons else []
    sections = [_build_section(plan, measure, talk_runs) for measure in list_measures(talk_runs)]
    if any(findings.stop for findings in conditions):  # their intervals are for a fixed number of items
        for row in (row for section in sections for row in section["rows"]):
            row.update({key: text.partition(" [")[0] for key, text in row.items()})
    progress = measure_progress(plan, experiment, runs)
    primary_rows = list_primary_rows(plan, conditions)
    comparisons, flow = compare_conditions(plan, runs), build_flow_table(plan, experiment, runs)
    unfinished_text = format_unfinished(plan, ((run.planned, run.state) for run in runs))
    headline, notes = describe_answer(plan, conditions, primary_rows, comparisons, progress)
    opening = [
        headline or _describe_results(plan, status, sections),
        notes,
        plan.translate("opening.closed", at=experiment.closed, reason=experiment.close_reason)
        if experiment.closed
        else "",
        plan.translate("opening.left", what=unfinished_text) if unfinished_text else "",
    ]
    badge = "interim" if progress.is_interim else "closed" if experiment.closed else "finished"
    flow_rows: list[dict[str, Any]] = [dict(row) for row in flow.rows]
    environment = load_report_templates().overlay(loader=PackageLoader(str(__package__), "templates"))
    page = environment.get_template(template).render(
        say=plan.translate,
        language=plan.language,
        clustered="" if len(plan.items) > 1 else "_one",
        plan=plan,
        stored=experiment,
        status=status,
        opening=[text for text in opening if text],
        design=_list_design(plan, experiment, runs, progress),
        badge=("unfinished" if badge != "finished" else badge, badge),
        declared=_list_declarations(plan, conditions),
        pictures=_draw_figures(plan, primary_rows, comparisons, progress),
        compared=[
            (row, *(format_difference(plan, row.measure, part.estimate) for part in (row.wrong, row.left_out)))
            for row in comparisons
        ],
        measure_name=describe_measure(plan, comparisons[0].measure.name)[0] if comparisons else "",
        flow=flow_rows,
        flow_heads=[key for key in FLOW_COUNTS if key == "counted" or any(row[key] for row in flow_rows)],
        failed=any(run.failure for run in runs),
        primaries={findings.label: row for findings, row in primary_rows},
        trust=list_trust_sentences(plan, experiment, runs, conditions, primary_rows, comparisons),
        facts=_list_facts(plan, status, runs, primary_rows),
        settings=_list_settings(plan, experiment, runs),
        rehearsed=progress.is_rehearsal,
        said=_build_talk_sections(conditions),
        protocol=get_label(plan.language, "protocols", plan.protocol),
        sections=sections,
        runs=runs,
        links=links,
        style=read_asset("report.css"),
        version=version("moot"),
    )
    return (
        page
        if template == "report.html"
        else re.sub(r"\n{3,}", "\n\n", page.replace("&#39;", "'").replace("&lt; ", "< ")).lstrip()
    )


def _list_design(
    plan: Plan, experiment: SavedExperiment, runs: Sequence[ExperimentRun], progress: ExperimentProgress
) -> list[str]:
    """Return the parts of the line above the title: the size of the design, the runs, and the seal."""
    counts = {
        "items": len(plan.items),
        "conditions": len(list_conditions(plan)),
        "repeats": plan.repeats,
        "ways": len(plan.arms) + 1,
    }
    sizes = [plan.translate(f"design.{name}", count=count) for name, count in counts.items() if count > 1]
    seal_key = "exploratory" if progress.is_exploratory else get_seal_phrase(plan, experiment)[0]
    parts = [" × ".join(sizes), plan.translate("design.runs", count=f"{len(runs):,}")]
    return [part for part in [*parts, plan.translate(f"design.{seal_key}")] if part]


def _list_declarations(plan: Plan, conditions: Sequence[Findings]) -> list[str]:
    name = describe_measure(plan, plan.primary)[0]
    if plan.primary and conditions and (row := conditions[0].find_gain_row(plan.primary)):
        arm, against = (plan.translate(f"arms.{name}") for name in row.arms)
        name = plan.translate("opening.difference", name=row.name, arm=arm, against=against)
    return [
        *(plan.translate("opening.hypothesis", text=hypothesis) for hypothesis in plan.hypotheses),
        *([plan.translate("opening.primary", name=name)] if plan.primary else []),
        *(plan.translate("opening.excluded", text=exclusion) for exclusion in plan.exclusions),
    ]


def _list_facts(
    plan: Plan, status: ExperimentStatus, runs: Sequence[ExperimentRun], primary_rows: PrimaryRows
) -> list[tuple[str, list[str]]]:
    """Return the facts next to the chart, by heading: question, failures, costs, participants."""
    task_phrase = "asked" if plan.task else "asked_several" if len(plan.items) > 1 else "asked_one"
    values = {"items": len(plan.items), "topic": plan.items[0].topic, "task": plan.task.get("task")}
    seats = dict.fromkeys(seat["name"] for run in runs for seat in run.participants if not run.planned.arm)
    models = sorted({call["model"] for document in list_documents(runs) for call in document["calls"]})
    choices = [item for item in plan.items if item.options and item.truth is not None]
    comma, spends = plan.translate("opening.comma"), list[str]()
    for key, total in (("cost", status.cost), ("calls", status.calls), ("tokens", status.tokens)):
        spent, cap = f"{total:,.4g}" if key == "cost" else f"{total:,}", getattr(plan.cap, key)
        if total:
            text = plan.translate("facts.of_cap", spent=spent, cap=f"{cap:,}") if cap is not None else spent
            spends.append(f"{text} {plan.translate(f'opening.{key}'.replace('cost', 'money'))}")
    asked_texts = [plan.translate(f"opening.{task_phrase}", **values)] * bool(plan.items[0].topic)
    if len(choices) > 1:
        numbers = [[*item.options].index(item.right_options[0]) for item in choices]
        most = f"{100 * max(map(numbers.count, numbers)) / len(numbers):.3g}"
        asked_texts.append(plan.translate("facts.chance", share=f"{100 * (plan.chance or 0.0):.3g}", most=most))
    facts = {
        "asked": asked_texts,
        "failed": list_failure_sentences(plan, runs, primary_rows),
        "against": list_cost_sentences(plan, primary_rows),
        "who": filter(None, [comma.join(models), comma.join(seats)]),
        "cost": spends,
    }
    return [(plan.translate(f"facts.{name}"), own_texts) for name, texts in facts.items() if (own_texts := [*texts])]


def _draw_figures(
    plan: Plan,
    primary_rows: PrimaryRows,
    comparisons: Sequence[ConditionComparison],
    progress: ExperimentProgress,
) -> list[dict[str, Any]]:
    figures, band_note = [], plan.translate("pictures.band_note", margin=f"{100 * (plan.margin or 0):g}")
    for findings, row in primary_rows:
        measure = next(key for key in SPEND_KEYS if findings.net == f"net_{key}")
        rows = [
            EstimateRow(
                plan.translate(f"arms.{arm.arm}"),
                arm.as_wrong,
                format_amount(plan, arm.spent, measure),
                arm.arm == "talk",
            )
            for arm in findings.arms
            if split_arm(arm.arm)[1] in ("", split_arm(row.arms[1])[1] or measure)
        ]
        gains = [gain for gain in findings.gains if gain.adjusted_p is not None]
        labels = {gain.name: plan.translate(f"mechanisms.{gain.name}") for gain in gains}
        first_gains = [] if row.name in labels else [row]
        if row.name == findings.net and (gain := findings.find_gain_row("net_think")):
            first_gains.append(gain)
        for gain in first_gains:
            labels[gain.name] = " − ".join(plan.translate(f"arms.{arm}") for arm in gain.arms)
        differences = [EstimateRow(labels[gain.name], gain.wrong.estimate) for gain in [*first_gains, *gains]]
        title = plan.translate("pictures.arms", condition=findings.label)
        if progress.has_verdict:
            title = findings.add_condition(_describe_finding(findings, row))
        chance_text = plan.translate("pictures.chance", share=f"{100 * plan.chance:.3g}") if plan.chance else ""
        note = plan.translate("pictures.levels_stopped" if findings.stop else "pictures.levels")
        figures.append(
            draw_estimates(
                title,
                rows,
                differences,
                margin=plan.margin,
                chance=plan.chance,
                note=plan.join_sentences([note, chance_text]),
                band_note=band_note,
            )
        )
    if comparisons and not figures:
        compared_measure, levels = comparisons[0].measure, dict[str, IntervalEstimate]()
        for comparison in comparisons:
            levels |= zip((comparison.against, comparison.condition), reversed(comparison.levels), strict=True)
        changes = [EstimateRow(f"{row.condition} − {row.against}", row.wrong.estimate) for row in comparisons]
        level_rows = [
            EstimateRow(label, _clip_interval(estimate, compared_measure)) for label, estimate in levels.items()
        ]
        title, is_share = describe_measure(plan, compared_measure.name)[0], compared_measure.is_share
        margin = plan.margin if is_share else None
        figures.append(
            draw_estimates(title, level_rows, changes, margin=margin, is_share=is_share, band_note=band_note)
        )
    return [figure for figure in figures if figure]


def _describe_finding(findings: Findings, row: GainRow) -> str:
    plan, low, high = findings.plan, row.wrong.estimate.low, row.wrong.estimate.high
    key = (row.wrong.verdict or "none").partition("_")[0]
    if findings.stop:  # the confidence sequence is the test
        key = "helped" if low is not None and low > 0 else "hurt" if high is not None and high < 0 else "none"
    if findings.find_shortfall(row.arms[1]) or key not in ("helped", "hurt", "equal"):
        key = "none"
    arm, against = (plan.translate(f"arms.{name}") for name in row.arms)
    text = plan.translate(f"pictures.found_{key}", arm=arm, against=against, margin=f"{100 * (plan.margin or 0):g}")
    return text[:1].upper() + text[1:]


def _clip_interval(estimate: IntervalEstimate, measure: RunMeasure, *, signed: bool = False) -> IntervalEstimate:
    """Return an estimate whose interval contains only values that the measure can have.

    A count, for example, cannot be negative. `signed`: whether the estimate is a difference.
    """
    if estimate.low is None or estimate.high is None:
        return estimate
    lowest, highest = measure.bounds or (0.0, 1.0 if measure.is_share else math.inf)
    if signed:
        lowest, highest = lowest - highest, highest - lowest
    return replace(estimate, low=max(lowest, estimate.low), high=min(highest, estimate.high))


def describe_answer(
    plan: Plan,
    conditions: Sequence[Findings],
    primary_rows: PrimaryRows,
    comparisons: Sequence[ConditionComparison],
    progress: ExperimentProgress,
) -> tuple[str, str]:
    """Return the answer of the experiment and its notes.

    The answer is the effect of deliberation or, without arms, the differences of the conditions.
    """
    headline, notes = build_effect_sentences(plan, conditions, primary_rows, progress)
    texts = [headline]
    for row in comparisons if progress.has_verdict and (plan.compare or not plan.has_comparisons) else ():
        text, is_undeclared = describe_comparison(plan, row, len(comparisons)), row.wrong.adjusted_p is None
        if text and (is_undeclared or progress.is_exploratory):
            text = plan.translate("sentence.exploratory", text=text)
        texts.append(text)
    return plan.join_sentences(texts), notes


def describe_comparison(plan: Plan, row: ConditionComparison, family_size: int) -> str:
    """Return a sentence about the difference of two conditions; empty without a figure.

    `family_size`: number of comparisons in the family of `row`.
    """
    level, other = (_format_figure(estimate.value, row.measure) for estimate in row.levels)
    if row.wrong.estimate.value is None:
        return ""

    def format_value(value: float) -> str:
        return _format_figure(max(-1.0, min(1.0, value)) if row.measure.is_share else value, row.measure, signed=True)

    names = {"condition": row.condition, "against": row.against, "measure": describe_measure(plan, row.measure.name)[0]}
    verdict, values = fill_verdict(
        plan, row.wrong, row.left_out, row.failed, format_value, level=level, other=other, **names
    )
    values["difference"] = _name_unit(plan, row.measure, values["points"])
    adjusted_p = row.wrong.adjusted_p
    p = adjusted_p if adjusted_p is not None else row.wrong.p.p if row.wrong.p else 1.0
    if verdict != "too_few":  # its p is the least that is possible
        values["p"] = f"= {p:.3f}" if p >= 0.001 else "< .001"
    is_rough = verdict not in ("one_item", "too_few", "alike") and row.wrong.estimate.is_rough
    family = plan.translate("compared.holm", count=family_size) if family_size > 1 else ""
    return plan.join_sentences(
        [
            plan.translate(f"compared.{verdict.replace('helped', 'differs').replace('hurt', 'differs')}", **values),
            plan.translate("sentence.rough", items=row.wrong.estimate.items) if is_rough else "",
            family if adjusted_p is not None else "",
        ]
    )


def _name_unit(plan: Plan, measure: RunMeasure, text: str) -> str:
    return plan.translate("compared.points", figure=text) if measure.is_share else text


def format_difference(plan: Plan, measure: RunMeasure, estimate: IntervalEstimate) -> str:
    """Return the difference of two conditions as text, with its interval and unit."""
    return _name_unit(plan, measure, _format_measure(estimate, measure, signed=True))


def _describe_results(plan: Plan, status: ExperimentStatus, sections: Sequence[Mapping[str, Any]]) -> str:
    names = ("done", "planned", "failed")
    counts = {name: sum(getattr(condition, name) for condition in status.conditions) for name in names}
    figures = [
        plan.translate(
            "opening.primary_figure", measure=section["name"], condition=row["condition"], figure=row["per_protocol"]
        )
        for section in sections
        for row in section["rows"]
        if section["measure"] == plan.primary
    ]
    text = plan.translate("opening.between").join(figures) + plan.translate("opening.stop") * bool(figures)
    return plan.join_sentences([plan.translate("opening.results", **counts), text])


def _list_settings(plan: Plan, experiment: SavedExperiment, runs: Sequence[ExperimentRun]) -> list[tuple[str, str]]:
    talk_documents = list_documents([run for run in runs if not run.planned.arm])
    calls = [call for document in list_documents(runs) for call in document["calls"]]
    temperatures = {
        (f"{get_label(plan.language, 'stages', call['purpose'])} ({call['purpose']})", call["temperature_sent"])
        for call in calls
        if call["temperature_sent"] is not None
    }
    times = [turn["timestamp"] for document in list_documents(runs) for turn in document["turns"]]
    rules = {(document.get("runAnswer") or {}).get("by", "") for document in talk_documents} - {""}
    facts = {
        "begun": experiment.started,
        "ended": max(times, default=""),
        "temperatures": plan.translate("opening.between").join(
            f"{stage} {temperature:g}" for stage, temperature in sorted(temperatures)
        ),
        "fingerprints": ", ".join(sorted({call["fingerprint"] for call in calls} - {""})),
        "answer_rule": ", ".join(plan.translate(f"answer_rules.{by}") for by in sorted(rules)),
        "runs": str(len(runs)),
        "items": str(len(plan.items)),
        "repeats": str(plan.repeats),
        "assignment": plan.translate(f"opening.{plan.assignment}"),
        "settings": _format_settings(plan.settings),
        "conditions": plan.translate("opening.between").join(
            f"{condition.label} ({_format_settings(condition.settings)})" for condition in list_conditions(plan)
        )
        if plan.conditions or plan.factors
        else "",
        "level": f"{SIGNIFICANCE_LEVEL:g}",
        "margin": f"{100 * plan.margin:g}" if plan.margin else "",
    }
    return [(plan.translate(f"opening.{name}"), value) for name, value in facts.items() if value]


def _format_settings(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in settings.items() if key != "participants")


def _build_talk_sections(
    conditions: Sequence[Findings],
) -> list[tuple[Findings, dict[str, Any], list[tuple[str, str]]]]:
    sections = []
    for findings in [findings for findings in conditions if findings.talks]:
        plan, measures = findings.plan, ("calls", "tokens", "cost") if findings.graded else ()
        figures = [(plan.translate(f"figures.{name}"), figure) for name, figure in _list_figures(findings)]
        figures += list_task_scores(plan, findings.talks, findings.controls)
        if findings.stop:  # their intervals are for a fixed number of items
            figures = [(name, figure.partition(" [")[0]) for name, figure in figures]
        pictures = {
            "spends": [scatter for measure in measures if (scatter := draw_scatter(findings, measure))],
            "flips": draw_flips(plan, findings.flips) if findings.flips else None,
            "rounds": draw_rounds(plan, findings.moments),
        }
        sections.append((findings, pictures, [(name, figure) for name, figure in figures if figure != NO_FIGURE]))
    return sections


def _list_figures(findings: Findings) -> list[tuple[str, str]]:
    moments, (talk_conformity, alone_conformity) = findings.moments, findings.conformity
    ends = [("first", moments[0]), ("last", moments[-1])] if moments else []
    flips_by_suffix = {"": findings.flips, "_alone": findings.alone_flips}
    changes = [
        (f"{name}{suffix}", getattr(flips, name), None if name == "net" else 0)
        for suffix, flips in flips_by_suffix.items()
        for name in ("corrected", "corrupted", "net")
        if flips
    ]
    excess = estimate_difference(talk_conformity.rate, alone_conformity.rate) if alone_conformity else None
    harmful = estimate_mean(talk_conformity.harmful) if findings.graded else None
    return [
        *((name, format_estimate(estimate_mean(values), minimum=minimum)) for name, values, minimum in changes),
        ("net_gap", format_estimate(findings.flip_gap)),
        ("unanswered", str(findings.flips.unanswered) if findings.flips else NO_FIGURE),
        ("oracle", format_estimate(findings.oracle_gap)),
        ("conformity", format_estimate(estimate_mean(talk_conformity.rate), minimum=0)),
        ("excess", format_estimate(excess)),
        ("harmful", format_estimate(harmful, minimum=0)),
        ("tied", str(talk_conformity.tied)),
        *((f"entropy_{when}", format_estimate(moment.entropy, minimum=0)) for when, moment in ends),
        *((f"certainty_{when}", format_estimate(moment.certainty, minimum=0)) for when, moment in ends),
        *((f"simpson_{when}", format_estimate(moment.simpson, minimum=0)) for when, moment in ends),
        *(
            (f"alpha_{when}", NO_FIGURE if alpha is None else f"{alpha:.3f}".replace("-", "−"))
            for when, alpha in zip(("first", "last"), findings.alpha, strict=True)
        ),
        ("gini", format_estimate(findings.speaking_gini, 1, 0)),
        *((name, format_estimate(estimate, 1)) for name, estimate in findings.opinion.items()),
    ]


def _build_section(plan: Plan, measure: RunMeasure, runs: Sequence[ExperimentRun]) -> dict[str, Any]:
    values_by_label: dict[str, ValuesByItem] = {}
    rows = []
    for condition in list_conditions(plan):
        label = condition.label
        condition_runs = [run for run in runs if run.planned.condition.label == label and run.progress]
        values = values_by_label[label] = collect_values(plan, measure, condition_runs, None)
        estimate = (estimate_share if measure.is_share else estimate_mean)(values)
        difference = NO_FIGURE
        if len(values_by_label) > 1:
            first_values = next(iter(values_by_label.values()))
            difference = format_difference(plan, measure, estimate_difference(values, first_values))
        rows.append(
            {
                "condition": label,
                "per_protocol": _format_measure(estimate, measure),
                "failures": _format_with_failures(plan, measure, condition_runs, runs),
                "difference": difference,
            }
        )
    name, meaning = describe_measure(plan, measure.name)
    return {
        "measure": measure.name,
        "name": name,
        "meaning": meaning,
        "graded": measure.is_graded,
        "rows": rows,
        "is_rough": any(estimate_mean(values).is_rough for values in values_by_label.values() if values),
    }


def _format_with_failures(
    plan: Plan, measure: RunMeasure, runs: Sequence[ExperimentRun], all_runs: Sequence[ExperimentRun]
) -> str:
    """Return a condition's figure as text, with failed runs included.

    `runs`, `all_runs`: the condition's runs, and those of all conditions. In a graded measure, failed runs count as
    wrong. Otherwise, the figure is a range: all failures at the lowest value, then all at the highest.
    """
    if measure.is_graded:
        estimate = estimate_share if measure.is_share else estimate_mean
        return _format_measure(estimate(collect_values(plan, measure, runs, 0.0)), measure)
    if all(run.is_done for run in runs):
        return NO_FIGURE
    extremes = measure.bounds or (0.0, 1.0)
    if not measure.bounds and not measure.is_share:
        values = [value for run in all_runs if run.is_done and (value := measure.compute(run)) is not None]
        extremes = (0.0, max(values))
    lowest, highest = (
        _format_figure(estimate_mean(collect_values(plan, measure, runs, extreme)).value, measure)
        for extreme in extremes
    )
    return plan.translate("heads.range", least=lowest, most=highest)


def _format_measure(estimate: IntervalEstimate, measure: RunMeasure, *, signed: bool = False) -> str:
    figure = _format_figure(estimate.value, measure, signed)
    interval = _clip_interval(estimate, measure, signed=signed)
    if interval.low is None:
        return figure
    ends = ", ".join(_format_figure(end, measure, signed) for end in (interval.low, interval.high))
    return f"{figure} [{ends.replace(' ', NO_BREAK)}]"


def _format_figure(value: float | None, measure: RunMeasure, signed: bool = False) -> str:
    if value is None:
        return NO_FIGURE
    sign = "+" if signed else ""
    if measure.is_share:
        text = f"{100 * value:{sign}.1f}{'' if signed else ' %'}"
    else:
        text = f"{value:{sign},.0f}" if abs(value) >= 1000 else f"{value:{sign}.4g}"
    return text.replace("-", "−")


def format_plain_lines(plan: Plan, experiment: SavedExperiment, runs: Sequence[ExperimentRun]) -> list[str]:
    """Return the report as lines of text: the answer, each arm as a bar, and how far to trust it.

    The list is empty before the first deliberation has ended.
    """
    conditions = build_findings(plan, runs) if plan.has_comparisons else []
    progress, comparisons = measure_progress(plan, experiment, runs), compare_conditions(plan, runs)
    if not any(run.has_ended and not run.planned.arm for run in runs):
        return []
    primary_rows = list_primary_rows(plan, conditions)
    text = plan.join_sentences(describe_answer(plan, conditions, primary_rows, comparisons, progress))
    lines = [text] if text else []
    lines += [plan.translate("plain.head")] * any(condition.graded for condition in conditions)
    for condition in conditions:
        lines += [condition.label] * (len(conditions) > 1)
        names = {row.arm: plan.translate(f"arms.{row.arm}") for row in condition.arms}
        width = max(map(cell_len, names.values()), default=0) + 2
        for arm_row in condition.arms:
            share, spent = arm_row.as_wrong.value or 0.0, arm_row.spent
            bar = ("█" * round(share * BAR_LENGTH)).ljust(BAR_LENGTH, "·")
            spend_text = plan.translate("plain.spent", calls=f"{spent.calls:,.0f}", tokens=f"{spent.tokens:,.0f}")
            lines.append(f"  {set_cell_size(names[arm_row.arm], width)}{bar} {100 * share:5.1f} %  {spend_text}")
        for row in condition.influences:
            text = plan.translate(
                "plain.nothing" if row.influence.value is None else "plain.influence",
                who=row.who,
                forks=row.forks,
                count=row.failed,
                points=format_points(row.influence.value or 0),
                interval=format_interval(row.influence),
                failed=plan.translate("plain.failed", count=row.failed) if row.failed else "",
            )
            lines.append(f"  {text}")
    lines += [
        plan.translate("trust.heading"),
        *(f"  {text}" for text in list_failure_sentences(plan, runs, primary_rows)),
        *(f"  {text}" for text in list_cost_sentences(plan, primary_rows)),
        *(f"  {text}" for text in list_trust_sentences(plan, experiment, runs, conditions, primary_rows, comparisons)),
    ]
    return [
        *lines,
        plan.translate("heads.flow"),
        *(f"  {line}" for line in format_flow_lines(plan, build_flow_table(plan, experiment, runs))),
    ]
