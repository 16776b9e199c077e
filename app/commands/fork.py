"""`moot fork`: continue a copy of a run from an earlier turn, with changes."""

from typing import Annotated

from rich.table import Table
from typer import Option

from ...state import InputError
from ..display import Terminal, show_ending, show_run_resume
from ..report import build_document, compare_documents
from ..run import (
    OptionalText,
    RunName,
    ViewOptions,
    WaitingForPeopleError,
    flatten_options,
    parse_assignments,
    run_to_end,
)
from ..saved import Checkpoint, fork_run, list_checkpoints, load_saved_run, open_database


@flatten_options
async def fork(
    run: RunName,
    turn: Annotated[int | None, Option("--turn", metavar="N", help="Fork after turn N.")] = None,
    checkpoint: Annotated[
        int | None, Option("--checkpoint", metavar="N", help="Fork at checkpoint N of `moot checkpoints`.")
    ] = None,
    changes: Annotated[
        list[str],
        Option("--set", metavar="KEY=VALUE", help="Change: statement.3=…, persona.NAME=…, model=…, or any setting."),
    ] = [],  # noqa: B006 - typer needs the list
    model: Annotated[
        OptionalText, Option("--model", metavar="SPEC", help="Model of all participants that have none of their own.")
    ] = None,
    *,
    view: ViewOptions,
) -> None:
    """Start a changed copy of a run from one of its turns."""
    all_changes = ({} if model is None else {"model": model}) | parse_assignments(changes)
    terminal, waiting_error = Terminal(view), None
    with terminal.add_resume_hint():
        async with open_database(view.db, create=False) as store:
            terminal.database = view.db and store.address
            original = await load_saved_run(store, run)
            moment = select_checkpoint(await list_checkpoints(store, original), turn, checkpoint)
            fork_name = (await fork_run(store, original, moment, all_changes)).run
            async with store.lock(fork_name):
                show_run_resume(terminal, await load_saved_run(store, fork_name))
                try:
                    final_run = await run_to_end(store, fork_name, None, terminal)
                except WaitingForPeopleError as error:
                    waiting_error, final_run = error, await load_saved_run(store, fork_name)
            reloaded_original = await load_saved_run(store, run)
        if not (waiting_error and view.json):
            show_ending(terminal, final_run)
        if terminal.shows_run:
            table = Table("", reloaded_original.run.run, final_run.run.run, title="What differed")
            for row in compare_documents(build_document(reloaded_original), build_document(final_run)):
                table.add_row(*row)
            terminal.screen.console.print(table)
            terminal.screen.show_line("")
        if waiting_error:
            raise waiting_error


def select_checkpoint(checkpoints: list[Checkpoint], turn: int | None, step: int | None) -> Checkpoint:
    """Return the checkpoint after a turn, or the checkpoint with a number.

    `step`: number of the checkpoint. Raises `InputError` unless exactly one of `turn` and `step` is given and the
    checkpoint exists.
    """
    if (turn is None) == (step is None):
        raise InputError("--turn", turn, "give either --turn N or --checkpoint N")
    option, number = ("--turn", turn) if step is None else ("--checkpoint", step)
    checkpoints_by_number = {
        checkpoint.turn if step is None else checkpoint.step: checkpoint
        for checkpoint in reversed(checkpoints)
        if checkpoint.next
    }
    if number not in checkpoints_by_number:
        raise InputError(option, number, f"choose one of {', '.join(map(str, sorted(checkpoints_by_number)))}")
    return checkpoints_by_number[number]
