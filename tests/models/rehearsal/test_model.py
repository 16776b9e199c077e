"""The rehearsal as a chat model: it streams, counts its tokens, and works in every protocol without knowing any."""

import asyncio
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from deliberations.rehearsal import TOPICS, ask, debate, group, make_brief
from langchain_core.messages import AIMessageChunk
from moot.graphs import consensus, discussion, justice, panel
from moot.graphs.debate import graph
from moot.models.brief import Brief
from moot.models.rehearsal import RehearsalModel
from moot.models.rehearsal.reply_context import split_sentences
from moot.nodes.justice.addressee import Addressee
from moot.nodes.justice.answer_requests import (
    request_amount,
    request_choice,
    request_consent,
    request_principle,
    request_ranking,
)
from moot.nodes.justice.question import AnswerRequest
from moot.state.justice.settings import JusticeSettings
from moot.state.statement import Exhibit, Statement

LANGUAGES = ["en", "es", "zh"]
JUSTICE = {"principles": "four of them", "definitions": ""}
"""Values by which a brief is about justice."""


def make_prompt(language: str) -> tuple[str, Brief]:
    return "A prompt. " * 200, make_brief(TOPICS[language], language, 4, debate(2, language)[0][:3])


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_streams_word_by_word_what_it_would_say_at_once_with_the_usage_last(language: str) -> None:
    prompt, brief = make_prompt(language)
    whole = RehearsalModel(seed=2).invoke(prompt, brief=brief)
    pieces = list(RehearsalModel(seed=2).stream(prompt, brief=brief))

    async def later() -> list[AIMessageChunk]:
        return [
            update
            async for update in RehearsalModel(seed=2).astream(prompt, brief=brief)
            if isinstance(update, AIMessageChunk)
        ]

    assert "".join(piece.text for piece in pieces) == "".join(one.text for one in asyncio.run(later())) == whole.text
    assert max(len(piece.text.split()) for piece in pieces) == 1
    assert language != "zh" or max(len(re.findall("[\u4e00-\u9fff]", piece.text)) for piece in pieces) <= 4
    assert [piece.usage_metadata for piece in pieces if piece.usage_metadata] == [whole.usage_metadata]
    assert pieces[-1].response_metadata["finish_reason"] == "stop"


def test_usage_grows_with_what_is_read_and_what_is_said() -> None:
    prompt, brief = make_prompt("en")
    usage = RehearsalModel(seed=2).invoke(prompt, brief=brief).usage_metadata
    assert usage is not None
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]
    assert usage["input_tokens"] > 3 * usage["output_tokens"] > 90


def test_a_statement_counts_the_tokens_of_the_words_asked_for_here_and_in_later_prompts() -> None:
    history = debate(2)[0][:3]
    model = RehearsalModel(seed=2)
    short, long = (
        model.invoke("A prompt.", brief=make_brief(TOPICS["en"], "en", 4, history, words)).usage_metadata or {}
        for words in (120, 300)
    )
    assert (short["output_tokens"], long["output_tokens"]) == (160, 400)
    assert long["input_tokens"] - short["input_tokens"] == 3 * 240


def test_a_cap_on_tokens_and_a_stop_word_are_kept() -> None:
    prompt, brief = make_prompt("en")
    cut = RehearsalModel(seed=2).invoke(prompt, brief=brief, max_tokens=20)
    assert (cut.usage_metadata or {})["output_tokens"] <= 20
    assert cut.response_metadata["finish_reason"] == "length"
    assert "PRO" not in RehearsalModel(seed=2).invoke(prompt, brief=brief, stop=["PRO"]).text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_whole_debate_runs_on_it_through_the_graph(language: str) -> None:
    context = {"model": "rehearsal", "seed": 4, "language": language}
    state = graph.invoke({"topic": TOPICS[language]}, {}, context=context)
    counts = Counter(line for statement in state["history"] for line in split_sentences(statement.content))
    assert max(counts.values()) == 1
    assert state["outcome"].rehearsal
    assert state["incidents"] == []
    assert all(call.input_tokens and call.output_tokens for call in state["calls"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_says_the_same_whether_or_not_somebody_listens(language: str) -> None:
    context = {"model": "rehearsal", "seed": 4, "language": language, "max_turns": 4}
    alone = graph.invoke({"topic": TOPICS[language]}, context=context)
    heard = list(graph.stream({"topic": TOPICS[language]}, context=context, stream_mode=["messages", "values"]))[-1][1]
    assert heard["synthesis"] == alone["synthesis"]
    assert [statement.content for statement in heard["history"]] == [
        statement.content for statement in alone["history"]
    ]


@pytest.mark.long
def test_a_group_that_talks_for_long_always_has_something_to_say() -> None:
    context = {"model": "rehearsal", "seed": 6, "max_turns": 60, "vote": "schulze"}
    state = consensus.graph.invoke(
        {"topic": "Should the office move?", "participants": ["Ada", "Ben", "Cleo"]},
        {"recursion_limit": 300},
        context=context,
    )
    assert len(state["history"]) > 40
    assert min(len(statement.content) for statement in state["history"]) > 30


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_common_ground_quotes_a_statement(language: str) -> None:
    for seed in (1, 2, 3):
        context = {"model": "rehearsal", "seed": seed, "language": language, "max_rounds": 3}
        state = consensus.graph.invoke({"topic": TOPICS[language]}, context=context)
        quoted = re.findall("“([^”]+)”", state["synthesis"])
        assert any(quoted[0] in statement.content for statement in state["history"])


PAPER = {"title": "Scaling", "abstract": "Larger models need fewer samples. Overfitting depends on their size alone."}
SEATS = {"participants": ["Ann", "Ben", "Cleo"]}
PROTOCOLS = [
    (consensus, {"topic": TOPICS["en"], **SEATS}, {"language": "en", "vote": "plurality"}),
    (consensus, {"topic": TOPICS["es"], **SEATS}, {"language": "es", "convergence": "judge"}),
    (consensus, {"topic": TOPICS["en"], **SEATS}, {"language": "en", "turn_order": "yield_floor"}),
    (discussion, {"topic": TOPICS["zh"], **SEATS}, {"language": "zh", "max_turns": 14}),
    (panel, {"query": TOPICS["zh"], "papers": [PAPER]}, {"output_language": "zh"}),
    (justice, {}, {"language": "es", "discussion": {"max_rounds": 3}}),
]


NAMES = ["vote", "judge", "yield", "discussion", "panel", "justice"]


@pytest.mark.long
@pytest.mark.parametrize(("protocol", "given", "rules"), PROTOCOLS, ids=NAMES)
def test_it_takes_part_in_every_protocol_without_an_incident(protocol: Any, given: Any, rules: Any) -> None:
    for seed in (1, 2):
        context = {"model": "rehearsal", "seed": seed, **rules}
        state = protocol.graph.invoke(given, {"recursion_limit": 2000}, context=context)
        assert state["incidents"] == []
        assert state["outcome"].rehearsal
        contents = [statement.content for statement in state["history"] if statement.speaker != "moderator"]
        counts = Counter(line for text in contents for line in split_sentences(text))
        assert max(counts.values()) == 1


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_answers_about_principles_can_be_read_and_agree_with_each_other(language: str) -> None:
    cast = {"Alice": "", "Bob": "", "Carol": ""}
    settings = JusticeSettings.model_validate({"language": language})
    addressee = Addressee(settings, settings.participants[0])

    def read(request: AnswerRequest[Any], reply: str) -> list[Any]:
        values, _ = request.form.parse(reply)
        return [values[field.key] for field in request.form.fields if field.key in values]

    for seed in range(8):
        history: list[Statement] = []
        for turn in range(1, 10):
            name = list(cast)[(turn - 1) % 3]
            brief = Brief(name, language=language, roles=cast, statements=list(history), turn=turn)
            brief = replace(brief, values=JUSTICE)
            principle, *_ = read(request_principle(addressee), ask(seed, brief, name, "ballot"))
            assert read(request_choice(addressee), ask(seed, brief, name, "choice"))[0] == principle
            assert read(request_ranking(addressee), ask(seed, brief, name, "ranking"))[0][0] == principle
            assert read(request_amount(addressee), ask(seed, brief, name, "amount"))[0] >= 1000
            assert read(request_consent(addressee, "consent"), ask(seed, brief, name, "confirmation"))
            history.append(Statement(turn=turn, round=1, speaker=name, content=ask(seed, brief, name, "statement")))
        assert len({statement.content for statement in history}) == 9


@pytest.mark.parametrize("language", LANGUAGES)
def test_on_a_panel_papers_are_quoted_word_for_word_under_their_ids(language: str) -> None:
    text = "Larger models need fewer samples to reach the same loss. Overfitting depends on model size in a simple way."
    papers = [Exhibit(id="kaplan2020", title="Scaling", text=text)]
    topic, roles = "Do larger models learn faster?", {"Ada": "method"}
    for purpose in ("statement", "synthesis"):
        brief = Brief("Ada", purpose, language, topic, roles, exhibits=papers, turn=1)
        quoted = re.findall(r"“([^”]+)”\s*\[@kaplan2020\]", ask(1, brief))
        assert quoted
        assert all(one in text for one in quoted)


def test_a_running_summary_and_a_memory_hold_what_was_said() -> None:
    history = group(1)
    roles, values = {"Ann": "", "Ben": "", "Cleo": ""}, {"words": 600, "bound": "1,000", **JUSTICE}
    brief = Brief(topic=TOPICS["en"], roles=roles, statements=history, memory="Ben was late.", values=values)
    assert all(f"[{statement.turn}]" in ask(1, brief, "summarizer", "summary") for statement in history)
    assert ask(1, brief, "Ann", "memory").startswith("Ben was late.\n")
    assert len(ask(1, replace(brief, values=values | {"bound": "40"}), "Ann", "memory")) == 40
