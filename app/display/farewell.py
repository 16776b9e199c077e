"""What is said after the last word."""

from collections.abc import Mapping
from typing import Any

from typer import Exit

from ...nodes.models.failures import Stopped
from ...state.ends import UNAVAILABLE
from ..commands.running import Running
from ..document import document
from ..failure import INTERRUPTED
from ..protocols import protocol
from ..saved import Saved
from .plain import as_json
from .screen import LABEL, QUIET, TITLE
from .transcript import ending_lines
from .wording import say


def ended(session: Running, saved: Saved, *, before: bool = False) -> None:
    """Show how it ended and where it is saved.

    Raises `Stopped` if it ended just now because nobody could be reached; `before`: it had ended before this command.
    """
    found = document(saved)
    lost = found["terminationReason"] == UNAVAILABLE and not before
    if not session.view.json:
        _shown(session, found)
    elif not lost:
        print(as_json(found))
    if found["rehearsal"]:
        advice = say(found["language"], "run.no_model")
        session.note(advice, LABEL) if session.view.json else session.screen.line(advice, LABEL)
    if lost:
        again = session.command("resume", saved.run.run)
        raise Stopped(f"{UNAVAILABLE}: {found['headline']} What was said is kept; try again with: {again}")
    if session.interrupted:
        raise Exit(INTERRUPTED)


def _shown(session: Running, found: Mapping[str, Any]) -> None:
    screen = session.screen
    face = protocol(found["protocol"]).face
    answered = face.answer is not None and session.shows
    screen.line(face.answer(found, not screen.live) if face.answer and answered else "")
    for line in ending_lines(found)[: 1 if answered else None]:
        screen.prose(line, TITLE)
    for line in face.closing(found):
        screen.line(line)
    if found["synthesis"] and not answered and "synthesis" not in session.watcher.showed:
        screen.prose(f"\n{found['synthesis']}")
    screen.line(f"\n{say(found['language'], 'run.saved', run=found['run'])}")
    screen.line(f"  {session.command('show', found['run'])}\n", QUIET)
