"""What a verdict takes, and when a jury is done, by hand."""

from typing import Any

import pytest
from moot.state.ballot import Ballot
from moot.state.errors import InputError
from moot.state.jury import (
    JurySettings,
    collect_minority_reasons,
    compute_needed_votes,
    count_verdict,
    has_changed_votes,
)
from moot.state.jury.stopping_rules import stop_at_jury_cap, stop_on_deadlock, stop_on_few_votes, stop_on_verdict
from moot.state.positions import Position
from moot.state.statement import Participant
from moot.state.voting import CastBallot, Poll
from pydantic import ValidationError

TAKES = [
    ("unanimity", 12, 12),
    ("10-2", 12, 10),
    ("5-1", 6, 5),
    ("5/6", 6, 5),
    ("5/6", 8, 7),
    ("5/6", 12, 10),
    ("2/3", 7, 5),
    ("1/1", 5, 5),
]


@pytest.mark.parametrize(("rule", "jurors", "votes"), TAKES)
def test_a_verdict_takes_so_many_of_all_jurors(rule: str, jurors: int, votes: int) -> None:
    assert compute_needed_votes(JurySettings(verdict_rule=rule).verdict_rule, jurors) == votes


def test_the_two_figures_add_up_to_the_jurors() -> None:
    with pytest.raises(
        InputError, match="verdict_rule = '10-2': the two numbers must add up to 11, the number of jurors"
    ):
        compute_needed_votes("10-2", 11)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"verdict_rule": "2-10"}, "verdict_rule: the larger number must be first"),
        ({"verdict_rule": "6-6"}, "verdict_rule: the larger number must be first"),
        ({"verdict_rule": "1/2"}, "verdict_rule: a share must be above 1/2 and at most 1"),
        ({"verdict_rule": "7/6"}, "verdict_rule: a share must be above 1/2 and at most 1"),
        ({"verdict_rule": "5/0"}, "verdict_rule: a share must be above 1/2 and at most 1"),
        ({"verdict_rule": "most"}, "verdict_rule: write unanimity, two numbers such as 10-2, or a share such as 5/6"),
        ({"answer": {"number": "kg"}}, "answer: a jury chooses"),
        ({"options": {"A": "one"}}, "options"),
    ],
)
def test_what_no_verdict_could_be_found_by_is_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        JurySettings(**settings)


def test_options_of_its_own_are_what_it_votes_on() -> None:
    assert JurySettings(options={"A": "the bridge", "B": "the tunnel"}).answer == "option"


OPTIONS = ["guilty", "not guilty"]


def cast(votes: str) -> list[Ballot]:
    """A ballot for each letter: g, n, or x for one that is not valid."""
    said = {"g": "guilty", "n": "not guilty"}
    return [
        Ballot.make_invalid(f"J{place}", "hm", "unclear")
        if vote == "x"
        else Ballot(voter=f"J{place}", choice=said[vote])
        for place, vote in enumerate(votes, 1)
    ]


COUNTS = [
    ("10-2", "ggggggggggnn", "guilty", "outright"),
    ("10-2", "gggggggggnnn", None, "short"),
    ("10-2", "nnnnnnnnnnnn", "not guilty", "outright"),
    ("10-2", "ggggggggggxx", "guilty", "outright"),
    ("unanimity", "gggggggggggg", "guilty", "outright"),
    ("unanimity", "gggggggggggx", None, "short"),
    ("unanimity", "gggggggggggn", None, "short"),
    ("5/6", "gggggnn", None, "short"),
    ("5/6", "ggggggn", "guilty", "outright"),
    ("5/6", "gggnnn", None, "short"),
    ("unanimity", "xxx", None, "no_votes"),
]


@pytest.mark.parametrize(("rule", "votes", "found", "settled"), COUNTS)
def test_a_verdict_counts_all_jurors_also_those_without_a_valid_ballot(
    rule: str, votes: str, found: str | None, settled: str
) -> None:
    jurors = [f"J{place}" for place in range(1, len(votes) + 1)]
    tally = count_verdict(cast(votes), OPTIONS, jurors, rule, compute_needed_votes(rule, len(votes)))
    assert (tally.winner, tally.status, tally.rule) == (found, settled, rule)
    assert tally.totals == {"guilty": votes.count("g"), "not guilty": votes.count("n")}
    assert (tally.voters, tally.invalid) == (len(votes), votes.count("x"))


def make_positions(votes: str, turn: int) -> list[Position]:
    """The positions of a ballot that was held after so many turns."""
    return [
        Position(who=vote.voter, answer=vote.choice, round=turn // 3, turn=turn, position=f"why {vote.voter}")
        for vote in cast(votes)
        if vote.choice
    ]


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [("ggn", "ggn", False), ("ggn", "gng", True), ("ggn", "ggg", True), ("ggn", "ggx", True), ("ggx", "ggx", False)],
)
def test_two_jurors_who_change_places_are_a_change(before: str, after: str, moved: bool) -> None:
    one, other = ({position.who: position for position in make_positions(votes, 3)} for votes in (before, after))
    assert has_changed_votes(one, other) is moved


@pytest.mark.parametrize(
    ("votes", "reasons"),
    [
        ("ggn", {"not guilty": ["why J3"]}),
        ("ggg", {}),
        ("gn", {"guilty": ["why J1"], "not guilty": ["why J2"]}),
        ("nnngg", {"guilty": ["why J4", "why J5"]}),
    ],
)
def test_the_minority_s_reasons_are_kept_without_names(votes: str, reasons: dict[str, list[str]]) -> None:
    assert collect_minority_reasons({position.who: position for position in make_positions(votes, 3)}) == reasons


def stage(course: list[str], **settings: Any) -> dict[str, Any]:
    """A jury's state after these ballots, the first one before anybody spoke."""
    rules = JurySettings(**settings)
    names = [f"J{place}" for place in range(1, len(course[0]) + 1)]
    tally = count_verdict(
        cast(course[-1]), OPTIONS, names, rules.verdict_rule, compute_needed_votes(rules.verdict_rule, len(names))
    )
    poll = Poll(number=len(course), event="completed", options=dict(zip(OPTIONS, OPTIONS, strict=True)), tally=tally)
    return {
        "settings": rules,
        "participants": [Participant(name=name) for name in names],
        "polls": [poll],
        "ballots": [
            CastBallot(poll=len(course), voter=one.voter, question="ballot", ballot=one) for one in cast(course[-1])
        ],
        "incidents": [],
        "positions": [position for place, votes in enumerate(course) for position in make_positions(votes, 3 * place)],
        "floor": [],
        "round": len(course) - 1,
        "turn": 3 * (len(course) - 1),
    }


ENDS = [
    (["ggn", "ggn", "ggn", "ggn"], {}, "unmoved"),
    (["ggn", "ggn", "ggn"], {}, ""),
    (["ggn", "gnn", "gnn", "gnn"], {}, ""),
    (["ggn", "gnn", "gnn", "gnn", "gnn"], {}, "unmoved"),
    (["ggn", "ggn"], {"deadlock_after": 1}, "unmoved"),
    (["ggn", "gng", "ggn"], {"max_rounds": 2}, "cap"),
    (["ggn", "ggn"], {"max_turns": 3}, "cap"),
    (["ggg"], {}, "ballots"),
    (["ggg"], {"dynamic_termination": False}, ""),
    (["ggn", "ggg"], {"dynamic_termination": False, "max_rounds": 1}, "ballots"),
    (["ggn", "ggn", "ggn", "ggn"], {"dynamic_termination": False}, ""),
    (["ggn", "xxx"], {}, "outage"),
    (["gxx"], {"max_rounds": 1}, "outage"),
    (["ggxx"], {}, ""),
    (["ggxx", "ggxx", "ggxx", "ggxx"], {}, "unmoved"),
]


@pytest.mark.parametrize(("course", "settings", "strategy"), ENDS)
def test_when_a_jury_is_done(course: list[str], settings: dict[str, Any], strategy: str) -> None:
    state: Any = stage(course, **settings)
    found = next(
        (
            one
            for rule in (stop_on_verdict, stop_on_few_votes, stop_on_deadlock, stop_at_jury_cap)
            if (one := rule(state))
        ),
        None,
    )
    assert (found.strategy if found else "") == strategy
    reasons = {"unmoved": "jury_deadlocked", "cap": "jury_deadlocked", "ballots": "verdict_reached"}
    assert found is None or found.reason == reasons.get(strategy, "participants_unavailable")
