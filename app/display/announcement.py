"""Lines shown before the first statement."""

from collections.abc import Sequence

from ...models import describe_recipients, is_offline, list_paid_specs
from ...nodes.outcome import get_offline_label
from ...prompts import get_term, join_words
from ...state import Participant, Settings, parse_settings
from ..protocols.hooks import get_hooks
from ..saved import SavedRun, build_origin, format_origin_lines
from .events import CastReady
from .screen import LABEL_STYLE, QUIET_STYLE, TITLE_STYLE
from .terminal import Terminal
from .transcript import format_participant, format_title
from .wording import translate_display_phrase


def show_run_start(terminal: Terminal, event: CastReady) -> None:
    """Show the rehearsal label, recipients, expected cost, title and participants.

    In JSON and quiet mode, show only the recipients and the cost, on standard error.
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
    terminal.watcher.set_seats(participants, settings)
    if is_discussion_shown_last:
        return
    terminal.screen.show_line(format_title(settings.protocol, event.topic, settings.language), TITLE_STYLE)
    for participant in participants:
        style = terminal.screen.get_name_style(participant.name)
        terminal.screen.show_line(format_participant(participant.name, participant.role, settings.language), style)
    terminal.screen.show_line()


def describe_models(settings: Settings, participants: Sequence[Participant]) -> str:
    """Describe which models a paid run uses: "model A", or "models A and B"."""
    specs = list_paid_specs(settings, participants)
    key = "cost.models" if len(specs) > 1 else "cost.model"
    return translate_display_phrase(settings.language, key, model=join_words(settings.language, specs))


def show_run_resume(terminal: Terminal, saved_run: SavedRun) -> None:
    """Show the title of the resumed run, its origin, and the turn after which it continues."""
    terminal.language = parse_settings(saved_run.run.settings).language
    if not saved_run.has_begun:
        return
    participants, settings = saved_run.state["participants"], saved_run.state["settings"]
    if terminal.shows_run:
        _show_labels(terminal, settings, participants)
    terminal.show_note(describe_recipients(settings), QUIET_STYLE)
    if not terminal.shows_run:
        return
    terminal.watcher.set_seats(participants, settings, saved_run.state["calls"])
    terminal.screen.show_line(format_title(settings.protocol, saved_run.run.topic, settings.language), TITLE_STYLE)
    for line in format_origin_lines(build_origin(saved_run.run) | {"language": settings.language}):
        terminal.screen.show_line(line, QUIET_STYLE)
    notice = translate_display_phrase(
        settings.language, "run.goes_on", run=saved_run.run.run, turn=saved_run.state["turn"]
    )
    terminal.screen.show_line(f"{notice}\n", QUIET_STYLE)


def is_rehearsal(settings: Settings, participants: Sequence[Participant]) -> bool:
    """Return whether the offline model gives every answer."""
    model_specs = {settings.model, *settings.models.values(), *(participant.model for participant in participants)}
    return all(map(is_offline, model_specs - {""}))


def _show_labels(terminal: Terminal, settings: Settings, participants: Sequence[Participant]) -> None:
    if is_rehearsal(settings, participants):
        terminal.pace_rehearsal()
        terminal.screen.show_line(get_offline_label(settings.language, str(settings.model)), LABEL_STYLE)
    if settings.replay:
        terminal.screen.show_line(get_term(settings.language, "headline", "replayed"), LABEL_STYLE)
