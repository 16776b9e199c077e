"""What one participant of the justice experiment is told for one call."""

from collections.abc import Mapping
from dataclasses import replace

from ...prompts import listed
from ...state.fence import neutral
from ...state.justice import APPLICATIONS
from ...state.justice.channels import Meeting
from ..asking import Brief, length_in_words
from .addressee import Hearer, settled_rules
from .recall import own_phase1
from .words import WORDS

BY_ITSELF = ("rank", "integrate")
"""Templates of Phase 2 in which a participant answers for itself."""


def told_alone(hearer: Hearer, name: str, values: Mapping[str, object], *, first: bool) -> Brief:
    """The brief for template `name` in Phase 1, which nobody shares; `first`: on the phase's first turn."""
    explanation = ""
    if _explains(hearer, first):
        shared = {"principles": hearer.worded("principles"), "credit": hearer.credit(), "pay": hearer.pay()}
        explanation = _fill(hearer, "explain_alone", shared)
    you = hearer.stands(hearer.say("you.alone"))
    return _brief(hearer, name, {"you": you, **values, "explanation": explanation})


def told_in_group(state: Meeting, hearer: Hearer, name: str, values: Mapping[str, object]) -> Brief:
    """The brief for template `name` in Phase 2: the public history, own Phase 1, own memory.

    What the group looks for is said where it talks and votes; nobody ranks or remembers for the group's sake.
    """
    own = own_phase1(hearer, state["alone"].get(hearer.one.id))
    goal = "" if name in BY_ITSELF else hearer.worded("goal")
    told = _brief(hearer, name, {**values, "own": own, "you": hearer.stands(hearer.say("you.group"), goal)})
    bound = hearer.rules.memory.public_history_max_length
    told = replace(told, head=_head(hearer, group=True), history=state["history"], bound=bound)
    return told.within(state["view_limits"].get(hearer.one.name))


def _group_values(hearer: Hearer) -> dict[str, object]:
    voting = hearer.rules.voting
    stakes = hearer.say("group.stakes") if hearer.rules.tables.raises_stakes else ""
    return {
        "principles": hearer.worded("principles"),
        "credit": hearer.credit(),
        "decision": hearer.joined(stakes, hearer.say(f"group.{voting.decision_rule}")),
        "chance": hearer.say(f"group.{voting.no_consensus_mode}"),
    }


def _talk(hearer: Hearer) -> str:
    """How the group talks: the same for all its turns; empty where nothing is talked over."""
    rules = hearer.rules
    if rules.voting.decision_rule == "imposed":
        return ""
    explained = rules.wording.include_experiment_explanation
    values = {
        "explanation": _fill(hearer, "explain_group", _group_values(hearer)) if explained else "",
        "agreement": hearer.say(f"group.agreement_{rules.voting.decision_rule}"),
        "why": hearer.worded("why"),
        "words": length_in_words(rules.max_tokens_per_turn, hearer.language) // 2,
    }
    return _fill(hearer, "talk", values)


def _explains(hearer: Hearer, first: bool) -> bool:
    wording = hearer.rules.wording
    return wording.include_experiment_explanation and (first or wording.include_experiment_explanation_each_turn)


def _brief(hearer: Hearer, name: str, values: Mapping[str, object]) -> Brief:
    vote = hearer.rules.voting
    shared = {
        "own": "",
        "explanation": "",
        "principles": hearer.worded("principles"),
        "definitions": hearer.definitions(),
        "certainties": hearer.certainties(),
        "least": f"{vote.amount_min_reasonable:,}",
        "most": f"{vote.amount_max_reasonable:,}",
    }
    task = _fill(hearer, name, {**shared, **values})
    return Brief(head=_head(hearer, group=False), task=task, language=hearer.language, memory=hearer.memory)


def _head(hearer: Hearer, *, group: bool) -> str:
    people = hearer.rules.participants
    lines = (
        [hearer.say("you.participants"), *(hearer.say("you.member", name=one.name) for one in people)] if group else []
    )
    imposed = hearer.rules.voting.decision_rule == "imposed"
    together = hearer.say("group.together_imposed" if imposed else "group.together")
    talk = _talk(hearer) if group else ""
    values = {"participants": "\n".join(lines), "size": len(people), "together": together, "talk": talk}
    return _fill(hearer, "system", values)


def _fill(hearer: Hearer, name: str, values: Mapping[str, object]) -> str:
    """A template in the hearer's language, without the empty lines that holes without text leave."""
    safe = {key: neutral(value) if isinstance(value, str) else value for key, value in values.items()}
    text = WORDS.fill(hearer.language, name, {**safe, "language": hearer.spoken()}, hearer.rules.templates)
    lines = [line.rstrip() for line in text.splitlines()]
    return "\n".join(line for place, line in enumerate(lines) if line or (place and lines[place - 1])).strip()


def hearer_in(state: Meeting, name: str) -> Hearer:
    """The participant of this name, with its bank from Phase 1."""
    rules = settled_rules(state["rules"])
    one = next(each for each in rules.participants if each.name == name)
    alone = state["alone"].get(one.id)
    memory = "\n".join(state["memory"].get(name, []))
    return Hearer(rules, one, alone.total_earnings if alone else 0, APPLICATIONS, memory)


def others_of(hearer: Hearer) -> str:
    """The names of the other participants, as a list in words."""
    return listed(hearer.language, [each.name for each in hearer.rules.participants if each.id != hearer.one.id])


def feedback(hearer: Hearer, values: Mapping[str, object]) -> str:
    """The feedback of an application, for memory."""
    return _fill(hearer, "feedback", values)


def results(hearer: Hearer, values: Mapping[str, object]) -> str:
    """The group's results, for one participant."""
    return _fill(hearer, "results", values)
