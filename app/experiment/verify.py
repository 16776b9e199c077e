"""Verification of an exported experiment.

It recomputes everything from the record and compares it with the folder.
"""

import asyncio
import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isclose
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from ...models import choose_spec
from ...nodes.outcome import is_rehearsed
from ...state import (
    AGENT_PURPOSE,
    EMBEDDING_PURPOSE,
    Call,
    Incident,
    InputError,
    Participant,
    parse_settings,
    sum_tokens,
)
from ...state.count import count_ballots
from ...state.independent import (
    ANSWER_PURPOSE,
    SAMPLE_ARMS,
    IndependentSettings,
    compute_independent_answer,
    draw_sampled,
)
from ...state.positions import Position, RunAnswer, compute_answer
from ...state.voting import Poll
from ..export.export import format_csv
from ..export.prompts import PROMPT_COLUMNS
from ..export.run_rows import DataTable
from ..protocols.hooks import get_hooks
from ..run.rehearsal import assign_seats
from ..saved import RUN_ENDS, SPENDING_KEYS, compute_digest, sum_spending
from .data import Document, ExperimentRun
from .export import (
    FIGURES_FILE,
    MANIFEST_FILE,
    PROGRESS_FILE,
    ExperimentArchive,
    build_archive_texts,
    build_descriptions,
    build_experiment_tables,
    build_parquet_tables,
    hash_files,
    make_word_path,
    read_archive,
    read_parquet,
)
from .failures import CUT_REASON, find_failure
from .planned_runs import SAMPLED_ARMS, build_condition_requests, build_talk_request, plan_runs
from .seal import hash_text, list_models

RESOLVED_SETTINGS = (
    *("recipients", "record", "replay", "recording_id", "templates", "embeddings", "tool_definitions"),
    *("budget", "model"),
)
"""Settings that a run resolves or gets as it begins. Other checks cover models, templates and spending."""
TOLERANCE = 1e-9
"""Largest relative or absolute difference of two figures that count as equal."""


CheckResult = tuple[str, list[str]] | tuple[str, list[str], str]
"""What was checked, all differences, and what could not be checked."""


class Check(NamedTuple):
    """Check of one part of an export.

    `detail`: what was checked. `faults`: all differences. `unchecked`: what could not be checked, and why.
    """

    name: str
    detail: str
    faults: Sequence[str]
    unchecked: str = ""


@dataclass(frozen=True)
class PublishedHashes:
    """Hashes that were published elsewhere; empty if unknown."""

    seal: str = ""
    head: str = ""


def read_verified_archive(folder: Path) -> ExperimentArchive:
    """Read an exported experiment.

    If the folder does not verify, the experiment names the parts that differ.
    """
    archive = read_archive(folder)
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
    parts: dict[str, Callable[[], CheckResult]] = {
        "seal": lambda: _check_seal(archive, published.seal),
        "models": lambda: _check_models(archive),
        "runs": lambda: _check_runs(archive),
        "ledger": lambda: _check_ledger(archive, published.head),
        "answers": lambda: _check_answers(archive),
        "tables": lambda: _check_tables(folder, archive),
        "totals": lambda: _check_totals(archive),
        "spending": lambda: _check_spending(archive),
        "findings": lambda: _check_findings(folder, archive),
        "times": lambda: _check_times(archive),
    }
    return [*checks, *(_run_check(name, check) for name, check in parts.items())]


def format_verdict(checks: Sequence[Check], published: PublishedHashes) -> str:
    """Format the verdict on an export."""
    if changed_parts := [check.name for check in checks if check.faults]:
        return f"changed: {', '.join(changed_parts)}"
    text = "as published"
    if not published.head:
        seal_text = "; the seal is as published" if published.seal else ""
        text = f"consistent with itself{seal_text}. "
        text += "Without a published head hash, anyone with the data could rebuild it."
    gaps = "; ".join(check.unchecked for check in checks if check.unchecked)
    return f"{text} NOT CHECKED: {gaps}." if gaps else text


def _run_check(name: str, check: Callable[[], CheckResult]) -> Check:
    try:
        return Check(name, *check())
    except (OSError, LookupError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, InputError) and error.key == "statistics":  # the package of the figures is missing
            return Check(name, "", [], f"{name} ({error.remedy})")
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
        faults = [f"there is none, and {published_hash} was published"] * bool(published_hash)
        if archive.plan.hash != archive.experiment.hash and not archive.experiment.changes:
            faults.append("it started with another plan, without a recorded change")
        return "the plan was not sealed", faults
    items = document["items"][: seal["extendable"]["items"]]
    values = {
        "plan": compute_digest(document | seal["extendable"] | {"items": items}),
        "items": compute_digest(items),
        "registered": archive.plan.registered,
        "models": _list_planned_models(archive),
    }
    faults = [f"{key} is not as sealed" for key, value in values.items() if seal[key] != value]
    if archive.experiment.hash != seal["plan"]:
        faults.append("it started with another plan than the sealed one")
    if archive.plan.hash != seal["plan"] and not archive.experiment.changes:
        faults.append("the plan was extended without a recorded change")
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
    faults, call_count = dict[str, None](), 0
    for run, document in _list_records(archive):
        request = build_talk_request(archive.plan, run.planned, archive.experiment.model)
        specs = {seat.name: choose_spec(request.settings, seat.name, seat.model) for seat in request.named_seats}
        for call in document["calls"]:
            call_count += 1
            is_known = call["model"] in models and specs.get(call["who"], call["model"]) == call["model"]
            if call["purpose"] not in (AGENT_PURPOSE, EMBEDDING_PURPOSE) and not is_known:
                faults[f"{run.planned.run} asked {call['model']} for {call['who']}"] = None
        if document["rehearsal"] != is_rehearsed(_parse_calls(document)):
            faults[f"{run.planned.run}: its calls do not say whether a model took part"] = None
    return f"{call_count} calls, each of its participant's model", list(faults)


def _list_records(archive: ExperimentArchive) -> list[tuple[ExperimentRun, Document]]:
    return [(run, run.document) for run in archive.runs if run.document is not None]


def _check_runs(archive: ExperimentArchive) -> tuple[str, list[str]]:
    faults = [f"{run.planned.run} has no record" for run in archive.runs if run.is_done and run.document is None]
    seats_by_talk = dict[str, list[Participant]]()
    for run, document in _list_records(archive):
        planned = run.planned
        values: dict[str, object] = {"experiment": archive.plan.name, "condition": planned.condition.label}
        values |= {"item": planned.item.id, "repeat": planned.repeat, "seed": planned.seed}
        faults += _list_differences({key: document[key] for key in values}, values, planned.run)
        request = build_talk_request(archive.plan, planned, archive.experiment.model)
        if request.topic and document["topic"] != request.topic:
            faults.append(f"{planned.run} was asked something else")
        settings, expected = document["settings"], request.settings.model_dump(mode="json")
        prices = {key: value for key, value in (expected.pop("prices") or {}).items() if value}
        faults += _list_differences(
            {key: settings["prices"][key] for key in prices}, prices, f"{planned.run} settings prices"
        )
        talk_name = planned.talk or planned.run
        if talk_name not in seats_by_talk:
            seats_by_talk[talk_name] = asyncio.run(assign_seats(request))
        faults += _list_seat_faults(run, document, seats_by_talk[talk_name])
        if planned.arm and not planned.fork:
            expected = {"seed": planned.seed, "arm": "ballot" if planned.arm == "vote" else planned.arm}
            faults += _list_draw_faults(run, document)
        expected = {key: value for key, value in expected.items() if value is not None and key not in RESOLVED_SETTINGS}
        faults += _list_differences({key: settings[key] for key in expected}, expected, f"{planned.run} settings")
    return f"{len(archive.runs)} runs with seeds, settings and draws, as the plan has them", faults


def _list_seat_faults(run: ExperimentRun, document: Document, seats: Sequence[Participant]) -> list[str]:
    """List the participants of a run whose persona or private text the plan does not give them."""
    known_texts = "\n\n".join(seat.private for seat in seats if seat.private)
    texts = {seat.name: (seat.persona, seat.private) for seat in seats}
    faults = []
    for participant in document["participants"]:
        persona, private = texts.get(participant["name"], ("", ""))
        if run.planned.arm == "informed":
            private = run.planned.item.informed or known_texts
        if (participant["persona"], participant["private"]) != (persona, private):
            faults.append(f"{run.planned.run}: {participant['name']} has another persona or private text than planned")
    return faults


def _list_draw_faults(run: ExperimentRun, document: Document) -> list[str]:
    """List the samples of a run that are missing, or that another participant answered than the one drawn."""
    settings, calls = parse_settings(document["settings"]), _parse_calls(document)
    if not isinstance(settings, IndependentSettings) or settings.arm not in SAMPLE_ARMS:
        return []
    seats, drawn = [seat["name"] for seat in document["participants"]], {call.turn: call.who for call in calls}
    drawn |= {entry["turn"]: entry["who"] for entry in document["incidents"] if entry["turn"]}
    group_count, faults = max(1, len(settings.sampled_groups)), list[str]()
    for turn in range(1, max(drawn, default=0) + 1):
        later_turns = range(turn, max(drawn) + 1, group_count)
        if any(later in drawn for later in later_turns) and drawn.get(turn) != draw_sampled(settings, seats, turn):
            faults.append(f"{run.planned.run}: sample {turn} is not as drawn")
    return faults


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
        has_failed = any(line.run == run.planned.run and line.kind == "failed" for line in lines)
        if run.has_ended and has_failed != bool(run.failure):
            faults.append(f"{run.planned.run} has {'failed' if has_failed else 'never failed'} by the ledger")
    if bool(experiment.closed) != any(line.kind == "closed" for line in own_lines):
        faults.append("whether it was closed is not as in the ledger")
    states = [line.what for line in own_lines if line.kind in ("begun", "changed")]
    if bool(experiment.changes) != (len(set(states)) > 1):
        faults.append("its changes are not as in the ledger")
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
        voters = dict.fromkeys(participant["name"] for participant in document["participants"])
        faults += [f"{run.planned.run}: {fault}" for fault in get_hooks(settings.protocol).record_faults(document)]
        if answer is not None and answer.by != "median":  # the protocol's own check finds a wrong median
            # a vote on members is none on answers
            own_polls = [poll for poll in state["polls"] if not voters.keys() >= poll.options.keys()]
            is_alone = isinstance(settings, IndependentSettings)
            positions, answer_state = state["positions"], state | {"polls": own_polls}
            computed = compute_independent_answer(positions, settings) if is_alone else compute_answer(answer_state)
            if computed != answer:
                recorded = "; ".join(answer.tied) or answer.answer
                expected = ("; ".join(computed.tied) or computed.answer) if computed else "nothing"
                faults.append(f"{run.planned.run} answered {recorded}, by its declarations and votes {expected}")
        for poll in state["polls"]:
            if poll.tally and poll.ballots:
                tally = count_ballots(
                    poll.ballots,
                    poll.tally.rule,
                    options=list(poll.options),
                    voters=list(voters),
                    settings=settings.count_settings,
                )
                if tally != poll.tally:
                    faults.append(f"{run.planned.run}: vote {poll.number} is not as its ballots")
        faults += _list_call_faults(run, document)
        failure = find_failure(state, archive.plan.has_comparisons)
        if run.is_done and failure:
            faults.append(f"{run.planned.run} is done, and failed by its record: {failure}")
        attempts, is_closed = run.progress.attempts if run.progress else 0, run.failure == "stopped"
        lines = [line for line in archive.ledger if (line.run, line.kind) == (run.planned.run, "failed")]
        if attempts > archive.plan.attempts - 1 + len(lines):
            faults.append(f"{run.planned.run} has {attempts} failed attempts, more than planned")
        if run.state == "failed" and attempts == 1 and run.failure != failure and not is_closed:
            faults.append(f"{run.planned.run} has failed ({run.failure}), by its record: {failure or 'it is done'}")
    return f"{len(records)} records, from declarations, estimates and ballots", faults


def _list_call_faults(run: ExperimentRun, document: Document) -> list[str]:
    """List the statements and positions of a run, and its end, that do not follow from its calls."""
    name, settings = run.planned.run, document["settings"]
    is_alone = isinstance(parse_settings(settings), IndependentSettings)
    calls, names = [call for call in document["calls"] if call["outcome"] == "ok"], set[str]()
    answer_temperature, faults = settings.get("answer_temperature"), list[str]()
    for seat in document["participants"]:
        names.add(seat["name"])
        own = settings["temperature"] if seat["temperature"] is None else seat["temperature"]
        answer = own if answer_temperature is None else answer_temperature
        temperatures = {"statement": {None, own, answer}, ANSWER_PURPOSE: {None, answer}}
        for call in document["calls"]:
            sent = call["temperature_sent"]
            if call["who"] == seat["name"] and sent not in temperatures.get(call["purpose"], {sent}):
                faults.append(f"{name}: {seat['name']} was asked at temperature {sent}")
    asked = {(call["who"], call["turn"], call["round"]) for call in calls if call["purpose"] == "statement"}
    missed = {incident["who"] for incident in document["incidents"]}
    spoken, due = (
        Counter(who for who in speakers if who in names and who not in missed)
        for speakers in ([turn["speakerId"] for turn in document["turns"]], [who for who, *_ in asked])
    )
    if asked and run.is_done and not run.planned.fork and spoken != due:
        faults.append(f"{name}: its statements are not those of its calls")
    answered = {(call["who"], call["turn"], call["round"]) for call in calls}
    last_turn = max((turn["turnNumber"] for turn in document["turns"]), default=0)
    declares = any(call["purpose"] == ANSWER_PURPOSE for call in calls)
    for position in document.get("positions") or [] if declares else []:
        who, when, turn, round = (position[key] for key in ("who", "when", "turn", "round"))
        is_first = (turn, round) == (0, 0)
        is_misplaced = is_first != (when == "before") or (when == "after" and turn < last_turn)
        if is_misplaced or ((who, turn, round) not in answered and not (is_alone and is_first)):
            faults.append(f"{name}: the position of {who} at turn {turn} follows from no call")
    if document["terminationReason"] == CUT_REASON and not any(settings["budget"][key] for key in SPENDING_KEYS):
        faults.append(f"{name} was cut by its cap and has none")
    return faults


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


def _check_tables(folder: Path, archive: ExperimentArchive) -> CheckResult:
    """Compare every cell of every table, and every text. The prompts' words are in recordings alone."""
    faults, cell_count, gaps, tables = list[str](), 0, list[str](), build_experiment_tables(archive)
    described_tables = dict(tables)
    if (folder / "prompts.csv").is_file():
        gaps.append("the words of prompts (the manifest alone holds them)")
        described_tables["prompts"] = _read_prompts(folder)
        keys = ("run", "purpose", "who", "turn", "round")
        calls = {tuple(call[key] for key in keys) for call in tables["calls"].rows}
        for row in described_tables["prompts"].rows:
            if tuple(row[key] for key in keys) not in calls:
                faults.append(f"prompts.csv: {row['run']} made no such call")
    texts = build_archive_texts(archive) | build_descriptions(archive, described_tables)
    parquet_files, parquet_tables = sorted(folder.glob("*.parquet")), build_parquet_tables(tables)
    known_names = {*texts, *parquet_tables, *(f"{name}.csv" for name in described_tables), FIGURES_FILE}
    known_names |= {"prompts.parquet"} if parquet_tables else {path.name for path in parquet_files}
    faults += [f"{name} is no file of an export" for name in sorted(hash_files(folder).keys() - known_names)]
    if parquet_files and not parquet_tables:
        gaps.append('Parquet files (the manifest alone holds them; pip install "moot[data]")')
    for path in [path for path in parquet_files if path.name in parquet_tables]:
        faults += _list_differences(read_parquet(path), parquet_tables[path.name].to_pylist(), path.name)
    for name, text in texts.items():
        if (folder / name).read_bytes() != text.encode("utf-8", "surrogateescape"):
            faults.append(f"{name} is not as its content")
    for name, table in tables.items():
        rows = list(csv.DictReader(io.StringIO(format_csv(table), newline="")))
        exported_rows = list(csv.DictReader(io.StringIO((folder / f"{name}.csv").read_bytes().decode(), newline="")))
        cell_count += len(rows) * len(table.columns)
        if len(rows) != len(exported_rows):
            faults.append(f"{name}.csv has {len(exported_rows)} rows, recomputed {len(rows)}")
        for number, (row, exported_row) in enumerate(zip(rows, exported_rows, strict=False), 1):
            faults += _list_differences(exported_row, row, f"{name}.csv, row {number},")
    return (
        f"{cell_count} cells, the codebook, the README and {len(parquet_files)} Parquet files",
        faults,
        "; ".join(gaps),
    )


def _read_prompts(folder: Path) -> DataTable:
    """Read the exported prompts, with numbers where the table has them."""
    rows = list(csv.DictReader(io.StringIO((folder / "prompts.csv").read_bytes().decode(), newline="")))
    numbers = ("request", "turn", "round", "attempt", "message")
    return DataTable(
        PROMPT_COLUMNS, [{key: int(text) if key in numbers else text for key, text in row.items()} for row in rows]
    )


def _is_same_cell(first: str | None, second: str | None) -> bool:
    if (first or "").lstrip("-").isdigit() and (second or "").lstrip("-").isdigit():
        return first == second  # such as seeds, which are exact
    try:
        return first == second or isclose(float(first or ""), float(second or ""), rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    except ValueError:
        return False


def _check_spending(archive: ExperimentArchive) -> tuple[str, list[str]]:
    """Compare the totals of each run, and what counts for the experiment, with the recorded calls."""
    faults = list[str]()
    talks = {run.planned.run: run.document for run in archive.runs if run.is_done and not run.failure}
    for run, document in _list_records(archive):
        calls, prices = _parse_calls(document), parse_settings(document["settings"]).prices
        totals: dict[str, float | None] = {"totalCalls": len(calls), "totalTokens": sum_tokens(calls)}
        totals["totalCost"] = prices.compute_cost(calls) if prices else None
        faults += _list_differences({key: document[key] for key in totals}, totals, run.planned.run)
        if run.progress and run.has_ended and not run.planned.fork:  # a fork's record has its talk's calls too
            spending = sum_spending(calls, prices)
            if any(getattr(run.progress, key) < getattr(spending, key) - TOLERANCE for key in SPENDING_KEYS):
                faults.append(f"{run.planned.run} counts less than its calls")
        talk = talks.get(run.planned.talk)
        if run.planned.arm in SAMPLED_ARMS and talk and talk["terminationReason"]:
            matched = {"totalCalls": "talk_calls", "totalTokens": "talk_tokens", "totalCost": "talk_cost"}
            spent = {setting: talk[key] for key, setting in matched.items()}
            target = {setting: document["settings"][setting] for setting in spent}
            faults += _list_differences(target, spent, f"{run.planned.run} matches")
    return "calls, tokens and cost of each run, and what samples match", faults


def _check_totals(archive: ExperimentArchive) -> tuple[str, list[str]]:
    """Compare the experiment's totals, and the states of its runs by condition, with its runs."""
    status, faults = archive.status, list[str]()
    is_settled = all(remark.state == "failed" for remark in status.remarks)  # else more was spent than these runs say
    for key in SPENDING_KEYS:
        total, amount = getattr(status, key), sum(getattr(run.progress, key) for run in archive.runs if run.progress)
        if total < amount - TOLERANCE or (is_settled and not isclose(total, amount, rel_tol=TOLERANCE)):
            faults.append(f"{key}: {total}, its runs together {amount}")
    planned = {"hash": archive.plan.hash, "cap": archive.plan.cap.model_dump(mode="json")}
    faults += _list_differences({"hash": status.hash, "cap": status.cap.model_dump(mode="json")}, planned)
    for condition in status.conditions:
        states = Counter(run.state for run in archive.runs if run.planned.condition.label == condition.condition)
        counts = {"planned": states.total(), "done": states["done"], "failed": states["failed"]}
        faults += _list_differences({key: getattr(condition, key) for key in counts}, counts, condition.condition)
    return "the experiment's totals", faults


def _check_findings(folder: Path, archive: ExperimentArchive) -> tuple[str, list[str]]:
    if not (folder / FIGURES_FILE).is_file():
        return "", [f"{FIGURES_FILE} is missing; `moot experiment export` writes it where moot[science] is installed"]
    from .figures import build_figures  # needs the extra `science`

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
        yield f"{path}: {exported}, recomputed {expected}"


def _check_times(archive: ExperimentArchive) -> tuple[str, list[str]]:
    """Check that the seal is older than all that was said, and this than the end of its run."""
    lines, seal = archive.ledger, archive.experiment.seal
    faults = [
        f"line {after.n} of the ledger is older than line {before.n}"
        for before, after in pairwise(lines)
        if after.at < before.at
    ]
    started = [line.at for line in lines if line.kind == "begun"]
    if seal and not seal["at"] <= archive.experiment.started <= started[0]:
        faults.append("it did not begin between its seal and the ledger's first line")
    begins = {line.run: line.at for line in reversed(lines) if line.kind == "begun"}
    ends = {line.run: line.at for line in lines if line.kind in RUN_ENDS}
    for run, document in _list_records(archive):
        times = [document["startedAt"], *(turn["timestamp"] for turn in document["turns"])]
        if seal and min(times) < seal["at"]:
            faults.append(f"{run.planned.run} is older than the seal")
        if not run.planned.fork and min(times) < begins.get(run.planned.run, ""):
            faults.append(f"{run.planned.run} was said before its begin in the ledger")
        if run.has_ended and max(times) > ends.get(run.planned.run, ""):
            faults.append(f"{run.planned.run} was said after its end in the ledger")
    return "the seal, each statement and each line, in order", faults
