"""The last steps: pay the group, and put the outcome on record."""

from collections import Counter
from collections.abc import Sequence

from ...state.ending import Ending, Evidence, Outcome, Promise, promised
from ...state.ends import ROUNDS_HELD, UNAVAILABLE, outage
from ...state.incident import PASSED_OVER, Incident
from ...state.justice import pay_out
from ...state.justice.channels import Closing
from ...state.justice.result import measures_of
from ...state.justice.writes import JusticeUpdate
from ..models.chat import REHEARSAL
from .addressee import Hearer, settled_rules
from .readings import NOT_UNDERSTOOD

DEGRADED = {
    PASSED_OVER: "statements",
    "no reasoning": "reasonings",
    NOT_UNDERSTOOD: "comprehension",
    "ranking defaulted": "rankings",
    "choice defaulted": "choices",
    "no comment": "comments",
    "counted as no": "consents",
    "ballot missing": "ballots",
    "appended only": "memories",
}
"""Consequences that a headline counts, and under which word."""


async def pay(state: Closing) -> JusticeUpdate:
    """Draw the set and the classes, and pay everyone; a second run of this step draws and pays the same.

    Reads rules, adopted; writes settlement.
    """
    return JusticeUpdate(settlement=pay_out(settled_rules(state["rules"]), state["adopted"]))


async def conclude(state: Closing) -> JusticeUpdate:
    """Put the outcome, with its headline, and the measures on record.

    Reads rules, turn, orders, adopted, settlement, alone, last_rankings, record; writes outcome, measures.
    """
    rules = settled_rules(state["rules"])
    lost, paid = outage(state, state["turn"]), bool(state["settlement"].payoffs)
    ending = lost or _ending(state)
    outcome = Outcome(
        reason=ending.reason,
        strategy=ending.strategy,
        evidence=ending.evidence,
        promise=promised(ending),
        status="failed" if lost else "completed" if paid else "partial",
        rehearsal=bool(state["calls"]) and all(call.model == REHEARSAL for call in state["calls"]),
        replayed=bool(rules.replay),
    )
    said = headline(state, outcome)
    return JusticeUpdate(
        outcome=outcome.model_copy(update={"headline": said}),
        measures=measures_of(rules, state["alone"], state["last_rankings"]),
    )


def _ending(state: Closing) -> Ending:
    """How it ended: by the group's rule, by the last round, by the rule that was set, or without the calls to go on."""
    rules, reason = settled_rules(state["rules"]), reason_of(state)
    if reason == "budget_spent":
        return Ending(
            reason=reason, strategy="budget", evidence=Evidence(figure=len(state["calls"]), note="calls made")
        )
    rounds = None if reason == "imposed" else rules.discussion.max_rounds
    evidence = Evidence(figure=len(state["orders"]), threshold=rounds, note=ROUNDS_HELD)
    if reason == "no_consensus":
        return Ending(reason=reason, strategy="cap", evidence=evidence)
    return Ending(reason=reason, strategy=rules.voting.decision_rule, evidence=evidence, promise=Promise(kind="event"))


def reason_of(state: Closing) -> str:
    """The ending's name."""
    if not state["settlement"].payoffs:
        return "budget_spent"
    if settled_rules(state["rules"]).voting.decision_rule == "imposed":
        return "imposed"
    return "consensus" if state["adopted"] else "no_consensus"


def headline(state: Closing, outcome: Outcome) -> str:
    """One line: rehearsal first, the agreed rule or none, the rounds, whether the amount bound, every degradation."""
    rules = settled_rules(state["rules"])
    teller = Hearer(rules, rules.participants[0].model_copy(update={"language": rules.language}))
    count, settlement = len(state["orders"]), state["settlement"]
    rounds = teller.say("endings.one_round") if count == 1 else teller.say("endings.rounds", count=count)
    rule = teller.rule(state["adopted"]) if state["adopted"] else ""
    parts = [teller.say(f"endings.{kind}") for kind in ("rehearsal", "replayed") if getattr(outcome, kind)]
    parts.append(teller.say(f"endings.{outcome.reason}", **_of(outcome.reason, rule, rounds)))
    if settlement.binding is not None and state["adopted"]:
        parts.append(teller.say("endings.binding" if settlement.binding else "endings.not_binding"))
    if details := degradations(teller, state["incidents"]):
        parts.append(teller.say("endings.degraded", details=details))
    return teller.joined(*parts)


def _of(reason: str, rule: str, rounds: str) -> dict[str, object]:
    values: dict[str, dict[str, object]] = {
        "consensus": {"rule": rule, "rounds": rounds},
        "no_consensus": {"rounds": rounds},
        "imposed": {"rule": rule},
        UNAVAILABLE: {"rounds": rounds},
    }
    return values.get(reason, {})


def degradations(teller: Hearer, incidents: Sequence[Incident]) -> str:
    """Every kind of degradation with its count, in words; empty where there was none."""
    kinds = [DEGRADED.get(one.consequence, "others") for one in incidents if one.severity == "degraded"]
    counts = Counter(kinds)
    order = [*DEGRADED.values(), "others"]
    return ", ".join(teller.say(f"endings.{kind}", count=counts[kind]) for kind in order if counts[kind])
