"""What a function of the state reads is said by its parameters, and by those of the functions it is made from."""

from typing import Any

from moot.state.channel_requirements import (
    BranchInput,
    check_requirements,
    get_requirements,
    mark_reads,
    merge_channels,
)
from moot.state.deliberation import ProgressState, TaskState
from moot.state.settings import Settings, StoppingSettings
from moot.state.voting.channels import VotingState


class Booth(TaskState, VotingState):
    """A branch for one voter."""

    who: BranchInput[str]


@mark_reads
def capped(state: TaskState, settings: StoppingSettings) -> int | None:
    """The cap on rounds."""
    return settings.max_rounds


def voted(state: VotingState) -> bool:
    """Whether a vote was proposed."""
    return bool(state["polls"])


def enter(state: Booth) -> str:
    """Who enters the booth."""
    return state["who"]


def seated(names: list[str], settings: StoppingSettings) -> list[str]:
    """Who sits where: no function of the state, but one that reads rules."""
    return names


def test_a_function_that_names_rules_finds_them_in_the_state() -> None:
    state: Any = {"settings": StoppingSettings(max_rounds=3)}
    assert capped(state) == 3


def test_a_function_made_from_others_reads_what_they_read() -> None:
    def either(state: Any) -> bool:
        return voted(state) or bool(capped(state))

    whole = mark_reads(either, voted, capped, seated)
    read = {(need.function_name.rpartition(".")[2], need.channels, need.settings) for need in get_requirements(whole)}
    assert read == {
        ("either", None, None),
        ("voted", VotingState, None),
        ("capped", TaskState, StoppingSettings),
        ("seated", None, StoppingSettings),
    }
    assert set(merge_channels(get_requirements(whole)).__annotations__) == {
        *VotingState.__annotations__,
        *TaskState.__annotations__,
    }
    assert get_requirements(mark_reads(whole, whole)) == get_requirements(whole)


def test_one_group_that_holds_all_channels_stands_for_them_all() -> None:
    def both(state: ProgressState) -> bool:
        return bool(capped(state))

    assert merge_channels(get_requirements(mark_reads(both, capped))) is ProgressState


def test_what_a_branch_is_sent_need_not_be_a_channel() -> None:
    class Poll(TaskState, VotingState):
        """A state without `who`."""

    check_requirements(get_requirements(enter), Poll, Settings)
