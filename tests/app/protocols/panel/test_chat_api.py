"""`chat_with_papers`: a question in, the discussion, the papers and an answer to read out."""

import asyncio
import inspect
import random
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from deliberations.panel import EXPERTS, OPEN, PAPERS, QUESTION, SHOPS, SOUND, Table, stocked
from langchain_core.embeddings import Embeddings
from moot import achat_with_papers, chat_with_papers
from moot.app.protocols.panel.result import format_preview
from moot.papers import library
from moot.state.errors import InputError


def ask_panel(model: Table | None = None, **settings: Any) -> dict[str, Any]:
    """The result of a panel on three papers."""
    return dict(
        chat_with_papers(QUESTION, **{"papers": PAPERS, "model": model or Table(), "retry_delays": [0], **settings})
    )


def test_the_result_has_the_keys_a_client_reads() -> None:
    panel = ask_panel(cycles=2)
    texts = ["status", "headline", "run", "models", "recipients", "rehearsal"]
    assert list(panel) == [*texts, "agent_discussions", "papers", "answer"]
    discussions = panel["agent_discussions"]
    assert list(discussions) == ["query", "final_conclusion", "discussion_rounds", "started_at", "completed_at"]
    assert (discussions["query"], discussions["final_conclusion"]) == (QUESTION, SOUND)
    rounds = discussions["discussion_rounds"]
    assert [round_number["round_number"] for round_number in rounds] == list(range(1, 9))
    assert [round_number["agent_name"] for round_number in rounds] == EXPERTS * 2
    assert [set(round_number) for round_number in rounds] == [
        {"round_number", "agent_name", "agent_response", "timestamp", "tokens_used"}
    ] * 8
    assert rounds[0]["agent_response"].startswith("mark-1 ")
    assert all(round_number["tokens_used"] > 0 for round_number in rounds)
    stamps = [
        discussions["started_at"],
        *(round_number["timestamp"] for round_number in rounds),
        discussions["completed_at"],
    ]
    assert stamps == sorted(stamps)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", stamp) for stamp in stamps)


def test_its_signature_is_the_documented_one() -> None:
    parameters = list(inspect.signature(chat_with_papers).parameters.values())[:3]
    assert [(parameter.name, parameter.default) for parameter in parameters[1:]] == [
        ("n_papers", 10),
        ("min_similarity_threshold", 0.6),
    ]
    assert parameters[0].name == "query"


PARTS = {
    "zh": [
        "# 论文研讨",
        "**问题：**",
        "## 结论",
        "## 讨论过程",
        "共有4位专家进行了2轮讨论，共8次发言。",
        "## 论文（3篇）",
        "随问题提供",
    ],
    "en": [
        "# What",
        "**Question:**",
        "## Conclusion",
        "## Discussion",
        "Discussed by 4 experts in 2 rounds; contributions: 8.",
        "## Papers (3)",
    ],
    "es": [
        "# Lo que",
        "**Pregunta:**",
        "## Conclusión",
        "## Debate",
        "4 expertos en 2 rondas; contribuciones: 8.",
        "## Artículos (3)",
    ],
}


@pytest.mark.parametrize("language", PARTS)
def test_the_answer_reads_in_its_order_and_in_the_output_language(language: str) -> None:
    answer = ask_panel(cycles=2, output_language=language)["answer"]
    parts = list(PARTS[language])
    parts[2:2] = [QUESTION]
    parts[4:4] = [SOUND]
    parts[7:7] = [f"{place}. **{name}**" for place, name in enumerate(EXPERTS, start=1)]
    places = [answer.find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places == sorted(places)


def test_one_expert_in_one_round_is_said_in_the_singular() -> None:
    assert (
        "Discussed by 1 expert in 1 round; contributions: 1."
        in ask_panel(experts=["Paper Analyst"], output_language="en")["answer"]
    )
    assert "共有1位专家进行了1轮讨论，共1次发言。" in ask_panel(experts=["Paper Analyst"])["answer"]


def test_a_preview_is_short_plain_and_the_experts_latest() -> None:
    class Wordy(Table):
        def answer(self, told: Any) -> Any:
            said = super().answer(told)
            return (
                said
                if told.purpose == "synthesis"
                else f"## **Round {len(self.prompts)}**\n\n1. `It` is\n\n{'so ' * 200}"
            )

    answer = ask_panel(Wordy(), experts=["Paper Analyst"], cycles=2, output_language="en")["answer"]
    (line,) = re.findall(r"^1\. .*$", answer, re.MULTILINE)
    assert line.startswith("1. **Paper Analyst** (research method and rigour): Round 2 It is so so")
    assert len(line) < 220


def test_experts_may_be_described() -> None:
    model = Table()
    planner = {"name": "Planner", "role": "urban planner", "focus": "street space"}
    panel = ask_panel(model, experts=[planner, "MIT Researcher"])
    assert model.asked == ["MIT Researcher", "Planner", "synthesizer"]
    assert "**Planner**（urban planner, street space）" in panel["answer"]


def test_papers_from_the_library_carry_their_relevance(tmp_path: Path) -> None:
    stocked(str(tmp_path / "moot.db"))
    chat = chat_with_papers(
        "Should cities ban cars from downtown areas?", 2, model=Table(endings=[OPEN]), language="zh"
    )
    assert len(chat["papers"]) == 2
    assert {"id", "title", "relevance"} <= set(chat["papers"][0])
    best, next_best = (paper["relevance"] for paper in chat["papers"])
    assert best is not None
    assert next_best is not None
    assert 1 >= best >= next_best >= 0.1, "the default of 0.6 is for embeddings; shared terms have their own"
    assert f"[@{chat['papers'][0]['id']}]" in chat["answer"]
    assert f"相关度{best:.2f}（按共有词语）" in chat["answer"]


class Scattered(Embeddings):
    """Vectors drawn from each text's own stream: every likeness from opposite to close."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[random.Random(f"{text} {axis}").gauss(0, 1) for axis in range(8)] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def test_with_embeddings_the_threshold_is_the_one_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stocked(str(tmp_path / "moot.db"))
    real, fake = library.open_library, Scattered()
    monkeypatch.setattr(library, "open_library", lambda place, _: real(place, fake))
    chat = chat_with_papers("cars", 50, 0.3, model=Table(endings=[OPEN]), output_language="zh")
    usual = chat_with_papers("cars", 50, model=Table(endings=[OPEN]))
    assert min(paper["relevance"] or 0 for paper in chat["papers"]) >= 0.3
    assert all((paper["relevance"] or 0) >= 0.6 for paper in usual["papers"])
    assert len(usual["papers"]) < len(chat["papers"])
    assert "（按语义）" in chat["answer"]


def test_nothing_found_is_said_without_a_call(tmp_path: Path) -> None:
    stocked(str(tmp_path / "moot.db"))
    model = Table()
    chat = chat_with_papers("quantum chromodynamics", model=model, language="zh")
    assert (model.prompts, chat["papers"], chat["agent_discussions"]["discussion_rounds"]) == ([], [], [])
    assert "没有论文能回答这个问题" in chat["agent_discussions"]["final_conclusion"]
    assert "没有举行专家讨论" in chat["answer"]


def test_without_discussions_there_is_one_call_and_a_direct_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENABLE_AGENT_DISCUSSIONS", "false")
    model = Table()
    panel = ask_panel(model)
    assert model.asked == ["synthesizer"]
    assert panel["agent_discussions"]["discussion_rounds"] == []
    assert "直接根据论文作答" in panel["answer"]


def test_what_a_conclusion_could_not_prove_is_said_in_the_answer() -> None:
    answer = ask_panel(Table(endings=["应当 [@nobody-x]。"]))["answer"]
    assert "[@nobody-x?]" in answer
    assert "引用了并不存在的论文，已用问号标出：nobody-x" in answer


def test_it_can_be_asked_inside_a_running_event_loop_and_awaited() -> None:
    async def both() -> list[str]:
        inside = chat_with_papers(QUESTION, papers=PAPERS, model=Table())
        awaited = await achat_with_papers(QUESTION, papers=PAPERS, model=Table())
        return [one["agent_discussions"]["final_conclusion"] for one in (inside, awaited)]

    assert asyncio.run(both()) == [SOUND, SOUND]


def test_several_threads_may_ask_at_once() -> None:
    said: list[str] = []
    threads = [threading.Thread(target=lambda: said.append(ask_panel()["answer"])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 8
    assert len(set(said)) == 1


REFUSED = [
    ({"query": "  "}, "query"),
    ({"query": QUESTION, "n_papers": 51}, "n_papers = 51"),
    ({"query": QUESTION, "min_similarity_threshold": 1.5}, r"min_similarity_threshold = 1\.5"),
    ({"query": QUESTION, "expert": ["Paper Analyst"]}, "expert = .*unknown key"),
    ({"query": QUESTION, "experts": ["Oracle"]}, "Oracle.*Google Engineer"),
    ({"query": QUESTION, "papers": [{"id": "x"}]}, "papers"),
    ({"query": QUESTION, "cycles": 0}, "cycles = 0"),
]


@pytest.mark.parametrize(("given", "said"), REFUSED)
def test_what_cannot_be_asked_is_refused_before_any_call(given: dict[str, Any], said: str) -> None:
    model = Table()
    with pytest.raises(InputError, match=said):
        chat_with_papers(**{"papers": PAPERS, "model": model, **given})
    assert model.prompts == []


def test_html_and_escapes_of_models_and_papers_do_not_reach_the_reader() -> None:
    paper = SHOPS.model_copy(update={"title": "<script>x</script> \x1b[31m[click](http://x)"})
    answer = ask_panel(Table(endings=["<script>alert(1)</script>\x1b[31m 好 [@smith2024-shops]"]), papers=[paper])[
        "answer"
    ]
    assert "<script" not in answer.replace("\\<", "")
    assert "\x1b" not in answer
    assert r"\[click\](http" in answer, "no link"
    assert "31m" not in answer


def test_a_rehearsal_says_what_it_is() -> None:
    with pytest.warns(UserWarning, match="rehearsal"):
        chat = chat_with_papers(QUESTION, papers=PAPERS)
    assert chat["answer"].splitlines()[2] == "> 演练：没有任何模型参与。"
    assert len(chat["agent_discussions"]["discussion_rounds"]) == 4


def test_a_threshold_that_is_given_is_taken_as_it_is_also_where_it_is_the_usual_one(tmp_path: Path) -> None:
    stocked(str(tmp_path / "moot.db"))
    query = "Which cars, budgets, trees, votes and neighbours matter most?"
    usual = chat_with_papers(query, 50, model=Table(endings=[OPEN]))
    chat = chat_with_papers(query, 50, 0.6, model=Table(endings=[OPEN]))
    assert any((paper["relevance"] or 0) < 0.6 for paper in usual["papers"])
    assert all((paper["relevance"] or 0) >= 0.6 for paper in chat["papers"])


def test_a_citation_in_a_preview_has_no_stray_backslash_and_is_still_no_link() -> None:
    assert (
        format_preview("It fell [@smith_2024-shops]; *so* [it] was.") == "It fell [@smith_2024-shops]; so \\[it\\] was."
    )
    assert format_preview("[@x](http://evil.example)") == "\\[@x\\](http://evil.example)"
