"""What is shown before the first statement."""

from collections.abc import Sequence

from ...nodes.models.chat import REHEARSAL
from ...prompts import term
from ...state.rules import Rules, revived
from ...state.statement import Participant
from ..hooks import hooks_of
from ..saved import Saved
from ..saved.origin import origin, origin_lines
from .events import Seated
from .screen import LABEL, QUIET, TITLE
from .terminal import Terminal
from .transcript import seat, title
from .wording import say


def announce(terminal: Terminal, seated: Seated) -> None:
    """Say that it is a rehearsal, or what it may cost; then what it is about and who takes part."""
    cast, rules = seated.participants, seated.rules
    terminal.language = rules.language
    if not rules.replay and not is_rehearsal(rules, cast):
        terminal.note(terminal.expected or say(rules.language, "cost.model", model=rules.model), QUIET)
    if not terminal.shows:
        return
    terminal.watcher.seated(cast, rules)
    if hooks_of(rules.protocol).answer and not terminal.screen.live:
        return  # its discussion is shown after its conclusion
    _label(terminal, rules, cast)
    terminal.screen.line(title(rules.protocol, seated.topic, rules.language), TITLE)
    for one in cast:
        terminal.screen.line(seat(one.name, one.role, rules.language), terminal.screen.colour(one.name))
    terminal.screen.line()


def announce_resumed(terminal: Terminal, saved: Saved) -> None:
    """Say which run goes on, and from where."""
    terminal.language = revived(saved.run.rules).language
    if not terminal.shows or not saved.begun:
        return
    cast, rules = saved.state["participants"], saved.state["rules"]
    _label(terminal, rules, cast)
    terminal.watcher.seated(cast, rules, saved.state["calls"])
    terminal.screen.line(title(rules.protocol, saved.run.topic, rules.language), TITLE)
    for line in origin_lines(origin(saved.run) | {"language": rules.language}):
        terminal.screen.line(line, QUIET)
    goes_on = say(rules.language, "run.goes_on", run=saved.run.run, turn=saved.state["turn"])
    terminal.screen.line(f"{goes_on}\n", QUIET)


def is_rehearsal(rules: Rules, participants: Sequence[Participant]) -> bool:
    """Whether no model can take part."""
    specs = {rules.model, *rules.models.values(), *(one.model for one in participants)}
    return specs - {""} <= {REHEARSAL}


def _label(terminal: Terminal, rules: Rules, cast: Sequence[Participant]) -> None:
    if is_rehearsal(rules, cast):
        terminal.rehearse()
        terminal.screen.line(term(rules.language, "headline", "rehearsal"), LABEL)
    if rules.replay:
        terminal.screen.line(term(rules.language, "headline", "replayed"), LABEL)
