"""What participants of the justice experiment are told, at the places where a wrong word would move the result."""

import pytest
from deliberations.justice import played

GOES_ON = "otherwise the group continues as before. Saying no costs nothing."
BY_CHANCE = "otherwise no principle is adopted, since no round is left: "
CHANCES = {
    "random_distribution_per_participant": "each of you is given one of the four distributions at random.",
    "random_distribution_group": "all of you are given the same one of the four distributions, at random.",
    "random_principle": "one of the four principles is drawn at random.",
}


@pytest.mark.parametrize(("mode", "chance"), CHANCES.items())
def test_refusing_a_vote_costs_nothing_until_no_round_is_left(mode: str, chance: str) -> None:
    play = played({"confirmation": "0"}, max_rounds=2, no_consensus_mode=mode)
    prompts = play.cast.list_prompts("confirmation")
    before = [prompt.private for prompt in prompts if "Round 1 of 2 is over" in prompt.private]
    last = [prompt.private for prompt in prompts if "Round 2 of 2 is over" in prompt.private]
    assert (len(before), len(last)) == (2, 3), "the initiator is not asked; in the forced vote everyone is"
    assert all(GOES_ON in one for one in before)
    assert all(BY_CHANCE + chance in one and "Saying no costs nothing" not in one for one in last)
