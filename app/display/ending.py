"""Lines shown after the last statement."""

from typer import Exit

from ...models import RunStoppedError
from ...state import PARTICIPANTS_UNAVAILABLE
from ..protocols.hooks import get_hooks
from ..report import build_document, build_page, list_block_lines
from ..run.failure import EXIT_INTERRUPTED
from ..saved import SavedRun
from .plain_text import format_json
from .screen import LABEL_STYLE, QUIET_STYLE, TITLE_STYLE
from .terminal import Terminal
from .transcript import format_ending_lines, neutralize_synthesis, render_answer_text
from .wording import describe_requests, translate_display_phrase


def show_ending(terminal: Terminal, saved_run: SavedRun, *, ended_before: bool = False) -> None:
    """Show the ending of the run and the name under which it is saved.

    `ended_before`: whether the run had ended before this command. Raises `RunStoppedError` if an outage ended it
    during this command.
    """
    document = build_document(saved_run)
    is_outage = document["terminationReason"] == PARTICIPANTS_UNAVAILABLE and not ended_before
    if not terminal.view.json:
        screen, hooks, synthesis = terminal.screen, get_hooks(document["protocol"]), document["synthesis"]
        lines = format_ending_lines(document)
        if hooks.answer and terminal.shows_run:  # the full answer shows the ending and the synthesis
            screen.show_markdown(render_answer_text(document, not screen.is_terminal))
            lines, synthesis = lines[:1] if screen.is_terminal else [], ""
        else:
            screen.show_markdown("")
        for line in lines:
            screen.show_prose(line, TITLE_STYLE)
        for line in describe_requests(document) if document["lostRequests"] else []:
            screen.show_prose(line)
        for line in list_block_lines(hooks.closing_blocks(build_page(document))):
            screen.show_line(line)
        if synthesis and "synthesis" not in terminal.watcher.shown_purposes:
            screen.show_line()
            screen.show_markdown(neutralize_synthesis(synthesis) if screen.is_terminal else synthesis)
        saved_key = "run.ended_before" if ended_before else "run.saved"
        screen.show_line(f"\n{translate_display_phrase(document['language'], saved_key, run=document['run'])}")
        screen.show_line(f"  {terminal.format_command('show', document['run'])}\n", QUIET_STYLE)
    else:
        print(format_json(document))
    if document["rehearsal"]:
        show = terminal.show_note if terminal.view.json else terminal.screen.show_line
        for key in ("run.no_model", "run.use_model") if terminal.suggests_model else ("run.no_model",):
            show(translate_display_phrase(document["language"], key), LABEL_STYLE)
    if is_outage:
        resume_command = terminal.format_command("resume", saved_run.run.run)
        raise RunStoppedError(f"{PARTICIPANTS_UNAVAILABLE}: {document['headline']} Saved. Retry: {resume_command}")
    if terminal.is_interrupted:
        raise Exit(EXIT_INTERRUPTED)
