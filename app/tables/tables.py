"""The tables of a run, by name: a row for each entry of its document."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic.alias_generators import to_camel

from ...state.incident import Call
from ...state.justice.result import result_in
from ...state.settings import Prices
from ..hooks import hooks_of
from . import columns
from .justice_columns import TABLES as JUSTICE
from .justice_tables import Row
from .justice_tables import tables as justice_tables

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """Rows under columns, whose meanings they have; the first column is the run."""

    columns: columns.Columns
    rows: list[Row]


def tables(document: Document) -> dict[str, Table]:
    """Every table the protocol has, also those without a row; those of its own come last."""
    found = {name: made(document, name) for name, (key, _, _) in TABLES.items() if key in document}
    for name, (meanings, entries) in hooks_of(document["protocol"]).tables.items():
        found[name] = _of_run(document, meanings, entries)
    if "phase2" not in document:
        return found
    own = justice_tables({document["run"]: result_in(document)})
    for name, rows in own.items():
        found[name] = beside(found.get(name), Table(JUSTICE[name], rows))
    return found


def made(document: Document, name: str) -> Table:
    """One of the tables any run may have."""
    _, meanings, rows = TABLES[name]
    return _of_run(document, meanings, rows)


def _of_run(document: Document, meanings: Mapping[str, str], rows: Callable[[Document], list[Row]]) -> Table:
    """A table whose rows begin with the run."""
    return Table({**columns.RUN, **meanings}, [{"run": document["run"]} | row for row in rows(document)])


def beside(shared: Table | None, own: Table) -> Table:
    """A protocol's own table, its columns after those that every run has; rows are matched by run and name."""
    if shared is None:
        return own
    keys = [key for key in ("run", "name") if key in own.columns]
    known = {tuple(row[key] for key in keys): row for row in own.rows}
    rows = [row | known.get(tuple(row[key] for key in keys), {}) for row in shared.rows]
    return Table({**shared.columns, **own.columns}, rows)


def _runs(document: Document) -> list[Row]:
    row = {column: document[to_camel(column)] for column in columns.RUNS}
    kind = document["promise"]["kind"] if document["promise"] else None
    return [row | {key: len(document[key]) for key in ("turns", "incidents")} | {"promise": kind}]


def _turns(document: Document) -> list[Row]:
    return [
        {
            "turn": one["turnNumber"],
            "round": course["round"],
            "speaker": one["speakerId"],
            "content": one["content"],
            "timestamp": one["timestamp"],
            "tokens": one["tokensUsed"],
            "cut_off": course["cutOff"],
            "silenced": course["silenced"],
        }
        for one, course in zip(document["turns"], document["course"], strict=True)
    ]


def _whole(key: str) -> Callable[[Document], list[Row]]:
    """The entries of a list, each as it is."""
    return lambda document: [dict(entry) for entry in document[key] or []]


def _calls(document: Document) -> list[Row]:
    given = document["rules"].get("prices")
    prices = Prices.model_validate(given) if given else None
    return [one | {"cost": prices.cost([Call.model_validate(one)]) if prices else None} for one in document["calls"]]


def _weighings(document: Document) -> list[Row]:
    """A row for each participant and weighed round; without a score, they gave no answer."""
    return [
        {
            "round": one["round"],
            "strategy": one["strategy"],
            "participant": name,
            "score": one["scores"].get(name),
            "objection": one["objections"].get(name, ""),
        }
        for one in document["weighings"]
        for name in [*one["scores"], *one["missing"]]
    ]


def _polls(document: Document) -> list[Row]:
    said = ("round", "event", "initiator", "refused")
    counted = [key for key in columns.POLLS if key not in ("run", "vote", *said)]
    return [
        {"vote": poll["number"]}
        | {key: poll[key] for key in said}
        | {key: (poll["tally"] or {}).get(key) for key in counted}
        for poll in document["polls"]
    ]


def _votes(document: Document) -> list[Row]:
    """A row for each option of each vote that was counted."""
    return [
        {"vote": poll["number"], "round": poll["round"], "rule": tally["rule"], "option": sign, "text": text}
        | {"total": tally["totals"].get(sign), "margin": tally["margins"].get(sign), "winner": sign in tally["winners"]}
        | {key: tally[key] for key in ("settled", "turnout")}
        for poll in document["polls"]
        if (tally := poll["tally"])
        for sign, text in poll["options"].items()
    ]


def _ballots(document: Document) -> list[Row]:
    """The ballots of open votes; those of secret ones are nobody's to read."""
    return [{"vote": poll["number"], **ballot} for poll in document["polls"] for ballot in poll["ballots"]]


def _rankings(document: Document) -> list[Row]:
    """A row for each answer that a member of a council was shown."""
    authors, found = _authors(document), document["concordance"]
    return [
        {"ranker": one["ranker"], "shown": place, "turn": turn, "author": authors[turn]}
        | {"place": one["ranking"].index(turn) + 1 if one["ranking"] else None, "own": authors[turn] == one["ranker"]}
        | {"critique": next((each["text"] for each in one["critiques"] if each["turn"] == turn), None)}
        | {"agreement": found["agreement"].get(one["ranker"])}
        for one in document["reviews"]
        for place, turn in enumerate(one["shown"], start=1)
    ]


def _answers(document: Document) -> list[Row]:
    """A row for each answer of a council."""
    found, polls = document["concordance"] or {}, document["polls"]
    tally = polls[-1]["tally"] if polls else {"totals": {}, "winner": None}
    measured = ("ranked_by", "mean_place", "points", "self_preference")
    return [
        {"turn": turn, "author": author, "total": tally["totals"].get(author), "winner": tally["winner"] == author}
        | {key: found.get(key, {}).get(author) for key in measured}
        for turn, author in _authors(document).items()
    ]


def _authors(document: Document) -> dict[int, str]:
    return {one["turnNumber"]: one["speakerId"] for one in document["turns"]}


def _memories(document: Document) -> list[Row]:
    """A row for each line that anybody remembers at the end."""
    return [
        {"participant": name, "line": place, "text": line}
        for name, lines in document["memory"].items()
        for place, line in enumerate(lines, start=1)
    ]


TABLES: Mapping[str, tuple[str, columns.Columns, Callable[[Document], list[Row]]]] = {
    "runs": ("run", columns.RUNS, _runs),
    "turns": ("turns", columns.TURNS, _turns),
    "participants": ("participants", columns.PARTICIPANTS, _whole("participants")),
    "positions": ("positions", columns.POSITIONS, _whole("positions")),
    "weighings": ("weighings", columns.WEIGHINGS, _weighings),
    "polls": ("polls", columns.POLLS, _polls),
    "votes": ("polls", columns.VOTES, _votes),
    "ballots": ("polls", columns.BALLOTS, _ballots),
    "answers": ("concordance", columns.ANSWERS, _answers),
    "rankings": ("reviews", columns.RANKINGS, _rankings),
    "papers": ("papers", columns.PAPERS, _whole("papers")),
    "events": ("events", columns.EVENTS, _whole("events")),
    "memories": ("memory", columns.MEMORIES, _memories),
    "calls": ("calls", columns.CALLS, _calls),
    "incidents": ("incidents", columns.INCIDENTS, _whole("incidents")),
}
"""By name: which key of the document it is made from, what its columns mean, and how its rows are made."""
