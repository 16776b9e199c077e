"""Ranked rules against an independent library's winners, against brute force, and against what they promise."""

import json
import random
from itertools import combinations_with_replacement, pairwise, permutations, product

import pytest
from hypothesis import given, settings, strategies as st
from moot.state.ballot import Ballot
from moot.state.count import VOTING_RULES, CountSettings, compute_condorcet, count_ballots, count_by_all_rules
from moot.state.count.sorted_ballots import SortedBallots, sort_ballots
from moot.state.errors import InputError
from places import DATA

RANKED = ["instant_runoff", "ranked_pairs", "schulze", "copeland", "borda"]


def box_of(options: str, rankings: list[str]) -> SortedBallots:
    ballots = [Ballot(voter=f"v{n}", ranking=list(ranking)) for n, ranking in enumerate(rankings)]
    return sort_ballots(ballots, list(options), None, CountSettings())


def winners(rule: str, box: SortedBallots) -> str:
    return "".join(VOTING_RULES[rule].count(box, CountSettings()).winners)


@pytest.mark.long
@pytest.mark.parametrize(("file", "profiles"), [("pref_voting_complete", 1000), ("pref_voting_truncated", 300)])
def test_the_winner_sets_are_those_of_an_independent_library(file, profiles):
    table = json.loads((DATA / f"{file}.json").read_text(encoding="utf-8"))
    assert (table["columns"], len(table["rows"])) == (["options", "profile", *RANKED], profiles)
    for options, profile, *expected in table["rows"]:
        groups = [group.split(":") for group in profile.split()]
        box = box_of(options, [ranking for ranking, times in groups for _ in range(int(times))])
        assert [winners(rule, box) for rule in RANKED] == expected, profile


def beats(rankings: list[str], a: str, b: str) -> int:
    """How many more of the rankings put a above b than b above a; who is not ranked is below all who are."""
    places = [{option: place for place, option in enumerate(ranking)} for ranking in rankings]
    ups = sum(place.get(a, 99) < place.get(b, 99) for place in places)
    return ups - sum(place.get(b, 99) < place.get(a, 99) for place in places)


def brute_copeland(options: str, rankings: list[str]) -> str:
    sign = {a: sum((beats(rankings, a, b) > 0) - (beats(rankings, a, b) < 0) for b in options) for a in options}
    return "".join(a for a in options if sign[a] == max(sign.values()))


def brute_borda(options: str, rankings: list[str]) -> str:
    net = {a: sum(beats(rankings, a, b) for b in options) for a in options}
    return "".join(a for a in options if net[a] == max(net.values()))


def brute_runoff(options: str, rankings: list[str]) -> str:
    tops = [next((option for option in ranking if option in options), None) for ranking in rankings]
    fewest = min(tops.count(option) for option in options)
    text = "".join(option for option in options if tops.count(option) > fewest)
    return brute_runoff(text, rankings) if text else options


def brute_schulze(options: str, rankings: list[str]) -> str:
    def strongest(a: str, b: str) -> int:
        inner = [option for option in options if option not in (a, b)]
        paths = [[a, *middle, b] for size in range(len(inner) + 1) for middle in permutations(inner, size)]
        return max(max(0, min(beats(rankings, x, y) for x, y in pairwise(path))) for path in paths)

    return "".join(a for a in options if all(strongest(a, b) >= strongest(b, a) for b in options if b != a))


def circular(locked: set[tuple[str, str]]) -> bool:
    left = set(locked)
    while free := {pair for pair in left if pair[1] not in {upper for upper, _ in left}}:
        left -= free
    return bool(left)


def brute_ranked_pairs(options: str, rankings: list[str]) -> str:
    """Every order of the pairs that puts wider margins first, each locked pair by pair."""
    wins = {(a, b): beats(rankings, a, b) for a in options for b in options if beats(rankings, a, b) > 0}
    levels = [[pair for pair in wins if wins[pair] == width] for width in sorted(set(wins.values()), reverse=True)]
    tops: set[str] = set()
    for universe in product(*(permutations(level) for level in levels)):
        locked: set[tuple[str, str]] = set()
        for pair in (pair for level in universe for pair in level):
            locked |= set() if circular(locked | {pair}) else {pair}
        tops |= set(options) - {lower for _, lower in locked}
    return "".join(option for option in options if option in tops)


BRUTE = {
    "instant_runoff": brute_runoff,
    "ranked_pairs": brute_ranked_pairs,
    "schulze": brute_schulze,
    "copeland": brute_copeland,
    "borda": brute_borda,
}


@pytest.mark.parametrize("rule", RANKED)
@pytest.mark.parametrize("voters", [1, 2, 3, 4])
def test_every_profile_of_three_options_agrees_with_brute_force(rule, voters):
    orders = ["".join(order) for order in permutations("abc")]
    for rankings in combinations_with_replacement(orders, voters):
        assert winners(rule, box_of("abc", list(rankings))) == BRUTE[rule]("abc", list(rankings)), rankings


@pytest.mark.parametrize("rule", RANKED)
def test_truncated_profiles_of_three_and_four_options_agree_with_brute_force(rule):
    short = ["".join(order) for size in (1, 2) for order in permutations("abc", size)]
    for rankings in combinations_with_replacement(short, 3):
        assert winners(rule, box_of("abc", list(rankings))) == BRUTE[rule]("abc", list(rankings)), rankings
    draw = random.Random(5)
    for _ in range(60):
        texts = ["".join(draw.sample("abcd", draw.randint(1, 4))) for _ in range(draw.randint(2, 5))]
        assert winners(rule, box_of("abcd", texts)) == BRUTE[rule]("abcd", texts), texts


PROFILES = st.integers(2, 5).flatmap(
    lambda size: st.lists(st.permutations("abcde"[:size]).map("".join), min_size=1, max_size=7)
)
promised = settings(max_examples=80, deadline=None, derandomize=True, database=None)


@pytest.mark.long
@promised
@given(PROFILES, st.randoms(use_true_random=False))
def test_no_option_and_no_voter_is_favoured(rankings, draw):
    options = "".join(sorted(rankings[0]))
    other = dict(zip(options, draw.sample(options, len(options)), strict=True))
    renamed = ["".join(other[option] for option in ranking) for ranking in draw.sample(rankings, len(rankings))]
    shuffled = "".join(draw.sample(options, len(options)))
    for rule in [*RANKED, "plurality", "majority"]:
        expected = {other[option] for option in winners(rule, box_of(options, rankings))}
        assert set(winners(rule, box_of(shuffled, renamed))) == expected, rule


@promised
@given(PROFILES)
def test_pairwise_rules_elect_the_condorcet_winner_and_all_rules_the_unanimous_one(rankings):
    options = "".join(sorted(rankings[0]))
    box = box_of(options, rankings)
    if champion := [a for a in options if all(beats(rankings, a, b) > 0 for b in options if b != a)]:
        assert {winners(rule, box) for rule in ("copeland", "schulze", "ranked_pairs")} == {champion[0]}
    agreed = box_of(options, [rankings[0]] * len(rankings))
    assert {winners(rule, agreed) for rule in [*RANKED, "plurality", "majority", "unanimity"]} == {rankings[0][0]}


@promised
@given(PROFILES.filter(lambda rankings: len(rankings) % 2 == 1))
def test_without_draws_there_is_a_condorcet_winner_or_a_cycle_of_three(rankings):
    condorcet = compute_condorcet([Ballot(voter=f"v{n}", ranking=list(ranking)) for n, ranking in enumerate(rankings)])
    assert (condorcet.winner is None) == (len(condorcet.cycle) == 3) == (len(condorcet.top) > 1)
    assert all(beats(rankings, a, b) > 0 for a, b in pairwise([*condorcet.cycle, *condorcet.cycle[:1]]))
    assert all(beats(rankings, a, b) > 0 for a in condorcet.top for b in set(rankings[0]) - set(condorcet.top))


@promised
@given(PROFILES)
def test_one_more_vote_for_a_plurality_winner_makes_it_the_only_one(rankings):
    options = "".join(sorted(rankings[0]))
    for winner in winners("plurality", box_of(options, rankings)):
        more = winner + options.replace(winner, "")
        assert winners("plurality", box_of(options, [*rankings, more])) == winner


def test_ranked_pairs_copes_with_ties_among_ten_options_and_refuses_what_it_cannot_examine(monkeypatch):
    monkeypatch.setattr("moot.state.count.condorcet_methods.MAX_CHAIN_LINKS", 200_000)
    draw = random.Random(3)
    few = ["".join(draw.sample("abcdefghij", 10)) for _ in range(3)]
    assert winners("ranked_pairs", box_of("abcdefghij", few))
    many = [Ballot(voter=f"v{n}", ranking=draw.sample([str(o) for o in range(40)], 40)) for n in range(3)]
    with pytest.raises(InputError, match="use schulze instead"):
        count_ballots(many, "ranked_pairs")
    assert "schulze instead" in count_by_all_rules(many).not_counted["ranked_pairs"]
