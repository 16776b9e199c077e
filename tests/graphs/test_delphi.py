"""A Delphi, read as what its experts were told and what came of it."""

import re
from typing import Any

import pytest
from chats.scripted import Echoing, ScriptedChat, ScriptedReply, SentPrompt
from moot.graphs.delphi import graph
from moot.nodes.delphi.feedback_text import format_quantity, remove_names
from moot.state.errors import InputError
from pydantic import Field

EXPERTS = ["Ada", "Ben", "Cleo", "Dan", "Eve"]
GIVEN: Any = {"topic": "How heavy is the stone?", "participants": EXPERTS}
KG: Any = {"answer": {"number": "kg"}, "retry_delays": [0]}
FAR, NEAR = [10.0, 50, 60, 70, 200], [50.0, 58, 60, 62, 100]


class Panel(ScriptedChat):
    """Experts whose estimates are `numbers`: by round, one for each expert, 10 kg unsure on either side."""

    script: Any = Field(default_factory=list)
    numbers: list[list[float]] = Field(default_factory=list)

    def answer(self, prompt: SentPrompt) -> ScriptedReply:
        place = sum(one.who == prompt.who for one in self.prompts) - 1
        number = self.numbers[place][EXPERTS.index(prompt.who)]
        reason = f"I, {prompt.who}, take density-{number:g} for it."
        return {"answer": number, "unit": "kg", "low": number - 10, "high": number + 10, "reason": reason}


def estimated(numbers: list[list[float]], **settings: Any) -> tuple[Panel, dict[str, Any]]:
    model = Panel(numbers=numbers)
    return model, graph.invoke(GIVEN, context={"model": model, **KG, **settings})


def test_everyone_is_told_the_figures_and_the_reasons_of_those_apart_without_a_name() -> None:
    model, state = estimated([FAR, NEAR])
    assert [len(model.prompts), "Round 1:" in model.prompts[0].text] == [10, False]
    for prompt in model.prompts[5:]:
        shared = prompt.shared
        assert "Round 1: 5 estimates. Median 60 kg, middle half 50 kg–70 kg, range 10 kg–200 kg." in shared
        assert "10 kg (90 % interval 0–20): I, an expert, take density-10 for it." in shared
        assert set(re.findall(r"density-\d+", shared)) == {"density-10", "density-200"}
        assert [name for name in EXPERTS if name in prompt.text] == [prompt.who]
        assert f"Your own estimate of the round before: {FAR[EXPERTS.index(prompt.who)]:g} kg" in prompt.private
    assert (state["outcome"].reason, state["outcome"].status) == ("estimates_converged", "completed")


def test_the_result_is_the_median_with_how_it_moved_and_who_moved() -> None:
    _, state = estimated([FAR, NEAR])
    answer = state["answer"]
    assert (answer.number, answer.unit, answer.by) == (60, "kg", "median")
    figures = [(entry.median, entry.first_quartile, entry.third_quartile) for entry in state["feedback"]]
    assert figures == [(60, 50, 70), (60, 58, 62)]
    assert "- Ben: 50 kg (90 % interval 40–60) → 58 kg (90 % interval 48–68)" in state["synthesis"]
    assert "- Cleo:" not in state["synthesis"]
    found = [(position.who, position.round, position.turn, position.number) for position in state["positions"]][::5]
    assert found == [("Ada", 1, 5, 10), ("Ada", 2, 10, 50)]
    assert [statement.turn for statement in state["history"]] == list(range(1, 11))


@pytest.mark.long
def test_no_expert_is_told_anothers_private_facts() -> None:
    model = Echoing()
    people = [{"name": name, "private": f"mark-{name}"} for name in EXPERTS]
    settings = {"model": model, "options": {"A": "tea", "B": "coffee"}, "max_rounds": 1}
    graph.invoke(GIVEN | {"participants": people}, context=settings)
    found = {prompt.who: set(re.findall(r"mark-\w+", prompt.text)) for prompt in model.prompts}
    assert found == {name: {f"mark-{name}"} for name in EXPERTS}


class Muddled(Panel):
    """Ada writes her quantiles out of order first, then in another unit."""

    def answer(self, prompt: SentPrompt) -> ScriptedReply:
        if prompt.who != "Ada":
            return super().answer(prompt)
        flaws = [{"low": 90}, {"unit": "lb"}, {}][sum(prompt.who == "Ada" for prompt in self.prompts) - 1]
        return {"answer": 60, "unit": "kg", "low": 50, "high": 70, "reason": "As ever.", **flaws}


def test_quantiles_out_of_order_and_other_units_are_asked_for_again() -> None:
    model = Muddled(numbers=[[60.0] * 5])
    state = graph.invoke(GIVEN, context={"model": model, **KG})
    again = [
        prompt.text.partition("I could not use your answer: ")[2] for prompt in model.prompts if prompt.who == "Ada"
    ]
    assert ["its quantiles are not in order" in again[1], "unit" in again[2]] == [True, True]
    assert [estimate.number for estimate in state["estimates"] if estimate.who == "Ada"] == [60]


class Silent(Panel):
    """Some give no estimate."""

    mute: list[str] = Field(default_factory=list)

    def answer(self, prompt: SentPrompt) -> ScriptedReply:
        return "Hm." if prompt.who in self.mute else super().answer(prompt)


def test_an_estimate_that_cannot_be_had_is_left_out() -> None:
    state = graph.invoke(GIVEN, context={"model": Silent(numbers=[[59, 60, 60, 61, 0]], mute=["Eve"]), **KG})
    assert (state["feedback"][0].estimate_count, state["feedback"][0].median) == (4, 60)
    assert "Eve" in state["outcome"].headline


class Leaving(Panel):
    """Some give no estimate from the second round on."""

    mute: list[str] = Field(default_factory=list)

    def answer(self, prompt: SentPrompt) -> ScriptedReply:
        return "Hm." if prompt.who in self.mute and "Round 1:" in prompt.shared else super().answer(prompt)


@pytest.mark.parametrize(("mute", "status", "rounds"), [(2, "completed", 2), (3, "failed", 3), (4, "failed", 3)])
def test_a_round_in_which_too_few_estimate_is_no_agreement_and_as_the_last_one_a_failure(
    mute: int, status: str, rounds: int
) -> None:
    model = Leaving(numbers=[FAR, *[[60.0] * 5] * 20], mute=EXPERTS[5 - mute :])
    state = graph.invoke(GIVEN, context={"model": model, **KG, "max_attempts": 1, "max_rounds": 3})
    assert state["outcome"].status == status
    assert [entry.estimate_count for entry in state["feedback"]] == [5, *[5 - mute] * (rounds - 1)]
    assert state["synthesis"].startswith(f"## Result\n\nRound {2 if status == 'completed' else 1}: ")
    assert state["answer"].number == 60
    if status == "failed":
        assert state["outcome"].headline.startswith("Not finished: ")


def test_where_nobody_estimates_it_is_a_failure() -> None:
    state = graph.invoke(GIVEN, context={"model": Silent(mute=EXPERTS), **KG})
    assert (state["outcome"].status, state["outcome"].reason) == ("failed", "participants_unavailable")
    assert (state.get("answer"), state["synthesis"]) == (None, "")


def test_one_estimate_of_two_experts_is_fewer_than_the_two_that_a_round_needs() -> None:
    model = Leaving(numbers=[[50.0, 60.0]] * 20, mute=EXPERTS[1:2])
    context = {"model": model, **KG, "max_attempts": 1, "max_rounds": 2, "dynamic_termination": False}
    state = graph.invoke({**GIVEN, "participants": EXPERTS[:2]}, context=context)
    evidence = state["outcome"].evidence
    assert (state["outcome"].reason, evidence.figure, evidence.threshold) == ("participants_unavailable", 1, 2)


SAID = [("en", "Round 1: 5 estimates"), ("zh", "第1轮：共5个估计"), ("es", "Ronda 1: estimaciones: 5")]


@pytest.mark.parametrize(("language", "said"), SAID)
def test_a_delphi_speaks_the_language_of_its_run(language: str, said: str) -> None:
    model, state = estimated([FAR, NEAR], language=language)
    assert said in model.prompts[-1].text
    assert said in state["synthesis"]


def test_a_budget_that_does_not_buy_an_estimate_of_each_is_refused() -> None:
    with pytest.raises(InputError, match=r"budget\.calls = 4: give at least 5, enough for a call to each participant;"):
        estimated([FAR], budget={"calls": 4})


@pytest.mark.parametrize("calls", [5, 9])
def test_a_round_that_the_budget_does_not_pay_for_everyone_is_not_begun(calls: int) -> None:
    model, state = estimated([FAR], budget={"calls": calls})
    assert (len(model.prompts), state["outcome"].reason, state["answer"].number) == (5, "budget_spent", 60)
    assert state["incidents"] == []


def test_where_no_option_leads_the_reasons_told_are_nobody_s_minority() -> None:
    class Choosing(Panel):
        def answer(self, prompt: SentPrompt) -> ScriptedReply:
            return {"answer": "A" if prompt.who in self.first else "B", "reason": "As ever."}

        first: list[str] = Field(default_factory=list)

    for first, said in ((EXPERTS[:2], "Reasons on every side:"), (EXPERTS[:1], "Reasons of the minority:")):
        model = Choosing(first=first)
        settings = {"model": model, "options": {"A": "tea", "B": "milk"}, "max_rounds": 2, "agreement_share": 0.9}
        graph.invoke(GIVEN | {"participants": EXPERTS[:4]}, context=settings)
        assert said in model.prompts[-1].text


NUMBERS = [(164.3551, "164.355"), (8123456789.4, "8123456789"), (-2.5e7, "-25000000"), (0.00123456789, "0.00123457")]


@pytest.mark.parametrize(("value", "said"), NUMBERS)
def test_a_number_is_told_to_six_digits_and_a_large_one_whole(value: float, said: str) -> None:
    assert format_quantity(value, "kg") == f"{said} kg"


def test_a_name_is_taken_out_of_a_reason_wherever_it_stands_alone() -> None:
    text = "As Ada (2), not Adam, I say: Ada (2)."
    assert remove_names(text, ["Ada (2)", "Ben"], "en") == "As an expert, not Adam, I say: an expert."
