"""Counting: every rule, tie rule, quorum and fault, on profiles small enough to follow by hand."""

import pytest
from moot.state.ballot import Ballot
from moot.state.count import VOTING_RULES, CountSettings, compute_condorcet, count_ballots, count_by_all_rules
from moot.state.errors import InputError


def choices(votes: str) -> list[Ballot]:
    return [Ballot(voter=f"v{n}", choice=vote) for n, vote in enumerate(votes.split())]


def rankings(profile: str) -> list[Ballot]:
    """`3 abc 2 b`: three ballots a over b over c, two for b alone."""
    words = profile.split()
    orders = [order for times, order in zip(words[::2], words[1::2], strict=True) for _ in range(int(times))]
    return [Ballot(voter=f"v{n}", ranking=list(order)) for n, order in enumerate(orders)]


def weighed(votes: str) -> list[Ballot]:
    """`a5 b2`: a choice of a with certainty 5, and one of b with 2."""
    return [Ballot(voter=f"v{n}", choice=vote[0], weight=int(vote[1])) for n, vote in enumerate(votes.split())]


def scored(*marks: dict[str, float]) -> list[Ballot]:
    return [Ballot(voter=f"v{n}", scores=mark) for n, mark in enumerate(marks)]


def approved(*approvals: str) -> list[Ballot]:
    return [Ballot(voter=f"v{n}", approvals=list(approval)) for n, approval in enumerate(approvals)]


def pairs(*votes: tuple[str, int | None]) -> list[Ballot]:
    return [Ballot(voter=f"v{n}", choice=choice, amount=amount) for n, (choice, amount) in enumerate(votes)]


SCORES = scored({"a": 7, "b": 3}, {"a": 1, "b": 4, "c": 5})
APPROVALS = approved("ab", "b", "")
CAPITAL = rankings("42 mnck 26 nckm 15 cknm 17 kcnm")
CYCLE = [Ballot(voter=f"v{n}", ranking=list(order)) for n, order in enumerate(["XYZ", "YZX", "ZXY"])]


@pytest.mark.parametrize(
    ("rule", "ballots", "winners", "totals"),
    [
        ("unanimity", choices("a a a"), ["a"], {"a": 3}),
        ("unanimity", choices("a a b"), [], {"a": 2, "b": 1}),
        ("supermajority", choices("a a b"), ["a"], {"a": 2, "b": 1}),
        ("supermajority", choices("a a a b b"), [], {"a": 3, "b": 2}),
        ("majority", choices("a a b b"), [], {"a": 2, "b": 2}),
        ("majority", choices("a a a b b"), ["a"], {"a": 3, "b": 2}),
        ("plurality", choices("a a b b c"), ["a", "b"], {"a": 2, "b": 2, "c": 1}),
        ("plurality", rankings("2 abc 1 bca"), ["a"], {"a": 2, "b": 1, "c": 0}),
        ("confidence_weighted", weighed("a5 b2 b2"), ["a"], {"a": 5, "b": 4}),
        ("confidence_weighted", [*choices("a"), Ballot(voter="x", choice="b", weight=1)], ["a", "b"], {"a": 1, "b": 1}),
        ("approval", APPROVALS, ["b"], {"a": 1, "b": 2}),
        ("approval", approved(""), [], {}),
        ("score", SCORES, ["a"], {"a": 8, "b": 7, "c": 5}),
        ("score", APPROVALS, ["b"], {"a": 1, "b": 2}),
        ("cumulative", SCORES, ["a"], {"a": 8, "b": 7, "c": 5}),
        ("borda", rankings("3 abc 2 bca"), ["b"], {"a": 6, "b": 7, "c": 2}),
        ("borda", rankings("1 a 1 bca"), ["b"], {"a": 2, "b": 2.5, "c": 1.5}),
        ("copeland", rankings("2 abc 2 bac"), ["a", "b"], {"a": 1.5, "b": 1.5, "c": 0}),
        ("instant_runoff", rankings("4 abc 3 bca 2 cba"), ["b"], {"a": 4, "b": 5, "c": 2}),
        ("instant_runoff", rankings("3 a 2 b 2 cb"), ["a"], {"a": 3, "b": 2, "c": 2}),
        ("schulze", rankings("5 ACBED 5 ADECB 8 BEDAC 3 CABED 7 CAEBD 2 CBADE 7 DCEBA 8 EBADC"), ["E"], None),
        ("ranked_pairs", rankings("7 abc 5 bca 4 cab"), ["a"], {"a": 1, "b": 1, "c": 1}),
    ],
)
def test_each_rule_picks_its_winners(rule, ballots, winners, totals):
    tally = count_ballots(ballots, rule)
    assert sorted(tally.winners) == winners
    assert tally.winner == (winners[0] if len(winners) == 1 else None)
    assert totals is None or tally.totals == totals


def test_scores_are_added_as_the_decimals_they_were_written_as():
    ballots = [Ballot(voter="v0", scores={"a": 0.1, "b": 0.3}), Ballot(voter="v1", scores={"a": 0.2})]
    assert count_ballots(ballots, "score").winners == ["a", "b"]


def test_two_thirds_of_three_hundred_is_a_supermajority_and_one_less_is_not():
    assert count_ballots(choices("a " * 200 + "b " * 100), "supermajority").winner == "a"
    assert count_ballots(choices("a " * 199 + "b " * 101), "supermajority").status == "short"


def test_a_share_is_the_fraction_it_was_meant_to_be():
    exactly = count_ballots(
        choices("a " * 11 + "b " * 9), "supermajority", settings=CountSettings(supermajority_share=0.55)
    )
    assert exactly.winner == "a"
    assert count_ballots(choices("a"), "plurality", voters=10, settings=CountSettings(quorum=0.1)).quorum_met


def test_an_option_nobody_approves_of_does_not_win():
    assert count_ballots(approved("", ""), "approval", options=["a", "b"]).status == "short"


def test_the_same_ballots_elect_three_different_capitals():
    report = count_by_all_rules(CAPITAL)
    assert report.winners == {
        "m": ["plurality"],
        "n": ["borda", "copeland", "schulze", "ranked_pairs"],
        "k": ["instant_runoff"],
    }
    assert not report.rules_agree
    assert report.undecided == ["unanimity", "supermajority", "majority"]
    assert report.condorcet.winner == "n"
    assert report.leads == {
        "plurality": 16,
        "borda": 194 - 173,
        "copeland": 1,
        "schulze": 58 - 42,
        "ranked_pairs": 58 - 42,
        "instant_runoff": 58 - 42,
    }
    assert report.tallies["instant_runoff"].rounds == [
        {"m": 42, "n": 26, "c": 15, "k": 17},
        {"m": 42, "n": 26, "k": 32},
        {"m": 42, "k": 58},
    ]
    assert report.tallies["copeland"].pairwise["n"] == {"m": 58, "c": 68, "k": 68}


def test_a_three_way_cycle_is_a_cycle_and_nobody_wins_by_default():
    report = count_by_all_rules(CYCLE)
    assert report.condorcet.model_dump() == {"winner": None, "cycle": ["X", "Y", "Z"], "top": ["X", "Y", "Z"]}
    assert report.winners == {}
    assert report.rules_agree


def test_a_cycle_is_looked_for_at_the_top_only():
    below = [Ballot(voter=b.voter, ranking=["W", *(b.ranking or [])]) for b in CYCLE]
    assert compute_condorcet(below).model_dump() == {"winner": "W", "cycle": [], "top": ["W"]}
    assert compute_condorcet(rankings("1 ab 1 ba")).model_dump() == {"winner": None, "cycle": [], "top": ["a", "b"]}


def test_the_shortest_cycle_is_shown_and_the_whole_top_beside_it():
    condorcet = compute_condorcet(rankings("1 abcd 1 bcda 1 dabc"))
    assert condorcet.model_dump() == {"winner": None, "cycle": ["a", "b", "d"], "top": ["a", "b", "c", "d"]}


def test_a_report_says_why_it_leaves_a_rule_out():
    assert set(count_by_all_rules(SCORES).tallies) == {"score", "cumulative"}
    assert "add up to 9" in count_by_all_rules(scored({"a": 10}, {"a": 9})).not_counted["cumulative"]
    assert count_by_all_rules(choices("a b")).not_counted["borda"] == "counts rankings, not choices"
    assert "confidence_weighted" in count_by_all_rules(weighed("a3 b3")).tallies


def test_a_cumulative_ballot_that_does_not_spend_ten_points_is_invalid():
    tally = count_ballots(scored({"a": 10}, {"b": 11, "a": -1}, {"b": 9}, {"a": 4, "b": 6}), "cumulative")
    assert (tally.votes, tally.invalid, tally.winner) == (2, 2, "a")


def test_abstentions_count_for_the_quorum_and_not_as_votes():
    ballots = [*choices("yes yes"), Ballot(voter="x", abstain=True)]
    tally = count_ballots(ballots, "unanimity", voters=6)
    assert (tally.winner, tally.votes, tally.abstentions, tally.turnout) == ("yes", 2, 1, 0.5)
    assert count_ballots(ballots, "unanimity", voters=7).status == "no_quorum"


def test_without_a_quorum_or_a_vote_nobody_is_picked():
    tally = count_ballots(
        [*choices("a"), Ballot.make_invalid("x", "hm", "unclear")], "plurality", voters=["v0", "x", "y"]
    )
    assert (tally.status, tally.winner, tally.winners, tally.quorum_met) == ("no_quorum", None, [], False)
    assert (tally.faults, tally.totals) == (["unclear"], {"a": 1})
    assert count_ballots([Ballot(voter="x", abstain=True)], "plurality", options=["a"]).status == "no_votes"
    assert count_ballots([], "schulze").status == "no_votes"


@pytest.mark.parametrize(
    ("rule", "ballots", "settings", "winner", "settled"),
    [
        ("plurality", choices("a b"), {}, None, "tied"),
        ("plurality", choices("a b"), {"tie_break": "seeded", "tie_seed": 1}, "b", "seeded"),
        ("plurality", choices("a b"), {"tie_break": "seeded", "tie_seed": 2}, "a", "seeded"),
        ("plurality", choices("a b"), {"tie_break": "status_quo", "status_quo": "keep"}, "keep", "status_quo"),
        ("plurality", choices("a b"), {"tie_break": "runoff"}, None, "tied"),
        ("plurality", rankings("2 abc 2 bac 1 cba"), {"tie_break": "runoff"}, "b", "runoff"),
        ("plurality", rankings("3 a 3 b 3 ca 1 da 1 db"), {"tie_break": "runoff"}, "a", "runoff"),
        ("copeland", CYCLE, {"tie_break": "runoff"}, None, "tied"),
        ("score", scored({"a": 1, "b": 9}, {"a": 4}, {"a": 4}), {"tie_break": "runoff"}, "a", "runoff"),
        ("approval", approved("ab", "ab", "c"), {"tie_break": "runoff"}, None, "tied"),
        ("majority", choices("a b"), {"tie_break": "seeded"}, None, "short"),
        ("unanimity", choices("a b"), {"tie_break": "status_quo", "status_quo": "a"}, None, "short"),
        ("plurality", choices("a a b"), {"tie_break": "status_quo", "status_quo": "b"}, "a", "outright"),
    ],
)
def test_a_tie_is_settled_by_its_rule_and_a_missed_threshold_is_no_tie(rule, ballots, settings, winner, settled):
    tally = count_ballots(ballots, rule, settings=CountSettings(**settings))
    assert (tally.winner, tally.status) == (winner, settled)


@pytest.mark.parametrize("seed", range(6))
def test_a_draw_does_not_depend_on_the_order_of_the_ballots(seed):
    settings = CountSettings(tie_break="seeded", tie_seed=seed)
    orders = [
        count_ballots(choices(order), "plurality", settings=settings).winner for order in ("a b c", "c b a", "b a c")
    ]
    assert len(set(orders)) == 1


def test_a_runoff_of_certainties_weighs_certainties():
    heard = [("a", 2), ("b", 1), ("b", 1), ("ca", 1)]
    ballots = [Ballot(voter=f"v{n}", ranking=list(order), weight=weight) for n, (order, weight) in enumerate(heard)]
    tally = count_ballots(ballots, "confidence_weighted", settings=CountSettings(tie_break="runoff"))
    assert (tally.winners, tally.winner) == (["a", "b"], "a")


@pytest.mark.parametrize(
    ("votes", "winner"),
    [
        ([("1", None)] * 3, ("1", None)),
        ([("3", 15000)] * 3, ("3", 15000)),
        ([("3", 15000), ("3", 20000), ("3", 15000)], None),
        ([("3", 15000), ("3", 15001)], None),
        ([("1", None), ("2", None), ("1", None)], None),
        ([("3", 15000), ("4", 15000)], None),
        ([("1", 15000), ("1", None)], ("1", None)),
        ([("3", 15000), ("3", None)], None),
        ([], None),
        ([("1", None), ("", None)], None),
    ],
)
def test_only_identical_pairs_of_choice_and_amount_are_unanimous(votes, winner):
    cast = pairs(*[vote for vote in votes if vote[0]])
    settings = CountSettings(quorum=1, amount_options=["3", "4"])
    tally = count_ballots(cast, "unanimity", voters=len(votes), settings=settings)
    assert (None if tally.winner is None else (tally.choice, tally.amount)) == winner


def test_a_pair_is_an_option_of_its_own():
    tally = count_ballots(
        pairs(("3", 15000), ("3", 15000), ("3", 20000), ("1", None)), "plurality", options=["1", "2", "3"]
    )
    assert tally.totals == {"1": 1, "2": 0, "3 @ 15000": 2, "3 @ 20000": 1}
    assert (tally.winner, tally.choice, tally.amount) == ("3 @ 15000", "3", 15000)


def test_what_voters_say_about_themselves_can_be_left_out():
    settings = CountSettings(exclude_self=True)
    votes = [Ballot(voter=v, choice=c) for v, c in zip("abc", "aab", strict=True)]
    tally = count_ballots(votes, "plurality", settings=settings)
    assert (tally.totals, tally.votes, tally.excluded, tally.turnout) == ({"a": 1, "b": 1}, 2, 1, 1)
    ranked = [Ballot(voter="a", ranking=["a", "b", "c"]), Ballot(voter="b", ranking=["b", "a", "c"])]
    assert count_ballots(ranked, "borda", settings=settings).totals == {"a": 1, "b": 1, "c": 0}
    assert count_ballots(ranked, "copeland", settings=settings).pairwise["a"] == {"b": 0, "c": 1}


def test_a_ranking_with_repeats_or_unknown_names_is_invalid():
    ballots = [*rankings("1 aba 1 abz"), Ballot(voter="w", ranking=["b"])]
    tally = count_ballots(ballots, "borda", options=["a", "b", "c"], settings=CountSettings(quorum=0))
    assert (tally.winner, tally.invalid) == ("b", 2)
    assert tally.faults == ["ranking names 'a' twice", "ranking names the unknown option 'z'"]


@pytest.mark.parametrize(
    ("ballots", "rule", "given", "said"),
    [
        (choices("a b"), "lottery", {}, "rule = 'lottery': use one of unanimity"),
        (choices("a b"), "borda", {}, "rule = 'borda': counts rankings, not choices; these ballots can be counted by"),
        (choices("a") * 2, "plurality", {}, "voter = 'v0': has cast more than one ballot"),
        (choices("a b"), "plurality", {"voters": 1}, "voters = 1: there are 2 ballots"),
        (choices("a b"), "plurality", {"voters": ["v0"]}, "voter = 'v1': is not among the voters"),
        (choices("a b"), "plurality", {"options": ["a", "b", "a"]}, "name each option once"),
        (pairs(("a", 5), ("a @ 5", None)), "plurality", {}, "option = 'a @ 5': looks like another option"),
    ],
)
def test_what_cannot_be_counted_is_refused(ballots, rule, given, said):
    with pytest.raises(InputError, match="=") as error:
        count_ballots(ballots, rule, **given)
    assert said in str(error.value)


def test_a_status_quo_tie_rule_without_a_status_quo_is_refused():
    with pytest.raises(ValueError, match="name there the option that wins a tie"):
        CountSettings(tie_break="status_quo")


def test_every_rule_names_its_source_and_shape():
    for name, rule in VOTING_RULES.items():
        assert rule.count.__name__ == name
        docstring = rule.count.__doc__ or ""
        assert "Totals:" in docstring or "Shape:" in docstring, name
        assert all(word in docstring for word in ("Ties:", "Source:")), name
