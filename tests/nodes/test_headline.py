"""The headline: how it ended, and whatever was degraded, in one line and in the run's language."""

from typing import Any

import pytest
from deliberations.debate import fails, hold
from moot.nodes.outcome import format_headline
from moot.prompts import LANGUAGES
from moot.state.debate import DebateSettings
from moot.state.ending import Evidence, Outcome
from moot.state.records import Incident
from moot.state.statement import Statement

SHARED = ["max_turns_reached", "max_rounds_reached", "budget_spent", "participants_unavailable", "closed", "expired"]
REASONS = [*SHARED, "declined", "concession_detected", "stalemate_repetition", "stalemate_disengagement"]


def state(language: str = "en", turns: int = 8) -> Any:
    statements = [
        Statement(turn=turn, round=1, speaker="Ada" if turn % 2 else "Ben", content="…") for turn in (1, 2, 4)
    ]
    return {"settings": DebateSettings(language=language), "round": 4, "turn": turns, "history": statements}


def missed(who: str, kind: str, *turns: int) -> list[Incident]:
    known = {"where": "statement", "what": kind, "consequence": "missed", "severity": "degraded"}
    return [Incident(who=who, kind=kind, turn=turn, **known) for turn in turns]


def line(incidents: list[Incident], whole: bool = True, **outcome: Any) -> str:
    known = {"reason": "max_turns_reached", "evidence": Evidence(figure=8, threshold=8)}
    return format_headline(Outcome(**known | outcome), state(), incidents, whole)


def test_an_undisturbed_run_says_how_it_ended() -> None:
    assert line([]) == "Ended after turn 8: the turn limit (8) was reached."


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Ended without a statement: the time was up."),
        ("es", "Terminó sin ninguna intervención: se agotó el tiempo."),
        ("zh", "未经发言即告结束：时间已到。"),
    ],
)
def test_a_run_in_which_nobody_had_a_turn_ends_after_none(language: str, said: str) -> None:
    assert format_headline(Outcome(reason="expired"), state(language, turns=0), [], True) == said


ENDED_BY: dict[str, tuple[str, str, str, str]] = {
    "closed with a reason": ("en", "closed", "We have\na name.", "Zoe closed the session (“We have a name.”)."),
    "closed without one": ("en", "closed", "", "Zoe closed the session."),
    "an opening declined": ("en", "declined", "Busy.", "Zoe declined the invitation (“Busy.”)."),
    "in Chinese": ("zh", "closed", "够了", "Zoe关闭了会话（“够了”）。"),
    "in Spanish": ("es", "declined", "", "Zoe declinó la invitación."),
}


@pytest.mark.parametrize("case", ENDED_BY.values(), ids=ENDED_BY)
def test_who_closed_a_session_or_declined_it_is_said_with_the_reason(case: tuple[str, str, str, str]) -> None:
    language, reason, why, said = case
    outcome = Outcome(reason=reason, evidence=Evidence(quote="Zoe", note=why))
    assert format_headline(outcome, state(language), [], True).endswith(said)


def test_an_ending_a_protocol_of_one_s_own_made_up_is_said_by_its_name() -> None:
    hung = Outcome(reason="hung_jury", strategy="jury", evidence=Evidence(figure=4))
    assert format_headline(hung, state("es"), [], True) == "Terminó tras el turno 8: hung jury."


def test_a_long_reason_is_clipped() -> None:
    long = Outcome(reason="closed", strategy="session", evidence=Evidence(quote="Zoe", note="x" * 2000))
    assert len(format_headline(long, state(), [], True)) < 300


def test_an_option_that_is_a_whole_statement_is_clipped() -> None:
    long = Outcome(reason="vote_decided", strategy="plurality", evidence=Evidence(quote="We plant\ntrees. " * 60))
    headline = format_headline(long, state(), [], True)
    assert len(headline) < 300
    assert "“We plant trees. We plant trees." in headline


def test_missing_statements_are_counted_with_who_and_when() -> None:
    lost = [*missed("Ben", "timeout", 3, 7), *missed("Ada", "rejected", 6)]
    assert "3 of 8 statements missing: Ben (timeout) in turns 3 and 7; Ada (unusable answer) in turn 6." in line(lost)


def test_other_degradations_are_counted_and_recoverable_ones_are_not() -> None:
    cut = Incident(where="statement", what="cut", kind="cut_off", severity="degraded", turn=2)
    again = Incident(where="statement", what="again", kind="timeout", turn=2)
    assert line([cut, again]).endswith("1 incident lowered the quality.")
    assert line([cut, cut, again]).endswith("2 incidents lowered the quality.")
    assert line([again]) == line([])


def test_a_rehearsal_says_so_first() -> None:
    assert line([], rehearsal=True).startswith("Rehearsal: no model took part. ")


def test_a_missing_synthesis_is_said() -> None:
    lost = [
        Incident(where="synthesis", what="timeout", kind="timeout", severity="degraded", consequence="no synthesis")
    ]
    assert line(lost, whole=False).endswith("The synthesis could not be written.")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reason", REASONS)
def test_every_ending_has_its_words_in_every_language(reason: str, language: str) -> None:
    outcome = Outcome(reason=reason, evidence=Evidence(turns=[4], quote="Ben", figure=8, threshold=8))
    headline = format_headline(outcome, state(language), missed("Ben", "timeout", 3), True)
    assert "{" not in headline
    assert "Ben" in headline
    assert "_" not in headline


KINDS = ["timeout", "unreachable", "connection", "rate_limit", "server", "malformed", "refused", "overflow", "refusal"]
KINDS += ["rejected", "unparsable", "budget_spent"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_miss_has_words_in_every_language(language: str) -> None:
    outcome = Outcome(reason="closed")
    for kind in KINDS:
        headline = format_headline(outcome, state(language), missed("Ben", kind, 3), True)
        assert "_" not in headline, f"{language}: {kind}"
        assert language == "en" or kind not in headline, f"{language}: {kind}"


def test_a_run_s_own_headline_counts_what_was_lost() -> None:
    ended, _ = hold(fails(2, 5))
    assert "2 of 6 statements missing: Ben (timeout) in turn 2; Ada (timeout) in turn 5." in ended["outcome"].headline
