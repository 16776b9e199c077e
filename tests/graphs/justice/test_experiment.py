"""A whole justice experiment: the worked example to the cent, secrecy, the order of things, resuming."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from deliberations.justice import LINES, Cast, Killed, Play, played, timeless
from langgraph.checkpoint.sqlite import SqliteSaver
from moot.graphs.justice import build
from moot.models.failures import RunStoppedError
from moot.state.errors import InputError
from moot.state.justice.income import INCOME_CLASSES, format_dollars
from moot.state.justice.principle import SharingRule, get_ballot_number, get_principle
from moot.state.justice.vote import find_adopted_rule
from sampling import sample_cases

CHOICES = {1: "Principle: 1", 2: "Principle: 2"}
WORKED = {
    "participants": ["A", "B", "C", "D", "E"],
    "seed": 26089,
    "distribution_range_phase1": [1, 1],
    "distribution_range_phase2": [1, 1],
}


def choice(number: int) -> str:
    return f"Principle: {number}\nAmount: none\nCertainty: sure\nReason: as I said"


def test_vector_13_the_worked_example_comes_out_of_the_graph_to_the_cent() -> None:
    result = played({("C", "choice"): [choice(1), choice(1), choice(2), choice(2)]}, **WORKED).result
    group = result.phase2
    assert group.adopted_rule == SharingRule(principle=get_principle(3), constraint_amount=14000)
    assert (group.constraint_satisfied, group.binding, group.decisive) == (True, True, True)
    rows = {
        id: (
            group.assigned_classes[id],
            group.chosen_distribution[id],
            group.payoffs[id].income,
            *(format_dollars(outcome.payoff_cents) for outcome in others.outcomes),
            [get_ballot_number(best) for best in others.best],
            format_dollars(others.cost_cents),
        )
        for id, others in group.alternative_earnings.items()
    }
    assert rows == {
        "A": ("high", "D3", 31000, "2.10", "3.20", "3.10", "3.10", [2], "0.10"),
        "B": ("medium_high", "D3", 24000, "2.00", "2.70", "2.40", "2.40", [2], "0.30"),
        "C": ("medium", "D3", 21000, "1.90", "2.40", "2.10", "2.10", [2], "0.30"),
        "D": ("medium_low", "D3", 16000, "1.60", "1.30", "1.60", "1.60", [1, 3, 4], "0.00"),
        "E": ("low", "D3", 14000, "1.50", "1.20", "1.40", "1.40", [1], "0.10"),
    }
    assert [payoff.payoff_cents for payoff in group.payoffs.values()] == [310, 240, 210, 160, 140]
    assert sum(payoff.payoff_cents for payoff in group.payoffs.values()) == 1060
    assert result.phase1["C"].total_earnings == 830
    assert group.final_earnings["C"] == 1040
    assert result.headline == (
        "The group adopted principle 3, maximizing the average income with a floor constraint, amount $14,000 "
        "after 1 round. The amount ruled out at least one income distribution."
    )


def test_nothing_of_phase_2_is_known_before_the_group_has_decided() -> None:
    play = played({"initiation": "0", "ballot": ["1", "2", "3"]}, distribution_range_phase2=[1.3333, 1.3333])
    table = play.result.phase2.distribution_set
    assert table is not None
    hidden = [f"{income:,}" for distribution in table.distributions for income in distribution.incomes]
    early = play.cast.list_prompts("reasoning", "statement", "initiation", "confirmation", "ballot", "amount")
    assert early
    texts = {
        f"{income:,}" for phase1 in play.result.phase1.values() for income in incomes_of(phase1.application_results)
    }
    for one in early:
        assert not [income for income in hidden if income not in texts and income in one.text]
        assert "You were put into" not in one.text.split("Phase 2 began.")[-1]


def incomes_of(results: list[Any]) -> list[int]:
    return [
        income
        for result in results
        for distribution in result.distribution_set.distributions
        for income in distribution.incomes
    ]


def test_memory_takes_the_round_after_all_speakers_and_before_the_vote() -> None:
    play = played({"ballot": "1"})
    speakers = [prompt for prompt in play.cast.prompts if prompt.purpose == "statement"]
    first_round = speakers[:3]
    assert not [one for one in first_round if "In round 1" in one.private]
    votes = play.cast.list_prompts("initiation", "confirmation", "ballot")
    for vote in votes:
        assert len(re.findall("In round 1 [ABC] argued", vote.private)) == 3


def test_ballots_are_secret() -> None:
    def ballot(told: Any) -> str:
        return {"A": "1", "B": "2", "C": "3"}[told.who]

    marked = "13579"
    play = played({"ballot": ballot, "amount": marked}, min_rounds_before_vote=1)
    assert play.result.phase2.consensus_reached is False
    assert play.cast.count("ballot") == 6
    for prompt in play.cast.prompts:
        assert marked not in prompt.text
        assert "has voted" not in prompt.text
    public = [
        statement.statement for statement in play.result.phase2.discussion_history if statement.name == "moderator"
    ]
    assert public == ["A vote was held in round 1; no principle was adopted."] * 1 + [
        "A vote was held in round 2; no principle was adopted."
    ]


def test_private_reasoning_reaches_no_one_else() -> None:
    play = played({("A", "reasoning"): "mark-secret is what I think"}, include_internal_reasoning=True, max_rounds=2)
    knowing = {prompt.who for prompt in play.cast.prompts if "mark-secret" in prompt.text}
    assert knowing == {"A"}


def test_no_reasoning_is_asked_of_one_who_is_not_to_reason() -> None:
    cast = [{"name": "A", "reasoning_enabled": False}, "B", "C"]
    play = played(participants=cast)
    assert {prompt.who for prompt in play.cast.list_prompts("reasoning")} == {"B", "C"}


@pytest.mark.parametrize("hurry", [1, 2])
def test_draws_are_the_same_in_whatever_order_replies_arrive(hurry: int) -> None:
    still = played().result
    play = Play(Cast(hurry=hurry), participants=["A", "B", "C"], max_rounds=2, seed=1)
    play.go({})
    assert timeless(play.result) == timeless(still)


def test_a_run_that_stops_after_every_step_ends_like_one_that_does_not() -> None:
    play = Play(Cast(), participants=["A", "B", "C"], max_rounds=2, seed=1)
    play.go({}, interrupt_after="*")
    steps = 1
    while play.graph.get_state(play.config).next:
        play.go(None, interrupt_after="*")
        steps += 1
    whole = played()
    assert steps > 10
    assert timeless(play.result) == timeless(whole.result)
    assert len(play.cast.prompts) == len(whole.cast.prompts)


@pytest.mark.long
@pytest.mark.parametrize("fatal", sample_cases([1, 9, 20, 24, 27, 30, 32, 34, 36, 38, 41, 44, 47], kinds=0, share=3))
def test_a_run_that_is_killed_and_resumed_ends_the_same_and_pays_once(fatal: int) -> None:
    whole = played().result
    play = Play(Cast(fatal=fatal), participants=["A", "B", "C"], max_rounds=2, seed=1)
    with pytest.raises(Killed):
        play.go({})
    play.go(None)
    assert timeless(play.result) == timeless(whole)
    assert len(play.result.draws) == len({tuple(one.purpose) for one in play.result.draws})


def test_a_thread_holds_one_experiment() -> None:
    play = played()
    with pytest.raises(InputError, match="already holds"):
        play.go({})


def test_the_defaults_run_without_any_setting() -> None:
    play = Play(Cast())
    play.go({})
    assert list(play.result.phase1) == ["Alice", "Bruno", "Carmen", "Daniel", "Mei"]
    assert play.result.seed == play.result.config.run_seed


def test_an_imposed_rule_is_announced_and_neither_discussed_nor_voted_on() -> None:
    play = played(decision_rule="imposed", imposed_principle=3, imposed_amount=14000)
    group = play.result.phase2
    assert play.cast.count("statement", "reasoning", "initiation", "confirmation", "ballot", "amount") == 0
    assert group.consensus_reached is None
    assert group.rule_in_force == SharingRule(principle=get_principle(3), constraint_amount=14000)
    prompts = play.cast.list_prompts("memory")
    assert all("It is not discussed or voted on" in prompt.text for prompt in prompts)
    assert play.result.headline.startswith("The principle was set beforehand: principle 3")


def test_a_majority_of_all_adopts() -> None:
    lines = {("C", "ballot"): "1", ("C", "confirmation"): "0"}
    assert played(lines).result.phase2.consensus_reached is False
    group = played(lines, decision_rule="majority").result.phase2
    assert group.consensus_reached is True
    ballots = group.voting_records[-1].ballots
    assert find_adopted_rule(ballots, "majority") == group.adopted_rule


@pytest.mark.parametrize(
    ("mode", "distinct"),
    [("random_distribution_group", True), ("random_principle", True), ("random_distribution_per_participant", False)],
)
def test_without_agreement_chance_pays_as_the_mode_says(mode: str, distinct: bool) -> None:
    group = played(
        {"ballot": lambda prompt: str(1 + "ABC".index(prompt.who))}, no_consensus_mode=mode, seed=4
    ).result.phase2
    assert group.consensus_reached is False
    assert len(group.payoffs) == 3
    assert (len(set(group.chosen_distribution.values())) == 1) >= distinct
    assert (group.rule_in_force is not None) == (mode == "random_principle")


def test_no_vote_before_its_first_round() -> None:
    group = played(min_rounds_before_vote=2).result.phase2
    assert [(voting_record.round, voting_record.forced) for voting_record in group.voting_records] == [(2, True)]


def test_the_loss_frame_leaves_exactly_the_same_money() -> None:
    gain, loss = played(), played(frame="loss")
    assert gain.result.phase2.final_earnings == loss.result.phase2.final_earnings
    private = loss.cast.list_prompts("statement")[0].private
    assert "You still hold $" in private
    assert "is deducted, which leaves you" in private
    assert "You hold a credit of $40.00 from the start" in loss.cast.list_prompts("statement")[0].system
    earned = loss.result.phase1["A"].total_earnings
    assert (
        f"You still hold ${format_dollars(earned + 800)} of your credit"
        in loss.cast.list_prompts("initiation")[0].private
    )


def test_the_neutral_wording_never_speaks_of_justice() -> None:
    play = played(wording="neutral")
    for prompt in play.cast.prompts:
        assert not re.search(r"\b(justice|fair\w*|just|unjust)\b", prompt.text, re.IGNORECASE)
    assert any("justice" in prompt.text for prompt in played().cast.prompts)


def test_the_explanation_comes_alone_on_the_first_turn_or_each_and_in_the_group_in_the_head_or_never() -> None:
    def count_notices(**settings: Any) -> list[int]:
        play = played({"ballot": "1", "initiation": "0"}, **settings)
        first = sum("About this phase." in prompt.private for prompt in play.cast.list_prompts("ranking", "choice"))
        group = sum("About this phase." in prompt.system for prompt in play.cast.list_prompts("statement"))
        return [first, group]

    assert count_notices() == [3, 6]
    assert count_notices(include_experiment_explanation=False) == [0, 0]
    assert count_notices(include_experiment_explanation_each_turn=True) == [3 * 7, 6]


def test_class_probabilities_are_told_when_the_settings_say() -> None:
    def count_notices(reveal: str) -> tuple[bool, bool]:
        play = played(reveal_class_probabilities=reveal, max_rounds=1)
        choices = [prompt.private.split("<task>")[1] for prompt in play.cast.list_prompts("choice")]
        results = [prompt.private.split("<task>")[1] for prompt in play.cast.list_prompts("memory")[3:]]
        return any("Chance of each class" in one for one in choices), any("Chance of" in result for result in results)

    assert count_notices("never") == (False, False)
    assert count_notices("after_choice") == (False, True)
    assert count_notices("before_choice") == (True, True)


def test_results_are_told_in_their_order() -> None:
    text = played(**WORKED).cast.list_prompts("memory")[-1].private
    parts = [
        "The group adopted principle 3",
        "The amount ruled out at least one distribution.",
        "Chance of each class",
        "class | D1 | D2 | D3 | D4",
        "You were put into the income class",
        "Because D3 gives the class",
        "How the same class would have fared",
        "compared with your outcome",
        "Remember that the class was drawn only after the choice",
    ]
    event = text.split("<task>")[1]
    places = [event.index(part) for part in parts]
    assert places == sorted(places)


def test_two_rounds_before_the_end_it_is_said() -> None:
    play = played({"initiation": "0", "ballot": "1"}, max_rounds=3)
    lines = [
        statement.statement for statement in play.result.phase2.discussion_history if statement.name == "moderator"
    ]
    assert lines[0] == "Two rounds of discussion remain."
    prompts = [
        prompt for prompt in play.cast.list_prompts("statement") if "Two rounds of discussion remain." in prompt.text
    ]
    assert len(prompts) == 6


def test_an_event_that_could_not_be_integrated_is_appended_and_offered_again() -> None:
    play = played({("A", "memory"): ["", "", "", "", "", "Now I remember both."]})
    assert [incident.consequence for incident in play.result.incidents if incident.severity == "degraded"] == [
        "appended only"
    ]
    second = [prompt for prompt in play.cast.list_prompts("memory") if prompt.who == "A"][-1].private.split("<task>")[1]
    assert "adopted principle 3" in second
    assert "The group's results." in second
    assert play.state["memory"]["A"] == ["Now I remember both."]
    assert "memories not rewritten: 1" in play.result.headline


def test_a_memory_over_its_bound_is_asked_again_with_the_characters_to_cut() -> None:
    cast = [{"name": "A", "memory_max_chars": 20_000}, "B", "C"]
    play = played({("A", "memory"): ["x" * 20_007, "short enough"]}, participants=cast, max_rounds=1)
    again = [prompt for prompt in play.cast.list_prompts("memory") if prompt.who == "A"][1].private
    assert "the notes have 20007 characters, 7 more than the 20000 allowed; cut at least 7." in again


def test_everyone_says_what_the_lines_say() -> None:
    assert set(LINES) == {prompt.purpose for prompt in played(comprehension_test=True).cast.prompts}
    assert set(INCOME_CLASSES) >= set(played().result.phase2.assigned_classes.values())


def test_a_refused_key_of_one_stops_the_run_and_loses_none_of_the_others_answers() -> None:
    refused: list[Any] = [RunStoppedError("C: the key was refused"), LINES["ranking"]]
    play = Play(Cast(lines={("C", "ranking"): refused}), participants=["A", "B", "C"], max_rounds=2, seed=1)

    async def run(input: dict[str, Any] | None) -> None:
        await play.graph.ainvoke(input, play.config, context=play.context, durability="sync")

    with pytest.raises(RunStoppedError, match="the key was refused"):
        asyncio.run(run({}))
    assert len([prompt for prompt in play.cast.prompts if prompt.who in "AB"]) == 2 * 8
    asyncio.run(run(None))
    assert timeless(play.result) == timeless(played().result)
    assert len(play.cast.prompts) == 1 + len(played().cast.prompts)


def test_a_saver_that_knows_one_way_only_keeps_a_run(tmp_path: Path) -> None:
    with SqliteSaver.from_conn_string(str(tmp_path / "runs.db")) as saver:
        play = Play(Cast(fatal=30), participants=["A", "B", "C"], max_rounds=2, seed=1)
        play.graph = build().compile(checkpointer=saver)
        with pytest.raises(Killed):
            play.go({})
        play.go(None)
        assert timeless(play.result) == timeless(played().result)


def test_ids_stand_in_the_data_and_names_in_the_texts() -> None:
    people = [{"id": "p1", "name": "Ann"}, {"id": "p2", "name": "Bo"}, {"id": "p3", "name": "Cy"}]
    play = played(participants=people)
    result = play.result
    assert list(result.phase1) == list(result.phase2.final_earnings) == ["p1", "p2", "p3"]
    assert result.phase1["p2"].participant_name == "Bo"
    assert {statement.agent_id: statement.name for statement in result.phase2.discussion_history} == {
        "p1": "Ann",
        "p2": "Bo",
        "p3": "Cy",
    }
    assert set(result.phase2.voting_records[0].ballots) == {"p1", "p2", "p3"}
    assert {tuple(one.purpose) for one in result.draws} >= {("phase1", "class", "p1", 1), ("phase2", "class", "p3")}
    assert not [prompt for prompt in play.cast.prompts if re.search(r"\bp[123]\b", prompt.text)]


@pytest.mark.parametrize(
    ("settings", "noted"),
    [
        ({}, []),
        ({"original_values_mode": {"enabled": True}, "distribution_range_phase1": [0.01, 0.02]}, []),
        (
            {"distribution_range_phase2": [0.0625, 1.0]},
            [
                (
                    "distribution_range_phase2: at 0.0625 each floor (750, 812, 875, 937) is below or above the "
                    "accepted amounts"
                )
            ],
        ),
        (
            {
                "amount_max_reasonable": 5000,
                "distribution_range_phase1": [1.0, 1.0],
                "distribution_range_phase2": [0.5, 0.5],
            },
            [
                (
                    "distribution_range_phase1: at 1 each floor (12,000, 13,000, 14,000, 15,000) is below or above "
                    "the accepted amounts"
                ),
                (
                    "distribution_range_phase1: at 1 each range (6,000, 15,000, 17,000, 20,000) is below or above "
                    "the accepted amounts"
                ),
                (
                    "distribution_range_phase2: at 0.5 each floor (6,000, 6,500, 7,000, 7,500) is below or above "
                    "the accepted amounts"
                ),
            ],
        ),
    ],
)
def test_tables_whose_amounts_nobody_may_name_are_noted_at_the_start(
    settings: dict[str, Any], noted: list[str]
) -> None:
    result = played({"choice": LINES["choice"]}, max_rounds=1, **settings).result
    assert [incident.what for incident in result.incidents if incident.where == "convene"] == noted


@pytest.mark.parametrize("failing", [{}, {"memory": ""}])
def test_a_memory_never_passes_its_bound_neither_in_the_record_nor_in_a_prompt(failing: dict[str, str]) -> None:
    play = played(failing, memory_max_chars=150)
    memories = list(play.state["memory"].values())
    assert len(memories) == 3
    assert all(0 < len("\n".join(lines)) <= 150 for lines in memories)
    assert all(len(phase1.final_memory_state) <= 150 for phase1 in play.result.phase1.values())
    matches = [re.search(r"<memory>\n?(.*?)\n?</memory>", prompt.human, re.DOTALL) for prompt in play.cast.prompts]
    assert sum(match is not None for match in matches) > 20
    assert all(len(match[1]) <= 150 for match in matches if match)
