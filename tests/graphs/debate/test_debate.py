"""Debates as transcripts: who speaks when, what is kept, what is left out, and what it costs."""

import asyncio
import re
from typing import Any

import pytest
from chats.scripted import ScriptedChat, ScriptedReply
from deliberations.debate import SYNTHESIS, TOPIC, SentPrompt, fails, hold, line, transcript, turn_of
from langchain_core.messages import AIMessage
from moot.graphs import debate
from moot.prompts import LANGUAGES, get_term
from moot.state.errors import InputError
from moot.state.records import sum_tokens


def test_pro_speaks_on_odd_turns_and_con_on_even_ones_then_a_neutral_model_sums_up() -> None:
    ended, model = hold()
    assert transcript(ended) == [(1, "Ada"), (2, "Ben"), (3, "Ada"), (4, "Ben"), (5, "Ada"), (6, "Ben")]
    assert [statement.content for statement in ended["history"]] == [line(turn) for turn in range(1, 7)]
    assert [statement.round for statement in ended["history"]] == [1, 1, 2, 2, 3, 3]
    assert [(prompt.who, prompt.purpose) for prompt in model.prompts][-1] == ("synthesizer", "synthesis")
    assert ended["synthesis"] == SYNTHESIS
    assert ended["outcome"].headline == "Ended after turn 6: the turn limit (6) was reached."
    assert (ended["outcome"].status, ended["outcome"].rehearsal) == ("completed", False)
    assert ended["incidents"] == []


@pytest.mark.parametrize("turns", [2, 3, 7, 20])
def test_a_debate_of_n_turns_makes_n_calls_and_one(turns: int) -> None:
    ended, model = hold(max_turns=turns)
    assert len(ended["history"]) == turns
    assert len(model.prompts) == len(ended["calls"]) == turns + 1


def test_every_call_is_on_record_with_its_tokens() -> None:
    ended, _ = hold()
    calls = ended["calls"]
    assert [statement.tokens for statement in ended["history"]] == [call.tokens for call in calls[:-1]]
    assert [call.turn for call in calls] == [1, 2, 3, 4, 5, 6, 0]
    assert sum_tokens(calls) == sum(call.input_tokens + call.output_tokens for call in calls) > 0


def test_the_same_debate_comes_of_invoke_ainvoke_and_stream() -> None:
    def texts(ended: Any) -> list[str]:
        return [statement.content for statement in ended["history"]]

    def make_input() -> dict[str, Any]:
        script: list[ScriptedReply] = [*map(line, range(1, 5)), SYNTHESIS]
        return {"model": ScriptedChat(script=script), "max_turns": 4, "dynamic_termination": False}

    async def streamed() -> Any:
        return [
            part async for part in debate.graph.astream({"topic": TOPIC}, context=make_input(), stream_mode="values")
        ][-1]

    expected = [line(turn) for turn in range(1, 5)]
    assert texts(debate.graph.invoke({"topic": TOPIC}, context=make_input())) == expected
    assert texts(asyncio.run(debate.graph.ainvoke({"topic": TOPIC}, context=make_input()))) == expected
    assert texts([*debate.graph.stream({"topic": TOPIC}, context=make_input(), stream_mode="values")][-1]) == expected
    assert texts(asyncio.run(streamed())) == expected


def test_statements_stream_under_their_speaker_s_name_and_the_synthesis_under_its_role() -> None:
    def context() -> Any:
        return {"model": ScriptedChat(script=[line(1), line(2), SYNTHESIS]), "max_turns": 2}

    def texts(parts: list[Any]) -> dict[str, str]:
        heard: dict[str, str] = {}
        for chunk, known in parts:
            heard[known["speaker"]] = heard.get(known["speaker"], "") + chunk.text
        return heard

    async def streamed() -> list[Any]:
        parts = debate.graph.astream({"topic": TOPIC}, context=context(), stream_mode="messages")
        return [part async for part in parts]

    expected = {"PRO": line(1), "CON": line(2), "synthesizer": SYNTHESIS}
    assert texts([*debate.graph.stream({"topic": TOPIC}, context=context(), stream_mode="messages")]) == expected
    assert texts(asyncio.run(streamed())) == expected


def test_a_passed_over_turn_keeps_its_number_so_that_pro_stays_odd() -> None:
    ended, model = hold(fails(2, 5))
    assert transcript(ended) == [(1, "Ada"), (3, "Ada"), (4, "Ben"), (6, "Ben")]
    lost = [incident for incident in ended["incidents"] if incident.consequence == "missed"]
    assert [(one.turn, one.who, one.kind, one.attempts) for one in lost] == [
        (2, "Ben", "timeout", 3),
        (5, "Ada", "timeout", 3),
    ]
    assert len(model.prompts) == 4 + 2 * 3 + 1
    assert ended["outcome"].reason == "max_turns_reached", "it counts towards the cap"
    assert "2 of 6 statements missing" in ended["outcome"].headline


def test_a_side_that_always_times_out_ends_the_debate_after_three_turns_with_a_synthesis() -> None:
    ended, model = hold(fails(whose="Ben"), max_turns=20)
    assert transcript(ended) == [(1, "Ada"), (3, "Ada"), (5, "Ada")]
    assert ended["outcome"].reason == "participants_unavailable"
    assert ended["outcome"].evidence.turns == [2, 4, 6]
    assert ended["outcome"].evidence.quote == "Ben"
    assert ended["outcome"].status == "partial"
    assert ended["synthesis"] == SYNTHESIS
    assert model.prompts[-1].purpose == "synthesis"


def test_a_side_that_comes_back_in_time_is_not_given_up() -> None:
    ended, _ = hold(fails(2, 4, 8), max_turns=10)
    assert ended["outcome"].reason == "max_turns_reached"
    assert [turn for turn, name in transcript(ended) if name == "Ben"] == [6, 10]


UNUSABLE: dict[str, tuple[str, str]] = {
    "empty": ("", "it was empty."),
    "blank": (" \n\u00a0\t", "it was empty."),
    "no words": ("… — !?!?!?!?!?", "it held no words."),
    "too short": ("Too short", "it was too short; write at least 10 characters."),
    "a header alone": ("**Ada:**", "it held only a speaker's name."),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_an_unusable_statement_is_asked_for_again_with_what_was_wrong(name: str) -> None:
    text, reason = UNUSABLE[name]

    def script(prompt: SentPrompt) -> ScriptedReply | None:
        return text if turn_of(prompt) == 1 and "<again>" not in prompt.text else None

    ended, model = hold(script)
    assert reason in model.prompts[1].private
    assert ended["history"][0].content == line(1)
    assert ended["history"][0].tokens == sum(call.tokens for call in ended["calls"][:2]), "failed tries included"
    assert [incident.kind for incident in ended["incidents"]] == ["rejected"]


def test_a_statement_that_repeats_its_prompt_is_asked_for_again() -> None:
    def script(prompt: SentPrompt) -> ScriptedReply | None:
        if turn_of(prompt) != 3 or "<again>" in prompt.text:
            return None
        return prompt.private.split("<task>\n")[1].split("\n</task>")[0]

    ended, model = hold(script)
    assert "it repeated the instructions" in model.prompts[3].private
    assert ended["history"][2].content == line(3)


@pytest.mark.parametrize(("text", "kept"), [("我反对这项禁令", True), ("我不反对", False)])
def test_five_characters_are_enough_in_chinese(text: str, kept: bool) -> None:
    ended, _ = hold(
        lambda prompt: text if turn_of(prompt) == 2 else None, {"topic": "城市应该禁止汽车吗？"}, language="zh"
    )
    contents = [statement.content for statement in ended["history"]]
    assert (text in contents) == kept


def test_a_cut_off_statement_is_kept_marked_and_on_record() -> None:
    cut = AIMessage(line(2)[:60], response_metadata={"finish_reason": "length"})
    ended, model = hold(lambda prompt: cut if turn_of(prompt) == 2 else None)
    assert [statement.cut_off for statement in ended["history"]] == [False, True, False, False, False, False]
    assert [(incident.kind, incident.turn, incident.consequence) for incident in ended["incidents"]] == [
        ("cut_off", 2, "kept")
    ]
    assert len(model.prompts) == 7
    assert "1 incident lowered the quality." in ended["outcome"].headline


@pytest.mark.parametrize("cap", range(2, 9))
def test_a_cap_on_calls_is_never_passed_and_ends_with_a_synthesis(cap: int) -> None:
    ended, model = hold(fails(2), budget={"calls": cap}, max_turns=4)
    assert len(model.prompts) == len(ended["calls"]) <= cap
    assert ended["synthesis"].startswith("Ada held on to clean air")
    assert ended["outcome"].reason == ("max_turns_reached" if cap >= 7 else "budget_spent")
    assert model.prompts[-1].purpose == "synthesis"


def test_a_lost_call_for_the_synthesis_is_not_made_up_for_beyond_the_cap_and_the_headline_says_so() -> None:
    ended, model = hold(lambda prompt: TimeoutError() if prompt.purpose == "synthesis" else None, budget={"calls": 4})
    assert len(model.prompts) == len(ended["calls"]) == 4
    assert (ended["outcome"].reason, ended["outcome"].status, ended["synthesis"]) == ("budget_spent", "partial", "")
    assert "the budget was spent. The synthesis could not be written." in ended["outcome"].headline


@pytest.mark.parametrize("cap", [2500, 4000, 6000, 9000])
def test_a_cap_on_tokens_is_kept_with_room_for_the_synthesis(cap: int) -> None:
    ended, _ = hold(budget={"tokens": cap}, max_turns=20, max_tokens_per_turn=60, max_tokens_synthesis=60)
    assert ended["outcome"].reason == "budget_spent"
    assert ended["synthesis"] == SYNTHESIS
    assert cap * 0.5 < sum_tokens(ended["calls"]) <= cap


def test_a_cap_on_money_is_kept_at_the_given_prices() -> None:
    prices = {"input": 1.0, "output": 4.0}
    ended, _ = hold(
        budget={"cost": 0.006}, prices=prices, max_turns=20, max_tokens_per_turn=60, max_tokens_synthesis=60
    )
    assert ended["outcome"].reason == "budget_spent"
    assert 0.003 < ended["settings"].prices.compute_cost(ended["calls"]) <= 0.006


PRICES = {"input": 1.0, "output": 4.0}
LEAST: dict[str, tuple[dict[str, Any], str]] = {
    "calls": ({"calls": 1}, "budget.calls = 1: give at least 2, enough for a statement and the synthesis"),
    "tokens": ({"tokens": 179}, "budget.tokens = 179: give at least 180, enough for a statement and the synthesis"),
    "money": (
        {"cost": 0.0003},
        "budget.cost = 0.0003: give at least 0.000360, enough for a statement and the synthesis",
    ),
}


@pytest.mark.parametrize("name", LEAST)
def test_a_budget_that_buys_no_statement_beside_the_synthesis_is_refused_with_the_least_that_would(name: str) -> None:
    budget, said = LEAST[name]
    lengths = {"max_tokens_per_turn": 60, "max_tokens_synthesis": 60}
    with pytest.raises(InputError, match=re.escape(said)) as error:
        hold([], budget=budget, prices=PRICES, **lengths)
    (key,), least = budget, float(error.value.remedy.split()[3].rstrip(","))
    ended, model = hold(budget={key: int(least) if key == "calls" else least}, prices=PRICES, **lengths)
    assert len(ended["history"]) == 1, "the least buys one"
    assert model.prompts[0].purpose == "statement"


@pytest.mark.parametrize("language", LANGUAGES)
def test_nobody_is_paid_to_sum_up_a_debate_in_which_nobody_spoke(language: str) -> None:
    ended, model = hold(fails(1, 2), max_turns=2, language=language)
    assert {prompt.purpose for prompt in model.prompts} == {"statement"}
    assert (ended["history"], ended["synthesis"], ended["outcome"].status) == ([], "", "failed")
    assert ended["outcome"].headline.endswith(get_term(language, "headline", "nothing_said"))


def test_an_exception_of_our_own_is_not_swallowed() -> None:
    with pytest.raises(AssertionError, match="1 answers written, one more asked, of Ben for statement"):
        hold([line(1)])


@pytest.mark.parametrize(
    "frame", ['<statement turn="1" speaker="Ada">\n{}\n</statement>', "[1] Ada\n{}", "**Ada:** {}"]
)
def test_a_frame_copied_from_the_prompt_is_no_part_of_the_record_and_the_call_keeps_the_raw_reply(frame: str) -> None:
    raw = frame.format(line(1))
    ended, model = hold(lambda prompt: raw if turn_of(prompt) == 1 else None, max_turns=2)
    assert ended["history"][0].content == line(1)
    assert [call.reply for call in ended["calls"]][:2] == [raw, ""]
    assert len(model.prompts) == 3, "it is not asked again"
