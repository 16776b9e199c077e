"""The rehearsal reads like a deliberation, moves like one, ends like one, and never costs anything."""

import asyncio
from collections import Counter
from itertools import pairwise

import pytest
from deliberations.rehearsal import TOPICS, ask, debate, group, make_brief, with_sides
from moot.models.brief import Brief
from moot.models.rehearsal import RehearsalModel
from moot.models.rehearsal.reply_context import count_words, split_sentences
from moot.prompts import get_term, load_table
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
        counts = Counter(line for statement in history for line in split_sentences(statement.content))
        assert [line for line, times in counts.items() if times > 1] == []


def test_no_statement_is_made_twice_even_where_only_the_newest_statements_are_shown() -> None:
    history: list[Statement] = []
    for turn in range(1, 241):
        name = ("PRO", "CON")[(turn - 1) % 2]
        said = ask(5, make_brief(TOPICS["en"], "en", turn, history[-4:]))
        history.append(Statement(turn=turn, round=(turn + 1) // 2, speaker=name, content=said))
    assert len({statement.content for statement in history}) == 240


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_statement_is_two_or_three_sentences_with_the_key_words_of_an_answer(language: str) -> None:
    words = load_table("rehearsal", language)["words"]
    assert isinstance(words, list)
    for statement in debate(4, language)[0][:4]:
        assert len(split_sentences(statement.content)) in (2, 3)
        assert sum(word in statement.content for word in words) >= 6
    assert "A model would give reasons here" in debate(4)[0][0].content


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_debates_end_by_concession_stalemate_or_cap_depending_on_the_seed(language: str) -> None:
    seeds = 60 if language == "en" else 30
    ends = Counter(debate(seed, language)[1].partition("_")[0] for seed in range(seeds))
    assert 0.25 <= ends["concession"] / seeds <= 0.45
    assert 0.15 <= ends["stalemate"] / seeds <= 0.35
    assert ends["cap"] / seeds >= 0.2


def test_groups_find_together_or_not_depending_on_the_seed() -> None:
    ends = ["I agree with" in group(seed)[-1].content for seed in range(24)]
    assert min(ends.count(True), ends.count(False)) >= 5


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_a_group_everyone_takes_up_what_the_one_before_said(language: str) -> None:
    for seed in range(6):
        history = group(seed, 3, language)
        for before, one in pairwise(history):
            assert before.speaker in one.content
            assert shares_a_word(one.content, before.content)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_concession_is_plain_and_quotes_what_decided_it(language: str) -> None:
    surrenders = [debate(seed, language)[0] for seed in range(30) if debate(seed, language)[1] == "concession_detected"]
    for history in surrenders:
        assert history[-1].content.endswith(f"\n\n{get_term(language, 'sides', 'concede')}")
        assert shares_a_word(history[-1].content, history[-2].content)


@pytest.mark.parametrize("language", LANGUAGES)
def test_statements_have_a_sensible_length_unless_somebody_has_had_enough(language: str) -> None:
    for seed in range(20):
        history, end = debate(seed, language)
        kept = [statement for statement in history if statement.act or count_words(statement.content) >= 18]
        assert len(history) - len(kept) <= (2 if end.startswith("stalemate") else 2 * (len(history) > 8))
        assert all(count_words(one.content) <= 60 for one in kept)
        assert all(find_statement_fault(statement.content, statement.speaker, 10, 5) is None for statement in history)
        assert all(is_cjk(statement.content) == (language == "zh") for statement in history)


def test_the_length_follows_the_words_asked_for() -> None:
    history = debate(1)[0][:3]
    short, long = (count_words(ask(1, make_brief(TOPICS["en"], "en", 4, history, words))) for words in (60, 400))
    assert short < long


def test_personas_bring_different_key_words() -> None:
    def opened(role: str) -> str:
        cast = {"Ann": role, "Ben": "", "Cleo": ""}
        return ask(3, Brief("Ann", topic=TOPICS["en"], roles=cast, turn=1))

    assert len({opened(role) for role in ("treasurer: costs and budget", "tester: risk and failure", "poet")}) == 3


def test_the_same_seed_and_brief_have_the_same_reply_whatever_the_scheduling() -> None:
    history = debate(2)[0]
    model, brief = RehearsalModel(seed=2), make_brief(TOPICS["en"], "en", 5, history[:4])

    async def all_at_once() -> list[str]:
        return [state.text for state in await asyncio.gather(*(model.ainvoke("Speak.", brief=brief) for _ in range(5)))]

    assert set(asyncio.run(all_at_once())) == {model.invoke("Go on.", brief=brief).text} == {history[4].content}
    assert ask(3, brief) != history[4].content


def test_without_a_brief_it_names_the_last_message_and_says_that_it_is_a_rehearsal() -> None:
    messages = [("system", "Be terse."), ("human", "Hello."), ("ai", "Hello."), ("human", TOPICS["en"])]
    reply = RehearsalModel(seed=2).invoke(messages).text
    assert reply == RehearsalModel(seed=2).invoke(TOPICS["en"]).text
    assert "This is a rehearsal" in reply
    assert TOPICS["en"] in reply
    assert is_cjk(RehearsalModel().invoke(TOPICS["zh"]).text)
    assert RehearsalModel().invoke("").text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_synthesis_cites_turns_that_exist_and_quotes_both_sides(language: str) -> None:
    for seed in range(12):
        history, _ = debate(seed, language)
        text = ask(seed, with_sides(TOPICS[language], language, statements=history), "synthesizer", "synthesis")
        assert set(list_cited_turns(text)) <= {statement.turn for statement in history}
        assert {"PRO", "CON"} == {history[turn - 1].speaker for turn in list_cited_turns(text)}
        assert 40 <= count_words(text) <= 480


def test_a_human_in_the_debate_is_quoted_and_answered() -> None:
    text = "Nobody under twelve should have to cross six lanes of traffic all alone on the way to school and back."
    history = [Statement(turn=1, round=1, speaker="PRO", content=text)]
    answer = ask(1, make_brief(TOPICS["en"], "en", 2, history))
    assert "PRO" in answer
    assert "“Nobody under twelve should have to cross six lanes of traffic all alone" in answer


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_synthesis_gives_no_objection_to_whoever_wrote_their_own_words(language: str) -> None:
    history = list(debate(3, language, turns=2, stops=False)[0])
    for speaker in ("PRO", "CON"):
        own = [entry.model_copy(update={"content": "Tea."}) if entry.speaker == speaker else entry for entry in history]
        text = ask(3, with_sides(TOPICS[language], language, statements=own), "synthesizer", "synthesis")
        lines = {
            name: load_table("rehearsal", language)["closing"]["dissent"].split("{objection}")[0].format(name=name)
            for name in ("PRO", "CON")
        }
        assert [name for name, line in lines.items() if line in text] == [name for name in lines if name != speaker]
