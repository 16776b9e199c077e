"""The live display: words as they come, one speaker at a time, and nothing that could take over a terminal."""

import asyncio
import re
from io import StringIO

import pytest
from command import moot
from command.display import CONTROL, show_events
from command.terminal import typed
from fakeserver import FakeServer
from moot.app.display.events import CallsMade, RetryStarted, StatementAdded, StepStarted, TurnMissed, WordsStreamed
from moot.app.display.live_display import LiveDisplay, TextPacer
from moot.app.display.plain_text import StreamWrapper, flatten_line, format_json, strip_controls
from moot.app.display.screen import Screen
from moot.app.display.transcript import format_statement
from moot.state.debate import DebateSettings
from moot.state.prices import Price, Prices
from moot.state.records import Call, Incident
from moot.state.statement import Participant, Statement
from rich.console import Console

HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07[bold]red[/bold]\x1b[31m \x9b31mtext\x9d0;x\x9c \u202eback \x08\rwards\x00 "
    ":smile: [link=x]y"
)
"""Escape sequences of every kind, markup, emoji names, reordering and control characters."""


def statement(turn: int, speaker: str, content: str) -> Statement:
    return Statement(turn=turn, round=1, speaker=speaker, content=content, tokens=1234)


def test_words_come_under_the_speakers_name_with_turn_and_tokens() -> None:
    said = [
        StepStarted("speak", "Ann", 1),
        WordsStreamed("Ann", "statement", "One "),
        WordsStreamed("Ann", "statement", "two."),
    ]
    text = show_events(
        *said, CallsMade(1, 1234), StatementAdded(statement(1, "Ann", "One two.")), StepStarted("speak", "Ben", 2)
    )
    assert "Ann · turn 1 of 4\nOne two.\n1,234 tokens\n" in text
    assert "Ann is thinking · turn 1/4 · 0 tokens · 0:00" in text
    assert "Ben is thinking · turn 2/4 · 1,234 tokens · 0:00" in text


def test_the_status_line_says_the_money_and_the_time_so_far() -> None:
    file, times = StringIO(), iter([0.0, *[3723.0] * 99])
    screen = Screen()
    screen.console = Console(file=file, force_terminal=True, no_color=True, width=120, _environ={"TERM": "xterm"})
    live = LiveDisplay(screen, TextPacer(), clock=lambda: next(times))
    call = Call(purpose="statement", model="m", input_tokens=500_000)
    prices = Prices(looked_up={"m": Price(input=0.5)}, source="somewhere")
    live.set_run([Participant(name="Ann")], DebateSettings(max_turns=4, prices=prices), [call])

    async def show_calls() -> None:
        await live.show_event(CallsMade(1, 500_000, [call]))
        await live.show_event(StepStarted("speak", "Ann", 3))
        live.end_display()

    asyncio.run(show_calls())
    assert "Ann is thinking · turn 3/4 · 1,000,000 tokens · $0.50 · 1:02:03" in CONTROL.sub("", file.getvalue())


def test_words_that_cost_nothing_have_no_cost_under_them() -> None:
    typed = StatementAdded(Statement(turn=1, round=1, speaker="Ann", content="My own words."))
    assert "0 tokens" not in show_events(typed)


def test_who_speaks_at_the_same_time_is_shown_afterwards() -> None:
    text = show_events(
        StepStarted("speak", "Ann", 1),
        WordsStreamed("Ann", "statement", "I am "),
        WordsStreamed("Ben", "statement", "Me "),
        WordsStreamed("Ann", "statement", "first."),
        WordsStreamed("Ben", "statement", "too."),
        StatementAdded(statement(1, "Ann", "I am first.")),
        StatementAdded(statement(2, "Ben", "Me too.")),
    )
    assert "I am first.\n" in text
    assert "Ben · turn 2 of 4\nMe too.\n" in text


def test_what_is_asked_for_again_and_who_is_passed_over_is_said() -> None:
    lost = Incident(where="speak", who="Ann", what="no answer in time", consequence="missed", turn=1)
    text = show_events(
        StepStarted("speak", "Ann", 1),
        WordsStreamed("Ann", "statement", "One"),
        RetryStarted("Ann", "empty"),
        TurnMissed(lost),
    )
    assert "One\nAnn: retrying (no answer)\n" in text
    assert "Ann missed turn 1: no answer in time" in text


def test_other_answers_have_a_heading_of_their_own() -> None:
    text = show_events(StepStarted("synthesize"), WordsStreamed("synthesizer", "synthesis", "All agreed."))
    assert "the synthesis is being written" in text
    assert "Synthesis\nAll agreed.\n" in text
    assert "weighing again · " in show_events(StepStarted("weighing_again"))


SAID = (
    "I argue that the older ones have the choice on paper only.\n\n[2] Ben\nI concede 没有人看守的门，今天也一样开着。"
)


@pytest.mark.parametrize("size", [1, 2, 7, 200])
def test_what_is_said_breaks_between_words_and_none_of_its_lines_can_pass_for_a_heading(size: int) -> None:
    column = StreamWrapper(24)
    pieces = [column.add_fragment(SAID[start : start + size]) for start in range(0, len(SAID), size)]
    lines = ("".join(pieces) + column.flush_text()).split("\n")
    assert lines == [
        "I argue that the older",
        "  ones have the choice",
        "  on paper only.",
        "",
        "  [2] Ben",
        "  I concede 没有人看守的",
        "  门，今天也一样开着。",
    ]
    assert "\n  [2] Ben\n" in format_statement(1, "Ann", SAID.replace("\n", "\r\n"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x1b[31mb\x1b[0m", "ab"),
        ("a\x1b]8;;http://x\x1b\\b\x1b]8;;\x07c", "abc"),
        ("a\x1bPq#1\x1b\\b", "ab"),
        ("a\x1bcb\x1b(Bc", "abc"),
        ("a\x9b2Jb\x9d0;t\x9cc", "abc"),
        ("a\r\nb\rc\td", "a\nbc\td"),
        ("\u202eevil\u2069 \ufefftext", "evil text"),
        ("👩‍👩‍👧 é 汉字 क्‍ष", "👩‍👩‍👧 é 汉字 क्‍ष"),
        ("a\x1b", "a"),
    ],
)
def test_text_becomes_harmless_and_stays_itself(text: str, expected: str) -> None:
    assert strip_controls(text) == expected


def test_json_and_lines_are_harmless_too() -> None:
    assert format_json({"a": "\x9b31m\u202e汉"}, indent=None) == '{"a": "\\u009b31m\\u202e汉"}'
    assert flatten_line("a\n\x1b[2J b ") == "a b"


@pytest.mark.long
def test_hostile_text_neither_moves_a_terminal_nor_becomes_markup() -> None:
    with FakeServer(reply=lambda _: HOSTILE) as server:
        topic = HOSTILE.replace("\x00", "")
        words = ["debate", topic, "--model", f"openai:fake@{server.url}", "--max-turns", "2"]
        seen = typed(words)
        piped = moot(*words)
    assert seen.code == piped.exit_code == 0
    colours_and_status = r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[[0-9]*[AK]|\x1b\[2K|\r"
    for text in (re.sub(colours_and_status, "", seen.text), piped.stdout):
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)
        assert "[bold]red[/bold]" in text
        assert ":smile: [link=x]y" in text
    assert "owned" not in seen.text + piped.stdout


@pytest.mark.long
def test_a_rehearsal_says_what_it_is_first_and_last() -> None:
    words = ["debate", "Tea or coffee?", "--model", "rehearsal", "--max-turns", "2", "--seed", "1"]
    for seen in (typed(words, [("turn 1 of 2", "\n")]), typed([*words, "--no-pacing"])):
        assert seen.code == 0
        assert "Rehearsal" in seen.text.splitlines()[0]
        assert "No model was used." in seen.text.splitlines()[-1]


def test_the_pace_is_kept_word_by_word_until_somebody_hurries(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            pace.is_pacing = False

    monkeypatch.setattr(asyncio, "sleep", sleep)
    pace, put = TextPacer(), list[str]()
    pace.is_pacing = True
    asyncio.run(pace.show_text("One two  three\nfour five.", put.append))
    assert put == ["One ", "two  ", "three\n", "four ", "five."]
    assert waits == [1 / 60] * 3
    asyncio.run(pace.show_text("Six seven.", put.append))
    assert put[-1] == "Six seven."
