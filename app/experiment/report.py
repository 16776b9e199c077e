"""The report of an experiment: one page, in the manner of a run's own."""

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

from ...prompts import phrases
from .. import report as run_report
from ..report.page import tint
from ..saved.experiments import Stored
from .arms.figure import mean_share
from .arms.findings import Findings, findings
from .arms.section import by_condition
from .arms.sentence import priced, sentence
from .arms.until import so_far
from .arms.until import told as told_until
from .data import Outcome, is_rehearsed
from .draw import cells
from .measures import COMPARISONS
from .outcome_measures import Measure, measures
from .plan import Plan
from .sealed import sealed_sentence
from .statistics import Estimate, difference, mean
from .status import Status, unfinished
from .words import language_of, measure_words, say, sentences

NOTHING = "–"

Values = dict[str, list[float]]
"""By cluster, the values of its units."""


@dataclass(frozen=True)
class Row:
    """One measure under one condition."""

    condition: str
    per_protocol: str
    failures: str
    difference: str


@dataclass(frozen=True)
class Section:
    """One measure, condition by condition."""

    name: str
    meaning: str
    graded: bool
    rows: list[Row]
    rough: bool


def report(plan: Plan, stored: Stored, found: Sequence[Outcome], standing: Status, links: Mapping[str, str]) -> str:
    """The page. `links`: by run, the file of its own report, as a link from this page."""
    talks = [one for one in found if not one.trial.arm]
    said = findings(plan, found) if plan.compared else []
    clustered = "" if len(plan.items) > 1 else "_one"
    page: str = _template().render(
        say=partial(say, plan),
        language=language_of(plan),
        clustered=clustered,
        plan=plan,
        stored=stored,
        status=standing,
        opening=opening(plan, stored, standing, found, said),
        facts=_facts(plan, stored, standing, found),
        rehearsed=is_rehearsed(found),
        said=by_condition(said),
        protocol=protocol_name(plan),
        sections=[_section(plan, one, talks) for one in measures(talks)],
        runs=found,
        links=links,
        style=Markup((files(run_report) / "templates" / "report.css").read_text("utf-8")),
        version=version("moot"),
    )
    return page


def opening(
    plan: Plan, stored: Stored, standing: Status, found: Sequence[Outcome], said: Sequence[Findings]
) -> list[str]:
    """The sentences at the top: what came of it, at which price, what was asked, and how it was planned."""
    left = unfinished(plan, ((one.trial, one.state) for one in found))
    told = [
        first_line(plan, standing, found, said),
        sentences(plan, priced(plan, said)),
        _asked(plan),
        sealed_sentence(plan, stored, language_of(plan)),
        told_until(plan, so_far(plan, found)) if plan.until else "",
        say(plan, "opening.left", what=left) if left else "",
        *(say(plan, "opening.hypothesis", text=one) for one in plan.hypotheses),
        say(plan, "opening.primary", name=_primary(plan)) if plan.primary else "",
        *(say(plan, "opening.excluded", text=one) for one in plan.exclusions),
    ]
    return [one for one in told if one]


def _asked(plan: Plan) -> str:
    given = {"items": len(plan.items), "topic": plan.items[0].topic}
    if plan.task:
        return say(plan, "opening.asked", task=plan.task["task"], **given)
    return say(plan, "opening.asked_several" if len(plan.items) > 1 else "opening.asked_one", **given)


def _primary(plan: Plan) -> str:
    if plan.primary not in COMPARISONS:
        return measure_words(plan, plan.primary)[0]
    arm, against = (say(plan, f"arms.{one}") for one in COMPARISONS[plan.primary])
    return say(plan, "opening.difference", name=plan.primary, arm=arm, against=against)


def _facts(plan: Plan, stored: Stored, standing: Status, found: Sequence[Outcome]) -> list[tuple[str, str]]:
    facts = {
        "begun": stored.started,
        "models": ", ".join(_models(found)),
        "participants": ", ".join(_participants(found)),
        "runs": str(len(found)),
        "items": str(len(plan.items)),
        "repeats": str(plan.repeats),
        "assignment": say(plan, f"opening.{plan.assignment}"),
        "calls": f"{standing.calls:,}",
        "tokens": f"{standing.tokens:,}",
        "money": f"{standing.cost:,.4g}" if standing.cost else "",
    }
    return [(say(plan, f"opening.{name}"), value) for name, value in facts.items() if value]


def protocol_name(plan: Plan) -> str:
    """What the protocol is called in the plan's language."""
    words, key = phrases("report"), f"protocols.{plan.protocol}"
    return words.say(language_of(plan), key) if plan.protocol in words.keys("protocols") else plan.protocol


def first_line(plan: Plan, standing: Status, found: Sequence[Outcome], said: Sequence[Findings] = ()) -> str:
    """What a person can repeat: what talking did, where there are arms; else how much of the plan was run, and the
    primary measure where one is named.
    """
    told = sentence(plan, said)
    if is_rehearsed(found):
        return sentences(plan, [say(plan, "opening.rehearsed"), told])
    return told or _results(plan, standing, found)


def _results(plan: Plan, standing: Status, found: Sequence[Outcome]) -> str:
    done, planned = sum(one.done for one in standing.cells), sum(one.planned for one in standing.cells)
    failed = sum(one.failed for one in standing.cells)
    told = [say(plan, "opening.results", done=done, planned=planned, failed=failed)]
    talks = [one for one in found if not one.trial.arm]
    for one in measures(talks):
        if one.name == plan.primary:
            name, rows = measure_words(plan, one.name)[0], _section(plan, one, talks).rows
            named = (
                say(plan, "opening.primary_figure", measure=name, condition=row.condition, figure=row.per_protocol)
                for row in rows
            )
            told.append(say(plan, "opening.between").join(named) + say(plan, "opening.stop"))
    return sentences(plan, told)


def _models(found: Sequence[Outcome]) -> list[str]:
    """Every model that was asked."""
    return sorted({call["model"] for one in found if one.document for call in one.document["calls"]})


def _participants(found: Sequence[Outcome]) -> list[str]:
    """Everyone who took part in a talk."""
    told = (one.document for one in found if one.document is not None and not one.trial.arm)
    return list(dict.fromkeys(one["name"] for document in told for one in document["participants"]))


def _section(plan: Plan, measure: Measure, found: Sequence[Outcome]) -> Section:
    labels = [one.label for one in cells(plan)]
    tried = {label: [one for one in found if one.trial.cell.label == label and one.standing] for label in labels}
    extremes = _extremes(measure, found)
    kept = {label: _values(plan, measure, of, None) for label, of in tried.items()}
    rows = [_row(plan, measure, label, tried[label], extremes, kept) for label in labels]
    return Section(
        *measure_words(plan, measure.name), measure.graded, rows, any(mean(one).rough for one in kept.values())
    )


def _row(
    plan: Plan,
    measure: Measure,
    label: str,
    tried: Sequence[Outcome],
    extremes: tuple[float, float],
    kept: Mapping[str, Values],
) -> Row:
    failed = any(not one.done for one in tried)
    first = next(iter(kept))
    if measure.graded:
        failures = told(mean(_values(plan, measure, tried, 0.0)), measure)
    elif failed:
        least, most = (mean(_values(plan, measure, tried, one)).value for one in extremes)
        failures = say(plan, "heads.range", least=_figure(least, measure), most=_figure(most, measure))
    else:
        failures = NOTHING
    apart = NOTHING if label == first else told(difference(kept[label], kept[first]), measure, signed=True)
    return Row(label, told((mean_share if measure.share else mean)(kept[label]), measure), failures, apart)


def _extremes(measure: Measure, found: Sequence[Outcome]) -> tuple[float, float]:
    """The measure's bounds: 0 and 1 of a share; of one without, 0 and the greatest value of all runs."""
    if measure.bounds:
        return measure.bounds
    values = [value for one in found if one.done and (value := measure.of(one)) is not None]
    return (0.0, 1.0) if measure.share else (0.0, max(values))


def _values(plan: Plan, measure: Measure, of: Sequence[Outcome], failed: float | None) -> Values:
    """A value for each item and repeat, swapped runs averaged first; by item, or of one item by repeat.

    `failed`: what a failed run counts as; none: it is left out.
    """
    units: dict[tuple[str, int], list[float]] = defaultdict(list)
    for one in of:
        value = measure.of(one) if one.done and one.document is not None else failed
        if value is not None:
            units[one.trial.item.id, one.trial.repeat].append(value)
    clusters: Values = defaultdict(list)
    for (item, repeat), values in units.items():
        clusters[item if len(plan.items) > 1 else str(repeat)].append(sum(values) / len(values))
    return dict(clusters)


def told(found: Estimate, measure: Measure, *, signed: bool = False) -> str:
    """A figure with its interval, as far as the measure goes."""
    if found.low is None or found.high is None:
        return _figure(found.value, measure, signed)
    least, most = measure.bounds or ((0.0, 1.0) if measure.share else (-math.inf, math.inf))
    least, most = (least - most, most - least) if signed else (least, most)
    ends = max(found.low, least), min(found.high, most)
    low, high = (_figure(one, measure, signed) for one in ends)
    return f"{_figure(found.value, measure, signed)} [{low}, {high}]"


def _figure(value: float | None, measure: Measure, signed: bool = False) -> str:
    if value is None:
        return NOTHING
    sign = "+" if signed else ""
    if measure.share:
        return f"{100 * value:{sign}.1f} %"
    return f"{value:{sign},.0f}" if abs(value) >= 1000 else f"{value:{sign}.4g}"


@cache
def _template() -> Any:
    environment = Environment(
        loader=PackageLoader(str(__package__), "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"tint": tint}
    return environment.get_template("report.html")
