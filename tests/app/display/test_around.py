"""What is said around the talk in every language: a session's log, who sits there, costs, titles, where it goes on."""

import asyncio
import re

import pytest
from command import listed, moot
from moot.app.display.events import StepReported, read_events
from moot.app.main import app
from moot.app.protocols.registry import get_protocol
from moot.app.run.deliberation_options import RunOptions
from moot.app.run.estimate import describe_highest_cost
from moot.app.run.request import build_request
from moot.prompts import LANGUAGES
from moot.state.discussion import DiscussionSettings
from moot.state.session.log import SessionEvent
from typer.testing import CliRunner


def list_lines(language: str, **entry: object) -> list[str]:
    """The lines for an entry of a session's log."""
    data = SessionEvent(kind="session_opened", who="Zoe").model_dump(exclude={"kind"}) | {"seq": 1} | entry
    return [
        str(event.line)
        for event in read_events({"type": "custom", "data": data}, DiscussionSettings(language=language))
        if isinstance(event, StepReported)
    ]


LATE = {"event": "expectation_violated", "turn_within": 120, "action": "warn"}
LOG: dict[str, tuple[dict[str, object], dict[str, str]]] = {
    "declined": (
        {"event": "session_invite_reject", "text": "turn_within"},
        {
            "en": "Zoe declined the invitation. turn_within",
            "es": "Zoe declinó la invitación. turn_within",
            "zh": "Zoe谢绝了邀请。turn_within",
        },
    ),
    "late": (
        LATE | {"turn": 7},
        {
            "en": "Zoe did not speak in time in turn 7 (limit of 120 s: warning).",
            "es": "Zoe no ha hablado a tiempo en el turno 7 (plazo de 120 s: aviso).",
            "zh": "Zoe未在第 7 次发言时限内发言（时限 120 秒：提醒）。",
        },
    ),
    "late with an answer to the invitation": (
        LATE,
        {
            "en": "Zoe has not answered the invitation (limit of 120 s: warning).",
            "es": "Zoe no ha respondido a la invitación (plazo de 120 s: aviso).",
            "zh": "Zoe还没有答复邀请（时限 120 秒：提醒）。",
        },
    ),
    "too late after half a year": (
        LATE | {"turn": 7, "turn_within": 15_768_000.5, "action": "hide"},
        {
            "en": "Zoe did not speak in time in turn 7 (limit of 15768000.5 s: turns are skipped).",
            "es": "Zoe no ha hablado a tiempo en el turno 7 (plazo de 15768000.5 s: se saltan sus turnos).",
            "zh": "Zoe未在第 7 次发言时限内发言（时限 15768000.5 秒：跳过其发言）。",
        },
    ),
    "hidden": (
        {"event": "participant_hidden", "turn": 7},
        {
            "en": "The turns of Zoe are skipped until they return.",
            "es": "Se saltan los turnos de Zoe hasta que vuelva.",
            "zh": "在Zoe回来之前跳过其发言。",
        },
    ),
    "left out": (
        {"event": "participant_hidden"},
        {
            "en": "The session opens without Zoe, who may join later.",
            "es": "La sesión se abre sin Zoe, que puede unirse después.",
            "zh": "会话先行开始，Zoe可稍后加入。",
        },
    ),
    "back": (
        {"event": "participant_restored", "turn": 7},
        {"en": "Zoe is back.", "es": "Zoe ha vuelto.", "zh": "Zoe回来了。"},
    ),
    "over": (
        {"event": "session_expired", "text": "ttl"},
        {"en": "The session's time is over.", "es": "Se agotó el tiempo de la sesión.", "zh": "会话的时间已到。"},
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("entry", "said"), LOG.values(), ids=LOG)
def test_a_session_s_log_is_told_in_its_language(entry: dict[str, object], said: dict[str, str], language: str) -> None:
    assert list_lines(language, **entry) == [said[language]]


def test_statements_and_missed_turns_of_the_log_are_not_told_twice() -> None:
    assert [list_lines("zh", event=kind, turn=2) for kind in ("text", "turn_passed", "session_opened")] == [[], [], []]


def typed(lines: str, *words: str) -> str:
    """What the command shows, with these lines on standard input."""
    return CliRunner().invoke(app, words, input=lines, prog_name="moot", catch_exceptions=False).stdout


AT_THE_TABLE = {
    "en": ["Zoe · turn 1>", "Zoe (you, speaks next)\nAda", "Saved as discussion-", "No model was used."],
    "es": [
        "Zoe · turno 1>",
        "Zoe (usted, habla a continuación)\nAda",
        "Guardada como disc",
        "No se usó ningún",
    ],
    "zh": ["Zoe · 第 1 次发言>", "Zoe（您、下一个发言）\nAda", "已保存为 discussion-", "没有使用任何模型。"],
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_whoever_sits_at_the_terminal_is_addressed_in_the_session_s_language(language: str) -> None:
    words = ["discussion", "Tea", "--as", "Zoe", "--participant", "Ada", "--model", "rehearsal", "--language", language]
    text = typed("/who\nMilk?\n/close\n", *words)
    assert [part for part in AT_THE_TABLE[language] if part not in text] == []


COSTS = {
    "en": r"model openai:x; up to \d+ calls and about [\d,]+ tokens without retries; price unknown: openai:x",
    "es": r"modelo openai:x; hasta \d+ llamadas y unos [\d,]+ tokens sin reintentos; precio desconocido: openai:x",
    "zh": r"模型 openai:x；不计重试，最多 \d+ 次调用，约 [\d,]+ 个词元；价格未知：openai:x",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_run_costs_at_most_is_said_in_its_language(language: str) -> None:
    request = build_request(
        get_protocol("debate"), {"topic": "Tea", "model": "openai:x", "language": language}, RunOptions()
    )
    assert re.fullmatch(COSTS[language], asyncio.run(describe_highest_cost(request)))


GOES_ON = {
    "en": "Resuming {run} after turn 2.\n",
    "es": "Se reanuda {run} tras el turno 2.\n",
    "zh": "从第 2 次发言之后继续 {run}。\n",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_a_run_goes_on_is_said_in_its_language(language: str) -> None:
    typed(
        "Milk?\n",
        "discussion",
        "Tea",
        "--as",
        "Zoe",
        "--participant",
        "Ada",
        "--model",
        "rehearsal",
        "--language",
        language,
    )
    run = listed()[0]["run"]
    assert GOES_ON[language].format(run=run) in typed("", "resume", run)


TITLES = {
    "en": ["Debate: Tea\n", "PRO: argues FOR the motion"],
    "es": ["Debate: Tea\n", "PRO: argumenta A FAVOR de la moción"],
    "zh": ["辩论：Tea\n", "PRO：正方，支持辩题"],
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_run_has_the_same_title_and_cast_live_in_its_transcript_and_in_markdown(language: str) -> None:
    live = moot("debate", "Tea", "--model", "rehearsal", "--max-turns", "2", "--language", language).stdout
    run = listed()[0]["run"]
    marked = moot("show", run, "--format", "md").stdout.replace("**", "")
    for text in (live, moot("show", run).stdout, marked):
        assert [part for part in TITLES[language] if part not in text] == []
