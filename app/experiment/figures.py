"""Figures of an experiment's report as plain data. They need the extra `science`."""

from collections.abc import Sequence
from typing import Any

from pydantic_core import to_jsonable_python

from .arms.findings import build_findings
from .compare import compare_conditions
from .data import ExperimentRun
from .plan import Plan

FINDING_KEYS = (
    *("label", "net", "arms", "gains", "best", "flips", "oracle_gap", "conformity", "moments", "certificates"),
    *("influences", "curve", "opinion", "speaking_shares", "speaking_gini", "alpha"),
)


def build_figures(plan: Plan, runs: Sequence[ExperimentRun]) -> dict[str, Any]:
    """Return the figures of the report: the findings of each condition, and the comparisons of conditions."""
    findings = [findings for findings in build_findings(plan, runs) if findings.talks] if plan.has_comparisons else []
    comparisons = [vars(row) | {"measure": row.measure.name} for row in compare_conditions(plan, runs)]
    figures = {
        "conditions": [{key: getattr(condition, key) for key in FINDING_KEYS} for condition in findings],
        "comparisons": comparisons,
    }
    figures = to_jsonable_python(figures, fallback=lambda number: number.item())
    return dict(figures)
