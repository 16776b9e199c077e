"""Verification of an exported experiment. It makes everything anew from the record and compares it with the folder."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isclose
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from ...state.call_record import AGENT_PURPOSE, Call, sum_tokens
from ...state.count import count_ballots
from ...state.errors import InputError
from ...state.incident import Incident
from ...state.independent import IndependentSettings, compute_independent_answer
from ...state.positions import Position, RunAnswer, compute_answer
from ...state.settings import parse_settings
from ...state.voting import Poll
from ..export.export import format_csv
from ..saved import RUN_ENDS, SPENDING_KEYS, compute_digest, sum_spending
from .data import Document, ExperimentRun
from .export import (
    FIGURES_FILE,
    MANIFEST_FILE,
    PROGRESS_FILE,
    ExperimentArchive,
    build_archive_texts,
    build_experiment_tables,
    hash_files,
    make_word_path,
    read_archive,
)
from .failures import find_failure
from .planned_runs import build_condition_requests, plan_runs
from .seal import hash_text, list_models

TOLERANCE = 1e-9
"""Largest relative or absolute difference of two figures that count as equal."""


class Check(NamedTuple):
    """Check of one part of an export. `detail`: what was checked. `faults`: all differences."""

    name: str
    detail: str
    faults: Sequence[str]


@dataclass(frozen=True)
class PublishedHashes:
    """Hashes that were published elsewhere; empty if unknown."""

    seal: str = ""
    head: str = ""


def read_verified_archive(folder: Path) -> ExperimentArchive:
    """Read an exported experiment. If the folder does not verify, the experiment names the parts that differ."""
    archive = read_archive(folder)
    if archive.experiment.seal is None:
        return archive
    changed_parts = ", ".join(check.name for check in verify_folder(folder) if check.faults)
    return replace(archive, experiment=archive.experiment.model_copy(update={"altered": changed_parts}))


def verify_folder(folder: Path, published: PublishedHashes = PublishedHashes()) -> list[Check]:
    """Check every part of an export. Raises `InputError` for a folder that is no export."""
    if not (folder / PROGRESS_FILE).is_file():
        raise InputError("FOLDER", str(folder), "is no export of an experiment; `moot experiment export` makes one")
    checks = [_run_check("files", lambda: _check_files(folder))]
    try:
        archive = read_archive(folder)
    except InputError as error:
        return [*checks, Check("archive", "", [str(error)])]
    parts: dict[str, Callable[[], tuple[str, list[str]]]] = {
        "seal": lambda: _check_seal(archive, published.seal),
        "models": lambda: _check_models(archive),
        "runs": lambda: _check_runs(archive),
        "ledger": lambda: _check_ledger(archive, published.head),
        "answers": lambda: _check_answers(archive),
        "tables": lambda: _check_tables(folder, archive),
        "spending": lambda: _check_spending(archive),
        "findings": lambda: _check_findings(folder, archive),
        "times": lambda: _check_times(archive),
    }
    return [*checks, *(_run_check(name, check) for name, check in parts.items())]


def format_verdict(checks: Sequence[Check], published: PublishedHashes) -> str:
    """Format the verdict on an export."""
    if changed_parts := [check.name for check in checks if check.faults]:
        return f"changed: {', '.join(changed_parts)}"
    if published.head:
        return "as published"
    seal_text = "; the seal is as published" if published.seal else ""
    return f"consistent with itself{seal_text}. Without a published head hash, whoever holds the data could remake it."


def _run_check(name: str, check: Callable[[], tuple[str, list[str]]]) -> Check:
    try:
        return Check(name, *check())
    except (OSError, LookupError, TypeError, ValueError, AttributeError, InputError) as error:
        return Check(name, "", [f"cannot be read ({type(error).__name__}: {error})"])


def _check_files(folder: Path) -> tuple[str, list[str]]:
    if not (folder / MANIFEST_FILE).is_file():
        return "", [f"{MANIFEST_FILE} is missing"]
    manifest, hashes = json.loads((folder / MANIFEST_FILE).read_text("utf-8")), hash_files(folder)
    names = sorted(manifest.keys() | hashes.keys())
    return f"{len(hashes)} files", [f"{name} differs" for name in names if manifest.get(name) != hashes.get(name)]


def _check_seal(archive: ExperimentArchive, published_hash: str) -> tuple[str, list[str]]:
    seal, document = archive.experiment.seal, archive.plan.document
    if seal is None:
        return "the plan was not sealed", [f"there is none, and {published_hash} was published"] * bool(published_hash)
    items = document["items"][: seal["extendable"]["items"]]
    values = {
        "plan": compute_digest(document | seal["extendable"] | {"items": items}),
        "items": compute_digest(items),
        "registered": archive.plan.registered,
        "models": _list_planned_models(archive),
    }
    faults = [f"{key} is not as sealed" for key, value in values.items() if seal[key] != value]
    words = {make_word_path(path): text_hash for path, text_hash in seal["words"].items()}
    faults += _list_differences({path: hash_text(text) for path, text in archive.words.items()}, words)
    seal_hash = compute_digest(seal)
    if published_hash not in ("", seal_hash):
        faults.append(f"its hash is {seal_hash}, and {published_hash} was published")
    return f"plan, {len(items)} items, registration, models and {len(words)} texts; hash {seal_hash}", faults


def _list_planned_models(archive: ExperimentArchive) -> list[str]:
    plan = archive.plan
    return list_models(build_condition_requests(plan, plan_runs(plan), archive.experiment.model))


def _check_models(archive: ExperimentArchive) -> tuple[str, list[str]]:
    seal = archive.experiment.seal
    models = {"", *(seal["models"] if seal else _list_planned_models(archive))}
    calls = [
        (run, call)
        for run, document in _list_records(archive)
        for call in document["calls"]
        if call["purpose"] != AGENT_PURPOSE
    ]
    faults = {f"{run.planned.run} asked {call['model']}": 0 for run, call in calls if call["model"] not in models}
    return f"{len(calls)} calls", list(faults)


def _list_records(archive: ExperimentArchive) -> list[tuple[ExperimentRun, Document]]:
    return [(run, run.document) for run in archive.runs if run.document is not None]


def _check_runs(archive: ExperimentArchive) -> tuple[str, list[str]]:
    faults = [f"{run.planned.run} has no record" for run in archive.runs if run.is_done and run.document is None]
    for run, document in _list_records(archive):
        planned = run.planned
        values: dict[str, object] = {"experiment": archive.plan.name, "condition": planned.condition.label}
        values |= {"item": planned.item.id, "repeat": planned.repeat, "seed": planned.seed}
        faults += _list_differences({key: document[key] for key in values}, values, planned.run)
    return f"{len(archive.runs)} runs and their seeds, as the plan draws them", faults


def _check_ledger(archive: ExperimentArchive, published_hash: str) -> tuple[str, list[str]]:
    lines, experiment = archive.ledger, archive.experiment
    if not lines:
        return "", ["it is empty"]
    faults = ["line 1 is missing"] if lines[0].n != 1 or lines[0].prev else []
    faults += [
        f"line {after.n} does not follow line {before.n}"
        for before, after in pairwise(lines)
        if (after.n, after.prev) != (before.n + 1, before.hash)
    ]
    seals = [line.what for line in lines if line.kind == "sealed"]
    if seals != ([compute_digest(experiment.seal)] if experiment.seal else []):
        faults.append("the seal is not the one in the ledger")
    own_lines, run_lines = [line for line in lines if not line.run], {line.run: line for line in lines if line.run}
    if own_lines[-1].what != experiment.digest:
        faults.append("the plan or what is stored with it is not as in the ledger")
    faults += [f"{run} is not in the plan" for run in run_lines.keys() - {run.planned.run for run in archive.runs}]
    for run in archive.runs:
        line, progress = run_lines.get(run.planned.run), run.progress
        kind, what = "begun", ""
        if progress is not None and run.has_ended:
            kind, what = "ended" if run.is_done else "failed", progress.compute_digest(run.document)
        elif line and line.kind in RUN_ENDS and line.n < own_lines[-1].n:  # it goes on
            continue
        if (line.kind, line.what) != (kind, what) if line else progress is not None:
            faults.append(f"{run.planned.run} is not as it {line.kind if line else 'began'}")
    head_hash = lines[-1].hash
    if published_hash not in ("", head_hash):
        faults.append(f"its head hash is {head_hash}, and {published_hash} was published")
    return f"{len(lines)} lines; head hash {head_hash}", faults


def _check_answers(archive: ExperimentArchive) -> tuple[str, list[str]]:
    """Compute each run's answer from its positions and votes, and each count from its open ballots."""
    faults, records = list[str](), _list_records(archive)
    for run, document in records:
        state = _restore_state(document)
        settings, answer = state["settings"], state["answer"]
        if answer is not None and answer.by != "median":
            is_alone = isinstance(settings, IndependentSettings)
            computed = compute_independent_answer(state["positions"], settings) if is_alone else compute_answer(state)
            if computed != answer:
                recorded = "; ".join(answer.tied) or answer.answer
                expected = ("; ".join(computed.tied) or computed.answer) if computed else "nothing"
                faults.append(f"{run.planned.run} answered {recorded}, by its declarations and votes {expected}")
        voters = [participant["name"] for participant in document["participants"]]
        for poll in state["polls"]:
            if poll.tally and poll.ballots:
                tally = count_ballots(
                    poll.ballots,
                    poll.tally.rule,
                    options=list(poll.options),
                    voters=voters,
                    settings=settings.count_settings,
                )
                if tally != poll.tally:
                    faults.append(f"{run.planned.run}: vote {poll.number} is not as its ballots")
        if run.is_done and (failure := find_failure(state, archive.plan.has_comparisons)):
            faults.append(f"{run.planned.run} is done, and failed by its record: {failure}")
    return f"{len(records)} records, from declarations and ballots", faults


def _restore_state(document: Document) -> dict[str, Any]:
    """Restore the channels of a run that its answer and its failure follow from."""
    reason, settings = document["terminationReason"], parse_settings(document["settings"])
    has_answer = document.get("runAnswer") is not None
    polls = document.get("polls") or [] if hasattr(settings, "count_settings") or has_answer else []
    return {
        "settings": settings,
        "positions": [Position.model_validate(position) for position in document.get("positions") or []],
        "polls": [Poll.model_validate(poll) for poll in polls],
        "calls": _parse_calls(document),
        "incidents": [Incident.model_validate(incident) for incident in document["incidents"]],
        "history": [SimpleNamespace(turn=turn["turnNumber"], speaker=turn["speakerId"]) for turn in document["turns"]],
        "answer": RunAnswer.model_validate(document["runAnswer"]) if has_answer else None,
        "outcome": None if reason is None else SimpleNamespace(reason=reason),
    }


def _parse_calls(document: Document) -> list[Call]:
    return [Call.model_validate(call) for call in document["calls"]]


def _check_tables(folder: Path, archive: ExperimentArchive) -> tuple[str, list[str]]:
    """Compare the texts of the archive and all cells of the tables. The table of prompts is left out."""
    faults, cell_count = [], 0
    for name, text in build_archive_texts(archive).items():
        if not name.endswith(".yaml") and (folder / name).read_bytes() != text.encode("utf-8", "surrogateescape"):
            faults.append(f"{name} is not as its content")
    for name, table in build_experiment_tables(archive).items():
        rows = list(csv.DictReader(io.StringIO(format_csv(table), newline="")))
        exported_rows = list(csv.DictReader(io.StringIO((folder / f"{name}.csv").read_bytes().decode(), newline="")))
        cell_count += len(rows) * len(table.columns)
        if len(rows) != len(exported_rows):
            faults.append(f"{name}.csv has {len(exported_rows)} rows, made anew {len(rows)}")
        for number, (row, exported_row) in enumerate(zip(rows, exported_rows, strict=False), 1):
            faults += _list_differences(exported_row, row, f"{name}.csv, row {number},")
    return f"{cell_count} cells", faults


def _is_same_cell(first: str | None, second: str | None) -> bool:
    try:
        return first == second or isclose(float(first or ""), float(second or ""), rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    except ValueError:
        return False


def _check_spending(archive: ExperimentArchive) -> tuple[str, list[str]]:
    """Compare the totals of each run, and what counts for the experiment, with the calls on record."""
    faults = list[str]()
    for run, document in _list_records(archive):
        calls, prices = _parse_calls(document), parse_settings(document["settings"]).prices
        totals: dict[str, float | None] = {"totalCalls": len(calls), "totalTokens": sum_tokens(calls)}
        totals["totalCost"] = prices.compute_cost(calls) if prices else None
        faults += _list_differences({key: document[key] for key in totals}, totals, run.planned.run)
        if run.progress and run.has_ended and not run.planned.fork:  # a fork's record has its talk's calls too
            spending = sum_spending(calls, prices)
            if any(getattr(run.progress, key) < getattr(spending, key) - TOLERANCE for key in SPENDING_KEYS):
                faults.append(f"{run.planned.run} counts less than its calls")
    return "calls, tokens and cost of each run", faults


def _check_findings(folder: Path, archive: ExperimentArchive) -> tuple[str, list[str]]:
    try:
        from .figures import build_figures  # needs the extra `science`
    except InputError as error:
        return f"not checked; {error.remedy}", []
    if not (folder / FIGURES_FILE).is_file():
        return f"there is no {FIGURES_FILE}", []
    figures = json.loads(json.dumps(build_figures(archive.plan, archive.runs)))
    exported_figures = json.loads((folder / FIGURES_FILE).read_text("utf-8"))
    return "credit, spending and tests of each comparison", list(_list_differences(exported_figures, figures))


def _list_differences(exported: Any, expected: Any, path: str = "") -> Iterator[str]:
    """List the paths at which two plain values differ, with both values."""
    if isinstance(exported, Mapping) and isinstance(expected, Mapping):
        for key in sorted(exported.keys() | expected.keys()):
            yield from _list_differences(exported.get(key), expected.get(key), f"{path} {key}".strip())
    elif isinstance(exported, list) and isinstance(expected, list) and len(exported) == len(expected):
        for number, (first, second) in enumerate(zip(exported, expected, strict=True), 1):
            yield from _list_differences(first, second, f"{path} {number}")
    elif exported != expected and not _is_same_cell(str(exported), str(expected)):
        yield f"{path}: {exported}, made anew {expected}"


def _check_times(archive: ExperimentArchive) -> tuple[str, list[str]]:
    """Check that the seal is older than all that was said, and this than the end of its run."""
    lines, seal = archive.ledger, archive.experiment.seal
    faults = [
        f"line {after.n} of the ledger is older than line {before.n}"
        for before, after in pairwise(lines)
        if after.at < before.at
    ]
    ends = {line.run: line.at for line in lines if line.kind in RUN_ENDS}
    for run, document in _list_records(archive):
        times = [document["startedAt"], *(turn["timestamp"] for turn in document["turns"])]
        if seal and min(times) < seal["at"]:
            faults.append(f"{run.planned.run} is older than the seal")
        if run.has_ended and max(times) > ends.get(run.planned.run, ""):
            faults.append(f"{run.planned.run} was said after its end in the ledger")
    return "the seal, each statement and each line, in order", faults
