"""Calibration of a stopping rule on runs to the cap: one run of each item, all of one condition."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...models.calibrated_stop_file import list_seat_models
from ...state.errors import InputError
from ...state.positions import Position, PositionSettings, build_answer_format, group_by_moment
from ...state.positions.calibrated_stop import (
    CalibratedStop,
    StopSignal,
    compute_score,
    extract_stop_settings,
    get_decision,
    list_differences,
    merge_decisions,
)
from ...state.random_streams import make_rng
from ...state.settings import parse_settings
from ...state.statement import Participant
from .data import ExperimentRun
from .items import Item
from .plan import Plan
from .statistics import Calibration, CalibrationRun, calibrate_threshold

CalibrationDocument = Mapping[str, Any]
BASIS_TEXT = (
    "With probability {sure:g} over calibration sets, at most a share {delta:g} of runs on new items drawn as "
    "these were end with another decision than at the cap. Of the {n} runs it was found on, {losses} would have."
)


def calibrate_stop(
    plan: Plan,
    runs: Sequence[ExperimentRun],
    condition: str,
    signals: Sequence[StopSignal],
    *,
    delta: float,
    epsilon: float,
) -> CalibratedStop:
    """Return the calibrated stop of the signal that saves most rounds.

    Each of `signals` gets an equal share of `epsilon`. `delta`, `epsilon`: see `CalibratedStop`. Raises
    `InputError` for unfit runs, for too few items, and if no threshold saves a round.
    """
    documents = draw_run_per_item(plan, [run for run in runs if run.planned.condition.label == condition])
    shared_setup = _collect_shared_setup(documents)
    results = {signal: _try_calibration(documents, signal, delta, epsilon, len(signals)) for signal in signals}
    calibrations = {signal: result for signal, result in results.items() if isinstance(result, Calibration)}
    if not calibrations:
        raise next(result for result in results.values() if isinstance(result, InputError))
    best_signal = max(calibrations, key=lambda signal: calibrations[signal].rounds_saved)
    calibration = calibrations[best_signal]
    basis = BASIS_TEXT.format(sure=1 - epsilon, delta=delta, n=calibration.n, losses=calibration.losses)
    stop = CalibratedStop(
        signal=best_signal,
        threshold=calibration.threshold,
        delta=delta,
        epsilon=epsilon,
        n=calibration.n,
        losses=calibration.losses,
        rounds_saved=calibration.rounds_saved,
        experiment=plan.name,
        condition=condition,
        promise=basis,
        **shared_setup,
    )
    return stop.model_copy(update={"hash": stop.computed_hash})


def _try_calibration(
    documents: Sequence[CalibrationDocument], signal: StopSignal, delta: float, epsilon: float, signal_count: int
) -> Calibration | InputError:
    try:
        runs = [build_calibration_run(document, signal) for document in documents]
        return calibrate_threshold(runs, delta=delta, epsilon=epsilon, signal_count=signal_count)
    except InputError as error:
        return error


def draw_run_per_item(plan: Plan, runs: Sequence[ExperimentRun]) -> list[CalibrationDocument]:
    """Draw one run of each item and return the documents; repeats of an item are not independent.

    Raises `InputError` for missing or unfinished runs, for runs that another rule could end, and for items that
    differ only by their id.
    """
    talks = [run for run in runs if not run.planned.swap and not run.planned.arm]
    if unfinished_names := [run.planned.run for run in talks if not run.is_done]:
        remedy = (
            f"{len(unfinished_names)} of {len(talks)} runs have not come to their end; go on with them, then calibrate"
        )
        raise InputError("runs", unfinished_names[0], remedy)
    _check_distinct_items([run.planned.item for run in talks])
    documents_by_item: dict[str, list[CalibrationDocument]] = {}
    for run in talks:
        if run.document is not None:
            documents_by_item.setdefault(run.planned.item.id, []).append(run.document)
    seed = plan.seed
    documents = [
        make_rng(seed, "calibrate", item).choice(item_documents) for item, item_documents in documents_by_item.items()
    ]
    for document in documents:
        _check_calibration_run(document)
    return documents


def _check_distinct_items(items: Sequence[Item]) -> None:
    """Raise `InputError` for items that differ only by their id."""
    id_by_text: dict[str, str] = {}
    for item in items:
        texts = [item.topic, item.material, *item.options.values(), *item.private.values()]
        first_id = id_by_text.setdefault("\n".join(" ".join(text.split()).casefold() for text in texts), item.id)
        if first_id != item.id:
            remedy = (
                f"the same as item {first_id}; runs on one item do not count as two, so calibrate on items that differ"
            )
            raise InputError(f"items.{item.id}", item.topic, remedy)


def _check_calibration_run(document: CalibrationDocument) -> None:
    settings = parse_settings(document["settings"])
    if not isinstance(settings, PositionSettings) or settings.positions != "rounds":
        raise InputError(
            "positions", getattr(settings, "positions", None), "calibration needs runs with positions: rounds"
        )
    if settings.dynamic_termination:
        remedy = "calibration needs runs to the cap, every other stop off: dynamic_termination: false"
        raise InputError("dynamic_termination", True, remedy)
    if document["strategy"] != "cap":
        remedy = (
            f"it ended as {document['terminationReason']}, not at a cap on turns or rounds; take that away, run anew"
        )
        raise InputError("run", document["run"], remedy)


def build_calibration_run(document: CalibrationDocument, signal: StopSignal) -> CalibrationRun:
    """Return the score and the decision after each round of a run.

    The last decision is the decision of the whole talk.
    """
    settings = _parse_settings(document)
    answer_format, seats = build_answer_format(settings), len(_list_models(document))
    positions = [Position.model_validate(record) for record in document["positions"]]
    moments = [
        moment
        for moment in group_by_moment(positions)
        if all(position.when != "before" for position in moment.values())
    ]
    if not moments:
        raise InputError("positions", document["run"], "nobody said where they stand after a round")
    agreement_by_round = {
        agreement_record["round"]: agreement_record["score"] for agreement_record in document.get("weighings") or []
    }
    if signal == "agreement" and not agreement_by_round:
        raise InputError("signal", signal, "no agreement is measured in these runs; use share or certainty")
    scores = [
        compute_score(signal, moment, answer_format, seats, agreement_by_round.get(_get_moment_round(moment)))
        for moment in moments
    ]
    return CalibrationRun(
        scores,
        merge_decisions([get_decision(moment, answer_format, settings.named) for moment in moments], answer_format),
    )


def _get_moment_round(moment: Mapping[str, Position]) -> int:
    return next(iter(moment.values())).round


def _collect_shared_setup(documents: Sequence[CalibrationDocument]) -> dict[str, Any]:
    """Return the protocol, models and settings that all runs share.

    Raises `InputError` for the first difference.
    """
    if not documents:
        raise InputError("runs", 0, "the condition has no run; run the experiment first")
    models = {tuple(sorted(_list_models(document))) for document in documents}
    if len(models) > 1:
        raise InputError("models", sorted(models), "all runs of a calibration have the same models and as many seats")
    first_settings, *other_settings = [extract_stop_settings(_parse_settings(document)) for document in documents]
    for settings in other_settings:
        if keys := list_differences(first_settings, settings):
            values = [first_settings.get(keys[0]), settings.get(keys[0])]
            raise InputError(keys[0], values, "all runs of a calibration have the same settings; give them one value")
    return {"protocol": documents[0]["protocol"], "models": list(next(iter(models))), "settings": first_settings}


def _parse_settings(document: CalibrationDocument) -> PositionSettings:
    settings = parse_settings(document["settings"])
    assert isinstance(settings, PositionSettings)
    return settings


def _list_models(document: CalibrationDocument) -> list[str]:
    """Return the model of each seat."""
    return list_seat_models(
        _parse_settings(document), [Participant.model_validate(record) for record in document["participants"]]
    )
