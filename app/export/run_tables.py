"""Tables of a run by name, with a row for each entry in its document or its recording."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic.alias_generators import to_camel

from ...models import load_recording
from ...state import Call, InputError, Prices
from ..protocols.hooks import RunDocument, get_hooks
from . import columns
from .columns import TableRow


@dataclass(frozen=True)
class DataTable:
    """Table of rows, with the meaning of each column. The first column is the run."""

    columns: dict[str, str]
    rows: list[TableRow]


def build_tables(document: RunDocument) -> dict[str, DataTable]:
    """Return every table of a run by name, including empty ones.

    The tables that only the run's protocol has stand at the end.
    """
    tables = {name: build_table(document, name) for name, (key, _, _) in TABLE_MAKERS.items() if key in document}
    hooks = get_hooks(document["protocol"])
    own_rows = hooks.table_rows(document)
    for name, meanings in hooks.tables.items():
        own_table = DataTable(
            {**columns.RUN_COLUMN, **meanings}, [{"run": document["run"], **row} for row in own_rows[name]]
        )
        tables[name] = _join_tables(tables[name], own_table) if name in tables else own_table
    return tables


def build_table(document: RunDocument, name: str) -> DataTable:
    """Return a table that any run may have, by its name, with the run in the first column."""
    key, meanings, list_rows = TABLE_MAKERS[name]
    rows = [{"run": document["run"]} | row for row in (list_rows(document) if list_rows else document[key] or [])]
    return DataTable({**columns.RUN_COLUMN, **meanings}, rows)


def _join_tables(shared_table: DataTable, own_table: DataTable) -> DataTable:
    """Return a shared table with additional columns from a protocol's own table.

    Rows are matched by run and name.
    """
    keys = [key for key in ("run", "name") if key in own_table.columns]
    own_rows = {tuple(row[key] for key in keys): row for row in own_table.rows}
    rows = [row | own_rows.get(tuple(row[key] for key in keys), {}) for row in shared_table.rows]
    return DataTable({**shared_table.columns, **own_table.columns}, rows)


def _list_run_rows(document: RunDocument) -> list[TableRow]:
    row = {column: document[to_camel(column)] for column in columns.RUN_COLUMNS}
    counts = {key: len(document[key]) for key in ("turns", "incidents")}
    return [row | counts | {"basis": document["basis"]["kind"] if document["basis"] else None}]


def _list_call_rows(document: RunDocument) -> list[TableRow]:
    raw_prices = document["settings"].get("prices")
    prices = Prices.model_validate(raw_prices) if raw_prices else None
    return [
        call | {"cost": prices.compute_cost([Call.model_validate(call)]) if prices else None}
        for call in document["calls"]
    ]


def _list_poll_rows(document: RunDocument) -> list[TableRow]:
    poll_keys = ("round", "event", "initiator", "refused")
    tally_keys = [key for key in columns.POLL_COLUMNS if key not in ("run", "vote", *poll_keys)]
    return [
        {"vote": poll["number"]}
        | {key: poll[key] for key in poll_keys}
        | {key: (poll["tally"] or {}).get(key) for key in tally_keys}
        for poll in document["polls"]
    ]


def _list_ranking_rows(document: RunDocument) -> list[TableRow]:
    authors, concordance = _map_turn_authors(document), document["concordance"]
    return [
        {"ranker": review["voter"], "shown": position, "turn": turn, "author": authors[turn]}
        | {
            "place": review["ranking"].index(turn) + 1 if review["ranking"] else None,
            "own": authors[turn] == review["voter"],
        }
        | {"critique": next((critique["text"] for critique in review["critiques"] if critique["turn"] == turn), None)}
        | {"agreement": concordance["agreement"].get(review["voter"])}
        for review in document["reviews"]
        for position, turn in enumerate(review["shown_turns"], start=1)
    ]


def _list_answer_rows(document: RunDocument) -> list[TableRow]:
    concordance, polls = document["concordance"] or {}, document["polls"]
    tally = polls[-1]["tally"] if polls else {"totals": {}, "winner": None}
    measures = ("ranked_by", "mean_place", "points", "self_preference")
    return [
        {"turn": turn, "author": author, "total": tally["totals"].get(author), "winner": tally["winner"] == author}
        | {key: concordance.get(key, {}).get(author) for key in measures}
        for turn, author in _map_turn_authors(document).items()
    ]


def _map_turn_authors(document: RunDocument) -> dict[int, str]:
    return {turn["turnNumber"]: turn["speakerId"] for turn in document["turns"]}


RowLister = Callable[[RunDocument], list[TableRow]]
TABLE_MAKERS: Mapping[str, tuple[str, columns.ColumnMeanings, RowLister | None]] = {
    "runs": ("run", columns.RUN_COLUMNS, _list_run_rows),
    "turns": (
        "turns",
        columns.TURN_COLUMNS,
        lambda document: [
            {
                "turn": turn["turnNumber"],
                "round": course_line["round"],
                "speaker": turn["speakerId"],
                "content": turn["content"],
                "timestamp": turn["timestamp"],
                "tokens": turn["tokensUsed"],
                "cut_off": course_line["cutOff"],
                "silenced": course_line["silenced"],
            }
            for turn, course_line in zip(document["turns"], document["course"], strict=True)
        ],
    ),
    "participants": ("participants", columns.PARTICIPANT_COLUMNS, None),
    "positions": ("positions", columns.POSITION_COLUMNS, None),
    "agreements": (
        "agreements",
        columns.AGREEMENT_COLUMNS,
        lambda document: [
            {key: agreement[key] for key in ("round", "measure")}
            | {"participant": name, "score": agreement["scores"].get(name)}
            | {"objection": agreement["objections"].get(name, "")}
            for agreement in document["agreements"]
            for name in [*agreement["scores"], *agreement["missing"]]
        ],
    ),
    "polls": ("polls", columns.POLL_COLUMNS, _list_poll_rows),
    "votes": (
        "polls",
        columns.VOTE_COLUMNS,
        lambda document: [
            {"vote": poll["number"], "round": poll["round"], "option": sign, "text": text}
            | {key: tally[key] for key in ("rule", "status", "turnout")}
            | {"total": tally["totals"].get(sign), "margin": tally["margins"].get(sign)}
            | {"winner": sign in tally["winners"]}
            for poll in document["polls"]
            if (tally := poll["tally"])
            for sign, text in poll["options"].items()
        ],
    ),
    "ballots": (
        "polls",
        columns.BALLOT_COLUMNS,
        lambda document: [
            {"vote": poll["number"], **ballot} for poll in document["polls"] for ballot in poll["ballots"]
        ],
    ),
    "answers": ("concordance", columns.ANSWER_COLUMNS, _list_answer_rows),
    "rankings": ("reviews", columns.RANKING_COLUMNS, _list_ranking_rows),
    "papers": ("papers", columns.PAPER_COLUMNS, None),
    "events": ("events", columns.EVENT_COLUMNS, None),
    "memories": (
        "memory",
        columns.MEMORY_COLUMNS,
        lambda document: [
            {"participant": name, "line": position, "text": line}
            for name, lines in document["memory"].items()
            for position, line in enumerate(lines, start=1)
        ],
    ),
    "calls": ("calls", columns.CALL_COLUMNS, _list_call_rows),
    "lookups": ("lookups", columns.LOOKUP_COLUMNS, None),
    "incidents": ("incidents", columns.INCIDENT_COLUMNS, None),
}
"""Tables by name: the document's key, the column meanings, and the maker of rows; `None`: a row for each entry.

Secret ballots have no row.
"""


def list_prompts(documents: Sequence[RunDocument]) -> DataTable:
    """Return a table with the messages of each request that the runs made, one row each.

    Raises `InputError` for a run with calls but without a recording, and for a missing recording file.
    """
    return DataTable(
        columns.PROMPT_COLUMNS,
        [row for document in documents if document["calls"] for row in _list_prompt_rows(document)],
    )


def _list_prompt_rows(document: RunDocument) -> Iterator[TableRow]:
    settings, run = document["settings"], document["run"]
    file = settings["record"] or settings["replay"]
    if not file:
        raise InputError(
            "--prompts",
            run,
            "the run has no recording, and only recordings contain prompts; run it "
            "again under another name, with settings: {record: FILE}",
        )
    identity = {"recording_id": settings["recording_id"], "seed": settings["seed"]}
    requests = [
        request
        for request, _ in load_recording(file).replies.values()
        if identity.items() <= request.items() and "messages" in request
    ]
    for number, request in enumerate(requests, 1):
        call_fields = {key: request[key] for key in ("purpose", "who", "turn", "round", "attempt")}
        schema_messages = [["schema", json.dumps(request["schema"], ensure_ascii=False)]] if request["schema"] else []
        for position, (role, text) in enumerate([*request["messages"], *schema_messages], 1):
            own_fields = {"run": run, "request": number, "model": request["spec"]}
            yield own_fields | call_fields | {"message": position, "role": role, "text": text}
