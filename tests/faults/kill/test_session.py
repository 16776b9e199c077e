"""Kill -9 while a session is being opened, between any two writes: it opens when it is taken up, and once."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command import listed, moot
from fakeserver import FakeServer
from moot import open_session
from moot.app.session import locking as desk
from moot.nodes.session import take_turn
from moot.state.session.log import SessionEvent
from runs.killing import forked
from sampling import sample_cases

OPENING = ["input", "input taken", "convene", "seated", "invite", "invited", "begin"]
"""What was saved last before the process died, from its first write on."""


@pytest.mark.long
@pytest.mark.parametrize("saved", sample_cases(OPENING, kinds=0))
def test_a_session_that_was_killed_while_it_opened_is_opened_by_whoever_takes_it_up(saved: str, tmp_path: Path) -> None:
    told: list[SessionEvent] = []
    with FakeServer() as server:
        model = ["--model", f"openai:fake@{server.url}", "--max-turns", "4"]
        words = ["discussion", "Tea?", "--as", "Zoe", "--participant", "Ada", "--participant", "Ben", *model]
        with forked(words, tmp_path / "journal", fatal=OPENING.index(saved) + 2, apart=True) as process:
            process.join()
        run = listed()[0]["run"]
        waits = moot("resume", run)
        assert (waits.exit_code, len(server.chats)) == (3, 0)
        assert "Waiting for Zoe (turn 1)" in waits.stderr
        session = open_session(run=run, on_event=told.append)
        session.send("Zoe", "Tea, then.")
        look = session.load_snapshot()
    assert [statement.speaker for statement in look.history] == ["Zoe", "Ada", "Ben"]
    assert look.expected_next_speaker == "Zoe"
    assert [event.kind for event in look.events].count("session_opened") == 1
    assert [event.seq for event in look.events] == list(range(1, len(look.events) + 1))
    assert [one.kind for one in told] == ["text", "text", "text"]


def test_from_python_too(tmp_path: Path) -> None:
    told: list[SessionEvent] = []
    words = ["discussion", "Tea?", "--as", "Zoe", "--participant", "Ada", "--model", "rehearsal", "--max-turns", "2"]
    with forked(words, tmp_path / "journal", fatal=OPENING.index("seated") + 2, apart=True) as process:
        process.join()
    session = open_session(run=listed()[0]["run"], on_event=told.append)
    assert session.can_send("Zoe")
    assert not session.can_send("Ada")
    assert [one.seq for one in told] == list(range(1, len(told) + 1))
    assert told[-1].kind == "session_opened"


@pytest.mark.parametrize("way", ["closed", "expired"])
def test_what_a_model_said_before_the_kill_is_kept_whatever_ends_the_session(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The statement was saved, the step not yet entered: nothing that is written into the session replaces it."""
    with FakeServer() as server:
        words = ["discussion", "Tea?", "--models-only", "--ttl", "60", "--model", f"openai:fake@{server.url}"]
        with forked(words, tmp_path / "journal", fatal=13, apart=True) as process:
            process.join()
        assert (tmp_path / "journal").read_text().endswith("take_turn\n")
        session = open_session(run=listed()[0]["run"])
        if way == "expired":
            later = datetime.now(UTC) + timedelta(hours=1)
            for module in (desk, take_turn):
                monkeypatch.setattr(module, "get_time", lambda: later)
            look = session.advance()
        else:
            look = session.close("Ben")
        assert len(server.chats) == 1
    assert (look.status, [statement.speaker for statement in look.history]) == (way, ["Ada"])
