"""Pages that fork a run and that compare two runs.

A fork is a new run from a turn of another run, with a changed text, model or setting.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...models import PATH_SETTINGS, get_operator_policy
from ...state import MAX_FORM_SIZE, InputError
from ..report import TableBlock, build_page, compare_documents, list_rounds
from ..run.config_file import parse_assignments
from ..saved import Checkpoint, SavedRun, apply_changes, check_run_name, fork_run, list_checkpoints, load_saved_run
from .rendering import detect_browser_language, render_response
from .room import get_room
from .run_page import require_document

MAX_CHANGES = 100
"""Maximum number of settings that one form can change."""


async def render_fork_form(request: Request) -> Response:
    """Return the page with the form for a fork: what can be changed after a turn.

    A fork after a turn of a blind round starts at the end of that round.
    """
    name = check_run_name(request.path_params["run"])
    return await _render_form(
        request, await load_saved_run(get_room(request).store, name), request.query_params.get("turn", ""), {}
    )


async def _render_form(
    request: Request, saved_run: SavedRun, turn: str, values: Mapping[str, str], fault: InputError | None = None
) -> Response:
    if not saved_run.has_begun:
        raise InputError("run", saved_run.run.run, "the run has no saved step")
    checkpoint_by_turn = _index_checkpoints(await list_checkpoints(get_room(request).store, saved_run))
    last_turn = max(checkpoint_by_turn, default=0)
    turn_number = (
        min((number for number in checkpoint_by_turn if number >= int(turn[:9])), default=last_turn)
        if turn.isdecimal()
        else last_turn
    )
    return render_response(
        "fork.html",
        saved_run.state["settings"].language,
        400 if fault else 200,
        saved=saved_run,
        turns=sorted(checkpoint_by_turn),
        at=turn_number,
        said=next((statement for statement in saved_run.state["history"] if statement.turn == turn_number), None),
        cast=saved_run.state["participants"],
        model=saved_run.state["settings"].model,
        given=values,
        fault=fault,
    )


def _index_checkpoints(checkpoints: list[Checkpoint]) -> dict[int, Checkpoint]:
    """Return the last checkpoint of each turn, by turn. Turns after which the run ended are left out."""
    return {
        checkpoint.turn: checkpoint
        for checkpoint in reversed(checkpoints)
        if checkpoint.next and len(checkpoint.nodes) == 1 and checkpoint.turn
    }


async def handle_fork(request: Request) -> Response:
    """Save the fork that a form describes, execute it, and redirect to its page.

    Raises `InputError` for an unusable turn or change.
    """
    room, name = get_room(request), check_run_name(request.path_params["run"])
    async with request.form(max_files=0, max_fields=4000) as form:
        values = {key: value for key, value in form.items() if isinstance(value, str)}
    saved_run = await load_saved_run(room.store, name)
    try:
        checkpoint_by_turn = _index_checkpoints(await list_checkpoints(room.store, saved_run))
        turn, turns = values.get("turn", ""), [*map(str, checkpoint_by_turn)]
        if turn not in turns:
            raise InputError("turn", turn, f"must be one of {', '.join(turns)}")
        checkpoint = checkpoint_by_turn[int(turn)]
        changes = await asyncio.to_thread(collect_changes, checkpoint, values)
        for key, value in changes.items():
            if key in PATH_SETTINGS and value:
                get_operator_policy().check_path(key, str(value))
            if key.partition(".")[0] == "logging":
                raise InputError(key, value, "a page cannot set this; use `moot fork --set`")
        if room.is_exposed:
            state = apply_changes(checkpoint.values, changes)
            get_operator_policy().limit_settings(state["settings"], state["participants"])
        fork_name = (await fork_run(room.store, saved_run, checkpoint, changes)).run
    except InputError as error:
        return await _render_form(request, saved_run, values.get("turn", ""), values, error)
    await room.driver.resume_run(fork_name)
    return RedirectResponse(f"/runs/{fork_name}", 303)


def collect_changes(checkpoint: Checkpoint, values: Mapping[str, str]) -> dict[str, Any]:
    """Return the changes that the values of a form make to a checkpoint, by the keys of `apply_changes`.

    Statements, personas and models count only if they differ from the checkpoint. Raises `InputError` for too many
    lines of changes.
    """
    state, turn = checkpoint.values, checkpoint.turn
    old_texts = {
        **{f"statement.{entry.turn}": entry.content for entry in state["history"] if entry.turn == turn},
        **{f"persona.{participant.name}": participant.persona for participant in state["participants"]},
        **{f"model.{participant.name}": participant.model for participant in state["participants"]},
        "model": str(state["settings"].model),
    }
    changes: dict[str, Any] = {}
    for key, old_text in old_texts.items():
        new_text, old_text = (text.replace("\r\n", "\n").strip() for text in (values.get(key, old_text), old_text))
        if new_text != old_text:
            changes[key] = new_text
    rules = values.get("rules", "")
    lines = [line for line in rules.splitlines() if line.strip()]
    if len(rules) > MAX_FORM_SIZE or len(lines) > MAX_CHANGES:
        raise InputError(
            "rules", f"{len(lines):,} lines", f"give at most {MAX_CHANGES} lines and {MAX_FORM_SIZE:,} characters"
        )
    return changes | parse_assignments(lines)


async def render_comparison(request: Request) -> Response:
    """Return the page that compares two runs, or the page to choose them."""
    store, language = get_room(request).store, detect_browser_language(request)
    names = [request.query_params.get(key, "") for key in ("a", "b")]
    if not all(names):
        return render_response(
            "choose.html",
            language,
            runs=[(run.run, run.topic) for run in await store.runs.list_runs()][:500],
            chosen=names,
        )
    first, second = [require_document(await load_saved_run(store, check_run_name(name))) for name in names]
    return render_response("compare.html", first["language"], **build_comparison_context(first, second))


def build_comparison_context(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return the template values of the page that compares the documents of two runs."""
    pages = [build_page(first), build_page(second)]
    first_turns, second_turns = (
        {entry.turn: entry for part in list_rounds(page) for entry in part.entries if not entry.is_protocol_line}
        for page in pages
    )
    pairs = []
    for turn in sorted({*first_turns, *second_turns}):
        before, after = first_turns.get(turn), second_turns.get(turn)
        pairs.append(
            {
                "turn": turn,
                "first": before,
                "second": after,
                "same": bool(before and after and (before.who, before.text) == (after.who, after.text)),
            }
        )
    names = [first["run"], second["run"]]
    rows = [list(row) for row in compare_documents(first, second) if not row[0].startswith("statement ")]
    return {
        "pages": pages,
        "differences": TableBlock(" · ".join(names), ["", *names], rows, has_long_names=True),
        "pairs": pairs,
        "names": names,
    }
