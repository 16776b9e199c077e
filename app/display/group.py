"""What a group measured and what it voted, in sentences and tables: live after each step, and from a document."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from ...prompts import listed, phrases, term
from ...state.consensus import moves
from ...state.count import RULES
from ...state.positions import Position
from ...state.rules import Rules
from ...state.text import clipped
from .aligned import Row
from .plain import one_line
from .positions import answer_words
from .wording import say

Item = str | list[Row]
"""A sentence, or a table whose first row is its head."""

ABREAST, SHOWN = 8, 100
"""Rounds side by side in a table; characters shown of a position, an option, a reason."""

Entry = Mapping[str, Any]
"""A position, a weighing or a poll, as a document holds it."""


def happened(update: Mapping[str, Any], rules: Rules) -> Iterator[Item]:
    """What a step wrote of measures and votes. Of a ballot only who cast it is told, until the vote is counted."""
    settings = rules.model_dump(mode="json")
    language = rules.language
    for key, told in _TOLD.items():
        for one in update.get(key) or []:
            yield from told(one.model_dump(mode="json"), settings, language)


def stands(document: Entry) -> Iterator[Item]:
    """Everyone's agreement after each round, and who moved when, after whose statement."""
    weighings, language = document.get("weighings") or [], document["language"]
    names = [one["name"] for one in document["participants"]]
    for first in range(0, len(weighings), ABREAST):
        part = weighings[first : first + ABREAST]
        head = ["", *(_report(language, "talk.round", number=one["round"]) for one in part)]
        rows = [[name, *(_score(one, name, language) for one in part)] for name in names]
        yield [head, *rows, [_report(language, "stands.mean"), *(f"{one['score']:.2f}" for one in part)]]
    positions = [Position.model_validate(one) for one in document.get("positions") or []]
    yield from (_move(one, positions, language) for one in moves(positions))
    last = weighings[-1]["objections"] if weighings else {}
    yield from (say(language, "group.objects", who=who, text=_short(text)) for who, text in last.items())


def votes(document: Entry) -> Iterator[Item]:
    """Each vote's course, options and count, why it fell short, and its ballots where they are open."""
    polls = {one["number"]: one for one in document.get("polls") or []}
    for poll in polls.values():
        yield from _vote(poll, document["rules"], document["language"])


def reviews(document: Entry) -> Iterator[Item]:
    """Everyone's ranking of a council's answers, with its agreement with all of them, and every critique."""
    language, found = document["language"], document.get("concordance") or {}
    made = document.get("reviews") or []
    if not made:
        return
    keys = ("ranker", "ranking", "agreement", "self_preference")
    rows = [[one["ranker"], _order(one, language), *_measured(found, one["ranker"])] for one in made]
    yield [[_report(language, f"reviews.{key}") for key in keys], *rows]
    told = [[one["ranker"], f"[{each['turn']}]", one_line(each["text"])] for one in made for each in one["critiques"]]
    if told:
        yield [[_report(language, f"reviews.{key}") for key in ("ranker", "turn", "critique")], *told]


def _order(one: Entry, language: str) -> str:
    return " > ".join(f"[{turn}]" for turn in one["ranking"]) or _report(language, "votes.invalid")


def _measured(found: Entry, ranker: str) -> list[str]:
    """A ranking's agreement with all, and the places by which it prefers its author's answer."""
    tau, gap = found["agreement"].get(ranker), found["self_preference"].get(ranker)
    return ["–" if tau is None else f"{tau:.2f}", "–" if gap is None else f"{gap:+.2f}"]


def _vote(poll: Entry, settings: Entry, language: str) -> Iterator[Item]:
    yield _held(poll, language)
    if poll["tally"]:
        yield from _counted(poll, settings, language)
        return
    yield _options(poll, language)
    yield from _unheld(poll, language)


def _position(one: Entry, settings: Entry, language: str) -> Iterator[Item]:
    if one["moved_by"]:
        told = {"who": one["who"], "by": one["moved_by"], "position": _short(one["position"])}
        yield say(language, "group.moved", **told)
    if one["objection"]:
        yield say(language, "group.objects", who=one["who"], text=_short(one["objection"]))


def _weighing(one: Entry, settings: Entry, language: str) -> Iterator[Item]:
    comma = term(language, "lists", "comma")
    scores = comma.join(f"{name} {_score(one, name, language)}" for name in [*one["scores"], *one["missing"]])
    how = _report(language, f"measured.{one['strategy']}")
    yield say(language, "group.agreement", round=one["round"], how=how, scores=scores, mean=f"{one['score']:.2f}")


def _poll(poll: Entry, settings: Entry, language: str) -> Iterator[Item]:
    """One step of a vote's course."""
    if poll["event"] in ("initiated", "not_held"):
        yield _held(poll, language)
        yield _options(poll, language)
    if poll["tally"]:
        yield from _counted(poll, settings, language)
    elif poll["event"] != "initiated":
        yield from _unheld(poll, language)


def _cast(cast: Entry, settings: Entry, language: str) -> Iterator[Item]:
    yield say(language, "group.cast", who=cast["ballot"]["voter"])


def _reviewed(one: Entry, settings: Entry, language: str) -> Iterator[Item]:
    yield say(language, "group.reviewed", who=one["ranker"])


_TOLD = {"positions": _position, "weighings": _weighing, "reviews": _reviewed, "polls": _poll, "ballots": _cast}


def _held(poll: Entry, language: str) -> str:
    by = poll["initiator"] or _report(language, "votes.schedule")
    return _report(language, held_key(poll), number=poll["number"], round=poll["round"], by=by)


def held_key(poll: Entry) -> str:
    """The phrase for when a vote was held."""
    return "votes.held" if poll["round"] else "votes.held_first"


def _unheld(poll: Entry, language: str) -> Iterator[str]:
    yield _report(language, f"poll_events.{poll['event']}")
    if poll["refused"]:
        yield _report(language, "votes.refused", who=listed(language, poll["refused"]))


def _counted(poll: Entry, settings: Entry, language: str) -> Iterator[Item]:
    """The count: its outcome, each option's total, why it fell short, and what may be known of the ballots."""
    tally, say_so = poll["tally"], partial(_report, language)
    won = answer_words(tally["winner"], "", language) if tally["winner"] else say_so("votes.nobody")
    how = {"rule": _rule(tally["rule"], language), "settled": say_so(f"settled.{tally['settled']}")}
    yield say_so("votes.counted", winner=won, turnout=f"{tally['turnout']:.0%}", **how)
    missing = {key: tally[key] for key in ("abstentions", "invalid", "excluded")}
    if any(missing.values()):
        yield say_so("votes.left_out", **missing)
    yield _options(poll, language)
    if circle := ((poll["report"] or {}).get("condorcet") or {}).get("cycle"):
        yield say_so("votes.cycle", cycle=" > ".join(circle))
    if why := short_of(tally, settings.get("ballot") or {}, language):
        yield why
    if poll["ballots"]:
        head = [say_so(f"votes.{key}") for key in ("voter", "ballot", "reason")]
        yield [
            head,
            *([one["voter"], ballot_in_words(one, language), _short(one["reason"])] for one in poll["ballots"]),
        ]
    else:
        yield say(language, "group.secret", count=tally["votes"] + tally["abstentions"] + tally["excluded"])


def short_of(tally: Entry, settings: Entry, language: str) -> str:
    """Why a count chose nobody, with what was needed; empty: it did, or its outcome says all there is."""
    totals, settled = tally["totals"], tally["settled"]
    if settled == "no_quorum":
        present = tally["votes"] + tally["abstentions"] + tally["excluded"]
        needed = _share(settings.get("quorum", 0.5))
        return say(language, "group.no_quorum", present=present, voters=tally["voters"], needed=needed)
    if settled == "tied":
        return say(language, "group.tied", options=listed(language, tally["winners"]))
    if settled != "short" or not totals or tally["rule"] not in RULES:
        return ""
    most = max(totals.values())
    best = [answer_words(option, "", language) for option, total in totals.items() if total == most]
    needed = {"supermajority": _share(settings.get("share", 2 / 3))}.get(tally["rule"], "")
    key = f"needs_{tally['rule'] if tally['rule'] in ('unanimity', 'supermajority') else 'majority'}"
    figures = {"votes": tally["votes"], "option": listed(language, best), "most": f"{most:g}", "needed": needed}
    return say(language, f"group.{key}", **figures)


def _options(poll: Entry, language: str) -> list[Row]:
    """What can be chosen, with its total once it is counted."""
    totals = poll["tally"]["totals"] if poll["tally"] else {}
    named = {**poll["options"], **{option: "" for option in totals if option not in poll["options"]}}
    signs = {sign: answer_words(sign, "", language) for sign in named}
    plain = all(signs[sign] == text for sign, text in named.items())
    keys = ["sign", *(["total"] if totals else []), *([] if plain else ["option"])]
    rows = [
        {"sign": signs[sign], "total": f"{totals.get(sign, 0):g}", "option": _short(text)}
        for sign, text in named.items()
    ]
    return [[_report(language, f"votes.{key}") for key in keys], *([row[key] for key in keys] for row in rows)]


def ballot_in_words(ballot: Entry, language: str) -> str:
    """What a voter said, in short."""
    if ballot["invalid"] or ballot["abstain"]:
        return _report(language, "votes.invalid" if ballot["invalid"] else "votes.abstained")
    if ballot["ranking"] is not None:
        return " > ".join(ballot["ranking"])
    if ballot["scores"] is not None:
        return term(language, "lists", "comma").join(f"{name} {score:g}" for name, score in ballot["scores"].items())
    approved = ballot["approvals"] if ballot["choice"] is None else [ballot["choice"]]
    return term(language, "lists", "comma").join(approved or []) or "–"


def _move(after: Position, positions: Sequence[Position], language: str) -> str:
    """Who moved in which round, how far, and after whose statement."""
    before = [
        one.agreement
        for one in positions
        if one.who == after.who and one.round < after.round and one.agreement is not None
    ]
    figures = {"round": after.round, "who": after.who, "before": f"{before[-1]:.2f}", "after": f"{after.agreement:.2f}"}
    told = {"by": after.moved_by, "position": _short(after.position)}
    return say(language, "group.moved_by" if after.moved_by else "group.shifted", **figures, **told)


def _score(weighing: Entry, name: str, language: str) -> str:
    score = weighing["scores"].get(name)
    return _report(language, "stands.missing") if score is None else f"{score:.2f}"


def _share(share: float) -> str:
    return str(Fraction(share).limit_denominator(1000))


def _short(text: str) -> str:
    return clipped(one_line(text), SHOWN)


def _rule(rule: str, language: str) -> str:
    """A counting rule in words; one that has none by its name."""
    known = rule in phrases("report").keys("count_rules")
    return _report(language, f"count_rules.{rule}") if known else rule.replace("_", " ")


def _report(language: str, key: str, **values: object) -> str:
    return phrases("report").say(language, key, **values)
