"""Wherever a panel is asked, it answers in the language of the question unless a language is given."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from command import document
from deliberations.panel import PAPERS, Table
from moot import chat_with_papers
from moot.app.tools.mcp.arguments import build_tool_request
from moot.app.web.openai.chat_request import ChatMessage, ChatRequest, ModelDefaults, build_chat_run_request
from moot.graphs import panel

QUESTIONS = {"Do trees cool streets?": "en", "CRISPR?": "en", "¿Refrescan los árboles?": "es", "树能降温吗？": "zh"}


def get_graph_language(question: str, **context: Any) -> str:
    state = panel.graph.invoke(
        {"query": question, "papers": PAPERS},
        context={"model": Table(), "retry_delays": [0], "max_rounds": 1, **context},
    )
    return str(state["settings"].language)


def get_chat_language(question: str, **settings: Any) -> str:
    answer = chat_with_papers(question, papers=PAPERS, model=Table(), retry_delays=[0], **settings)["answer"]
    titles = {"# 论文研讨": "zh", "# What the papers say": "en", "# Lo que dicen los artículos": "es"}
    return titles[answer.split("\n")[0]]


def get_endpoint_language(question: str, **settings: Any) -> str:
    chat = ChatRequest(model="moot/panel", messages=[ChatMessage(role="user", content=question)], moot=settings)
    return asyncio.run(build_chat_run_request(chat, ModelDefaults(models=["rehearsal"]))).settings.language


ENTRANCES: dict[str, Callable[..., str]] = {
    "graph, and so the server": get_graph_language,
    "chat_with_papers": get_chat_language,
    "MCP": lambda question, **settings: build_tool_request("panel", {"query": question, **settings}).settings.language,
    "endpoint": get_endpoint_language,
}


@pytest.mark.parametrize("entrance", ENTRANCES.values(), ids=ENTRANCES)
def test_every_entrance_finds_the_language_by_one_rule(entrance: Callable[..., str]) -> None:
    assert {question: entrance(question) for question in QUESTIONS} == QUESTIONS
    assert entrance("Do trees cool streets?", language="zh") == "zh"


def test_the_experts_are_told_in_the_language_of_the_question() -> None:
    model = Table()
    panel.graph.invoke(
        {"query": "Do trees cool streets?", "papers": PAPERS}, context={"model": model, "retry_delays": [0]}
    )
    assert all("You are" in prompt.private and "你是" not in prompt.private for prompt in model.prompts[:4])


ANSWERED = {
    "by its words": (["Do street trees keep cities cool?"], "en"),
    "unless the option says otherwise": (["Do street trees keep cities cool?", "--language", "es"], "es"),
    "by either name": (["Do street trees keep cities cool?", "--output-language", "zh"], "zh"),
    "or by any other way": (["Do street trees keep cities cool?", "--set", "language=es"], "es"),
}


@pytest.mark.long
@pytest.mark.parametrize("case", ANSWERED.values(), ids=ANSWERED)
def test_the_command_answers_in_the_language_of_the_question(case: tuple[list[str], str]) -> None:
    assert document("panel", *case[0], "--samples", "--model", "rehearsal")["language"] == case[1]
