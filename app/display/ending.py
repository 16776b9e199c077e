"""Lines shown after the last statement."""

from collections.abc import Mapping
from typing import Any

from typer import Exit

from ...models.failures import RunStoppedError
from ...state.availability import PARTICIPANTS_UNAVAILABLE
from ..protocols.hooks import get_hooks
from ..report.document import build_document
from ..run.failure import EXIT_INTERRUPTED
from ..saved import SavedRun
from .plain_text import format_json
from .screen import LABEL_STYLE, QUIET_STYLE, TITLE_STYLE
from .terminal import Terminal
from .transcript import format_ending, neutralize_synthesis
from .wording import translate_display_phrase


def show_ending(terminal: Terminal, saved_run: SavedRun, *, before: bool = False) -> None:
    """Show the ending of the run and where it is saved.

    `before`: the run had ended before this command. Raises `RunStoppedError` if an outage ended it during
    this command.
    """
    result = build_document(saved_run)
    is_outage = result["terminationReason"] == PARTICIPANTS_UNAVAILABLE and not before
    if not terminal.view.json:
        _show_result(terminal, result)
    elif not is_outage:
        print(format_json(result))
    if result["rehearsal"]:
        advice = translate_display_phrase(result["language"], "run.no_model")
        terminal.show_note(advice, LABEL_STYLE) if terminal.view.json else terminal.screen.show_line(
            advice, LABEL_STYLE
        )
    if is_outage:
        resume_command = terminal.format_command("resume", saved_run.run.run)
        raise RunStoppedError(
            f"{PARTICIPANTS_UNAVAILABLE}: {result['headline']} What was said is kept; try again with: {resume_command}"
        )
    if terminal.interrupted:
        raise Exit(EXIT_INTERRUPTED)


def _show_result(terminal: Terminal, result: Mapping[str, Any]) -> None:
    screen = terminal.screen
    hooks = get_hooks(result["protocol"])
    has_own_answer = hooks.answer is not None and terminal.shows_run
    screen.show_markdown(hooks.answer(result, not screen.is_terminal) if hooks.answer and has_own_answer else "")
    lines = format_ending(result)
    if has_own_answer:  # the full answer already shows the ending
        lines = lines[:1] if screen.is_terminal else []
    for line in lines:
        screen.show_prose(line, TITLE_STYLE)
    for line in hooks.closing_lines(result):
        screen.show_line(line)
    if result["synthesis"] and not has_own_answer and "synthesis" not in terminal.watcher.shown_purposes:
        screen.show_line()
        screen.show_markdown(neutralize_synthesis(result["synthesis"]) if screen.is_terminal else result["synthesis"])
    screen.show_line(f"\n{translate_display_phrase(result['language'], 'run.saved', run=result['run'])}")
    screen.show_line(f"  {terminal.format_command('show', result['run'])}\n", QUIET_STYLE)
