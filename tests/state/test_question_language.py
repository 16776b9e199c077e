"""The language of a question: zh by Chinese characters without kana, es by its words and marks, else en."""

import pytest
from moot.state.panel import detect_language

QUESTIONS = {
    "Do street trees keep cities cool?": "en",
    "Cool roofs versus street trees: what does the evidence say?": "en",
    "¿Refrescan los árboles las ciudades?": "es",
    "Qué dicen los estudios sobre los árboles y el calor": "es",
    "No es lo mismo la sombra que el riego": "es",
    "mañana árboles": "es",
    "The jalapeño diet and the heart": "en",
    "行道树能让城市街道降温吗？": "zh",
    "CRISPR能治疗镰状细胞病吗？": "zh",
    "RAG是什么": "zh",
    "什么是Transformer": "zh",
    "GPT-4和Claude的区别": "zh",
    "BERT与GPT哪个好？": "zh",
    "维生素A和B哪个好": "zh",
    "What is 人工智能?": "en",
    "Transformer 是": "en",
    "街路樹は都市を涼しくしますか？": "en",
    "What does 行道树 mean for cities?": "en",
    "Verkehr in Städten": "en",
    "CRISPR?": "en",
    "": "en",
}


@pytest.mark.parametrize(("question", "language"), QUESTIONS.items())
def test_characters_and_words_tell_the_language_of_a_question(question: str, language: str) -> None:
    assert detect_language(question) == language
