"""When a deliberation is over: small rules a protocol puts in order, each giving an ending with evidence or none."""

from collections.abc import Callable, Sequence
from typing import Any

from .budget import is_spent
from .deliberation import Record, Stage
from .ending import Ending, Evidence, find_ending
from .incident import missed_in_a_row, passed_over
from .installed.chosen import chosen
from .positions.rules import DECLARING
from .refused import Refused
from .requirements import choosing, reading
from .rules import TalkRules
from .statement import MODERATOR, Statement, names

EndingRule = Callable[[Any], Ending | None]
"""From the channels and rules it names to an ending, or none; one that names rules is a `reading`."""

UNAVAILABLE = "participants_unavailable"
"""The ending of what is not finished: whoever was to speak or to sum up could not be reached."""

ROUNDS_HELD = "rounds held"
"""What the figure of an ending counts: rounds that were held."""
OUTAGE = "outage"
"""The strategy of an ending of which nothing is finished: fewer than half of what was due could be had."""

PATIENCE = 3
"""Turns in a row a participant may miss before it counts as unavailable."""


def first_of(*endings: EndingRule) -> EndingRule:
    """The first ending that any of `endings`, in order, finds; it reads what they read."""

    def ending(state: Any) -> Ending | None:
        return next((found for one in endings if (found := _given(one, state))), None)

    return reading(ending, *endings)


def _given(rule: EndingRule, state: Any) -> Ending | None:
    """What a rule finds. Raises `Refused` for one that gives neither an ending nor none."""
    found = rule(state)
    if found is None or isinstance(found, Ending):
        return found
    who = f"{getattr(rule, '__module__', '')}.{getattr(rule, '__name__', '')}"
    remedy = f"{who}: give an Ending with its reason, strategy and evidence, or None to go on"
    raise Refused("ending", found, remedy)


def side_absent(state: Stage) -> Ending | None:
    """One of the participants missed three turns in a row: without it there is nobody to talk to."""
    gone = [name for name in names(state["participants"]) if is_lost(state, name)]
    return _unavailable(state, gone[:1])


def all_absent(state: Stage) -> Ending | None:
    """Every participant's last turns failed: three in a row for one, and none of the others spoke since."""
    seats = names(state["participants"])
    missed = [_missed(state, name) for name in seats] if state["incidents"] else []
    return _unavailable(state, seats if missed and min(missed) >= 1 and max(missed) >= PATIENCE else [])


def is_lost(state: Record, name: str) -> bool:
    """Whether a participant missed so many turns in a row that it counts as unavailable."""
    return _missed(state, name) >= PATIENCE


def _missed(state: Record, name: str) -> int:
    spoken = (statement.turn for statement in state["history"] if statement.speaker == name)
    return missed_in_a_row(name, spoken, state["incidents"])


def _unavailable(state: Stage, gone: Sequence[str]) -> Ending | None:
    if not gone:
        return None
    missed = sorted({incident.turn for incident in passed_over(state["incidents"]) if incident.who in gone})
    evidence = Evidence(turns=missed, quote=", ".join(gone), figure=len(missed), threshold=PATIENCE)
    return Ending(reason=UNAVAILABLE, strategy="availability", evidence=evidence)


def outage(state: Record, turns: int) -> Ending | None:
    """No call was answered, or fewer than half of the `turns` that were due up to here hold a statement.

    What a budget did not allow was not due. Nothing that ended so is finished, whatever its ending was.
    """
    missed = [one for one in passed_over(state["incidents"]) if one.turn]
    due = turns - sum(one.kind == "budget_spent" for one in missed)
    said = len({one.turn for one in state["history"] if one.speaker != MODERATOR})
    answered = not state["calls"] or any(call.outcome == "ok" for call in state["calls"])
    if answered and 2 * said >= due:
        return None
    gone = [one.who for one in missed] or [call.who for call in state["calls"]]
    evidence = Evidence(
        turns=sorted({one.turn for one in missed}),
        quote=", ".join(dict.fromkeys(gone)),
        figure=said,
        threshold=due / 2,
    )
    return Ending(reason=UNAVAILABLE, strategy=OUTAGE, evidence=evidence)


LOST_CLOSING = "closing"
"""The strategy of an ending whose closing text was lost."""


def unsummed(found: Ending) -> Ending:
    """The ending of a run that came to `found`, which its note names, and whose closing text was lost.

    A closing text that is the whole answer leaves nothing that the run had come to.
    """
    evidence = Evidence(quote="synthesizer", note="" if found.reason == "answered_directly" else found.reason)
    return Ending(reason=UNAVAILABLE, strategy=LOST_CLOSING, evidence=evidence)


def budget_spent(state: Stage) -> Ending | None:
    """Another turn would leave too little for the closing text, or no call was left for one."""
    denied = any(one.kind == "budget_spent" and one.turn for one in state["incidents"])
    if not denied and not is_spent(state["rules"], state["calls"]):
        return None
    return _budget_ending(state)


def unpaid(purpose: str) -> EndingRule:
    """That in the last round some were not asked for this, since the budget was spent."""

    def unpaid(state: Stage) -> Ending | None:
        lost = purpose, state["round"], "budget_spent"
        if not any((one.where, one.round, one.kind) == lost for one in state["incidents"]):
            return None
        return _budget_ending(state)

    return unpaid


def _budget_ending(state: Stage) -> Ending:
    evidence = Evidence(figure=len(state["calls"]), note="calls made")
    return Ending(reason="budget_spent", strategy="budget", evidence=evidence)


@choosing("stopping")
def talked_out(state: Stage, rules: TalkRules) -> Ending | None:
    """The run's stopping rule finds a concession, a stalemate or what else it looks for, or the judge has found one."""
    if not rules.dynamic_termination or rules.stopping in DECLARING:
        return None
    if rules.stopping == "judge":
        return state["verdict"]
    ending: EndingRule | None = chosen(rules, "stopping")
    return _given(ending, state) if ending else found(state, rules.stopping)


def found(state: Stage, rule: str) -> Ending | None:
    """What a model-free rule finds in the statements so far, its evidence named by turn numbers."""
    history: list[Statement] = state["history"]
    ending = find_ending(history, rule, topic=state["topic"])
    if ending is None:
        return None
    turns = [history[position - 1].turn for position in ending.evidence.turns]
    return ending.model_copy(update={"evidence": ending.evidence.model_copy(update={"turns": turns})})


@reading
def turns_capped(state: Stage, rules: TalkRules) -> Ending | None:
    """The cap on turns is reached; a passed-over turn counts."""
    cap = rules.turn_cap(len(state["participants"]))
    if cap is None or state["turn"] < cap:
        return None
    return _cap("max_turns_reached", state["turn"], cap)


@reading
def rounds_capped(state: Stage, rules: TalkRules) -> Ending | None:
    """The cap on rounds is reached and the last round is complete."""
    return _after_the_last_round(state, rules.max_rounds, "max_rounds_reached")


@reading
def all_have_spoken(state: Stage, rules: TalkRules) -> Ending | None:
    """Everyone had the turns that were planned."""
    found = _after_the_last_round(state, rules.max_rounds, "all_have_spoken")
    return found and found.model_copy(update={"evidence": found.evidence.model_copy(update={"note": ROUNDS_HELD})})


def _after_the_last_round(state: Stage, cap: int | None, reason: str) -> Ending | None:
    if cap is None or state["floor"] or state["round"] < cap:
        return None
    return _cap(reason, state["round"], cap)


@reading
def out_of_turns(state: Stage, rules: TalkRules) -> Ending | None:
    """The cap on turns is reached in the middle of a round."""
    return turns_capped(state) if state["floor"] else None


def nobody_spoke(state: Stage) -> bool:
    """Rounds were opened, and nothing was said in them that could be summed up."""
    return state["round"] > 0 and not state["history"]


def answered_directly(state: Stage) -> Ending | None:
    """No round was ever opened: the closing text is the whole answer."""
    if state["round"]:
        return None
    return Ending(reason="answered_directly", strategy="protocol", evidence=Evidence(figure=0, note=ROUNDS_HELD))


def _cap(reason: str, figure: int, cap: int) -> Ending:
    return Ending(reason=reason, strategy="cap", evidence=Evidence(figure=figure, threshold=cap))


def judge_is_due(state: Stage, rules: TalkRules) -> bool:
    """Whether to ask the judge now: the cheap rule suspects an ending, or enough turns have passed."""
    if rules.stopping != "judge" or not rules.dynamic_termination:
        return False
    if len(state["history"]) < 4 or state["judged"] >= state["turn"]:
        return False
    waited = state["turn"] - state["judged"] >= rules.judge_every
    return waited or found(state, "dialogue") is not None
