"""What a display tells of turns, tries and missed turns, in every language."""

from typing import Any

import pytest
from command.display import show_events
from moot.app.display.events import (
    CallsMade,
    RetryStarted,
    RunEvent,
    StatementAdded,
    StepStarted,
    TurnMissed,
    WordsStreamed,
)
from moot.prompts import LANGUAGES
from moot.state.records import Incident
from moot.state.statement import Statement

ONE = Statement(turn=3, round=2, speaker="Ann", content="…", tokens=1234)
LOST = TurnMissed(Incident(where="speak", who="Ann", what="…", consequence="missed", turn=3))
AGAIN = [WordsStreamed("Ann", "statement", "…"), RetryStarted("Ann", "rejected")]
Case = tuple[list[RunEvent], dict[str, Any], dict[str, str]]

LINES: dict[str, Case] = {
    "who is waited for, and what was spent": (
        [CallsMade(1, 1234), StepStarted("speak", "Ann", 1)],
        {},
        {
            "en": "Ann is thinking · turn 1/4 · 1,234 tokens · 0:00",
            "es": "Ann está pensando · turno 1/4 · 1,234 tokens · 0:00",
            "zh": "Ann正在思考 · 第 1/4 次发言 · 1,234 个词元 · 0:00",
        },
    ),
    "whose turn it is": (
        [StatementAdded(ONE)],
        {},
        {"en": "Ann · turn 3 of 4\n…", "es": "Ann · turno 3 de 4\n…", "zh": "Ann · 第 3 次发言（上限 4 次）\n…"},
    ),
    "what a statement cost": (
        [StatementAdded(ONE)],
        {},
        {"en": "…\n1,234 tokens\n", "es": "…\n1,234 tokens\n", "zh": "…\n1,234 个词元\n"},
    ),
    "who speaks at the same time as others": (
        [
            StepStarted("speak_blind", "Ann", 1),
            StepStarted("speak_blind", "Ben", 2),
            WordsStreamed("Ann", "statement", "…"),
        ],
        {},
        {"en": "Ann · turn 1 of 4\n…", "es": "Ann · turno 1 de 4\n…", "zh": "Ann · 第 1 次发言（上限 4 次）\n…"},
    ),
    "who is asked again": (
        AGAIN,
        {},
        {
            "en": "Ann: retrying (unusable answer)",
            "es": "Ann: nuevo intento (respuesta inservible)",
            "zh": "Ann：正在重试（回答无法采用）",
        },
    ),
    "the synthesis, and who writes it": (
        [WordsStreamed("synthesizer", "synthesis", "…"), RetryStarted("synthesizer", "timeout")],
        {},
        {
            "en": "\nSynthesis\n…\nsynthesizer: retrying (timeout)\n",
            "es": "\nSíntesis\n…\nquien escribe la síntesis: nuevo intento (sin respuesta a tiempo)\n",
            "zh": "\n综述\n…\n综述者：正在重试（超时）\n",
        },
    ),
    "a missed turn": (
        [LOST],
        {},
        {
            "en": "Ann missed turn 3: …",
            "es": "Ann perdió el turno 3: …",
            "zh": "Ann错过第 3 次发言：…",
        },
    ),
    "a missed turn in a pipe": (
        [LOST],
        {"live": False},
        {
            "en": "[3] Ann missed this turn: …",
            "es": "[3] Ann perdió este turno: …",
            "zh": "[3] Ann错过此次发言：…",
        },
    ),
    "more detail": (
        [StatementAdded(ONE), CallsMade(1, 1234), CallsMade(2, 5), RetryStarted("Ann", "timeout")],
        {"live": False, "level": "debug"},
        {
            "en": "(statement 3 of round 2)|(1 call, 1,234 tokens)|(2 calls, 5 tokens)|Ann: retrying (timeout)",
            "es": "(intervención 3, ronda 2)|(1 llamada, 1,234 tokens)|(2 llamadas, 5 tokens)|"
            "Ann: nuevo intento (sin respuesta a tiempo)",
            "zh": "（第 2 轮，第 3 次发言）|（1 次调用，1,234 个词元）|（2 次调用，5 个词元）|Ann：正在重试（超时）",
        },
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", LINES.values(), ids=LINES)
def test_a_display_tells_it_in_the_run_s_language(case: Case, language: str) -> None:
    events, settings, told = case
    text = show_events(*events, language=language, **settings)
    assert [line for line in told[language].split("|") if line not in text] == []
