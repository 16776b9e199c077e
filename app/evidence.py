"""What an ending rests on, in a line: turns, a quotation, a figure and what it measures."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..prompts.phrases import phrases
from ..state.clip import clipped

QUOTED = 160
"""Characters of a quotation that are shown."""


def evidence_line(evidence: Mapping[str, Any], language: str) -> str:
    """The line, in the words of the run's language; empty where there is nothing to show."""
    say, turns, figure = partial(phrases("report").say, language), evidence["turns"], evidence["figure"]
    counted = evidence["note"] in phrases("report").keys("settled")
    parts = []
    if turns:
        parts.append(f"{say('opening.turns' if len(turns) > 1 else 'opening.turn')} {', '.join(map(str, turns))}")
    if evidence["quote"] and not counted:
        parts.append(f"“{clipped(' '.join(evidence['quote'].split()), QUOTED)}”")
    note = measured(evidence["note"], language)
    if counted:
        parts += [note, *([say("opening.votes", count=f"{figure:g}")] if figure else [])]
    elif figure is not None and (parts or note):
        key = "opening.figure" if evidence["threshold"] is None else "opening.figure_against"
        shown = say(key, figure=_short(figure), threshold=_short(evidence["threshold"]))
        parts.append(say("opening.measure", what=note, figure=shown) if note else shown)
    elif note and evidence["quote"] and not turns:
        parts.append(note.rstrip("."))
    return say("opening.evidence_line", parts=say("opening.between").join(parts)) if parts else ""


def measured(note: str, language: str) -> str:
    """What a figure measures or how a count ended, in words; a note that has none in one line, as it stands."""
    known = "phrase" if note.startswith("phrase of ") else note
    for section in ("settled", "measures"):
        if known in phrases("report").keys(section):
            return phrases("report").say(language, f"{section}.{known}")
    return " ".join(note.split())


def _short(figure: float | None) -> str:
    return "" if figure is None else f"{figure:.3g}"
