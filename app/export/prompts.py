"""Prompts of every call, from the recordings of runs."""

import json
from collections.abc import Iterator, Sequence

from ...models import load_recording
from ...state import InputError
from ..protocols.hooks import RunDocument
from .columns import RUN_COLUMN, ColumnMeanings, TableRow
from .run_rows import DataTable

PROMPT_COLUMNS: ColumnMeanings = RUN_COLUMN | {
    "request": "Number of the request among those of its run, as they were answered, from 1.",
    "purpose": "What it was for: statement, synthesis, judgement, ballot …",
    "who": "Participant or role that was asked.",
    "model": "Model spec.",
    "turn": "Turn it belongs to; 0: outside turns.",
    "round": "Round it belongs to; 0: outside rounds.",
    "attempt": "Attempt at its question, from 1.",
    "message": "Place of the message in the request, from 1.",
    "role": "system, human; schema: the form that the answer was bound to, as JSON Schema.",
    "text": "What was told.",
}


def list_prompts(documents: Sequence[RunDocument]) -> DataTable:
    """List the messages of each request that the runs made, one row each.

    Raises `InputError` for a run with calls but without a recording, and for a missing recording file.
    """
    return DataTable(
        PROMPT_COLUMNS, [row for document in documents if document["calls"] for row in _list_prompt_rows(document)]
    )


def _list_prompt_rows(document: RunDocument) -> Iterator[TableRow]:
    settings, run = document["settings"], document["run"]
    file = settings["record"] or settings["replay"]
    if not file:
        raise InputError(
            "--prompts",
            run,
            "was not recorded, and what was told is kept in recordings alone; run it "
            "under another name with settings: {record: FILE}",
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
