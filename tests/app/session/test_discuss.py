"""`moot discussion`: who sits at the table, what can be typed, and how it goes on later."""

import html
import json
import os
import pty
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from command import PROGRAM, document, listed, moot, name_of
from command.terminal import typed as at_a_terminal
from fakeserver import FakeServer
from moot import open_session
from moot.app.main import app
from moot.app.session import terminal_session as conversation
from moot.app.session.api import AsyncSession
from moot.app.session.participation import choose_seat
from moot.state.errors import InputError
from moot.state.statement import Participant
from typer.testing import CliRunner, Result


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer() as server:
        yield server


@pytest.fixture
def model(server: FakeServer) -> list[str]:
    return ["--model", f"openai:fake@{server.url}"]


def typed(lines: str, *words: str) -> Result:
    """The command with these lines on standard input."""
    return CliRunner().invoke(app, list(words), input=lines, prog_name="moot", catch_exceptions=False)


def test_three_models_speak_six_turns_and_print_one_document() -> None:
    report = document("discussion", "Names for a cat", "--models-only", "--max-turns", "6", "--model", "rehearsal")
    assert [turn["speakerId"] for turn in report["turns"]] == ["Ada", "Ben", "Cleo"] * 2
    assert (report["protocol"], report["status"], report["terminationReason"]) == (
        "discussion",
        "completed",
        "max_turns_reached",
    )
    assert (report["sessionStatus"], report["turnCount"]) == ("closed", 6)
    assert report["participantOrder"] == ["Ada", "Ben", "Cleo"]
    assert [event["seq"] for event in report["events"]] == list(range(1, len(report["events"]) + 1))
    assert document("show", report["run"]) == report


REFUSED = {
    "models without an end": (["--models-only"], "give max_turns, max_rounds or ttl"),
    "no terminal": ([], "give max_turns, max_rounds or ttl"),
    "another ordering": (["--max-turns", "4", "--set", "ordering=free"], "ordering = 'free': must be 'round"),
    "one alone": (["--max-turns", "4", "--participant", "Ada"], "a session needs two participants or more"),
    "the same name twice": (["--as", "Zoe", "--participant", "zoe"], "must differ from the other names"),
    "a topic for a saved session": (
        ["--run", "discussion-x"],
        "topic = 'Tea': the saved session discussion-x has its own",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_bad_input_is_refused_in_one_line(case: tuple[list[str], str], model: list[str], server: FakeServer) -> None:
    words, why = case
    document("discussion", "Tea", "--models-only", "--max-turns", "2", "--model", "rehearsal")
    chat_count = len(server.chats)
    result = moot("discussion", "Tea", *words, *model)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert why in result.stderr
    assert (len(server.chats), len(listed())) == (chat_count, 1)


OPENING = {
    "a model": (["--model", "rehearsal"], "--model = 'rehearsal'"),
    "a cap": (["--max-total-tokens", "9"], "--max-total-tokens = 9"),
    "a knob": (["--set", "temperature=0.2"], "--set = ['temperature=0.2']"),
    "a guest": (["--participant", "Ben"], "--participant = ['Ben']"),
    "a time to live": (["--ttl", "60"], "--ttl = 60.0"),
    "a file": (["--config", "nowhere.yaml"], "--config = 'nowhere.yaml'"),
}


@pytest.mark.parametrize("case", OPENING.values(), ids=OPENING)
def test_a_saved_session_has_its_own_settings(case: tuple[list[str], str]) -> None:
    words, said = case
    output = moot("discussion", "--run", "discussion-x", *words)
    assert output.exit_code == 2
    assert (
        output.stderr
        == f"moot: {said}: the saved session discussion-x has its own; leave this out, or leave out --run\n"
    )


def test_a_session_that_is_not_saved_is_not_found() -> None:
    document("discussion", "Tea", "--models-only", "--max-turns", "2", "--model", "rehearsal")
    assert "no such run" in moot("discussion", "--run", "discussion-nobody").stderr


def test_a_person_talks_looks_round_and_closes(model: list[str], server: FakeServer) -> None:
    chat_count = len(server.chats)
    lines = "Tibbles?\n/who\n/history\n/dance\n \nMisty?\n/close that will do\n"
    result = typed(
        lines, "discussion", "Names for a cat", "--as", "Zoe", "--participant", "Ada", "--participant", "Ben", *model
    )
    assert result.exit_code == 0, result.stderr
    assert re.findall(r"\[(\d)\] (\w+)\n", result.stdout)[:3] == [("1", "Zoe"), ("2", "Ada"), ("3", "Ben")]
    assert "Zoe (you, speaks next)\nAda\nBen\n" in result.stdout
    assert "/dance is not a command; use /close [reason], /back, /who, /history" in result.stdout
    assert "Zoe: the text is blank (expected: Zoe)" in result.stdout
    assert "Ended after turn 6: Zoe closed the session (“that will do”)." in result.stdout
    assert len(server.chats) - chat_count == 4
    report = document("show", name_of(result.stdout))
    assert (report["turnCount"], report["events"][-1]["text"]) == (6, "that will do")


def test_an_absent_person_stops_it_resumable(model: list[str], server: FakeServer) -> None:
    stopped = typed("Tibbles?\n", "discussion", "Tea", "--as", "Zoe", *model)
    run = listed()[0]["run"]
    assert stopped.exit_code == 3
    assert f"Waiting for Zoe (turn 4). Saved. Continue: moot join {run} --as Zoe" in stopped.stderr.splitlines()[-1]
    chat_count = len(server.chats)
    again = moot("resume", run)
    assert (again.exit_code, len(server.chats)) == (3, chat_count)
    assert "Waiting for Zoe (turn 4)" in again.stderr
    other = typed("", "discussion", "--run", run, "--as", "Eve")
    assert (other.exit_code, "--as = 'Eve': has no seat in this run; choose Zoe" in other.stderr) == (2, True)
    closed = typed("Misty?\n/close\n", "discussion", "--run", run, "--as", "Zoe")
    assert closed.exit_code == 0
    assert document("show", run)["turnCount"] == 6
    assert "closed" in moot("resume", run).stdout


def test_with_a_document_asked_for_nothing_else_is_printed_and_waiting_prints_it_too(model: list[str]) -> None:
    ended = typed("Tea!\n/close\n", "discussion", "Tea", "--as", "Zoe", "--json", *model)
    assert (ended.exit_code, ended.stdout[:2]) == (0, "{\n")
    waiting = typed("Tea!\n", "discussion", "Tea", "--as", "Zoe", "--json", *model)
    assert (waiting.exit_code, json.loads(waiting.stdout)["turnCount"]) == (3, 3)


@pytest.mark.long
def test_a_fork_of_a_session_waits_for_the_same_person_and_says_how_to_go_on(model: list[str]) -> None:
    typed("Tea!\n", "discussion", "Tea", "--as", "Zoe", "--participant", "Ada", *model)
    run = listed()[0]["run"]
    steps = json.loads(moot("checkpoints", run, "--json").stdout)
    assert steps[0]["ran"] == ["convene"], "what nobody has settled yet is no moment to go on from"
    fork = moot("fork", run, "--turn", "1", "--set", "statement.1=Coffee!")
    assert (fork.exit_code, "What differed" in fork.stdout) == (3, True)
    assert re.search(r"Waiting for Zoe \(turn 3\). Saved. Continue: .*moot join discussion-", fork.stderr)


@pytest.mark.long
def test_others_join_from_another_terminal(model: list[str], tmp_path: Path) -> None:
    config = tmp_path / "table.yaml"
    config.write_text("participants: [{name: Zoe, kind: person}, {name: Yan, kind: person}, Ada]\n")
    first = typed("", "discussion", "Tea", "--config", str(config), *model)
    assert first.exit_code == 3
    assert "Waiting for Yan to answer the invitation" in first.stderr
    run = listed()[0]["run"]
    assert "Unfinished; statements so far: 0.\nWaiting for Yan.\n" in moot("show", run).stdout
    assert moot("show", run, "--format", "md").stdout.startswith("# Discussion: Tea\n\n- **Zoe**\n- **Yan**\n")
    joined = typed("", "discussion", "--run", run, "--as", "Yan")
    assert (joined.exit_code, "Waiting for Zoe (turn 1)" in joined.stderr) == (3, True)
    assert "Waiting for Yan (turn 2)" in typed("Hello.\n", "discussion", "--run", run, "--as", "Zoe").stderr
    last = typed("Hello!\n", "discussion", "--run", run, "--as", "Yan")
    assert "Waiting for Zoe (turn 4)" in last.stderr
    assert "[3] Ada" in last.stdout


def test_an_invitation_can_be_declined_from_a_terminal_too(model: list[str], tmp_path: Path) -> None:
    config = tmp_path / "table.yaml"
    guest = "{name: Bot, kind: program, required: false}"
    config.write_text(f"participants: [{{name: Zoe, kind: person}}, {{name: Yan, kind: person}}, {guest}, Ada]\n")
    typed("", "discussion", "Tea", "--config", str(config), *model)
    run = listed()[0]["run"]
    guest_left = typed("", "discussion", "--run", run, "--as", "Bot", "--decline", "")
    assert (guest_left.exit_code, "Bot declined; the session continues." in guest_left.stdout) == (0, True)
    ended = typed("", "discussion", "--run", run, "--as", "Yan", "--decline", "No time.")
    assert (ended.exit_code, "Yan declined the invitation (“No time.”)." in ended.stdout) == (0, True)
    assert listed()[0]["ending"] == document("show", run)["terminationReason"] == "declined"
    report = html.unescape(moot("show", run, "--format", "html").stdout)
    assert (">declined</dd>" in report, report.count("No time.”")) == (True, 1), "said once, in the headline"
    late = typed("", "discussion", "--run", run, "--as", "Yan", "--decline", "")
    assert (late.exit_code, "no invitation is open" in late.stderr) == (2, True)
    assert typed("", "discussion", "Tea", "--decline", "").exit_code == 2


def test_a_model_of_its_own_for_one_participant(model: list[str]) -> None:
    words = ["--participant", "Ada", "--participant", "Ben=rehearsal", "--max-turns", "2"]
    report = document("discussion", "Tea", *words, *model)
    assert [participant["model"] for participant in report["participants"]] == ["", "rehearsal"]


@pytest.mark.long
def test_ctrl_c_at_the_prompt_stops_it_resumable(server: FakeServer) -> None:
    words = [PROGRAM, "discussion", "Tea", "--as", "Zoe", "--model", f"openai:fake@{server.url}"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, env=dict(os.environ), text=True)
    assert process.stdout is not None
    text = ""
    while "turn 1>" not in text:
        text += process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"moot: stopped. Saved. Continue: {PROGRAM} resume {listed()[0]['run']}" in errors


def test_the_table_of_a_config_file_is_joined_by_name(model: list[str], tmp_path: Path) -> None:
    config = tmp_path / "table.yaml"
    config.write_text("participants: [{name: Zoe, kind: person}, Ada]\nexpectations: []\n")
    result = typed("Tea!\n/close\n", "discussion", "Tea", "--config", str(config), "--as", "Zoe", *model)
    assert "Ended after turn 2" in result.stdout
    nobody = typed("", "discussion", "Tea", "--config", str(config), "--as", "Eve", *model)
    assert (nobody.exit_code, "--as = 'Eve': has no seat in this run; choose Zoe" in nobody.stderr) == (2, True)
    assert len(listed()) == 1


@pytest.mark.long
def test_at_a_terminal_you_are_the_creator_with_two_models(server: FakeServer, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    words = [PROGRAM, "discussion", "Names for a cat", "--model", f"openai:fake@{server.url}"]
    process = subprocess.Popen(
        words, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ), text=True
    )
    os.close(theirs)
    os.write(ours, b"Tibbles?\n/close\n")
    output, errors = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 0, errors
    assert "You\nAda\nBen\n" in output
    assert "Ended after turn 3" in output


@pytest.mark.long
def test_several_paragraphs_pasted_are_one_turn(server: FakeServer, tmp_path: Path) -> None:
    words = [
        "discussion",
        "Names for a cat",
        "--as",
        "Zoe",
        "--participant",
        "Ada",
        "--model",
        f"openai:fake@{server.url}",
    ]
    keys = [("turn 1> ", "Tibbles.\n\nOr Misty?\n"), ("turn 3> ", "/close\n")]
    seen = at_a_terminal(words, keys)
    assert seen.code == 0, seen.text
    report = document("show", listed()[0]["run"])
    assert report["turns"][0]["content"] == "Tibbles.\n\nOr Misty?"
    assert [turn["speakerId"] for turn in report["turns"]] == ["Zoe", "Ada"]


SITTING = "participants: [{name: Zoe, kind: person}, {name: Yan, kind: person}, Ada]\n"


@pytest.fixture
def run(model: list[str], tmp_path: Path) -> str:
    """A session of two people and a model, in which Zoe has the first word."""
    config = tmp_path / "table.yaml"
    config.write_text(SITTING)
    typed("", "discussion", "Tea", "--config", str(config), "--as", "Zoe", *model)
    run: str = listed()[0]["run"]
    open_session(run=run).answer_invitation("Yan")
    return run


def entering(entered: Callable[[str, object], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have this in place of what is typed in a session; the seats of runs borrow `read_input`, and keep their own."""
    import_module("moot.app.people.terminal_seat")
    monkeypatch.setattr(conversation, "read_input", entered)


def test_a_text_that_came_too_late_is_kept_and_offered_again(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = iter(["Tea for me.\n", "\n", ""])

    def entered(prompt: str, terminal: object) -> str:
        line = next(lines)
        if line.startswith("Tea"):
            open_session(run=run).send("Zoe", "Said elsewhere.")
            open_session(run=run).send("Yan", "Yes.")
        return line

    entering(entered, monkeypatch)
    result = moot("join", run, "--as", "Zoe")
    assert result.exit_code == 3
    assert "Zoe: turn 1 is not open; the open turn is 4" in result.stdout
    assert "This came too late for its turn. Press Enter on an empty line to send it now:\nTea for me." in result.stdout
    assert re.search(r"\[2\] Yan\n *Yes\.", result.stdout), "what was said meanwhile is shown"
    said = [
        (turn["speakerId"], turn["content"]) for turn in document("show", run)["turns"] if turn["speakerId"] != "Ada"
    ]
    assert said == [("Zoe", "Said elsewhere."), ("Yan", "Yes."), ("Zoe", "Tea for me.")]


def test_a_text_that_could_not_be_sent_is_shown_when_nobody_is_left(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def entered(prompt: str, terminal: object) -> str:
        open_session(run=run).close("Yan")
        return "Tea for me.\n"

    entering(entered, monkeypatch)
    result = moot("join", run, "--as", "Zoe")
    assert "Not sent:\nTea for me." in result.stdout


@pytest.mark.parametrize("is_recorded", [True, False])
def test_a_text_is_said_to_be_unsent_only_where_the_record_has_it_not(
    is_recorded: bool, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = AsyncSession.send

    async def send_and_stop(session: AsyncSession, *words: Any, **options: Any) -> None:
        if is_recorded:
            await send(session, *words, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(AsyncSession, "send", send_and_stop)
    result = typed("Tea for me.\n", "join", run, "--as", "Zoe")
    assert result.exit_code == 130
    assert ("Not sent" in result.stdout) is not is_recorded
    contents = [turn["content"] for turn in document("show", run)["turns"] if turn["speakerId"] == "Zoe"]
    assert contents == ["Tea for me."] * is_recorded


def test_what_was_said_since_is_shown_on_coming_back(run: str) -> None:
    session = open_session(run=run)
    session.send("Zoe", "I begin.")
    session.send("Yan", "Milk first.")
    back = typed("", "join", run, "--as", "Zoe")
    assert (back.exit_code, "[2] Yan\n" in back.stdout, "Milk first." in back.stdout) == (3, True, True)
    assert "[3] Ada" in back.stdout
    assert "I begin." not in back.stdout, "one's own words are known"


SEATS = [
    ("Zoe", [("Zoe", "person"), ("Yan", "person")], "Zoe"),
    ("", [("Zoe", "person")], ""),
    ("You", [("Zoe", "person"), ("Ada", "model")], "Zoe"),
    ("You", [("Bot", "program"), ("Ada", "model")], ""),
    ("Bot", [("Bot", "program"), ("Ada", "model")], "Bot"),
]


@pytest.mark.parametrize(("person", "cast", "seat"), SEATS)
def test_whoever_sits_here_has_the_seat_of_their_name_or_the_only_one_a_person_has(
    person: str, cast: list[tuple[str, Any]], seat: str
) -> None:
    assert choose_seat(person, [Participant(name=name, kind=kind) for name, kind in cast]) == seat


def test_nobody_is_given_the_seat_of_somebody_else(run: str) -> None:
    cast = [Participant(name=name, kind="person") for name in ("Zoe", "Yan")]
    with pytest.raises(InputError, match="--as = None: several people take part; give your name, one of: Zoe, Yan"):
        choose_seat("You", cast)
    model = moot("join", run, "--as", "Ada")
    assert (model.exit_code, "--as = 'Ada': a model has this seat; choose Zoe, Yan" in model.stderr) == (2, True)
    assert "--as = None: give your name" in moot("join", run).stderr


def test_the_help_says_what_one_turn_is_at_a_terminal_and_from_a_pipe() -> None:
    text = " ".join(moot("discussion", "--help").stdout.split())
    assert "Several paragraphs pasted at a terminal are one turn; from a pipe each line is a turn of its own." in text


@pytest.mark.long
def test_the_printed_command_goes_on_with_a_rehearsed_session_at_a_terminal() -> None:
    words = ["discussion", "Tea", "--as", "Zoe", "--participant", "Ada", "--model", "rehearsal"]
    left = at_a_terminal(words, [("Zoe · turn 1", "Tea it is.\r"), ("Zoe · turn 3", "\x04")])
    printed = re.search(r"Continue: \S*moot (join \S+ --as \S+)", left.text)
    assert (left.code, printed is not None) == (3, True), left.text
    again = at_a_terminal(printed[1].split(), [("Zoe · turn 3", "/close\r")])
    assert (again.code, "Error" not in again.text) == (0, True), again.text


@pytest.mark.long
def test_a_paste_is_one_turn_a_backslash_goes_on_and_whoever_comes_back_is_told_where_it_stands() -> None:
    words = ["discussion", "Tea", "--as", "Zoe", "--participant", "Ada", "--model", "rehearsal", "--no-pacing"]
    paste = "\x1b[200~Tea it is.\n\nOr coffee?\x1b[201~\r"
    keys = [("turn 1> ", paste), ("turn 3> ", "One thing\\\r"), ("… ", "and another.\r"), ("turn 5> ", "\x04")]
    left = at_a_terminal(words, keys)
    assert (
        "Enter sends. A backslash at the end of a line continues on the next line. Commands: /close [reason]"
        in left.text
    )
    run = listed()[0]["run"]
    contents = [turn["content"] for turn in document("show", run)["turns"] if turn["speakerId"] == "Zoe"]
    assert contents == ["Tea it is.\n\nOr coffee?", "One thing\nand another."]
    back = at_a_terminal(["join", run, "--as", "Zoe"], [("turn 5> ", "/close\r")])
    assert "Turns so far: 4; you spoke last in turn 3." in back.text


@pytest.mark.long
def test_a_name_is_asked_once_and_kept(tmp_path: Path) -> None:
    words = ["discussion", "Tea", "--participant", "Ada", "--model", "rehearsal", "--no-pacing"]
    asked = at_a_terminal(words, [("Your name (asked once", "Zoe\r"), ("Zoe · turn 1> ", "/close\r")])
    assert (asked.code, (tmp_path / "config" / "moot" / "name").read_text()) == (0, "Zoe\n")
    again = at_a_terminal(words, [("Zoe · turn 1> ", "/close\r")])
    assert (again.code, "Your name" in again.text) == (0, False)
