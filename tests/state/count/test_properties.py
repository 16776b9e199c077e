"""What each counting rule promises of any ballots: no voter counts more, no option is favoured, a winner has votes."""

import random

import pytest
from hypothesis import given, settings, strategies as st
from moot.state.ballot import Ballot
from moot.state.count import VOTING_RULES, CountSettings, count_ballots, count_by_all_rules

OPTIONS = ["ant", "bee", "cat", "dog"]
TIES = ["none", "seeded", "status_quo", "runoff"]
ELECTING = {"outright", "seeded", "status_quo", "runoff"}
"""How a count ends that names a winner."""

choices = st.sampled_from(OPTIONS).map(lambda one: {"choice": one})
rankings = st.lists(st.sampled_from(OPTIONS), min_size=1, unique=True).map(lambda one: {"ranking": one})
approvals = st.lists(st.sampled_from(OPTIONS), unique=True).map(lambda one: {"approvals": one})
scores = st.dictionaries(st.sampled_from(OPTIONS), st.integers(0, 10).map(float), min_size=1).map(
    lambda one: {"scores": one}
)
points = st.lists(st.sampled_from(OPTIONS), min_size=10, max_size=10).map(
    lambda spent: {"scores": {fromkey: float(spent.count(fromkey)) for fromkey in dict.fromkeys(spent)}}
)
KINDS = {"choice": choices, "ranking": rankings, "approvals": approvals, "scores": scores, "points": points}
EMPTY = st.just({"abstain": True}) | st.just({"invalid": "unreadable", "raw": "hm"})


@st.composite
def boxes(draw: st.DrawFn, rule: str) -> list[Ballot]:
    """A box of ballots as this rule asks for them; some abstain, some are spoilt."""
    said = draw(st.lists(st.one_of(*[KINDS[VOTING_RULES[rule].ballot_format]] * 4, EMPTY), max_size=9))
    weights = draw(st.lists(st.integers(1, 5), min_size=len(said), max_size=len(said)))
    weighted = rule == "confidence_weighted"
    return [
        Ballot(voter=f"v{n}", weight=weight if weighted else None, **one)
        for n, (one, weight) in enumerate(zip(said, weights, strict=True))
    ]


def relabelled(one: Ballot, voter: str, other: dict[str, str]) -> Ballot:
    """The same ballot of another voter, with other names for the options."""
    fields = one.model_dump(exclude_defaults=True) | {"voter": voter}
    for key, value in list(fields.items()):
        if key == "choice":
            fields[key] = other[value]
        elif key in ("ranking", "approvals"):
            fields[key] = [other[name] for name in value]
        elif key == "scores":
            fields[key] = {other[name]: score for name, score in value.items()}
    return Ballot(**fields)


@pytest.mark.parametrize("rule", VOTING_RULES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_it_matters_neither_who_votes_nor_in_which_order(rule: str, data: st.DataObject) -> None:
    box = data.draw(boxes(rule))
    rng = random.Random(data.draw(st.integers(0, 99)))
    strangers = [relabelled(one, f"w{n}", dict(zip(OPTIONS, OPTIONS, strict=True))) for n, one in enumerate(box)]
    rng.shuffle(strangers)
    for tie in ("none", "seeded"):
        context = CountSettings(tie_break=tie, tie_seed=7)
        ballot, other = (count_ballots(each, rule, options=OPTIONS, settings=context) for each in (box, strangers))
        assert ballot == other, "not even a draw depends on it"


@pytest.mark.parametrize("rule", VOTING_RULES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_it_does_not_matter_what_the_options_are_called(rule: str, data: st.DataObject) -> None:
    box = data.draw(boxes(rule))
    other = dict(zip(OPTIONS, data.draw(st.permutations(OPTIONS)), strict=True))
    renamed = [relabelled(one, one.voter, other) for one in box]
    ballot, again = (count_ballots(each, rule, options=OPTIONS) for each in (box, renamed))
    assert {other[name] for name in ballot.winners} == set(again.winners)
    assert (other[ballot.winner] if ballot.winner else None) == again.winner
    assert {other[name]: total for name, total in ballot.totals.items()} == again.totals
    assert ballot.status == again.status


@pytest.mark.long
@pytest.mark.parametrize("rule", VOTING_RULES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_winner_is_one_of_those_it_picks_and_there_is_one_only_where_the_count_says_so(
    rule: str, data: st.DataObject
) -> None:
    box = data.draw(boxes(rule))
    tie = data.draw(st.sampled_from(TIES))
    quorum = data.draw(st.sampled_from([0.0, 0.5, 1.0]))
    context = CountSettings(tie_break=tie, tie_seed=3, status_quo="dog" if tie == "status_quo" else None, quorum=quorum)
    tally = count_ballots(box, rule, options=OPTIONS, settings=context)
    assert set(tally.winners) <= set(OPTIONS)
    assert len(tally.winners) == len(set(tally.winners))
    assert (tally.winner is not None) == (tally.status in ELECTING)
    assert tally.winner in (None, "dog" if tie == "status_quo" else None, *tally.winners)
    if tally.status == "outright":
        assert tally.winners == [tally.winner]
    if tally.status == "tied":
        assert len(tally.winners) > 1
    assert tally.votes + tally.abstentions + tally.invalid == len(box)
    assert tally.votes == sum(one.kind is not None for one in box)
    if not tally.votes:
        assert tally.winner is None


@pytest.mark.parametrize("rule", VOTING_RULES)
@settings(max_examples=30, deadline=None)
@given(voters=st.integers(1, 7), favourite=st.sampled_from(OPTIONS))
def test_what_all_want_wins_under_every_rule(rule: str, voters: int, favourite: str) -> None:
    rest = [OPTION for OPTION in OPTIONS if favourite != OPTION]
    said = {
        "choice": {"choice": favourite},
        "ranking": {"ranking": [favourite, *rest]},
        "approvals": {"approvals": [favourite]},
        "scores": {"scores": {favourite: 9.0, rest[0]: 1.0}},
        "points": {"scores": {favourite: 9.0, rest[0]: 1.0}},
    }[VOTING_RULES[rule].ballot_format]
    weight = 2 if rule == "confidence_weighted" else None
    tally = count_ballots([Ballot(voter=f"v{n}", weight=weight, **said) for n in range(voters)], rule, options=OPTIONS)
    assert (tally.winner, tally.status) == (favourite, "outright")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_report_counts_as_each_rule_does_alone(data: st.DataObject) -> None:
    rule = data.draw(st.sampled_from(sorted(VOTING_RULES)))
    box = data.draw(boxes(rule))
    report = count_by_all_rules(box, options=OPTIONS)
    assert set(report.tallies).isdisjoint(report.not_counted)
    for name, tally in report.tallies.items():
        assert tally == count_ballots(box, name, options=OPTIONS)
