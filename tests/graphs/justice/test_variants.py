"""Variants of the experiment as participants are told them: the money told is the money paid, nothing else is said."""

import re
from itertools import product
from typing import Any

import pytest
from chats.sent_prompt import SentPrompt
from deliberations.justice import LINES, Play, played
from moot.prompts import load_phrases
from moot.state.justice.income import format_dollars
from moot.state.justice.principle import PRINCIPLES

LANGUAGES = ("en", "es", "zh")
FRAMES = ("gain", "loss")
VALUES = {
    "en": r"\b(just|justice|justly|unjust|fair\w*|unfair\w*|equitabl\w*|deserv\w*)\b",
    "es": r"\b(just[oa]s?|injust\w*|justicia|equitativ\w*|equidad|merec\w*|igualdad)\b",
    "zh": "正义|公正|公平|公道|不公|应得",
}
GAINS = {
    "en": r"\b[Yy]our bank|\bpaid\b",
    "es": r"(?<!por )\b[Tt]u cuenta|\bpagan?\b|\bcobr\w+",
    "zh": "账户|付给你|报酬会",
}
VOTES = {"en": r"\bvot\w+|\btalks?\b", "es": r"\bvot\w+|\bconversa\b", "zh": "投票|讨论"}
TAKEN = {
    "en": r"the \$([\d.,]+) of this draw \$([\d.,]+) is (deducted|added), which leaves you \$([\d.,]+)\.",
    "es": r"los \$([\d.,]+) de este sorteo se (descuentan|añaden) \$([\d.,]+), con lo que te quedan \$([\d.,]+)\.",
    "zh": r"从?在?这次抽签的 \$([\d.,]+) (?:中|上)(扣去|加) \$([\d.,]+)，你(?:还剩|共有) \$([\d.,]+)。",
}
"""Share, what is taken or added, what is left; by language."""


def list_tasks(play: Play, *purposes: str) -> list[str]:
    """The instructions of these calls, without what was remembered or said."""
    return [prompt.text.split("\n<task>\n")[1] for prompt in play.cast.list_prompts(*purposes)]


def at_first_unreadable() -> dict[Any, Any]:
    """What everyone says, after a first answer to each question that cannot be used."""
    return {purpose: ["??", line] for purpose, line in LINES.items()}


def money(text: str) -> int:
    """An amount as it is told, in cents."""
    return int(text.replace(",", "").replace(".", ""))


@pytest.mark.parametrize(("language", "frame"), list(product(LANGUAGES, FRAMES)))
def test_the_money_told_is_the_money_paid(language: str, frame: str) -> None:
    play = played(language=language, frame=frame, loss_credit=9.0, max_rounds=1)
    result, say = play.result, load_phrases("justice").translate_phrase
    for id, alone in result.phase1.items():
        bank, prompts = 0, [prompt for prompt in play.cast.prompts if prompt.who == id]
        choices = [prompt for prompt in prompts if prompt.purpose == "choice"]
        for place, (asked, outcome) in enumerate(zip(choices, alone.application_results, strict=True)):
            undrawn = 180 * (5 - place) if frame == "loss" else 0
            assert f"${format_dollars(bank + undrawn)}" in asked.text.split("\n<task>\n")[1].splitlines()[0]
            assert table_in(asked) == [distribution.incomes for distribution in outcome.distribution_set.distributions]
            bank += outcome.payoff_cents
            later = prompts[prompts.index(asked) + 1].text
            assert say(language, f"classes.{outcome.assigned_class}") in later
            assert f"${outcome.income:,}" in later
            assert f"${format_dollars(outcome.payoff_cents)}" in later
        last, group = prompts[-1].text.split("\n<task>\n")[1], result.phase2
        assert f"${format_dollars(group.final_earnings[id])}" in last.splitlines()[0]
        results = [prompt.text for prompt in prompts if prompt.purpose == "memory"][-1]
        assert f"${format_dollars(group.payoffs[id].payoff_cents)}" in results
        for outcome in group.alternative_earnings[id].outcomes:
            assert f"${outcome.income:,}" in results
            assert f"${format_dollars(outcome.payoff_cents)}" in results
            gap = outcome.payoff_cents - group.payoffs[id].payoff_cents
            assert f"${format_dollars(abs(gap))}" in results or not gap


def table_in(prompt: SentPrompt) -> list[list[int]]:
    """The four distributions of a table as it is told, from high to low."""
    task = prompt.text.split("\n<task>\n")[1]
    rows = [line.split(" | ")[1:] for line in task.splitlines() if line.count(" | ") == 4][1:]
    return [[int(cell.replace(",", "")) for cell in column] for column in zip(*rows, strict=True)]


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_deduction_told_leaves_what_is_paid(language: str) -> None:
    play = played(language=language, frame="loss", loss_credit=9.0, max_rounds=1)
    tasks = [parts for text in list_tasks(play, "statement") for parts in re.findall(TAKEN[language], text)]
    assert len(tasks) == 3 * 4
    paid = [
        application_result.payoff_cents
        for alone in play.result.phase1.values()
        for application_result in alone.application_results
    ]
    assert sorted(money(parts[-1]) for parts in tasks) == sorted(paid)
    words = set()
    for parts in tasks:
        share, left, (taken,) = money(parts[0]), money(parts[-1]), [money(it) for it in parts[1:-1] if it[0].isdigit()]
        (word,) = [it for it in parts[1:-1] if not it[0].isdigit()]
        words.add((word, left > share))
        assert left == (share + taken if left > share else share - taken)
    assert len(words) == 2, "one word for what is taken, another for what is added"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_loss_frame_promises_no_pay_beside_the_credit(language: str) -> None:
    play = played(at_first_unreadable(), language=language, frame="loss", max_rounds=1)
    assert [text for text in list_tasks(play, *LINES) if re.search(GAINS[language], text)] == []
    first = list_tasks(play, "ranking")[0]
    assert "$40.00" in first
    assert "$10,000" in first, "how an income becomes what is left is told before the first draw"


def test_more_than_the_credit_is_not_told_as_a_rest_of_it() -> None:
    play = played(frame="loss", loss_credit=5.0, max_rounds=1)
    for text in list_tasks(play, "choice", "statement", "ballot"):
        (held,) = re.findall(r"hold \$([\d.]+)( of your credit)?\.", text.splitlines()[0])
        assert (money(held[0]) <= 500) == bool(held[1])


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_of_value_is_in_the_neutral_wording(language: str) -> None:
    lines = at_first_unreadable()
    for settings in ({}, {"frame": "loss"}, {"decision_rule": "imposed", "imposed_principle": 2}):
        play = played(lines, language=language, wording="neutral", max_rounds=1, **settings)
        assert [
            prompt.text for prompt in play.cast.prompts if re.search(VALUES[language], prompt.text, re.IGNORECASE)
        ] == []
    worded = played(language=language, max_rounds=1).cast.prompts
    assert any(re.search(VALUES[language], one.text, re.IGNORECASE) for one in worded)


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_the_rule_is_imposed_no_talk_and_no_vote_is_promised(language: str) -> None:
    play = played(language=language, decision_rule="imposed", imposed_principle=3, imposed_amount=14000)
    line = load_phrases("justice").translate_phrase(language, "group.imposed_line", rule="{rule}").split("{rule}")[1]
    for prompt in play.cast.prompts:
        assert not re.search(VOTES[language], prompt.text.replace(line, "")), prompt.text
    assert any(line in prompt.text for prompt in play.cast.list_prompts("memory"))


@pytest.mark.long
@pytest.mark.parametrize(("language", "reveal"), list(product(LANGUAGES, ("never", "after_choice", "before_choice"))))
def test_chances_are_told_when_the_settings_say(language: str, reveal: str) -> None:
    play = played(language=language, reveal_class_probabilities=reveal, max_rounds=1)
    before = list_tasks(play, "explanation", "choice")
    assert {"50%" in text for text in before} == {reveal == "before_choice"}
    assert any("50%" in prompt.text for prompt in play.cast.prompts) == (reveal != "never")


ACTS = ("comprehension", "ranking", "choice", "initiation", "confirmation", "ballot", "amount")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_repeated_question_shows_every_form_of_the_first_one_and_suggests_none(language: str) -> None:
    settings = {"max_rounds": 1, "force_vote_in_final_round": False, "comprehension_test": True}
    play = played(at_first_unreadable(), language=language, **settings)
    for act in ACTS:
        told_for_act = play.cast.list_prompts(act)
        first, again = [one for one in told_for_act if one.who == told_for_act[0].who][:2]
        assert again.messages[0] == first.messages[0]
        lines = re.findall(r"`([^`]*)`", first.human.rpartition("</task>")[2])
        assert len(lines) >= 2
        repeated = re.findall(r"`([^`]*)`", again.messages[-1].text)
        assert repeated == [line for line in lines if not line.endswith("…")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_wrong_is_said_without_an_answer(language: str) -> None:
    words, say = load_phrases("justice"), load_phrases("justice").translate_phrase
    holes = dict.fromkeys(("least", "most", "length", "cut", "bound", "reason", "form", "seen"), "…")
    for section in ("faults", "again"):
        for key in words.list_keys(section):
            assert not re.findall("[0-9]", say(language, f"{section}.{key}", **holes)), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_principles_have_one_name_wherever_they_are_told(language: str) -> None:
    play = played(
        {"choice": "Principle: 4\nAmount: 16000\nCertainty: sure\nReason: so"}, language=language, max_rounds=1
    )
    say = load_phrases("justice").translate_phrase
    for principle in PRINCIPLES:
        name = say(language, f"principles.{principle}")
        assert name in say(language, f"definitions.{principle}")[3:].lower()
        assert all(name in text for text in list_tasks(play, "explanation"))
    adopted = play.result.phase2
    assert (adopted.agreed_principle, adopted.constraint_amount) == (PRINCIPLES[2], 14000)
    rule = say(
        language, "table.rule_amount", number=3, name=say(language, f"principles.{PRINCIPLES[2]}"), amount="14,000"
    )
    assert all(rule in text for text in list_tasks(play, "memory"))
