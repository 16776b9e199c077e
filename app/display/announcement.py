"""What is said before the first word."""

from collections.abc import Sequence

from ...nodes.models.chat import REHEARSAL
from ...prompts import term
from ...state.rules import Rules, revived
from ...state.statement import Participant
from ..commands.running import Running
from ..protocols import protocol
from ..saved import Saved
from ..saved.origin import origin, origin_lines
from .events import Seated
from .screen import LABEL, QUIET, TITLE
from .transcript import seat, title
from .wording import say


def announce(session: Running, seated: Seated) -> None:
    """Say that it is a rehearsal, or what it may cost; then what it is about and who takes part."""
    cast, rules = seated.participants, seated.rules
    session.language = rules.language
    if not is_rehearsal(rules, cast):
        session.note(session.expected or say(rules.language, "cost.model", model=rules.model), QUIET)
    if not session.shows:
        return
    session.watcher.seated(cast, rules)
    if protocol(rules.protocol).face.answer and not session.screen.live:
        return  # its discussion is shown after its conclusion
    _label(session, rules, cast)
    session.screen.line(title(rules.protocol, seated.topic, rules.language), TITLE)
    for one in cast:
        session.screen.line(seat(one.name, one.role, rules.language), session.screen.colour(one.name))
    session.screen.line()


def take_up(session: Running, saved: Saved) -> None:
    """Say which run goes on, and from where."""
    session.language = revived(saved.run.rules).language
    if not session.shows or not saved.begun:
        return
    cast, rules = saved.state["participants"], saved.state["rules"]
    _label(session, rules, cast)
    session.watcher.seated(cast, rules)
    session.screen.line(title(rules.protocol, saved.run.topic, rules.language), TITLE)
    for line in origin_lines(origin(saved.run) | {"language": rules.language}):
        session.screen.line(line, QUIET)
    goes_on = say(rules.language, "run.goes_on", run=saved.run.run, turn=saved.state["turn"])
    session.screen.line(f"{goes_on}\n", QUIET)


def is_rehearsal(rules: Rules, participants: Sequence[Participant]) -> bool:
    """Whether no model can take part."""
    specs = {rules.model, *rules.models.values(), *(one.model for one in participants)}
    return specs - {""} <= {REHEARSAL}


def _label(session: Running, rules: Rules, cast: Sequence[Participant]) -> None:
    if is_rehearsal(rules, cast):
        session.rehearse()
        session.screen.line(term(rules.language, "headline", "rehearsal"), LABEL)
