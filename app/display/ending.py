"""What is shown after the last statement."""

from collections.abc import Mapping
from typing import Any

from typer import Exit

from ...nodes.models.failures import Stopped
from ...state.ends import UNAVAILABLE
from ..document import document
from ..failure import INTERRUPTED
from ..hooks import hooks_of
from ..saved import Saved
from .plain import as_json
from .screen import LABEL, QUIET, TITLE
from .terminal import Terminal
from .transcript import closing, ending_lines
from .wording import say


def show_ending(terminal: Terminal, saved: Saved, *, before: bool = False) -> None:
    """Show how it ended and where it is saved.

    Raises `Stopped` if it ended just now because nobody could be reached; `before`: it had ended before this command.
    """
    found = document(saved)
    lost = found["terminationReason"] == UNAVAILABLE and not before
    if not terminal.view.json:
        _shown(terminal, found)
    elif not lost:
        print(as_json(found))
    if found["rehearsal"]:
        advice = say(found["language"], "run.no_model")
        terminal.note(advice, LABEL) if terminal.view.json else terminal.screen.line(advice, LABEL)
    if lost:
        again = terminal.command("resume", saved.run.run)
        raise Stopped(f"{UNAVAILABLE}: {found['headline']} What was said is kept; try again with: {again}")
    if terminal.interrupted:
        raise Exit(INTERRUPTED)


def _shown(terminal: Terminal, found: Mapping[str, Any]) -> None:
    screen = terminal.screen
    hooks = hooks_of(found["protocol"])
    answered = hooks.answer is not None and terminal.shows
    screen.markdown(hooks.answer(found, not screen.live) if hooks.answer and answered else "")
    lines = ending_lines(found)
    if answered:  # all of it ends with how it ended
        lines = lines[:1] if screen.live else []
    for line in lines:
        screen.prose(line, TITLE)
    for line in hooks.closing(found):
        screen.line(line)
    if found["synthesis"] and not answered and "synthesis" not in terminal.watcher.showed:
        screen.line()
        screen.markdown(closing(found["synthesis"]) if screen.live else found["synthesis"])
    screen.line(f"\n{say(found['language'], 'run.saved', run=found['run'])}")
    screen.line(f"  {terminal.command('show', found['run'])}\n", QUIET)
