"""What a group measures and votes is shown, live and afterwards; a secret ballot stays one."""

import re
from typing import Any

import pytest
from command import document, moot
from command.terminal import typed
from moot.app.display.events import StepReported, read_events
from moot.app.display.group_results import explain_no_winner, format_answer
from moot.app.report import Paragraph, build_page
from moot.app.report.positions import list_agreement_blocks
from moot.app.report.votes import list_poll_blocks
from moot.prompts import LANGUAGES
from moot.state.ballot import Ballot
from moot.state.consensus import AgreementScore, ConsensusSettings
from moot.state.count import CountSettings, count_ballots, count_by_all_rules
from moot.state.positions import AnswerFormat, Position
from moot.state.positions.answer import compute_plurality
from moot.state.voting import CastBallot, Poll

OPTIONS = {"A": "Ban cars.", "B": "Keep them.", "C": "Ask again."}
BOX = [Ballot(voter=voter, choice=choice, reason="Why not.") for voter, choice in zip("XYZ", "AAB", strict=True)]
GROUP = ["group", "--model", "rehearsal", "--seed", "3", "--max-rounds", "2"]


def live(language: str = "en", **written: Any) -> str:
    """What is shown of a step of a consensus that wrote this."""
    rules = ConsensusSettings(language=language, vote="plurality")
    events = read_events({"type": "updates", "data": {"step": written}}, rules)
    return "\n".join(event.line for event in events if isinstance(event, StepReported))


def test_everyone_s_agreement_is_told_after_each_round_and_who_moved_after_whom() -> None:
    moved = Position(round=2, who="Ada", position="Ban them slowly.", agreement=0.8, changed_by="Ben")
    firm = Position(round=2, who="Ben", position="Never.", agreement=0.2, objection="Too dear.")
    weighed = AgreementScore(
        round=2, measure="declared", scores={"Ada": 0.8, "Ben": 0.2}, missing=["Cleo"], score=1 / 3
    )
    assert live(positions=[moved]) == "Ada changed position after Ben’s statement: Ban them slowly."
    assert live(positions=[firm]) == "Ben still objects: Too dear."
    assert live(agreements=[weighed]) == (
        "Agreement after round 2, as declared: Ada 0.80, Ben 0.20, Cleo no answer; mean 0.33."
    )


def test_a_vote_is_told_step_by_step_and_its_ballots_only_where_they_are_open() -> None:
    poll = Poll(number=1, round=2, event="initiated", initiator="Ada", options=OPTIONS)
    assert live(polls=[poll]).splitlines()[:3] == [
        "Vote 1, after round 2. Proposed by Ada.",
        "  Sign  Option",
        "  A     Ban cars.",
    ]
    refused = poll.model_copy(update={"event": "confirmation_failed", "refused": ["Ben", "Cleo"]})
    assert live(polls=[refused]) == "It was not held.\nDid not consent: Ben and Cleo."
    assert live(ballots=[CastBallot(poll=1, voter="X", question="ballot", ballot=BOX[0])]) == "X has cast a ballot."
    counted = poll.model_copy(
        update={"event": "completed", "tally": count_ballots(BOX, "plurality", options=list(OPTIONS))}
    )
    secret = live(polls=[counted])
    assert secret.startswith("Counted by plurality: A (won outright). Turnout 100%.\n")
    assert "  A     2      Ban cars.\n" in secret
    assert secret.endswith("Secret ballots cast: 3.")
    assert not re.search("Why not|X|Y|Z", secret)
    opened = live(polls=[counted.model_copy(update={"ballots": BOX})])
    assert "  X      A       Why not.\n" in opened


def test_a_circle_is_told_also_where_the_rule_finds_a_winner() -> None:
    orders = ["ABC", "ABC", "CAB", "BCA", "BCA"]
    box = [Ballot(voter=str(voter), ranking=list(order)) for voter, order in enumerate(orders)]
    counted = {
        "tally": count_ballots(box, "borda", options=list(OPTIONS)),
        "report": count_by_all_rules(box, options=list(OPTIONS)),
    }
    told = live(polls=[Poll(number=1, round=2, event="completed", options=OPTIONS, ballots=box, **counted)])
    assert "Counted by Borda count: B (won outright)" in told
    assert "No option beats every other head to head" in told
    assert "the last beats the first: A > B > C." in told


def test_what_a_jury_can_find_is_shown_in_the_language_of_its_run() -> None:
    options = {"guilty": "culpable", "not guilty": "no culpable"}
    box = [Ballot(voter=str(voter), choice="guilty") for voter in range(2)]
    for rule in ("plurality", "unanimity"):
        said = [*box, *([Ballot(voter="3", choice="not guilty")] if rule == "unanimity" else [])]
        poll = Poll(number=1, round=0, event="completed", options=options, tally=count_ballots(said, rule))  # type: ignore[arg-type]
        told = live("es", polls=[poll])
        assert "culpable" in told
        assert "guilty" not in told


def test_options_that_most_hold_alike_are_told_in_their_words_and_order() -> None:
    question = AnswerFormat(["A", "B", "C"], OPTIONS)
    plurality = compute_plurality(list("CACAB"), question)
    assert plurality
    shown = {"language": "en", "runAnswer": plurality.model_dump(), "settings": {"options": OPTIONS}}
    assert format_answer(shown).endswith(": A (Ban cars.), C (Ask again.)")


SHORT = {
    "majority": ("AABBC", "A and B: 2 of 5 votes; more than half were needed."),
    "supermajority": ("AAB", ""),
    "unanimity": ("AAB", "A: 2 of 3 votes; all were needed."),
    "plurality": ("AABB", "A and B are tied."),
}


@pytest.mark.parametrize(("rule", "case"), SHORT.items())
def test_a_vote_that_falls_short_says_what_was_needed(rule: Any, case: tuple[str, str]) -> None:
    box = [Ballot(voter=str(voter), choice=choice) for voter, choice in enumerate(case[0])]
    assert explain_no_winner(count_ballots(box, rule).model_dump(), {}, "en") == case[1]


def test_a_share_and_a_quorum_are_named_as_they_were_set() -> None:
    box = [Ballot(voter=str(voter), choice=choice) for voter, choice in enumerate("AAB")]
    settings = CountSettings(supermajority_share=0.75, quorum=0.9)
    short = count_ballots(box, "supermajority", settings=settings).model_dump()
    absent = count_ballots(box, "plurality", settings=settings, voters=list("0123456789")).model_dump()
    assert explain_no_winner(short, settings.model_dump(), "en").endswith("3/4 of the votes were needed.")
    assert explain_no_winner(absent, settings.model_dump(), "en") == "3 of 10 voters took part; the quorum is 9/10."


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_stands_in_what_is_shown_later_in_the_run_s_language(language: str) -> None:
    report = document("consensus", *GROUP, "--vote", "unanimity", "--language", language)
    html_page = build_page(report)
    sentences = [
        str(block.text)
        for make in (list_agreement_blocks, list_poll_blocks)
        for block in make(html_page)
        if isinstance(block, Paragraph)
    ]
    assert len(sentences) > 2
    run = str(report["run"])
    text, page = moot("show", run).stdout, moot("show", run, "--format", "md").stdout
    assert [sentence for sentence in sentences if sentence not in text] == []
    assert "|---|---|" in page
    for name in [participant["name"] for participant in report["participants"]]:
        assert re.search(rf"(?m)^{name} +\d\.\d\d$", text)
        assert re.search(rf"(?m)^\| {name} \| \d\.\d\d \|$", page)


@pytest.mark.long
def test_what_happens_is_shown_on_a_terminal_and_in_a_pipe_as_it_happens() -> None:
    words = ["consensus", *GROUP, "--vote", "borda"]
    for text in (typed([*words, "--no-pacing"]).text, moot(*words).stdout):
        places = [text.index(part) for part in ("Agreement after round 2", "Vote 1, after round 2", "Counted by Borda")]
        assert places == sorted(places)
        assert "Secret ballots cast: " in text
