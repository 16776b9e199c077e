"""Last nodes of the experiment, which pay the group and record the outcome."""

from collections import Counter

from ...models import REHEARSAL
from ...state import CLOSED_BY_CALLER, MISSED_TURN, PARTICIPANTS_UNAVAILABLE, Outcome, get_stop_basis, stop_on_outage
from ...state.justice import JusticeClosingState, JusticeUpdate, measure_run, settle_payment
from .addressee import Addressee, get_justice_settings
from .answer_requests import COMPREHENSION_FAILURE

DEGRADATION_KEYS = {
    MISSED_TURN: "statements",
    "no reasoning": "reasonings",
    COMPREHENSION_FAILURE: "comprehension",
    "ranking defaulted": "rankings",
    "choice defaulted": "choices",
    "no comment": "comments",
    "counted as no": "consents",
    "ballot missing": "ballots",
    "appended only": "memories",
}
"""Key of the phrase for each consequence that a headline counts."""


async def pay(state: JusticeClosingState) -> JusticeUpdate:
    """Draw the set and the income classes, and pay the group. Repeating this step gives the same result.

    Reads settings, adopted; writes settlement.
    """
    return JusticeUpdate(settlement=settle_payment(get_justice_settings(state["settings"]), state["adopted"]))


async def conclude(state: JusticeClosingState) -> JusticeUpdate:
    """Record the outcome with its headline and the measures.

    Reads settings, turn, orders, ending, adopted, settlement, alone, last_rankings, record; writes outcome,
    measures.
    """
    settings = get_justice_settings(state["settings"])
    outage_ending, is_paid = stop_on_outage(state, state["turn"]), bool(state["settlement"].payoffs)
    ending = outage_ending or state["ending"] or CLOSED_BY_CALLER
    outcome = Outcome(
        reason=ending.reason,
        strategy=ending.strategy,
        evidence=ending.evidence,
        basis=get_stop_basis(ending),
        status="failed" if outage_ending else "completed" if is_paid else "partial",
        rehearsal=bool(state["calls"]) and all(call.model == REHEARSAL for call in state["calls"]),
        replayed=bool(settings.replay),
    )
    return JusticeUpdate(
        outcome=outcome.model_copy(update={"headline": format_justice_headline(state, outcome)}),
        measures=measure_run(settings, state["alone"], state["last_rankings"]),
    )


def format_justice_headline(state: JusticeClosingState, outcome: Outcome) -> str:
    """Return the headline: rehearsal, adopted rule, rounds, effect of the rule's amount, and all failures."""
    settings = get_justice_settings(state["settings"])
    narrator = Addressee(settings, settings.participants[0].model_copy(update={"language": settings.language}))
    count, settlement = len(state["orders"]), state["settlement"]
    rounds = (
        narrator.translate_phrase("endings.one_round")
        if count == 1
        else narrator.translate_phrase("endings.rounds", count=count)
    )
    rule = narrator.format_rule(state["adopted"]) if state["adopted"] else ""
    parts = [
        narrator.translate_phrase(f"endings.{kind}") for kind in ("rehearsal", "replayed") if getattr(outcome, kind)
    ]
    values: dict[str, dict[str, object]] = {
        "consensus": {"rule": rule, "rounds": rounds},
        "no_consensus": {"rounds": rounds},
        "imposed": {"rule": rule},
        PARTICIPANTS_UNAVAILABLE: {"rounds": rounds},
    }
    parts.append(narrator.translate_phrase(f"endings.{outcome.reason}", **values.get(outcome.reason, {})))
    if settlement.binding is not None and state["adopted"]:
        parts.append(narrator.translate_phrase("endings.binding" if settlement.binding else "endings.not_binding"))
    kinds = [
        DEGRADATION_KEYS.get(incident.consequence, "others")
        for incident in state["incidents"]
        if incident.severity == "degraded"
    ]
    counts = Counter(kinds)
    order = [*DEGRADATION_KEYS.values(), "others"]
    if details := ", ".join(
        narrator.translate_phrase(f"endings.{kind}", count=counts[kind]) for kind in order if counts[kind]
    ):
        parts.append(narrator.translate_phrase("endings.degraded", details=details))
    return narrator.join_sentences(*parts)
