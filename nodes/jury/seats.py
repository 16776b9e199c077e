"""Seats of a jury, and the possible verdicts."""

from collections.abc import Sequence

from ...prompts import get_term
from ...state import Participant, TaskState, list_names, mark_reads
from ...state.jury import GUILTY, NOT_GUILTY, JurySettings
from ..seats import seat_with_default_names


def seat_jurors(
    participants: Sequence[Participant], personas: dict[str, str], settings: JurySettings
) -> tuple[list[Participant], list[str]]:
    """Return the listed participants or, without a list, the configured number of jurors.

    The list of warnings is always empty.
    """
    default_names = [
        get_term(settings.language, "jury", "juror", number=number) for number in range(1, settings.juror_count + 1)
    ]
    seats = seat_with_default_names(participants, personas, default_names)
    settings.check_seats(list_names(seats))
    return seats, []


@mark_reads
def map_verdicts(state: TaskState, settings: JurySettings) -> dict[str, str]:
    """Map the id of each possible verdict to its text.

    The verdicts are the configured options or, without any, guilty and not guilty in the jury's language.
    """
    return dict(settings.options) or {
        sign: get_term(settings.language, "jury", key)
        for sign, key in {GUILTY: "guilty", NOT_GUILTY: "not_guilty"}.items()
    }
