"""Who the experts of a Delphi are."""

from collections.abc import Sequence

from ...prompts import term
from ...state.delphi import DelphiRules
from ...state.statement import Participant
from ..seats import plain_seats


def estimators(
    given: Sequence[Participant], personas: dict[str, str], rules: DelphiRules
) -> tuple[list[Participant], list[str]]:
    """Those who were named, else as many as the rules say."""
    numbered = [term(rules.language, "delphi", "expert", number=number) for number in range(1, rules.experts + 1)]
    return plain_seats(given, personas, numbered), []
