"""When a deliberation is over: small rules a protocol puts in order, each giving an ending with evidence or none."""

from collections.abc import Callable, Sequence

from .budget import is_spent
from .deliberation import Stage
from .ending import Ending, Evidence, find_ending
from .incident import missed_in_a_row, passed_over
from .rules import TalkRules
from .statement import Statement, names

EndingRule = Callable[[Stage], Ending | None]

PATIENCE = 3
"""Turns in a row a participant may miss before it counts as unavailable."""


def first_of(*rules: EndingRule) -> EndingRule:
    """The first ending that any of `rules`, in order, finds."""

    def ending(state: Stage) -> Ending | None:
        return next((found for rule in rules if (found := rule(state))), None)

    return ending


def side_absent(state: Stage) -> Ending | None:
    """One of the participants missed three turns in a row: without it there is nobody to talk to."""
    gone = [name for name in names(state["participants"]) if _missed(state, name) >= PATIENCE]
    return _unavailable(state, gone[:1])


def all_absent(state: Stage) -> Ending | None:
    """Every participant's last turns failed: three in a row for one, and none of the others spoke since."""
    seats = names(state["participants"])
    quiet = all(_missed(state, name) >= 1 for name in seats)
    gone = [name for name in seats if _missed(state, name) >= PATIENCE]
    return _unavailable(state, seats if quiet and gone else [])


def _missed(state: Stage, name: str) -> int:
    spoken = [statement.turn for statement in state["history"] if statement.speaker == name]
    return missed_in_a_row(name, spoken, state["incidents"])


def _unavailable(state: Stage, gone: Sequence[str]) -> Ending | None:
    if not gone:
        return None
    missed = sorted({incident.turn for incident in passed_over(state["incidents"]) if incident.who in gone})
    evidence = Evidence(turns=missed, quote=", ".join(gone), figure=len(missed), threshold=PATIENCE)
    return Ending(reason="participants_unavailable", strategy="availability", evidence=evidence)


def budget_spent(state: Stage) -> Ending | None:
    """Another turn would leave too little for the closing text."""
    if not is_spent(state["rules"], state["calls"]):
        return None
    return Ending(reason="budget_spent", strategy="budget", evidence=Evidence(figure=len(state["calls"])))


def talked_out(state: Stage) -> Ending | None:
    """The run's stopping rule finds a concession or a stalemate, or the judge has found one."""
    rules = state["rules"]
    if not isinstance(rules, TalkRules) or not rules.dynamic_termination:
        return None
    return state["verdict"] if rules.stopping == "judge" else found(state["history"], rules.stopping)


def found(history: Sequence[Statement], rule: str) -> Ending | None:
    """What a model-free rule finds in the statements so far, its evidence named by turn numbers."""
    ending = find_ending([(statement.speaker, statement.content) for statement in history], rule)
    if ending is None:
        return None
    turns = [history[position - 1].turn for position in ending.evidence.turns]
    return ending.model_copy(update={"evidence": ending.evidence.model_copy(update={"turns": turns})})


def turns_capped(state: Stage) -> Ending | None:
    """The cap on turns is reached; a passed-over turn counts."""
    cap = state["rules"].max_turns if isinstance(state["rules"], TalkRules) else None
    if cap is None or state["turn"] < cap:
        return None
    return _cap("max_turns_reached", state["turn"], cap)


def rounds_capped(state: Stage) -> Ending | None:
    """The cap on rounds is reached and the last round is complete."""
    cap = state["rules"].max_rounds if isinstance(state["rules"], TalkRules) else None
    if cap is None or state["floor"] or state["round"] < cap:
        return None
    return _cap("max_rounds_reached", state["round"], cap)


def _cap(reason: str, figure: int, cap: int) -> Ending:
    return Ending(reason=reason, strategy="cap", evidence=Evidence(figure=figure, threshold=cap))


def judge_is_due(state: Stage) -> bool:
    """Whether to ask the judge now: the cheap rule suspects an ending, or enough turns have passed."""
    rules = state["rules"]
    if not isinstance(rules, TalkRules) or rules.stopping != "judge" or not rules.dynamic_termination:
        return False
    if len(state["history"]) < 4 or state["judged"] >= state["turn"]:
        return False
    waited = state["turn"] - state["judged"] >= rules.judge_every
    return waited or found(state["history"], "dialogue") is not None
