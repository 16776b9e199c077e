"""Who sits on a jury, and what it votes on."""

from collections.abc import Sequence

from ...prompts import term
from ...state.deliberation import Given
from ...state.jury import JuryRules
from ...state.jury.rules import GUILTY, NOT_GUILTY
from ...state.requirements import reading
from ...state.statement import Participant, names
from ..seats import plain_seats


def jurors(
    given: Sequence[Participant], personas: dict[str, str], rules: JuryRules
) -> tuple[list[Participant], list[str]]:
    """Those who were named, else as many as the rules say. Raises `Refused` for a verdict they cannot find."""
    numbered = [term(rules.language, "jury", "juror", number=number) for number in range(1, rules.jurors + 1)]
    seated = plain_seats(given, personas, numbered)
    rules.check_seats(names(seated))
    return seated, []


@reading
def findings(state: Given, rules: JuryRules) -> dict[str, str]:
    """What the jury can find: the run's options, else guilty or not guilty in its language."""
    told = {GUILTY: "guilty", NOT_GUILTY: "not_guilty"}
    return dict(rules.options) or {sign: term(rules.language, "jury", key) for sign, key in told.items()}
