"""`moot join`: take a seat in a saved run."""

from typing import Annotated

from typer import Option

from ...state import InputError
from ..people.terminal_seat import join_run
from ..run.command_options import OptionalText, RunName, ViewOptions, flatten_options
from ..session.participation import is_open_session, join_session


@flatten_options
def join(
    run: RunName,
    me: Annotated[
        OptionalText, Option("--as", metavar="NAME", help="Your name in the run.", show_default=False)
    ] = None,
    wait: Annotated[bool, Option("--wait", help="Stay for your next questions until the run ends.")] = False,
    decline: Annotated[
        OptionalText, Option("--decline", metavar="REASON", help="Decline the invitation to a session.")
    ] = None,
    *,
    view: ViewOptions,
) -> None:
    """Take your seat in a run and answer its questions.

    The run continues until it needs the next person. Several paragraphs pasted at a terminal are one text.
    """
    if not me:
        raise InputError("--as", me, "give your name: --as NAME")
    if is_open_session(run, view.db):
        return join_session(run, me, view, decline, waits_for_others=wait)
    if decline is not None:
        raise InputError("--decline", decline, "only an open discussion has invitations; leave it out")
    return join_run(run, me, view, wait)
