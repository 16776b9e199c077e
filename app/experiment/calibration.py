"""Calibration of a stopping rule on complete runs of one condition, one for each item.

The threshold is the laxest one at which few decisions differ from complete deliberations. The method is Learn then Test
(Angelopoulos, Bates, Candès, Jordan & Lei 2021, arXiv:2110.01052) with one fixed sequence of tests. Thresholds λ go
from strict to lax, each with p_λ = P[Bin(n, δ) ≤ losses], while p_λ ≤ ε. The guarantee holds with probability 1 − ε
over calibration sets. It says: at most a share δ of runs on new items from the same source end with another decision.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from ...models import list_seat_models
from ...state import (
    CalibratedStop,
    InputError,
    Participant,
    Position,
    PositionSettings,
    StopSignal,
    build_answer_format,
    compute_score,
    extract_stop_settings,
    get_decision,
    group_by_moment,
    list_differences,
    make_rng,
    parse_settings,
    replace_near_decisions,
)
from .data import Document, ExperimentRun
from .plan import Plan

THRESHOLDS = [percent / 100 for percent in range(100, 49, -1)]
"""Candidate thresholds, from strict to lax."""


@dataclass(frozen=True)
class CalibrationRun:
    """Complete run on one item, with all other stopping rules off.

    `scores`: score after each round, 0–1. `decisions`: decision after each round, which is the most common position. A
    tie is a decision of its own.
    """

    scores: Sequence[float]
    decisions: Sequence[Hashable]


@dataclass(frozen=True)
class Calibration:
    """Calibrated threshold with its evidence.

    `n`: number of items. `losses`: runs whose decision at the threshold differed from their last one. `rounds_saved`:
    mean number of rounds saved per run.
    """

    threshold: float
    n: int
    losses: int
    rounds_saved: float


def compute_min_items(delta: float, epsilon: float) -> int:
    """Compute the minimum number of items with which any threshold can pass: n ≥ ln ε / ln(1 − δ).

    Raises `InputError` for a share that is not between 0 and 1.
    """
    for key, value in (("delta", delta), ("epsilon", epsilon)):
        if not 0 < value < 1:
            raise InputError(key, value, "give a share above 0 and below 1, such as 0.1")
    return math.ceil(math.log(epsilon) / math.log1p(-delta) - 1e-9)


def calibrate_threshold(
    runs: Sequence[CalibrationRun], *, delta: float = 0.1, epsilon: float = 0.1, signal_count: int = 1
) -> Calibration:
    """Find the laxest threshold that keeps the guarantee, and return it with its evidence.

    The guarantee: with confidence 1 − `epsilon` / `signal_count`, at most a share `delta` of runs stops with a decision
    other than the one after its last round.

    `runs`: one run of each item. `signal_count`: number of signals tried. Raises `InputError` for too few items, or if
    no passing threshold saves a round.
    """
    signal_epsilon = epsilon / signal_count
    min_items = compute_min_items(delta, signal_epsilon)
    if len(runs) < min_items:
        raise InputError(
            "items",
            len(runs),
            f"with risk δ = {delta:g} and error rate ε = {signal_epsilon:g}, run ln ε / ln(1 − δ) = "
            f"{min_items} items or more, one run each",
        )
    losses, saved_rounds = [], []
    for threshold in THRESHOLDS:
        stops = [(run.decisions, compute_stop_round(run.scores, threshold)) for run in runs]
        losses.append(sum(decisions[stop_round] != decisions[-1] for decisions, stop_round in stops))
        saved_rounds.append(sum(len(decisions) - 1 - stop_round for decisions, stop_round in stops))
    passed_count = count_passing_thresholds(np.array(losses), len(runs), delta, signal_epsilon)
    index = passed_count - 1
    if passed_count == 0 or saved_rounds[index] == 0:
        raise InputError(
            "signal",
            f"{passed_count} of {len(THRESHOLDS)} thresholds pass",
            f"with risk δ = {delta:g} and error rate ε = {signal_epsilon:g}, no threshold that passes saves a round"
            "; use another signal, or another stopping rule",
        )
    return Calibration(THRESHOLDS[index], len(runs), losses[index], saved_rounds[index] / len(runs))


def count_passing_thresholds(losses: np.ndarray, n: int, delta: float, epsilon: float) -> int:
    """Count the thresholds, from strict to lax, that pass before the first failure.

    `losses`: number of changed decisions at each threshold. `n`: number of runs.
    """
    failures = np.flatnonzero(stats.binom.cdf(losses, n, delta) > epsilon)
    return int(failures[0]) if failures.size else len(losses)


def compute_stop_round(scores: Sequence[float], threshold: float) -> int:
    """Return the first round, from 0, whose score reaches the threshold; without one, the last round."""
    return next((t for t, score in enumerate(scores) if score >= threshold - 1e-9), len(scores) - 1)


def calibrate_stop(
    plan: Plan,
    runs: Sequence[ExperimentRun],
    condition: str,
    signals: Sequence[StopSignal],
    *,
    delta: float,
    epsilon: float,
) -> CalibratedStop:
    """Return the calibrated stop whose signal saves the most rounds.

    `runs`: runs of the experiment. `condition`: the condition whose runs count. `signals`: signals to try, each with an
    equal share of `epsilon`. `delta`, `epsilon`: those of `CalibratedStop`. Raises `InputError` for unsuitable runs,
    too few items, or if no threshold saves a round.
    """
    documents = _draw_run_per_item(plan, [run for run in runs if run.planned.condition.label == condition])
    shared_setup = _collect_shared_setup(documents)
    calibrations, errors = list[tuple[StopSignal, Calibration]](), list[InputError]()
    for signal in signals:
        try:
            signal_runs = [build_calibration_run(document, signal) for document in documents]
            calibrations.append(
                (signal, calibrate_threshold(signal_runs, delta=delta, epsilon=epsilon, signal_count=len(signals)))
            )
        except InputError as error:
            errors.append(error)
    if not calibrations:
        raise errors[0]
    best_signal, calibration = max(calibrations, key=lambda pair: pair[1].rounds_saved)
    stop = CalibratedStop(
        signal=best_signal,
        delta=delta,
        epsilon=epsilon,
        experiment=plan.name,
        condition=condition,
        guarantee=f"With {100 * (1 - epsilon):g} % confidence, at most {100 * delta:g} % of runs on new items like "
        "these end with another decision than at the cap. "
        f"Of the {calibration.n} runs that set the threshold, {calibration.losses} would have.",
        **vars(calibration),
        **shared_setup,
    )
    return stop.model_copy(update={"hash": stop.computed_hash})


def _draw_run_per_item(plan: Plan, runs: Sequence[ExperimentRun]) -> list[Document]:
    """Return the document of one randomly drawn run for each item.

    Repeats of an item are not independent. Raises `InputError` for missing or unfinished runs, for runs that another
    rule could end, and for identical items.
    """
    talks = [run for run in runs if not run.planned.swap and not run.planned.arm]
    if unfinished_names := [run.planned.run for run in talks if not run.is_done]:
        raise InputError(
            "runs",
            unfinished_names[0],
            f"{len(unfinished_names)} of {len(talks)} runs have not finished; resume them, then calibrate",
        )
    id_by_text, documents_by_item = dict[str, str](), dict[str, list[Document]]()
    for run in talks:
        item = run.planned.item
        texts = [item.topic, item.material, *item.options.values(), *item.private.values()]
        first_id = id_by_text.setdefault("\n".join(" ".join(text.split()).casefold() for text in texts), item.id)
        if first_id != item.id:
            raise InputError(
                f"items.{item.id}",
                item.topic,
                f"this is the same as item {first_id}; use different items, since several runs on one item count once",
            )
        if run.document is not None:
            documents_by_item.setdefault(item.id, []).append(run.document)
    documents = [
        make_rng(plan.seed, "calibrate", item_id).choice(item_documents)
        for item_id, item_documents in documents_by_item.items()
    ]
    for document in documents:
        settings, reason = parse_settings(document["settings"]), document["terminationReason"]
        positions = getattr(settings, "positions", None)
        must_end = f"must end at its maximum of turns or rounds, not as {reason}; remove the cause, and repeat the run"
        no_stop = "calibration needs runs without an early stop; set dynamic_termination: false"
        faults = {
            ("positions", positions, "calibration needs runs with positions: rounds"): positions != "rounds",
            ("dynamic_termination", True, no_stop): getattr(settings, "dynamic_termination", False),
            ("run", document["run"], must_end): document["strategy"] != "cap",
        }
        for fault in [fault for fault, is_there in faults.items() if is_there]:
            raise InputError(*fault)
    return documents


def build_calibration_run(document: Document, signal: StopSignal) -> CalibrationRun:
    """Return the score and the decision after each round of a run.

    The last decision is the decision of the complete deliberation. Raises `InputError` for a run without the positions
    or the agreement that `signal` needs.
    """
    settings = _parse_settings(document)
    answer_format, seats = build_answer_format(settings), len(_list_models(document))
    moments = [
        moment
        for moment in group_by_moment([Position.model_validate(record) for record in document["positions"]])
        if all(position.when != "before" for position in moment.values())
    ]
    if not moments:
        raise InputError("positions", document["run"], "no participant gave a position after a round")
    agreements = {record["round"]: record["score"] for record in document.get("agreements") or []}
    if signal == "agreement" and not agreements:
        raise InputError("signal", signal, "these runs measure no agreement; use share or certainty")
    scores, decisions = [], []
    for moment in moments:
        round = next(iter(moment.values())).round
        scores.append(compute_score(signal, moment, answer_format, seats, agreements.get(round)))
        decisions.append(get_decision(moment, answer_format, settings.named))
    return CalibrationRun(scores, replace_near_decisions(decisions, answer_format))


def _collect_shared_setup(documents: Sequence[Document]) -> dict[str, Any]:
    """Return the protocol, models and settings that all runs share.

    Raises `InputError` for the first difference.
    """
    if not documents:
        raise InputError("runs", 0, "the condition has no run; run the experiment first")
    models = {tuple(sorted(_list_models(document))) for document in documents}
    if len(models) > 1:
        raise InputError(
            "models", sorted(models), "all runs of a calibration must have the same models and the same number of seats"
        )
    first_settings, *other_settings = [extract_stop_settings(_parse_settings(document)) for document in documents]
    for settings in other_settings:
        if keys := list_differences(first_settings, settings):
            values = [first_settings.get(keys[0]), settings.get(keys[0])]
            raise InputError(
                keys[0], values, "all runs of a calibration must have the same settings; give this setting one value"
            )
    return {"protocol": documents[0]["protocol"], "models": list(next(iter(models))), "settings": first_settings}


def _parse_settings(document: Document) -> PositionSettings:
    settings = parse_settings(document["settings"])
    assert isinstance(settings, PositionSettings)
    return settings


def _list_models(document: Document) -> list[str]:
    return list_seat_models(
        _parse_settings(document), [Participant.model_validate(record) for record in document["participants"]]
    )
