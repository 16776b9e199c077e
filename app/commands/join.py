"""`moot join`: take a seat in a saved run."""

from typing import Annotated

from typer import Option

from ...state.refused import Refused
from ..options import RunName, Text, View, spread
from ..people.seat import join as join_run
from ..session.join import is_open_session, take_part

Me = Annotated[Text, Option("--as", metavar="NAME", help="Who you are there.", show_default=False)]
Wait = Annotated[bool, Option("--wait", help="Follow the run while others are asked, until it is over.")]
Decline = Annotated[Text, Option("--decline", metavar="REASON", help="Decline the invitation to a session.")]


@spread
def join(run: RunName, me: Me = None, wait: Wait = False, decline: Decline = None, *, view: View) -> None:
    """Take a seat in a saved run: read what was said, and answer what is asked of you.

    The run goes on until the next one is needed. Several paragraphs pasted at a terminal are one text.
    """
    if not me:
        raise Refused("--as", me, "say who you are: --as NAME")
    if is_open_session(run, view.db):
        return take_part(run, me, view, decline, wait=wait)
    if decline is not None:
        raise Refused("--decline", decline, "only a session invites; leave it out")
    return join_run(run, me, view, wait)
