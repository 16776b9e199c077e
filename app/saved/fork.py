"""A fork: a new run from a moment of another, with a statement, a persona, a model, the topic or a rule changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from ...nodes.clock import stamp
from ...nodes.initial_state import MATERIAL_LIMIT, check_models, check_text
from ...nodes.models.prices import priced
from ...nodes.seats import reseated
from ...state.fence import storable
from ...state.justice import JusticeRules, dotted
from ...state.refused import Refused, refused_input, unknown_key
from ...state.rules import Rules
from ...state.statement import Participant, Statement
from ..config import SPELLINGS, merged
from ..protocols import protocol
from .history import Checkpoint
from .load import Saved, load, thread
from .names import new_name
from .runs import Run
from .store import Store

TOPIC_LIMIT = 4000
"""Characters of a topic."""

PERSONAL = ("persona", "role", "model")
"""What can be changed about one participant: `persona.Ada`, `model.Ada`."""

NAMED = ("statement.N", "silenced.N", "persona.NAME", "model.NAME", "topic")
"""Keys of changes that are no rules."""

ALONE = ("record", "replay", "place")
"""What a run does not hand on to its forks: a recording of it holds nothing of what they ask."""

IN_RULES = {"persona": "personality", "model": "model"}
"""What a participant that stands in the rules calls it."""


@dataclass(frozen=True)
class Branch:
    """A run that goes on from a moment of another: its row, its state, and the step that led there."""

    run: Run
    state: dict[str, Any]
    ran: str


async def branched(store: Store, original: Saved, moment: Checkpoint, changes: Mapping[str, Any]) -> Run:
    """A new run whose state is that of the moment with the changes made; the original is not touched."""
    branch = await branch_of(store, original, moment, changes)
    await planted(store, branch)
    return branch.run


async def planted(store: Store, branch: Branch) -> None:
    """Save a branch; one that was saved before stays as it stands, so that this can be done again."""
    await store.runs.add(branch.run)
    if not (await load(store, branch.run.run)).begun:
        graph = store.graph(branch.run.protocol)
        await graph.aupdate_state(thread(branch.run.run), branch.state, as_node=branch.ran)


async def branch_of(store: Store, original: Saved, moment: Checkpoint, changes: Mapping[str, Any]) -> Branch:
    """What goes on from the moment with the changes made; nothing is saved yet."""
    if len(moment.ran) != 1:
        raise Refused("--at", f"step:{moment.step}", "several steps ran there at once; choose a turn, or another step")
    state = changed(moment.values, changes)
    state["rules"] = state["rules"].settled(**{key: "" for key in ALONE if key not in changes})
    check_models(state["rules"], state["participants"])
    state["rules"] = await priced(state["rules"], state["participants"])
    rules = state["rules"].model_dump(mode="json")
    run = Run(
        run=new_name(original.run.protocol, "" if store.private else original.run.topic),
        protocol=original.run.protocol,
        topic=str(state.get("topic", original.run.topic)),
        started=stamp(),
        rules=rules,
        forked_from=f"{original.run.run} step:{moment.step}",
        forked_turn=moment.turn,
        forked_calls=len(state["calls"]),
        forked_with=to_jsonable_python(changes, inf_nan_mode="strings", fallback=str),
    )
    return Branch(run, state, moment.ran[0])


def changed(values: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The state with the changes made.

    Keys: `statement.N` (its text), `silenced.N` (whether nobody is shown it), `persona.NAME`, `role.NAME`,
    `model.NAME`, `topic`, `material`, and every rule by its dotted name. Raises `Refused` for a key, turn or name that
    is not there, and for a value that cannot be.
    """
    state = dict(values)
    for key, value in changes.items():
        head, _, rest = key.partition(".")
        _check_record(state, key, value)
        if head == "statement":
            state["history"] = _restated(state["history"], rest, value)
        elif head == "silenced":
            state["history"] = _silenced(state["history"], rest, value)
        elif head in PERSONAL and rest:
            state |= _of_rules(state["rules"], head, rest, value)
            state["participants"] = _recast(state["participants"], head, rest, value)
        elif key in ("topic", "material"):
            if not protocol(state["rules"].protocol).about:
                raise Refused(key, value, "nobody is told of it here; leave it out")
            state[key] = _text(key, value)
        else:
            ruled = _ruled(state["rules"], (SPELLINGS | state["rules"].own_words).get(key, key), value)
            if key == "profile":
                state["participants"] = _reseated(state, ruled)
            if isinstance(ruled, JusticeRules) and isinstance(state["rules"], JusticeRules):
                state["participants"] = _as_ruled(ruled, state["rules"], state["participants"])
            state["rules"] = ruled
    state["rules"].check_seats([one.name for one in state["participants"]])
    return state


def _check_record(state: Mapping[str, Any], key: str, value: Any) -> None:
    """Refuse what the answers on record would not fit any more."""
    head = key.partition(".")[0]
    if head == "statement" and state.get("estimates"):
        raise Refused(key, value, "estimates stand as they were given, and nobody is shown these words; leave it out")
    if head in ("answer", "options") and state.get("positions"):
        raise Refused(key, value, "what was answered so far answers the question as it was; fork from --at 0")


def _reseated(state: Mapping[str, Any], ruled: Rules) -> list[Participant]:
    """Who takes part under another profile; Refused once somebody has spoken as the one they are."""
    cast: list[Participant] = state["participants"]
    if state["history"]:
        own = " ".join(f"--set persona.{one.name}=…" for one in cast)
        remedy = f"they have spoken as who they are; change them with {own}, or fork before the first turn, --at 0"
        raise Refused("profile", getattr(ruled, "profile", ""), remedy)
    return reseated(cast, state["rules"], ruled)


def _text(key: str, value: Any) -> str:
    text = storable(str("" if value is None else value))
    check_text(key, text, TOPIC_LIMIT if key == "topic" else MATERIAL_LIMIT, blank=key == "material")
    return text.strip() if key == "topic" else text


def _silenced(history: list[Statement], turn: str, silent: Any) -> list[Statement]:
    _check_turn("silenced", history, turn)
    if not isinstance(silent, bool):
        raise Refused(f"silenced.{turn}", silent, "write true or false")
    return [one.model_copy(update={"silenced": silent}) if str(one.turn) == turn else one for one in history]


def _check_turn(key: str, history: list[Statement], turn: str) -> None:
    turns = [str(one.turn) for one in history]
    if turn not in turns:
        raise Refused(key, turn, f"no such turn before the fork; there are {', '.join(turns) or 'none'}")


def _restated(history: list[Statement], turn: str, text: Any) -> list[Statement]:
    _check_turn("statement", history, turn)
    content = storable(str(text)).strip()
    if text is None or not content:
        raise Refused(f"statement.{turn}", text, "give a text that is not blank")
    return [one.model_copy(update={"content": content}) if str(one.turn) == turn else one for one in history]


def _recast(participants: list[Participant], what: str, name: str, value: Any) -> list[Participant]:
    names = [one.name for one in participants]
    if name not in names:
        raise Refused(what, name, f"no such participant; there are {', '.join(names)}")
    return [one.model_copy(update={what: str(value)}) if one.name == name else one for one in participants]


def _of_rules(rules: Rules, what: str, name: str, value: Any) -> dict[str, Rules]:
    """The rules with one of their own participants changed, where a protocol has them there; else nothing."""
    if "participants" not in type(rules).model_fields:
        return {}
    if what not in IN_RULES:
        raise Refused(f"{what}.{name}", value, f"participants have none here; give {' or '.join(IN_RULES)}")
    told = rules.model_dump(mode="json")
    for one in told["participants"]:
        one |= {IN_RULES[what]: str(value)} if one["name"] == name else {}
    try:
        return {"rules": type(rules).model_validate(told)}
    except ValidationError as error:
        raise refused_input(error, type(rules)) from None


def _as_ruled(rules: JusticeRules, before: JusticeRules, participants: list[Participant]) -> list[Participant]:
    """The participants with what an experiment's rules say of them; who they are cannot change any more."""
    if [(one.id, one.name) for one in rules.participants] != [(one.id, one.name) for one in before.participants]:
        names = ", ".join(one.name for one in before.participants)
        given = [one.name for one in rules.participants]
        raise Refused("participants", given, f"it goes on with those who began it, their ids as well: {names}")
    told = {one.name: {"persona": one.personality, "model": one.model} for one in rules.participants}
    return [one.model_copy(update=told.get(one.name, {})) for one in participants]


def _ruled(rules: Rules, key: str, value: Any) -> Rules:
    key = dotted(key, value) if isinstance(rules, JusticeRules) else key
    known = list(type(rules).model_fields)
    if key.partition(".")[0] not in known:
        raise Refused(key, value, unknown_key(key, [*known, *NAMED]))
    type(rules).refuse_idle(merged({}, key, value))
    try:
        ruled = type(rules).model_validate(merged(rules.model_dump(mode="json"), key, value))
    except ValidationError as error:
        raise refused_input(error, type(rules)) from None
    return _placed(ruled) if key == "templates" else ruled


def _placed(rules: Rules) -> Rules:
    """The rules with their folder of templates checked and named as when a run begins."""
    return rules.settled(templates=protocol(rules.protocol).module.WORDS.check(rules.templates))
