"""Calibrating a stop from the runs of an experiment: one run of each item, taken to the cap, all of one condition."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...nodes.calibrated_stop import models_of
from ...state.draw import stream
from ...state.positions import Position, PositionRules, declared_after, question_of
from ...state.positions.calibrated import (
    CalibratedStop,
    Signal,
    decision,
    differing,
    same_decisions,
    score,
    settings_of,
)
from ...state.refused import Refused
from ...state.rules import revived
from ...state.statement import Participant
from .data import Outcome
from .items import Item
from .plan import Plan
from .statistics import Calibration, Course, calibrate

Document = Mapping[str, Any]
PROMISE = (
    "With probability {sure:g} over calibration sets, at most a share {delta:g} of runs on new items drawn as "
    "these were end with another decision than at the cap. Of the {n} runs it was found on, {losses} would have."
)


def calibrated(
    plan: Plan, outcomes: Sequence[Outcome], condition: str, signals: Sequence[Signal], *, delta: float, epsilon: float
) -> CalibratedStop:
    """The stop that saves most rounds among `signals`, each tried with its share of `epsilon`.

    `delta`, `epsilon`: see `CalibratedStop`. Raises `Refused` for runs that cannot be calibrated on, for too few items
    and where no threshold saves a round.
    """
    documents = one_of_each_item(plan, [one for one in outcomes if one.trial.cell.label == condition])
    made_for = _made_for(documents)
    tried = {signal: _tried(documents, signal, delta, epsilon, len(signals)) for signal in signals}
    passed = {signal: one for signal, one in tried.items() if isinstance(one, Calibration)}
    if not passed:
        raise next(one for one in tried.values() if isinstance(one, Refused))
    best = max(passed, key=lambda signal: passed[signal].rounds_saved)
    kept = passed[best]
    words = PROMISE.format(sure=1 - epsilon, delta=delta, n=kept.n, losses=kept.losses)
    found = CalibratedStop(
        signal=best,
        threshold=kept.threshold,
        delta=delta,
        epsilon=epsilon,
        n=kept.n,
        losses=kept.losses,
        rounds_saved=kept.rounds_saved,
        experiment=plan.name,
        condition=condition,
        promise=words,
        **made_for,
    )
    return found.model_copy(update={"hash": found.own_hash})


def _tried(
    documents: Sequence[Document], signal: Signal, delta: float, epsilon: float, signals: int
) -> Calibration | Refused:
    try:
        courses = [course_of(one, signal) for one in documents]
        return calibrate(courses, delta=delta, epsilon=epsilon, signals=signals)
    except Refused as no:
        return no


def one_of_each_item(plan: Plan, found: Sequence[Outcome]) -> list[Document]:
    """The document of one run of each item: of several repeats one is drawn, since runs of an item are no two draws.

    Raises `Refused` for runs that are not there, did not end, or could have been ended by anything but the cap, and for
    items that are the same but for their id.
    """
    told = [one for one in found if not one.trial.swap and not one.trial.arm]
    if lost := [one.trial.run for one in told if not one.done]:
        remedy = f"{len(lost)} of {len(told)} runs have not come to their end; go on with them, then calibrate"
        raise Refused("runs", lost[0], remedy)
    _check_apart([one.trial.item for one in told])
    by_item: dict[str, list[Document]] = {}
    for one in told:
        if one.document is not None:
            by_item.setdefault(one.trial.item.id, []).append(one.document)
    seed = plan.seed
    drawn = [stream(seed, "calibrate", item).choice(runs) for item, runs in by_item.items()]
    for each in drawn:
        _check_run(each)
    return drawn


def _check_apart(items: Sequence[Item]) -> None:
    """Refuse items that differ by their id alone."""
    first: dict[str, str] = {}
    for one in items:
        told = [one.topic, one.material, *one.options.values(), *one.private.values()]
        same = first.setdefault("\n".join(" ".join(text.split()).casefold() for text in told), one.id)
        if same != one.id:
            remedy = f"the same as item {same}; runs on one item do not count as two, so calibrate on items that differ"
            raise Refused(f"items.{one.id}", one.topic, remedy)


def _check_run(document: Document) -> None:
    rules = revived(document["rules"])
    if not isinstance(rules, PositionRules) or rules.positions != "rounds":
        raise Refused("positions", getattr(rules, "positions", None), "calibration needs runs with positions: rounds")
    if rules.dynamic_termination:
        remedy = "calibration needs runs to the cap, every other stop off: dynamic_termination: false"
        raise Refused("dynamic_termination", True, remedy)
    if document["strategy"] != "cap":
        remedy = (
            f"it ended as {document['terminationReason']}, not at a cap on turns or rounds; take that away, run anew"
        )
        raise Refused("run", document["run"], remedy)


def course_of(document: Document, signal: Signal) -> Course:
    """The score and the decision after each round of a run; the last one is that of the whole talk."""
    rules = _rules(document)
    question, seats = question_of(rules), len(_models(document))
    positions = [Position.model_validate(one) for one in document["positions"]]
    rounds = [one for one in declared_after(positions) if all(each.when != "before" for each in one.values())]
    if not rounds:
        raise Refused("positions", document["run"], "nobody said where they stand after a round")
    measured = {one["round"]: one["score"] for one in document.get("weighings") or []}
    if signal == "agreement" and not measured:
        raise Refused("signal", signal, "no agreement is measured in these runs; use share or certainty")
    scores = [score(signal, one, question, seats, measured.get(_round(one))) for one in rounds]
    return Course(scores, same_decisions([decision(one, question, rules.named) for one in rounds], question))


def _round(moment: Mapping[str, Position]) -> int:
    return next(iter(moment.values())).round


def _made_for(documents: Sequence[Document]) -> dict[str, Any]:
    """Protocol, models and settings that all runs share. Raises `Refused` where they differ in any."""
    if not documents:
        raise Refused("runs", 0, "the condition has no run; run the experiment first")
    models = {tuple(sorted(_models(one))) for one in documents}
    if len(models) > 1:
        raise Refused("models", sorted(models), "all runs of a calibration have the same models and as many seats")
    first, *others = [settings_of(_rules(one)) for one in documents]
    for one in others:
        if keys := differing(first, one):
            values = [first.get(keys[0]), one.get(keys[0])]
            raise Refused(keys[0], values, "all runs of a calibration have the same settings; give them one value")
    return {"protocol": documents[0]["protocol"], "models": list(next(iter(models))), "settings": first}


def _rules(document: Document) -> PositionRules:
    found = revived(document["rules"])
    assert isinstance(found, PositionRules)
    return found


def _models(document: Document) -> list[str]:
    """Who holds each seat."""
    return models_of(_rules(document), [Participant.model_validate(one) for one in document["participants"]])
