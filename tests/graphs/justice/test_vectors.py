"""The numbered examples of the justice experiment that need its graph, or that its other parts share."""

from typing import Any

import pytest
from deliberations.justice import Cast, Play, played
from moot.nodes.justice.prompts import make_addressee
from moot.nodes.justice.speak import build_speaking_call
from moot.nodes.justice.vote import build_vote_call
from moot.state.history_view import take_newest_statements
from moot.state.justice.settings import parse_justice_settings
from moot.state.memory import fold_memory, take_newer_half
from moot.state.random_streams import derive_stream_seed, make_rng
from moot.state.statement import Statement
from moot.state.statement_check import find_statement_fault
from moot.state.text_editing import clip_text

UNUSABLE = ["no idea", "0", "-5", "999", "10000001", "15000.5", "abc", "15000 or 20000"]


@pytest.mark.long
@pytest.mark.parametrize("reply", UNUSABLE)
def test_vector_18_an_unusable_amount_is_asked_again_and_after_three_the_vote_is_missing(reply: str) -> None:
    play = played({("A", "amount"): reply}, max_rounds=1)
    record = play.result.phase2.voting_records[-1]
    assert len([prompt for prompt in play.cast.list_prompts("amount") if prompt.who == "A"]) == 3
    assert record.ballots["A"] is None
    assert record.consensus is None
    assert [
        raw_reply.text
        for raw_reply in record.raw_replies
        if raw_reply.participant == "A" and raw_reply.question == "amount"
    ] == [reply] * 3
    assert [one.attempt for one in record.parse_errors if one.question == "amount"] == [1, 2, 3]


def test_vector_18_an_amount_asked_again_may_still_be_read() -> None:
    play = played({("A", "amount"): ["15k", "999", "15.000"], "amount": "$15,000"}, max_rounds=1)
    assert play.result.phase2.constraint_amount == 15000
    unread, unusable = [prompt.messages[-1].text for prompt in play.cast.list_prompts("amount") if prompt.who == "A"][
        1:
    ]
    form = "Reply with one line only: `Amount: 1000` or `Amount: 10000000`, or another answer of this form."
    assert unread == f"I could not read your answer. {form}"
    assert unusable == f"I could not use your answer: its amount is not between 1,000 and 10,000,000. {form}"


def test_a_reply_in_prose_adopts_nothing_and_is_asked_again_after_itself() -> None:
    prose = "1. Because equality matters, I choose principle three."
    play = played({("A", "ballot"): [prose, prose, "Principle: 3"]}, max_rounds=1)
    first, second, third = [prompt for prompt in play.cast.list_prompts("ballot") if prompt.who == "A"]
    assert first.messages[-1].text.endswith("`Principle: 1` or `Principle: 2` or `Principle: 3` or `Principle: 4`")
    assert [message.text for message in second.messages[:2]] == [message.text for message in first.messages]
    assert [(message.type, message.text) for message in third.messages[2:]] == [
        ("ai", prose),
        (
            "human",
            "I could not read your vote. Reply with one line only: "
            "`Principle: 1` or `Principle: 2` or `Principle: 3` or `Principle: 4`.",
        ),
    ]
    (record,) = play.result.phase2.voting_records
    assert record.ballots["A"] == record.consensus
    assert [
        raw_reply.text
        for raw_reply in record.raw_replies
        if (raw_reply.participant, raw_reply.question) == ("A", "principle")
    ] == [
        prose,
        prose,
        "Principle: 3",
    ]
    read_as = {answer.voter: answer.read_as for answer in play.state["answers"] if answer.question == "principle"}
    assert read_as == {"A": "line", "B": "bare", "C": "bare"}


def test_a_missing_act_after_all_attempts_is_recorded_as_such() -> None:
    prose = "I choose principle three, and I am sure."
    result = played({("A", purpose): prose for purpose in ("ranking", "choice", "ballot")}, max_rounds=1).result
    assert result.phase1["A"].initial_ranking.defaulted
    assert result.phase1["A"].initial_ranking.read_as is None
    assert result.phase1["A"].initial_ranking.raw_replies == [prose] * 3
    assert [application_result.defaulted for application_result in result.phase1["A"].application_results] == [True] * 4
    assert result.phase2.voting_records[-1].ballots["A"] is None
    assert result.phase2.consensus_reached is False


def test_vector_20_the_first_who_wants_a_vote_ends_the_asking() -> None:
    lines = {("A", "initiation"): "0", ("B", "initiation"): "1", ("C", "initiation"): "?"}
    play = played(lines)
    record = play.result.phase2.voting_records[0]
    assert [prompt.who for prompt in play.cast.list_prompts("initiation")] == ["A", "B"]
    assert record.initiator == "B"
    assert record.initiation_replies == {"A": False, "B": True}


def test_vector_20_when_nobody_wants_a_vote_nobody_is_asked_to_confirm_one() -> None:
    play = played({"initiation": "0"}, force_vote_in_final_round=False)
    assert [voting_record.event for voting_record in play.result.phase2.voting_records] == ["not_initiated"] * 2
    assert play.cast.count("confirmation", "ballot") == 0


def test_vector_20_maybe_three_times_is_no() -> None:
    play = played({"initiation": "maybe"}, force_vote_in_final_round=False, max_rounds=1)
    assert play.cast.count("initiation") == 9
    assert play.result.phase2.voting_records[0].initiation_replies == {"A": False, "B": False, "C": False}


def test_vector_21_one_refusal_sends_the_group_back_to_its_discussion() -> None:
    play = played({("C", "confirmation"): ["0", "1"], ("A", "initiation"): "1"})
    first, second = play.result.phase2.voting_records
    assert (first.event, second.event) == ("confirmation_failed", "ballot_completed")
    assert play.result.phase2.rounds_completed == 2
    assert play.cast.count("ballot") == 3
    assert "a vote was not held: C did not agree." in "\n".join(
        play.cast.list_prompts("statement")[-1].private.splitlines()
    )


def test_vector_21_a_consent_that_times_out_is_a_refusal() -> None:
    slow: Any = TimeoutError("no answer in time")
    play = played({("C", "confirmation"): slow}, max_rounds=1, force_vote_in_final_round=False)
    record = play.result.phase2.voting_records[0]
    assert record.event == "confirmation_failed"
    assert record.confirmations == {"B": True, "C": False}
    assert play.cast.count("ballot") == 0
    assert "consents counted as no: 1" in play.result.headline


def test_vector_22_only_three_and_four_are_asked_for_an_amount() -> None:
    play = played({"ballot": lambda prompt: {"A": "1", "B": "3", "C": "4"}[prompt.who]}, max_rounds=1)
    assert sorted(prompt.who for prompt in play.cast.list_prompts("amount")) == ["B", "C"]


@pytest.mark.parametrize(("rounds", "initiation", "confirmation"), [(2, 1, 2), (1, 0, 3)])
def test_vector_22_calls_of_a_vote_started_by_one_and_of_a_forced_one(
    rounds: int, initiation: int, confirmation: int
) -> None:
    play = played({"ballot": "1"}, max_rounds=rounds)
    counts = [play.cast.count(purpose) for purpose in ("initiation", "confirmation", "ballot", "amount")]
    assert counts == [initiation, confirmation, 3, 0]
    assert play.result.phase2.consensus_reached is True


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("too short", "too_short"),
        ("0123456789", None),
        (" " * 40, "empty"),
        ("  abcdefghij  ", None),
        ("", "empty"),
        ("我们选原则", None),
        ("我选原则", "too_short"),
    ],
)
def test_vector_30_a_statement_needs_its_minimum(text: str, fault: str | None) -> None:
    assert find_statement_fault(text, "A", 10, 5) == fault


def test_vector_31_two_invalid_replies_and_a_valid_one_are_one_entry() -> None:
    play = played({("A", "statement"): ["too short", "!!!!!!!!!!!!", "This is long enough to stand."], "ballot": "1"})
    discussion_history = [
        statement
        for statement in play.result.phase2.discussion_history
        if statement.name == "A" and statement.round == 1
    ]
    assert [statement.statement for statement in discussion_history] == ["This is long enough to stand."]
    assert len([prompt for prompt in play.cast.list_prompts("statement") if prompt.who == "A"]) == 3
    assert play.waits == [1.0, 1.5]
    again = [prompt for prompt in play.cast.list_prompts("statement") if prompt.who == "A"][1].private
    assert "it was too short; write at least 10 characters. You wrote: “too short”." in again


def test_vector_31_after_three_invalid_replies_the_round_goes_on() -> None:
    play = played({("A", "statement"): "short", "ballot": "1"}, max_rounds=1)
    lines = [(statement.name, statement.statement) for statement in play.result.phase2.discussion_history]
    assert ("moderator", "A is currently unavailable.") in lines
    assert "A" not in [name for name, _ in lines]
    assert play.result.phase2.consensus_reached is True
    assert "In round 1 A was unavailable." in play.cast.list_prompts("confirmation")[0].private
    assert "short" not in " ".join(statement for _, statement in lines)
    assert "statements missing: 1" in play.result.headline


@pytest.mark.parametrize(
    ("length", "limit", "kept"), [(500, 300, 297), (301, 300, 297), (300, 300, 300), (201, 200, 197), (200, 200, 200)]
)
def test_vector_32_clipping_counts_the_ellipsis(length: int, limit: int, kept: int) -> None:
    text = clip_text("a" * length, limit)
    assert text == "a" * kept + ("..." if length > limit else "")


def test_vector_32_results_are_never_clipped() -> None:
    play = played(statement_max_length=10)
    assert len(play.result.phase1["A"].final_memory_state) > 5000


def make_statements(*lengths: int) -> list[Statement]:
    return [
        Statement(turn=turn, round=1, speaker="A", content="x" * length) for turn, length in enumerate(lengths, start=1)
    ]


@pytest.mark.parametrize(
    ("lengths", "kept"), [([40, 40, 20], [40, 40, 20]), ([40, 40, 21], [40, 21]), ([60, 60, 60], [60]), ([150], [100])]
)
def test_vector_33_a_view_keeps_the_newest_that_fit(lengths: list[int], kept: list[int]) -> None:
    assert [
        len(newest_statement.content) for newest_statement in take_newest_statements(make_statements(*lengths), 100)
    ] == kept


def test_vector_34_whole_statements_go_oldest_first() -> None:
    early = [300] * 50 + [302] * 44 + [303] * 4
    rest = 117_000 - sum(early)
    history = make_statements(*early, *[300] * (rest // 300), rest % 300)
    newest_statements = take_newest_statements(history, 100_000)
    assert sum(len(statement.content) for statement in history) == 117_000
    assert len(history) - len(newest_statements) == 57
    assert sum(len(newest_statement.content) for newest_statement in newest_statements) == 99_886


@pytest.mark.parametrize(
    ("text", "half"),
    [("abcdefghij", "fghij"), ("abcdefghijk", "fghijk"), ("one\ntwo two\nthree\nfour", "three\nfour")],
)
def test_vector_35_halving_keeps_the_newer_half(text: str, half: str) -> None:
    assert take_newer_half(text) == half


@pytest.mark.parametrize(("memory", "news", "whole"), [("", "x", "x"), ("a", "x", "a\nx"), ("a\n", "x", "a\nx")])
def test_vector_36_appending_begins_a_line(memory: str, news: str, whole: str) -> None:
    written = fold_memory({"Ada": memory.splitlines()}, [{"Ada": [news]}])
    assert "\n".join(written["Ada"]) == whole


@pytest.mark.long
def test_vector_37_no_memory_holds_a_statement_of_the_round_before_its_last_speaker_is_done() -> None:
    play = Play(Cast(lines={"ballot": "1"}), participants=["A", "B", "C"], max_rounds=2, seed=1)
    play.go({}, interrupt_after="*")
    spoken = 0
    while play.graph.get_state(play.config).next:
        history = [statement for statement in play.state["history"] if statement.round == 1]
        held = {who: sum("In round 1" in line for line in lines) for who, lines in play.state["memory"].items()}
        if history and play.state["floor"]:
            spoken += 1
            assert held == {"A": 0, "B": 0, "C": 0}
        if play.graph.get_state(play.config).next == ("initiate",):
            assert held == {"A": 3, "B": 3, "C": 3}
        play.go(None, interrupt_after="*")
    assert spoken >= 2


@pytest.mark.parametrize(("rounds", "due"), [(5, [3]), (3, [1]), (2, [])])
def test_vector_38_the_countdown_stands_after_one_round(rounds: int, due: list[int]) -> None:
    rules = parse_justice_settings({"max_rounds": rounds})
    assert [round for round in range(1, rounds + 1) if rules.discussion.needs_countdown(round)] == due


def test_vector_39_a_named_stream_and_the_same_phase_1_under_any_interleaving() -> None:
    assert derive_stream_seed(42, "phase2", "multiplier") == 14811067007790521646
    assert make_rng(42, "phase2", "multiplier").uniform(0.5, 2.0) == 1.8306701215565018
    runs = []
    for hurry in (None, 3, 4):
        play = Play(Cast(hurry=hurry), participants=["A", "B", "C"], max_rounds=1, seed=42)
        play.go({})
        runs.append(play.result.phase1)
    assert runs[0] == runs[1] == runs[2]


@pytest.mark.long
def test_vector_23_the_timeouts_of_a_vote_grow_and_those_of_a_statement_shrink() -> None:
    play = played()
    state: Any = play.state
    hearer = make_addressee(state, "A")
    seconds = {asked: build_vote_call(state, hearer, asked).timeouts for asked in ("initiation", "confirmation")}
    assert seconds == {"initiation": [30, 45, 67.5], "confirmation": [30, 45, 67.5]}
    ballots = [build_vote_call(state, hearer, "principle"), build_vote_call(state, hearer, "amount")]
    assert [ballot.timeouts for ballot in ballots] == [[45, 67.5, 101.25]] * 2
    assert [ballot.retry_delays for ballot in ballots] == [[1.0]] * 2
    speaking = build_speaking_call(state, hearer)
    assert (speaking.timeouts, speaking.retry_delays) == ([60, 45, 30], [1.0, 1.5])
