"""What checks the treatment: the comprehension test, the orders in which things are put, and that all of it is kept."""

import re
from collections import Counter
from typing import Any

import pytest
from chats.sent_prompt import SentPrompt
from deliberations.justice import ABC, Cast, Killed, Play, played, timeless
from moot.app.protocols.justice.table_rows import build_justice_tables
from moot.graphs.justice import graph
from moot.prompts import load_phrases
from moot.state.justice import (
    DISTRIBUTION_IDS,
    PRINCIPLES,
    get_ballot_number,
    parse_justice_settings,
    select_distribution,
)
from moot.state.justice.presentation import draw_presentation
from moot.state.justice.principle import SharingRule
from moot.state.justice.result import build_justice_result
from sampling import sample_cases

LANGUAGES = ("en", "es", "zh")
TESTED = {"comprehension_test": True}
BALANCED = {"principle_order": "counterbalanced", "distribution_order": "counterbalanced"}
WRONG = "that is not what the principle picks from the table."


def task(prompt: SentPrompt) -> str:
    """What one was asked to do."""
    return prompt.text.split("\n<task>\n")[1]


def list_tasks(play: Play, who: str, *purposes: str) -> list[str]:
    """What one participant was asked for these purposes, in order."""
    return [task(prompt) for prompt in play.cast.list_prompts(*purposes) if prompt.who == who]


def listed(text: str) -> list[int]:
    """The numbers of the principles, in the order their definitions are listed."""
    return [int(match) for match in re.findall(r"^([1-4])\. ", text, re.MULTILINE)]


def columns(text: str) -> list[str]:
    """The distributions, in the order of a table's columns."""
    return next(re.findall(r"D[1-4]", line) for line in text.splitlines() if line.count("|") == 4)


def test_four_questions_before_phase_1_are_asked_until_right_and_the_tries_are_kept() -> None:
    lines: dict[Any, Any] = {("A", "comprehension"): ["D1", "Not D4", "D4", "D1", "D3", "D3"]}
    play = played(lines, **TESTED, max_rounds=1)
    first = [prompt.purpose for prompt in play.cast.prompts if prompt.who == "B"][:5]
    assert first == ["comprehension"] * 4 + ["ranking"], "it comes before Phase 1"
    tasks = list_tasks(play, "A", "comprehension")
    assert [one.count(WRONG) for one in tasks] == [0, 1, 0, 0, 0, 0]
    assert "I could not read your answer." in tasks[2], "what cannot be read is not guessed"
    comprehension = play.result.phase1["A"].comprehension
    assert [(answer.answer, answer.given, answer.right, answer.attempts) for answer in comprehension] == [
        ("D4", "D4", True, 3),
        ("D1", "D1", True, 1),
        ("D3", "D3", True, 1),
        ("D3", "D3", True, 1),
    ]
    assert comprehension[0].raw_replies == ["D1", "Not D4", "D4"]
    assert "in the end 4 of 4 answers were right" in play.result.phase1["A"].final_memory_state


def test_a_question_whose_tries_are_spent_is_kept_as_not_right_and_the_run_goes_on() -> None:
    play = played({("C", "comprehension"): "D2"}, **TESTED, comprehension_tries=2, max_rounds=1)
    result = play.result
    assert result.status == "completed"
    assert "comprehension questions that stayed wrong: 4" in result.headline
    justice_tables = build_justice_tables(result)
    rows = [row for row in justice_tables["comprehension"] if row["participant"] == "C"]
    assert [(row["question"], row["given"], row["right"], row["attempts"]) for row in rows] == [
        (place, "D2", False, 2) for place in (1, 2, 3, 4)
    ]
    sums = [(row["comprehension_right"], row["comprehension_tries"]) for row in justice_tables["participants"]]
    assert sums == [(4, 4), (4, 4), (0, 8)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_its_answers_are_computed_from_the_tables_of_the_run_and_can_be_found_in_what_is_shown(language: str) -> None:
    flat = [[40, 30, 20, 10, 9], [30, 30, 30, 30, 8], [90, 20, 10, 5, 2], [25, 24, 23, 22, 21]]
    custom = [[income * 1000 for income in row] for row in flat]
    play = played(language=language, custom_tables=custom, income_class_probabilities=None, **TESTED, max_rounds=1)
    table = parse_justice_settings({"custom_tables": custom, "income_class_probabilities": None}).tables.base
    for answer in play.result.phase1["A"].comprehension:
        rule = SharingRule(principle=answer.principle, constraint_amount=answer.constraint_amount)
        assert (answer.answer, answer.right, answer.attempts) == (
            select_distribution(table, rule).distribution,
            True,
            1,
        )
    assert [model_answer.answer for model_answer in play.result.phase1["A"].comprehension] == ["D4", "D2", "D4", "D2"]
    for text in list_tasks(play, "A", "comprehension"):
        assert "21,800 | 25,600 | 25,400 | 23,000" in text, "averages cannot be known without the weights"


def test_averages_that_differ_are_shown_to_differ() -> None:
    weights = [0.063060, 0.208333, 0.283333, 0.345274, 0.10]
    tables = [[2, 2, 2, 2, 1], [2, 2, 2, 2, 1], [3, 2, 2, 2, 1], [2, 2, 2, 2, 2]]
    custom = [[income * 1000 for income in row] for row in tables]
    settings = {"custom_tables": custom, "income_class_probabilities": weights, "phase1_first_round_unscaled": True}
    play = played(**settings, **TESTED, max_rounds=1)
    assert "1,900 | 1,900 | 1,963 | 2,000" in list_tasks(play, "A", "comprehension")[0]


def test_nothing_of_it_is_asked_or_reordered_unless_it_is_asked_for() -> None:
    play = played()
    assert not play.cast.list_prompts("comprehension")
    assert build_justice_tables(play.result)["comprehension"] == []
    assert not [one for one in play.result.draws if one.purpose[:2] in (["phase1", "order"], ["phase2", "initiation"])]
    (number,) = {phase1.presentation.numbers for phase1 in play.result.phase1.values()}
    assert number == "1, 2, 3, 4"


@pytest.mark.long
@pytest.mark.parametrize("fatal", sample_cases([1, 3, 5, 12, 13, 16], kinds=0, share=3))
def test_a_run_that_is_killed_in_the_test_goes_on_with_the_question_it_stood_at(fatal: int) -> None:
    settings: dict[str, Any] = {**ABC, **TESTED, **BALANCED, "max_rounds": 1}
    whole = played(**settings)
    play = Play(Cast(fatal=fatal), **settings)
    with pytest.raises(Killed):
        play.go({})
    play.go(None)
    assert timeless(play.result) == timeless(whole.result)
    assert len(play.cast.prompts) <= len(whole.cast.prompts) + 1, "what was answered is not asked again"


def test_every_order_stands_as_often_as_every_other_among_four_in_a_row() -> None:
    orders = set[str]()
    for seed in range(30):
        rules = parse_justice_settings({"participants": list("ABCDEFGH"), "seed": seed, **BALANCED})
        for block in ("ABCD", "EFGH"):
            shown = [draw_presentation(rules, who)[0] for who in block]
            for place in range(4):
                assert {one.principles[place] for one in shown} == set(PRINCIPLES)
                assert {one.distributions[place] for one in shown} == set(DISTRIBUTION_IDS)
            followed = Counter(pair for one in shown for pair in zip(one.principles, one.principles[1:], strict=False))
            assert set(followed.values()) == {1}, "and each follows each other once"
            orders |= {one.numbers for one in shown}
    assert len(orders) == 24


def test_everything_is_told_in_the_order_that_is_on_record_and_a_number_means_the_same_principle_for_everyone() -> None:
    play = played(**TESTED, **BALANCED, max_rounds=1)
    for who, alone in play.result.phase1.items():
        numbers = [get_ballot_number(principle) for principle in alone.presentation.principles]
        for text in list_tasks(play, who, "comprehension", "ranking", "choice", "ballot"):
            assert listed(text) == numbers
        for text in list_tasks(play, who, "comprehension", "explanation", "choice"):
            assert columns(text) == alone.presentation.distributions
        (study,) = list_tasks(play, who, "explanation")
        picks = [int(match) for match in re.findall(r"^- principle ([1-4])", study, re.MULTILINE)]
        assert list(dict.fromkeys(picks)) == numbers
        assert [get_ballot_number(each) for each in alone.initial_ranking.order] == [2, 3, 1, 4], "as it was answered"  # type: ignore[union-attr]
        assert {
            application_result.choice.principle
            for application_result in alone.application_results
            if application_result.choice
        } == {PRINCIPLES[1]}
    assert len({phase1.presentation.numbers for phase1 in play.result.phase1.values()}) == 3
    assert play.result.phase2.agreed_principle == PRINCIPLES[2]
    note = load_phrases("justice").translate_phrase("en", "table.numbers")
    assert all(note in one for one in list_tasks(play, "A", "ranking"))
    rows = build_justice_tables(play.result)["participants"]
    assert [row["principle_order"] for row in rows] == [
        phase1.presentation.numbers for phase1 in play.result.phase1.values()
    ]


def test_a_table_told_in_another_order_holds_the_same_incomes() -> None:
    straight, mixed = (played(**settings, max_rounds=1) for settings in ({}, BALANCED))
    for before, after in zip(list_tasks(straight, "B", "choice"), list_tasks(mixed, "B", "choice"), strict=True):
        assert cells(before) == cells(after)
    assert [
        application_result.payoff_cents for application_result in straight.result.phase1["B"].application_results
    ] == [application_result.payoff_cents for application_result in mixed.result.phase1["B"].application_results], (
        "nobody's draws move"
    )


def cells(text: str) -> dict[tuple[str, str], str]:
    """A table's incomes by class and distribution."""
    rows = [line.split(" | ") for line in text.splitlines() if line.count(" | ") == 4]
    return {(row[0], rows[0][place]): row[place] for row in rows[1:] for place in range(1, 5)}


def test_who_starts_a_vote_is_asked_in_a_drawn_order_when_asked_for() -> None:
    play = played({"initiation": "0"}, initiation_order="drawn", max_rounds=6, force_vote_in_final_round=False)
    asked_in = [prompt.who for prompt in play.cast.list_prompts("initiation")]
    records, draws = play.result.phase2.voting_records, play.result.draws
    kept = [one.value for one in draws if one.purpose[:2] == ["phase2", "initiation"]]
    assert [record.initiation_asked for record in records] == kept == [asked_in[at : at + 3] for at in range(0, 18, 3)]
    assert len({tuple(record.initiation_asked) for record in records}) > 1
    places = [row["initiation_place"] for row in build_justice_tables(play.result)["ballots"][:3]]
    assert places == [records[0].initiation_asked.index(who) + 1 for who in "ABC"]

    roster = played({"initiation": "0"}, max_rounds=2, force_vote_in_final_round=False)
    assert [voting_record.initiation_asked for voting_record in roster.result.phase2.voting_records] == [
        ["A", "B", "C"]
    ] * 2
    orders = [[one.value for one in each.result.draws if one.purpose[1] == "order"] for each in (play, roster)]
    assert orders[0][:2] == orders[1], "the order of speaking is drawn as before"


def test_every_answer_that_was_asked_for_is_on_record_word_for_word() -> None:
    play = played(**TESTED, max_rounds=1, force_vote_in_final_round=False)
    result, kept = play.result, Counter[str]()
    for id, alone in result.phase1.items():
        rankings = [alone.initial_ranking, alone.post_explanation_ranking, alone.final_ranking]
        rankings.append(result.phase2.final_rankings[id])
        kept["ranking"] += sum(len(ranking.raw_replies) for ranking in rankings if ranking)
        kept["comprehension"] += sum(len(answer.raw_replies) for answer in alone.comprehension)
        kept["choice"] += sum(len(application_result.raw_replies) for application_result in alone.application_results)
        kept["explanation"] += bool(alone.principle_explanation)
    names = {"initiation": "initiation", "confirmation": "confirmation", "principle": "ballot", "amount": "amount"}
    kept.update(
        names[reply.question] for voting_record in result.phase2.voting_records for reply in voting_record.raw_replies
    )
    kept["reasoning"], kept["memory"] = len(result.phase2.private_reasonings), 2 * len(result.phase2.final_memories)
    kept["statement"] = len(
        [statement for statement in result.phase2.discussion_history if statement.agent_id in "ABC"]
    )
    assert kept == Counter(prompt.purpose for prompt in play.cast.prompts)
    justice_tables = build_justice_tables(result)
    certain = [row["certainty"] for name in ("rankings", "applications") for row in justice_tables[name]]
    assert len([one for one in certain if one]) == 3 * (4 + 4), "each ranking and each choice with how certain one was"


def test_the_rehearsal_understands_whatever_order_it_is_told_in() -> None:
    context = {**ABC, **TESTED, **BALANCED, "max_rounds": 1, "model": "rehearsal"}
    result = build_justice_result(graph.invoke({}, {"recursion_limit": 2000}, context=context))
    assert all(
        answer.right and answer.attempts == 1 for alone in result.phase1.values() for answer in alone.comprehension
    )
