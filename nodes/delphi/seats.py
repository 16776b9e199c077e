"""Experts of a Delphi, with names for those that the user does not list."""

from collections.abc import Sequence

from ...prompts import get_term
from ...state import Participant
from ...state.delphi import DelphiSettings
from ..seats import seat_with_default_names


def seat_delphi_experts(
    participants: Sequence[Participant], personas: dict[str, str], settings: DelphiSettings
) -> tuple[list[Participant], list[str]]:
    """Return the listed participants or, without a list, the configured number of experts.

    The list of warnings is always empty.
    """
    default_names = [
        get_term(settings.language, "delphi", "expert", number=number) for number in range(1, settings.expert_count + 1)
    ]
    return seat_with_default_names(participants, personas, default_names), []
