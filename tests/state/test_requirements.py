"""What a function of the state reads is said by its parameters, and by those of the functions it is made from."""

from typing import Any

from moot.state.deliberation import Given, Stage
from moot.state.requirements import Sent, check_needs, group_of, needs, reading
from moot.state.rules import Rules, TalkRules
from moot.state.voting.channels import Voting


class Booth(Given, Voting):
    """A branch for one voter."""

    who: Sent[str]


@reading
def capped(state: Given, rules: TalkRules) -> int | None:
    """The cap on rounds."""
    return rules.max_rounds


def voted(state: Voting) -> bool:
    """Whether a vote was proposed."""
    return bool(state["polls"])


def enter(state: Booth) -> str:
    """Who enters the booth."""
    return state["who"]


def seated(names: list[str], rules: TalkRules) -> list[str]:
    """Who sits where: no function of the state, but one that reads rules."""
    return names


def test_a_function_that_names_rules_finds_them_in_the_state() -> None:
    state: Any = {"rules": TalkRules(max_rounds=3)}
    assert capped(state) == 3


def test_a_function_made_from_others_reads_what_they_read() -> None:
    def either(state: Any) -> bool:
        return voted(state) or bool(capped(state))

    whole = reading(either, voted, capped, seated)
    read = {(need.who.rpartition(".")[2], need.channels, need.rules) for need in needs(whole)}
    assert read == {
        ("either", None, None),
        ("voted", Voting, None),
        ("capped", Given, TalkRules),
        ("seated", None, TalkRules),
    }
    assert set(group_of(needs(whole)).__annotations__) == {*Voting.__annotations__, *Given.__annotations__}
    assert needs(reading(whole, whole)) == needs(whole)


def test_one_group_that_holds_all_channels_stands_for_them_all() -> None:
    def both(state: Stage) -> bool:
        return bool(capped(state))

    assert group_of(needs(reading(both, capped))) is Stage


def test_what_a_branch_is_sent_need_not_be_a_channel() -> None:
    class Poll(Given, Voting):
        """A state without `who`."""

    check_needs(needs(enter), Poll, Rules)
