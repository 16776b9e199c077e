"""Lines that a display shows before the first statement and after the last."""

from collections.abc import Sequence

from typer import Exit

from ...models import RunStoppedError, describe_recipients, is_offline, list_paid_specs
from ...nodes.outcome import get_offline_label
from ...prompts import get_term, join_words
from ...state import PARTICIPANTS_UNAVAILABLE, Participant, Settings, parse_settings
from ..protocols.hooks import get_hooks
from ..report import build_document, build_page, list_block_lines
from ..run.failure import EXIT_INTERRUPTED
from ..saved import SavedRun, build_origin, format_origin_lines
from .events import RunPrepared
from .plain_text import format_json
from .screen import LABEL_STYLE, QUIET_STYLE, TITLE_STYLE
from .terminal import Terminal
from .transcript import format_ending_lines, format_participant, format_title, neutralize_synthesis, render_answer_text
from .wording import describe_requests, translate_display_phrase


def show_run_start(terminal: Terminal, event: RunPrepared) -> None:
    """Print the rehearsal label, recipients, expected cost, title and participants of a new run.

    In JSON and quiet mode, print only the recipients and the cost, on standard error. A protocol whose answer comes
    first prints no title and participants here, except on a terminal.
    """
    participants, settings = event.participants, event.settings
    terminal.language = settings.language
    is_discussion_shown_last = bool(get_hooks(settings.protocol).answer) and not terminal.screen.is_terminal
    if terminal.shows_run and not is_discussion_shown_last:
        _show_labels(terminal, settings, participants)
    terminal.show_note(describe_recipients(settings), QUIET_STYLE)
    if not settings.replay and not is_rehearsal(settings, participants):
        terminal.show_note(terminal.estimate or describe_models(settings, participants), QUIET_STYLE)
    if not terminal.shows_run:
        return
    terminal.watcher.set_run(participants, settings)
    if is_discussion_shown_last:
        return
    terminal.screen.show_line(format_title(settings.protocol, event.topic, settings.language), TITLE_STYLE)
    for participant in participants:
        style = terminal.screen.get_name_style(participant.name)
        terminal.screen.show_line(format_participant(participant.name, participant.role, settings.language), style)
    terminal.screen.show_line()


def describe_models(settings: Settings, participants: Sequence[Participant]) -> str:
    """Return the models of a paid run as text: "model A", or "models A and B"."""
    specs = list_paid_specs(settings, participants)
    key = "cost.models" if len(specs) > 1 else "cost.model"
    return translate_display_phrase(settings.language, key, model=join_words(settings.language, specs))


def show_run_resume(terminal: Terminal, saved_run: SavedRun) -> None:
    """Print the title of a resumed run, its origin, and the turn after which it continues."""
    terminal.language = parse_settings(saved_run.run.settings).language
    if not saved_run.has_begun:
        return
    participants, settings = saved_run.state["participants"], saved_run.state["settings"]
    if terminal.shows_run:
        _show_labels(terminal, settings, participants)
    terminal.show_note(describe_recipients(settings), QUIET_STYLE)
    if not terminal.shows_run:
        return
    terminal.watcher.set_run(participants, settings, saved_run.state["calls"])
    terminal.screen.show_line(format_title(settings.protocol, saved_run.run.topic, settings.language), TITLE_STYLE)
    for line in format_origin_lines(build_origin(saved_run.run) | {"language": settings.language}):
        terminal.screen.show_line(line, QUIET_STYLE)
    notice = translate_display_phrase(
        settings.language, "run.goes_on", run=saved_run.run.run, turn=saved_run.state["turn"]
    )
    terminal.screen.show_line(f"{notice}\n", QUIET_STYLE)


def is_rehearsal(settings: Settings, participants: Sequence[Participant]) -> bool:
    """Return whether an offline model gives every answer of a run."""
    model_specs = {settings.model, *settings.models.values(), *(participant.model for participant in participants)}
    return all(map(is_offline, model_specs - {""}))


def _show_labels(terminal: Terminal, settings: Settings, participants: Sequence[Participant]) -> None:
    if is_rehearsal(settings, participants):
        terminal.pace_rehearsal()
        terminal.screen.show_line(get_offline_label(settings.language, str(settings.model)), LABEL_STYLE)
    if settings.replay:
        terminal.screen.show_line(get_term(settings.language, "headline", "replayed"), LABEL_STYLE)


def show_ending(terminal: Terminal, saved_run: SavedRun, *, ended_before: bool = False) -> None:
    """Print the ending of the run and the name under which it is saved.

    `ended_before`: whether the run had ended before this command. Raises `RunStoppedError` if an outage ended the run
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
