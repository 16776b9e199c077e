"""What may enter is checked in time that grows with it and no faster."""

from langgraph.types import StateSnapshot, StateUpdate
from moot.nodes.validating_pregel import check_thread_position


class Turn(int):
    """A turn that counts how often it is compared."""

    compared = 0

    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        Turn.compared += 1
        return int(self) == other


def test_statements_written_from_outside_are_compared_once_each_and_not_with_all_others() -> None:
    held = [{"turn": Turn(turn)} for turn in range(1, 101)]
    new = [[StateUpdate(values={"history": [{"turn": Turn(turn)}]})] for turn in range(101, 151)]
    check_thread_position(StateSnapshot({"history": held}, ("speak",), {}, None, None, None, (), ()), new)
    assert Turn.compared < 5 * 150
