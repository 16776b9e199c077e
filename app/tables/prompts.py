"""What everyone was told, call by call, from the recordings of runs."""

import json
from collections.abc import Iterator, Sequence

from ...nodes.models.recording import loaded
from ...state.refused import Refused
from .columns import RUN, Columns
from .justice_tables import Row
from .tables import Document, Table

PROMPTS: Columns = RUN | {
    "request": "Number of the request among those of its run, as they were answered, from 1.",
    "purpose": "What it was for: statement, synthesis, judgement, ballot …",
    "who": "Participant or role that was asked.",
    "model": "Model spec.",
    "turn": "Turn it belongs to; 0: outside turns.",
    "round": "Round it belongs to; 0: outside rounds.",
    "try": "Which try of its question, from 1.",
    "message": "Place of the message in the request, from 1.",
    "role": "system, human; schema: the form that the answer was bound to, as JSON Schema.",
    "text": "What was told.",
}


def prompts(documents: Sequence[Document]) -> Table:
    """A row for each message of each request that the runs made.

    Raises `Refused` for a run that made calls and was not recorded, and for a recording that is not there.
    """
    return Table(PROMPTS, [row for one in documents if one["calls"] for row in _of_run(one)])


def _of_run(document: Document) -> Iterator[Row]:
    rules, run = document["rules"], document["run"]
    file = rules["record"] or rules["replay"]
    if not file:
        remedy = "was not recorded, and what was told is kept in recordings alone; run it "
        remedy += "under another name with settings: {record: FILE}"
        raise Refused("--prompts", run, remedy)
    place = {"place": rules["place"], "seed": rules["seed"]}
    requests = [one for one, _ in loaded(file).replies.values() if place.items() <= one.items() and "messages" in one]
    for number, one in enumerate(requests, 1):
        known = {key: one[key] for key in ("purpose", "who", "turn", "round", "try")}
        form = [["schema", json.dumps(one["schema"], ensure_ascii=False)]] if one["schema"] else []
        for place_in, (role, text) in enumerate([*one["messages"], *form], 1):
            message = {"message": place_in, "role": role, "text": text}
            yield {"run": run, "request": number, "model": one["spec"], **known, **message}
