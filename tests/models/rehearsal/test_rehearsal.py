"""The rehearsal reads like a deliberation, moves like one, ends like one, and never costs anything."""

import asyncio
from collections import Counter
from itertools import pairwise

import pytest
from deliberations.rehearsal import TOPICS, ask, debate, group, head, sides, told
from moot.models.rehearsal import Rehearsal
from moot.models.rehearsal.persona import get_role
from moot.models.rehearsal.prompt import ParsedPrompt
from moot.models.rehearsal.quotations import count_words, split_sentences
from moot.models.rehearsal.stock import load_stock
from moot.nodes.ask.prompt import Prompt
from moot.state.ending import find_ending
from moot.state.statement import Statement
from moot.state.statement_check import find_statement_fault, is_cjk, list_cited_turns
from moot.state.terms import extract_terms

LANGUAGES = ["en", "es", "zh"]


def shares_a_word(one: str, other: str) -> bool:
    return bool(set(extract_terms(one)) & set(extract_terms(other)))


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_statement_names_the_previous_speaker_and_takes_up_their_words(language: str) -> None:
    for seed in range(8):
        history, _ = debate(seed, language)
        for before, one in pairwise(history):
            assert before.speaker in one.content
            assert shares_a_word(one.content, before.content)


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_is_said_twice_in_a_run(language: str) -> None:
    for seed in range(20 if language == "en" else 8):
        history, _ = debate(seed, language, turns=20, stops=False)
        said = Counter(line for one in history for line in split_sentences(one.content))
        assert [line for line, times in said.items() if times > 1] == []


def test_no_sentence_is_said_twice_even_where_only_the_newest_statements_are_shown() -> None:
    history: list[Statement] = []
    for turn in range(1, 241):
        name = ("PRO", "CON")[(turn - 1) % 2]
        said = ask(5, told(TOPICS["en"], "en", turn, history[-4:]), name, "statement")
        history.append(Statement(turn=turn, round=(turn + 1) // 2, speaker=name, content=said))
    said = Counter(line for one in history for line in split_sentences(one.content))
    assert [line for line, times in said.items() if times > 1] == []


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_debates_end_by_concession_stalemate_or_cap_depending_on_the_seed(language: str) -> None:
    seeds = 60 if language == "en" else 30
    ends = Counter(debate(seed, language)[1].partition("_")[0] for seed in range(seeds))
    assert 0.25 <= ends["concession"] / seeds <= 0.45
    assert 0.15 <= ends["stalemate"] / seeds <= 0.35
    assert ends["cap"] / seeds >= 0.2


def test_groups_find_together_or_not_depending_on_the_seed() -> None:
    agree = [phrase.split("{")[0] for phrase in load_stock("en").get_variants("lines", "agreed")]
    ends = [any(phrase in group(seed)[-1].content for phrase in agree) for seed in range(24)]
    assert min(ends.count(True), ends.count(False)) >= 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_a_group_everyone_takes_up_what_the_one_before_said(language: str) -> None:
    for seed in range(6):
        history = group(seed, 3, language)
        for before, one in pairwise(history):
            assert before.speaker in one.content
            assert shares_a_word(one.content, before.content)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_concession_is_plain_surrender_and_names_what_decided_it(language: str) -> None:
    surrenders = [debate(seed, language)[0] for seed in range(30) if debate(seed, language)[1] == "concession_detected"]
    for history in surrenders:
        ending = find_ending(history, "dialogue")
        assert ending is not None
        assert ending.evidence.turns == [len(history)]
        assert shares_a_word(history[-1].content, history[-2].content)


@pytest.mark.parametrize("language", LANGUAGES)
def test_statements_have_a_sensible_length_unless_somebody_has_had_enough(language: str) -> None:
    for seed in range(20):
        history, end = debate(seed, language)
        kept = [one for one in history if count_words(one.content) >= 25]
        assert len(history) - len(kept) <= (2 if end.startswith("stalemate") else 2 * (len(history) > 8))
        assert all(count_words(one.content) <= 140 for one in kept)
        assert all(find_statement_fault(one.content, one.speaker, 10, 5) is None for one in history)
        assert all(is_cjk(one.content) == (language == "zh") for one in history)


def test_the_length_follows_the_words_asked_for() -> None:
    history = debate(1)[0][:3]
    short, long = (
        count_words(ask(1, told(TOPICS["en"], "en", 4, history, words), "CON", "statement")) for words in (60, 400)
    )
    assert short < long


def test_personas_bring_different_arguments() -> None:
    def opened(role: str) -> str:
        cast = {"Ann": role, "Ben": "", "Cleo": ""}
        return ask(3, Prompt(head(TOPICS["en"], cast), "Ann.\n\nIt is turn 1.", "en"), "Ann", "statement")

    assert len({opened(role) for role in ("treasurer: costs and budget", "tester: risk and failure", "poet")}) == 3


@pytest.mark.parametrize(
    ("public", "first_line", "role"),
    [
        ("argues AGAINST the motion (skeptic)", "You are CON. You doubt it.", "a skeptic"),
        ("argues AGAINST the motion", "You are CON, and you argue against it. shop owner", "a shop owner"),
        ("argues AGAINST the motion", "You are CON. Your persona: a small-business owner", "a small-business owner"),
        ("argues AGAINST the motion", "You are CON. You doubt what others promise, and you say so.", ""),
        ("analyst", "You are CON. Your persona: You work from data.", "an analyst"),
    ],
)
def test_a_role_is_what_the_cast_says_or_a_persona_of_few_words(public: str, first_line: str, role: str) -> None:
    assert (
        get_role(ParsedPrompt(speaker="CON", participants={"CON": public}, task=f"{first_line}\n\nIt is turn 2."))
        == role
    )


def test_the_same_seed_and_prompt_have_the_same_reply_whatever_the_scheduling() -> None:
    history = debate(2)[0]
    messages = told(TOPICS["en"], "en", 5, history[:4]).build_messages()
    model, config = Rehearsal(seed=2), {"metadata": {"speaker": "PRO", "purpose": "statement", "language": "en"}}

    async def all_at_once() -> list[str]:
        return [one.text for one in await asyncio.gather(*(model.ainvoke(messages, config) for _ in range(5)))]

    assert set(asyncio.run(all_at_once())) == {model.invoke(messages, config).text} == {history[4].content}
    assert Rehearsal(seed=3).invoke(messages, config).text != history[4].content


def test_without_metadata_the_prompt_itself_tells_who_speaks_and_in_which_language() -> None:
    for language in LANGUAGES:
        history = debate(2, language)[0]
        messages = told(TOPICS[language], language, 4, history[:3]).build_messages()
        assert Rehearsal(seed=2).invoke(messages).text == history[3].content


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_synthesis_cites_turns_that_exist_and_quotes_both_sides(language: str) -> None:
    for seed in range(12):
        history, _ = debate(seed, language)
        brief = Prompt(head(TOPICS[language], sides(language)), "", language, history=history)
        text = ask(seed, brief, "synthesizer", "synthesis")
        assert set(list_cited_turns(text)) <= {one.turn for one in history}
        assert {"PRO", "CON"} == {history[turn - 1].speaker for turn in list_cited_turns(text)}
        assert 60 <= count_words(text) <= 480


def test_a_human_in_the_debate_is_quoted_and_answered() -> None:
    said = "Nobody under twelve should have to cross six lanes of traffic all alone on the way to school and back."
    history = [Statement(turn=1, round=1, speaker="PRO", content=said)]
    answer = ask(1, told(TOPICS["en"], "en", 2, history), "CON", "statement")
    assert "PRO" in answer
    assert "“Nobody under twelve should have to cross six lanes of traffic all alone" in answer
