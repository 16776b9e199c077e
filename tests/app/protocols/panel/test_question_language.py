"""A panel's command answers in the language it is asked in; from Python it is Chinese unless told."""

import pytest
from command import document
from moot import chat_with_papers
from moot.app.protocols.panel.question_language import detect_language
from moot.state.papers import Paper

ASKED = {
    "Do street trees keep cities cool?": "en",
    "Should cities ban cars?": "en",
    "Cool roofs versus street trees: what does the evidence say?": "en",
    "¿Refrescan los árboles las ciudades?": "es",
    "Qué dicen los estudios sobre los árboles y el calor": "es",
    "No es lo mismo la sombra que el riego": "es",
    "行道树能让城市街道降温吗？": "zh",
    "What does 行道树 mean for cities?": "en",
    "CRISPR?": "zh",
    "": "zh",
}


@pytest.mark.parametrize(("question", "language"), ASKED.items())
def test_a_question_s_own_words_tell_its_language(question: str, language: str) -> None:
    assert detect_language(question) == language


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


def test_from_python_it_stays_chinese_and_says_what_it_was() -> None:
    paper = Paper(id="a2024", title="Trees", text="Trees cool streets.", sha="1")
    reply = chat_with_papers("Do trees cool streets?", papers=[paper], model="rehearsal")
    assert reply["answer"].startswith("# 专家小组") or "结论" in reply["answer"]
    assert (reply["rehearsal"], reply["status"]) == (True, "completed")
    assert reply["headline"]
    assert set(reply["models"].values()) == {"rehearsal"}
