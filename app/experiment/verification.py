"""Verification of an exported experiment.

Moot recomputes everything from the record, and compares the results with the folder.
"""

import asyncio
import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import isclose
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from ...models import choose_spec
from ...nodes.outcome import is_rehearsed
from ...state import (
    AGENT_PURPOSE,
    ANSWER_PURPOSE,
    EMBEDDING_PURPOSE,
    SAMPLE_ARMS,
    Incident,
    IndependentSettings,
    InputError,
    Participant,
    Poll,
    Position,
    RunAnswer,
    compute_answer,
    compute_independent_answer,
    count_ballots,
    draw_sampled_participant,
    parse_settings,
    sum_tokens,
)
from ..export import PROMPT_COLUMNS, DataTable, TableRow, format_csv
from ..protocols.hooks import get_hooks
from ..run.rehearsal import rehearse_seating
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
from .planned_runs import SAMPLED_ARMS, build_talk_request
from .seal import hash_text, list_planned_models

RESOLVED_SETTINGS = (
    *("recipients", "record", "replay", "recording_id", "templates", "embeddings", "tool_definitions"),
    *("budget", "model"),
)
"""Settings that a run resolves or gets as it begins. Other checks cover models, templates and spending."""
TOLERANCE = 1e-9
"""Largest relative or absolute difference of two figures that count as equal."""


CheckResult = tuple[str, list[str]] | tuple[str, list[str], str]
"""Result of a check: its detail, its faults and, if any, its unchecked parts, as in `Check`."""


class Check(NamedTuple):
    """Check of one part of an export.

    `detail`: what was checked. `faults`: all differences. `unchecked`: what could not be checked, and why.
    """

    name: str
    detail: str
    faults: Sequence[str]
    unchecked: str = ""


def read_verified_archive(folder: Path) -> ExperimentArchive:
    """Read an exported experiment.

    The experiment's `altered` names the parts of the folder whose check found a fault.
    """
    archive = read_archive(folder)
    changed_parts = ", ".join(check.name for check in verify_folder(folder) if check.faults)
    return replace(archive, experiment=archive.experiment.model_copy(update={"altered": changed_parts}))


def verify_folder(folder: Path, seal_hash: str = "", head_hash: str = "") -> list[Check]:
    """Check every part of an export.

    `seal_hash`, `head_hash`: hashes that were published elsewhere; empty if unknown.
    Raises `InputError` for a folder that is no export, and for pipes or devices in it.
    """
    if not (folder / PROGRESS_FILE).is_file():
        raise InputError(
            "FOLDER", str(folder), "must be an export of an experiment; make one with `moot experiment export`"
        )
    if irregular_paths := [path for path in folder.rglob("*") if not (path.is_file() or path.is_dir())]:
        raise InputError("FOLDER", irregular_paths[0].name, "must be a regular file; take the folder as exported")
    checks = [_run_check("files", _verify_files, folder)]
    try:
        archive = read_archive(folder)
    except InputError as error:
        return [*checks, Check("archive", "", [str(error)])]
    parts: dict[str, tuple[Callable[..., CheckResult], Sequence[object]]] = {
        "seal": (_verify_seal, [archive, seal_hash]),
        "models": (_verify_models, [archive]),
        "runs": (_verify_runs, [archive]),
        "ledger": (_verify_ledger, [archive, head_hash]),
        "answers": (_verify_answers, [archive]),
        "tables": (_verify_tables, [archive, folder]),
        "totals": (_verify_totals, [archive]),
        "spending": (_verify_spending, [archive]),
        "findings": (_verify_findings, [archive, folder]),
        "times": (_verify_times, [archive]),
    }
    return [*checks, *(_run_check(name, check, *values) for name, (check, values) in parts.items())]


def format_verdict(checks: Sequence[Check], seal_hash: str, head_hash: str) -> str:
    """Return the verdict on an export as text, from its checks and the published hashes."""
    if changed_parts := [check.name for check in checks if check.faults]:
        return f"changed: {', '.join(changed_parts)}"
    text = "as published"
    if not head_hash:
        seal_text = "; the seal is as published" if seal_hash else ""
        text = (
            f"consistent with itself{seal_text}. Without a published head hash, anyone with the data could "
            "make such an export."
        )
    gaps = "; ".join(check.unchecked for check in checks if check.unchecked)
    return f"{text} NOT CHECKED: {gaps}." if gaps else text


def _run_check(name: str, check: Callable[..., CheckResult], *values: object) -> Check:
    try:
        return Check(name, *check(*values))
    except (OSError, LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, InputError) and error.key == "statistics":  # the package of the figures is missing
            return Check(name, "", [], f"{name} ({error.remedy})")
        return Check(name, "", [f"cannot be read ({type(error).__name__}: {error})"])


def _select_faults(faults: Mapping[str, object]) -> list[str]:
    return [text for text, is_there in faults.items() if is_there]


def _verify_files(folder: Path) -> CheckResult:
    if not (folder / MANIFEST_FILE).is_file():
        return "", [f"{MANIFEST_FILE} is missing"]
    manifest, hashes = json.loads((folder / MANIFEST_FILE).read_text("utf-8")), hash_files(folder)
    names = sorted(manifest.keys() | hashes.keys())
    return f"{len(hashes)} files", [f"{name} differs" for name in names if manifest.get(name) != hashes.get(name)]


def _verify_seal(archive: ExperimentArchive, published_hash: str) -> CheckResult:
    experiment, plan = archive.experiment, archive.plan
    seal, document, has_changed = experiment.seal, plan.document, plan.hash != experiment.hash
    if seal is None:
        faults = {
            f"there is no seal, but {published_hash} was published": published_hash,
            "the experiment started with another plan, without a recorded change": has_changed
            and not experiment.changes,
        }
        return "the plan was not sealed", _select_faults(faults)
    items, seal_hash = document["items"][: seal["extendable"]["items"]], compute_digest(seal)
    values = {
        "plan": compute_digest(document | seal["extendable"] | {"items": items}),
        "items": compute_digest(items),
        "registered": plan.registered,
        "models": list_planned_models(archive.plan, archive.experiment.model),
    }
    words = {make_word_path(path): text_hash for path, text_hash in seal["words"].items()}
    faults = {f"{key} differs from the seal": seal[key] != value for key, value in values.items()}
    faults |= {
        "the experiment started with another plan than the sealed one": experiment.hash != seal["plan"],
        "the plan was extended without a recorded change": plan.hash != seal["plan"] and not experiment.changes,
        f"the hash of the seal is {seal_hash}, but {published_hash} was published": published_hash
        not in ("", seal_hash),
    }
    hashes = {path: hash_text(text) for path, text in archive.words.items()}
    detail = f"plan, {len(items)} items, registration, models and {len(words)} texts; hash {seal_hash}"
    return detail, [*_select_faults(faults), *_list_differences(hashes, words)]


def _verify_models(archive: ExperimentArchive) -> CheckResult:
    seal = archive.experiment.seal
    models = {"", *(seal["models"] if seal else list_planned_models(archive.plan, archive.experiment.model))}
    faults, records = dict[str, bool](), _list_records(archive)
    for run, document in records:
        name, request = run.planned.run, build_talk_request(archive.plan, run.planned, archive.experiment.model)
        specs = {seat.name: choose_spec(request.settings, seat.name, seat.model) for seat in request.named_seats}
        for call in document["calls"]:
            is_known = call["model"] in models and specs.get(call["who"], call["model"]) == call["model"]
            if call["purpose"] not in (AGENT_PURPOSE, EMBEDDING_PURPOSE) and not is_known:
                faults[f"{name} asked {call['model']} for {call['who']}"] = True
        is_told = document["rehearsal"] == is_rehearsed(run.calls)
        faults[f"{name}: its calls do not say whether a model took part"] = not is_told
    return f"{sum(len(run.calls) for run, _ in records)} calls, each with the model of its participant", _select_faults(
        faults
    )


def _list_records(archive: ExperimentArchive) -> list[tuple[ExperimentRun, Document]]:
    return [(run, run.document) for run in archive.runs if run.document is not None]


def _verify_runs(archive: ExperimentArchive) -> CheckResult:
    faults = [f"{run.planned.run} has no record" for run in archive.runs if run.is_done and run.document is None]
    seats_by_talk = dict[str, list[Participant]]()
    for run, document in _list_records(archive):
        planned_run, settings = run.planned, document["settings"]
        request = build_talk_request(archive.plan, planned_run, archive.experiment.model)
        values: dict[str, object] = {
            "experiment": archive.plan.name,
            "condition": planned_run.condition.label,
            "item": planned_run.item.id,
            "repeat": planned_run.repeat,
            "seed": planned_run.seed,
        }
        faults += _list_stored_differences(document, values, planned_run.run)
        if request.topic and document["topic"] != request.topic:
            faults.append(f"{planned_run.run} was asked another question than planned")
        expected = request.settings.model_dump(mode="json")
        prices = {key: value for key, value in (expected.pop("prices") or {}).items() if value}
        if planned_run.arm and not planned_run.fork:
            expected = {"seed": planned_run.seed, "arm": "ballot" if planned_run.arm == "vote" else planned_run.arm}
            faults += _list_draw_faults(run, document)
        expected = {key: value for key, value in expected.items() if value is not None and key not in RESOLVED_SETTINGS}
        faults += _list_stored_differences(settings["prices"] or {}, prices, f"{planned_run.run} settings prices")
        faults += _list_stored_differences(settings, expected, f"{planned_run.run} settings")
        talk_name = planned_run.talk or planned_run.run
        if talk_name not in seats_by_talk:
            seats_by_talk[talk_name] = asyncio.run(rehearse_seating(request))
        seats = seats_by_talk[talk_name]
        texts = {seat.name: (seat.persona, seat.private) for seat in seats}
        known_texts = planned_run.item.informed or "\n\n".join(seat.private for seat in seats if seat.private)
        for seat in document["participants"]:
            persona, private = texts.get(seat["name"], ("", ""))
            private = known_texts if planned_run.arm == "informed" else private
            if (seat["persona"], seat["private"]) != (persona, private):
                faults.append(f"{planned_run.run}: {seat['name']} has another persona or private text than planned")
    return f"{len(archive.runs)} runs; their seeds, settings and draws follow the plan", faults


def _list_draw_faults(run: ExperimentRun, document: Document) -> list[str]:
    """List a run's missing samples, and samples answered by another participant than the drawn one."""
    settings = parse_settings(document["settings"])
    if not isinstance(settings, IndependentSettings) or settings.arm not in SAMPLE_ARMS:
        return []
    seats, answerers = [seat["name"] for seat in document["participants"]], dict[int, str]()
    for entry in [*document["calls"], *document["incidents"]]:
        answerers |= {entry["turn"]: entry["who"]} if entry["turn"] else {}
    last_turn, group_count = max(answerers, default=0), max(1, len(settings.sampled_groups))
    return [
        f"{run.planned.run}: sample {turn} differs from the draw"
        for turn in range(1, last_turn + 1)
        if not answerers.keys().isdisjoint(range(turn, last_turn + 1, group_count))
        and answerers.get(turn) != draw_sampled_participant(settings, seats, turn)
    ]


def _verify_ledger(archive: ExperimentArchive, published_hash: str) -> CheckResult:
    lines, experiment = archive.ledger, archive.experiment
    if not lines:
        return "", ["the ledger is empty"]
    own_lines, run_lines = [line for line in lines if not line.run], {line.run: line for line in lines if line.run}
    failed_runs = {line.run for line in lines if line.kind == "failed"}
    states = {line.what for line in own_lines if line.kind in ("begun", "changed")}
    unplanned_runs = run_lines.keys() - {run.planned.run for run in archive.runs}
    head_hash = lines[-1].hash
    faults: dict[str, object] = {"line 1 is missing": lines[0].n != 1 or lines[0].prev}
    for before, after in pairwise(lines):
        is_next = (after.n, after.prev) == (before.n + 1, before.hash)
        faults[f"line {after.n} does not continue line {before.n}"] = not is_next
    faults |= {
        "the seal differs from the one in the ledger": [line.what for line in lines if line.kind == "sealed"]
        != ([compute_digest(experiment.seal)] if experiment.seal else []),
        "the plan, or data stored with it, differs from the ledger": own_lines[-1].what != experiment.digest,
        "the ledger and the experiment differ about its closing": bool(experiment.closed)
        != any(line.kind == "closed" for line in own_lines),
        "the changes of the plan differ from the ledger": bool(experiment.changes) != (len(states) > 1),
        f"the head hash of the ledger is {head_hash}, but {published_hash} was published": published_hash
        not in ("", head_hash),
        **dict.fromkeys((f"{run} is not in the plan" for run in unplanned_runs), True),
    }
    for run in archive.runs:
        name, progress, line = run.planned.run, run.progress, run_lines.get(run.planned.run)
        has_failed = name in failed_runs
        has_other_past = run.has_ended and has_failed != bool(run.failure)
        faults[f"{name} has {'failed' if has_failed else 'never failed'} according to the ledger"] = has_other_past
        kind, what = "begun", ""
        if progress is not None and run.has_ended:
            kind, what = "ended" if run.is_done else "failed", progress.compute_digest(run.document)
        elif line and line.kind in RUN_ENDS and line.n < own_lines[-1].n:  # it goes on
            continue
        is_other = (line.kind, line.what) != (kind, what) if line else progress is not None
        faults[f"{name} differs from its record in the ledger"] = is_other
    return f"{len(lines)} lines; head hash {head_hash}", _select_faults(faults)


def _verify_answers(archive: ExperimentArchive) -> CheckResult:
    faults, records = list[str](), _list_records(archive)
    for run, document in records:
        name, state = run.planned.run, _restore_state(run, document)
        settings, answer, positions = state["settings"], state["answer"], state["positions"]
        voters = dict.fromkeys(participant["name"] for participant in document["participants"])
        faults += [f"{name}: {fault}" for fault in get_hooks(settings.protocol).record_faults(document)]
        if answer is not None and answer.by != "median":  # the protocol's own check finds a wrong median
            # a vote on members is none on answers
            own_polls = [poll for poll in state["polls"] if not voters.keys() >= poll.options.keys()]
            computed = compute_answer(state | {"polls": own_polls})
            if isinstance(settings, IndependentSettings):
                computed = compute_independent_answer(positions, settings)
            if computed != answer:
                recorded, expected = (
                    ("|".join(entry.tied) or entry.answer) if entry else "nothing" for entry in (answer, computed)
                )
                faults.append(f"{name} recorded the answer {recorded}, but its declarations and votes give {expected}")
        for poll in [poll for poll in state["polls"] if poll.tally and poll.ballots]:
            rules = {"options": list(poll.options), "voters": list(voters), "settings": settings.count_settings}
            if count_ballots(poll.ballots, poll.tally.rule, **rules) != poll.tally:
                faults.append(f"{name}: vote {poll.number} differs from its ballots")
        failure = find_failure(state, archive.plan.has_comparisons)
        attempts = run.progress.attempts if run.progress else 0
        counted_failure = run.state == "failed" and attempts == 1 and run.failure != "stopped"
        failed_count = sum((line.run, line.kind) == (name, "failed") for line in archive.ledger)
        has_caps = any(document["settings"]["budget"][key] for key in SPENDING_KEYS)
        own_faults = {
            f"{name} was cut short by its cap, but has no cap": document["terminationReason"] == CUT_REASON
            and not has_caps,
            f"{name} is done, but failed according to its record: {failure}": run.is_done and failure,
            f"{name} has {attempts} failed attempts, more than planned": attempts
            > archive.plan.attempts - 1 + failed_count,
            f"{name} has failed ({run.failure}), but according to its record: {failure or 'done'}": counted_failure
            and run.failure != failure,
        }
        faults += [*_list_call_faults(run, document), *_select_faults(own_faults)]
    return f"{len(records)} records, from declarations, estimates and ballots", faults


def _list_call_faults(run: ExperimentRun, document: Document) -> list[str]:
    """List the statements, positions and temperatures of a run that do not follow from its calls."""
    name, settings, faults = run.planned.run, document["settings"], dict[str, object]()
    is_alone = isinstance(parse_settings(settings), IndependentSettings)
    for seat in document["participants"]:
        own = settings["temperature"] if seat["temperature"] is None else seat["temperature"]
        fixed = settings.get("answer_temperature")
        answer = own if fixed is None else fixed
        temperatures = {"statement": {None, own, answer}, ANSWER_PURPOSE: {None, answer}}
        for call in [call for call in document["calls"] if call["who"] == seat["name"]]:
            sent = call["temperature_sent"]
            if sent not in temperatures.get(call["purpose"], {sent}):
                faults[f"{name}: {seat['name']} was asked at temperature {sent}"] = True
    calls = [call for call in document["calls"] if call["outcome"] == "ok"]
    if run.progress and run.progress.attempts:  # a retry keeps the calls of turns that it may not reach
        reached_turns = [turn["turnNumber"] for turn in document["turns"]]
        reached_turns += [entry["turn"] for entry in document["incidents"]]
        calls = [call for call in calls if call["turn"] <= max(reached_turns, default=0)]
    statement_keys, call_keys = (
        {(call["who"], call["turn"], call["round"]) for call in own_calls}
        for own_calls in ([call for call in calls if call["purpose"] == "statement"], calls)
    )
    names = {seat["name"] for seat in document["participants"]} - {entry["who"] for entry in document["incidents"]}
    speakers = [turn["speakerId"] for turn in document["turns"]], [who for who, *_ in statement_keys]
    spoken, due = (Counter(who for who in own_speakers if who in names) for own_speakers in speakers)
    is_whole = statement_keys and run.is_done and not run.planned.fork
    faults[f"{name}: its statements differ from those of its calls"] = is_whole and spoken != due
    last_turn = max((turn["turnNumber"] for turn in document["turns"]), default=0)
    declares = any(call["purpose"] == ANSWER_PURPOSE for call in calls)
    for position in document.get("positions") or [] if declares else []:
        who, when, turn, round = (position[key] for key in ("who", "when", "turn", "round"))
        is_first = (turn, round) == (0, 0)
        is_misplaced = is_first != (when == "before") or (when == "after" and turn < last_turn)
        if is_misplaced or ((who, turn, round) not in call_keys and not (is_alone and is_first)):
            faults[f"{name}: the position of {who} at turn {turn} follows from no call"] = True
    return _select_faults(faults)


def _restore_state(run: ExperimentRun, document: Document) -> dict[str, Any]:
    """Return the channels from which a run's answer and failure follow, rebuilt from its document."""
    reason, settings = document["terminationReason"], parse_settings(document["settings"])
    has_answer = document.get("runAnswer") is not None
    polls = document.get("polls") or [] if hasattr(settings, "count_settings") or has_answer else []
    return {
        "settings": settings,
        "positions": [Position.model_validate(position) for position in run.positions],
        "polls": [Poll.model_validate(poll) for poll in polls],
        "calls": run.calls,
        "incidents": [Incident.model_validate(incident) for incident in document["incidents"]],
        "history": [SimpleNamespace(turn=turn["turnNumber"], speaker=turn["speakerId"]) for turn in document["turns"]],
        "answer": RunAnswer.model_validate(document["runAnswer"]) if has_answer else None,
        "outcome": None if reason is None else SimpleNamespace(reason=reason),
    }


def _verify_tables(archive: ExperimentArchive, folder: Path) -> CheckResult:
    """Compare the tables and texts of an export with those recomputed from its record.

    The words of prompts are not checked, because only recordings contain them.
    """
    tables, gaps = build_experiment_tables(archive), list[str]()
    faults, described_tables = list[str](), dict(tables)
    if (folder / "prompts.csv").is_file():
        gaps.append("the words of prompts (checked only by the manifest)")
        numbers = ("request", "turn", "round", "attempt", "message")
        prompt_rows: list[TableRow] = [
            {key: int(text) if key in numbers else text for key, text in row.items()}
            for row in _read_csv(folder / "prompts.csv")
        ]
        described_tables["prompts"] = DataTable(PROMPT_COLUMNS, prompt_rows)
        keys = ("run", "purpose", "who", "turn", "round")
        calls, prompts = (
            dict.fromkeys(tuple(row[key] for key in keys) for row in described_tables[name].rows)
            for name in ("calls", "prompts")
        )
        faults += [f"prompts.csv: {prompt[0]} made no such call" for prompt in prompts if prompt not in calls]
    texts = build_archive_texts(archive) | build_descriptions(archive, described_tables)
    parquet_files, parquet_tables = sorted(folder.glob("*.parquet")), build_parquet_tables(tables)
    known_names = {*texts, *parquet_tables, *(f"{name}.csv" for name in described_tables), FIGURES_FILE}
    known_names |= {"prompts.parquet"} if parquet_tables else {path.name for path in parquet_files}
    faults += [f"{name} is not a file of an export" for name in sorted(hash_files(folder).keys() - known_names)]
    if parquet_files and not parquet_tables:
        gaps.append('Parquet files (checked only by the manifest; to read them: pip install "moot[data]")')
    for path in [path for path in parquet_files if path.name in parquet_tables]:
        faults += _list_differences(read_parquet(path), parquet_tables[path.name].to_pylist(), path.name)
    faults += [
        f"{name} differs from its content in the manifest"
        for name, text in texts.items()
        if (folder / name).read_bytes() != text.encode("utf-8", "surrogateescape")
    ]
    for name, table in tables.items():
        rows, exported_rows = _parse_csv(format_csv(table)), _read_csv(folder / f"{name}.csv")
        if len(rows) != len(exported_rows):
            faults.append(f"{name}.csv has {len(exported_rows)} rows, recomputed {len(rows)}")
        for number, (row, exported_row) in enumerate(zip(rows, exported_rows, strict=False), 1):
            faults += _list_differences(exported_row, row, f"{name}.csv, row {number},")
    cell_count = sum(len(table.rows) * len(table.columns) for table in tables.values())
    return (
        f"{cell_count} cells, the codebook, the README and {len(parquet_files)} Parquet files",
        faults,
        "; ".join(gaps),
    )


def _read_csv(path: Path) -> list[dict[str, str]]:
    return _parse_csv(path.read_bytes().decode())


def _parse_csv(text: str) -> list[dict[str, str]]:
    csv.field_size_limit(max(len(text), csv.field_size_limit()))  # a statement may be longer than the default
    return list(csv.DictReader(io.StringIO(text, newline="")))


def _is_same_cell(first: str | None, second: str | None) -> bool:
    if (first or "").lstrip("-").isdigit() and (second or "").lstrip("-").isdigit():
        return first == second  # such as seeds, which are exact
    try:
        return first == second or isclose(float(first or ""), float(second or ""), rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    except ValueError:
        return False


def _verify_spending(archive: ExperimentArchive) -> CheckResult:
    faults = list[str]()
    talks = {run.planned.run: run.document for run in archive.runs if run.is_done and not run.failure}
    for run, document in _list_records(archive):
        name, calls, prices = run.planned.run, run.calls, parse_settings(document["settings"]).prices
        totals = {
            "totalCalls": len(calls),
            "totalTokens": sum_tokens(calls),
            "totalCost": prices.compute_cost(calls) if prices else None,
        }
        faults += _list_stored_differences(document, totals, name)
        spending, progress = sum_spending(calls, prices), run.progress
        if progress and run.has_ended and not run.planned.fork:  # a fork's record has its talk's calls too
            is_less = any(getattr(progress, key) < getattr(spending, key) - TOLERANCE for key in SPENDING_KEYS)
            faults += [f"{name} counts less spending than its calls"] * is_less
        talk = talks.get(run.planned.talk)
        if run.planned.arm in SAMPLED_ARMS and talk and talk["terminationReason"]:
            matched = {"talk_calls": "totalCalls", "talk_tokens": "totalTokens", "talk_cost": "totalCost"}
            expected = {setting: talk[key] for setting, key in matched.items()}
            faults += _list_stored_differences(document["settings"], expected, f"{name} matches")
    return "calls, tokens and cost of each run; the cost that samples must reach", faults


def _verify_totals(archive: ExperimentArchive) -> CheckResult:
    status, faults = archive.status, list[str]()
    is_settled = all(remark.state == "failed" for remark in status.remarks)  # else more was spent than these runs say
    for key in SPENDING_KEYS:
        total, amount = getattr(status, key), sum(getattr(run.progress, key) for run in archive.runs if run.progress)
        if total < amount - TOLERANCE or (is_settled and not isclose(total, amount, rel_tol=TOLERANCE)):
            faults.append(f"{key}: the experiment has {total}, but its runs have {amount} together")
    faults += _list_stored_differences(
        status.model_dump(mode="json"),
        {"hash": archive.plan.hash, "cap": archive.plan.cap.model_dump(mode="json")},
    )
    for condition in status.conditions:
        states = Counter(run.state for run in archive.runs if run.planned.condition.label == condition.condition)
        counts = {"planned": states.total(), "done": states["done"], "failed": states["failed"]}
        faults += _list_stored_differences(condition.model_dump(), counts, condition.condition)
    return "the experiment's totals", faults


def _verify_findings(archive: ExperimentArchive, folder: Path) -> CheckResult:
    if not (folder / FIGURES_FILE).is_file():
        return "", [f"{FIGURES_FILE} is missing; `moot experiment export` writes it where moot[science] is installed"]
    from .arms.findings import build_figures  # needs the extra `science`

    figures = json.loads(json.dumps(build_figures(archive.plan, archive.runs)))
    exported_figures = json.loads((folder / FIGURES_FILE).read_text("utf-8"))
    return "figures of each comparison: right answers, spending, tests", list(
        _list_differences(exported_figures, figures)
    )


def _list_stored_differences(stored: Mapping[str, Any], expected: Mapping[str, object], path: str = "") -> list[str]:
    return list(_list_differences({key: stored[key] for key in expected}, expected, path))


def _list_differences(exported: Any, expected: Any, path: str = "") -> Iterator[str]:
    if isinstance(exported, Mapping) and isinstance(expected, Mapping):
        for key in sorted(exported.keys() | expected.keys()):
            yield from _list_differences(exported.get(key), expected.get(key), f"{path} {key}".strip())
    elif isinstance(exported, list) and isinstance(expected, list) and len(exported) == len(expected):
        for number, (first, second) in enumerate(zip(exported, expected, strict=True), 1):
            yield from _list_differences(first, second, f"{path} {number}")
    elif exported != expected and not _is_same_cell(str(exported), str(expected)):
        yield f"{path}: {exported}, recomputed {expected}"


def _verify_times(archive: ExperimentArchive) -> CheckResult:
    lines, seal = archive.ledger, archive.experiment.seal
    begins = {line.run: line.at for line in reversed(lines) if line.kind == "begun"}
    ends = {line.run: line.at for line in lines if line.kind in RUN_ENDS}
    started = next(line.at for line in lines if line.kind == "begun")
    faults: dict[str, object] = {}
    for before, after in pairwise(lines):
        faults[f"line {after.n} of the ledger is older than line {before.n}"] = after.at < before.at
    is_late = seal and not seal["at"] <= archive.experiment.started <= started
    faults["the experiment did not start between its seal and the first line of the ledger"] = is_late
    for run, document in _list_records(archive):
        name, times = run.planned.run, [document["startedAt"], *(turn["timestamp"] for turn in document["turns"])]
        faults |= {
            f"{name} is older than the seal": seal and min(times) < seal["at"],
            f"{name} has a statement from before its start in the ledger": not run.planned.fork
            and min(times) < begins.get(name, ""),
            f"{name} has a statement from after its end in the ledger": run.has_ended
            and max(times) > ends.get(name, ""),
        }
    return "the seal, each statement and each line, in order", _select_faults(faults)
