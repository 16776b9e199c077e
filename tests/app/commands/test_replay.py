"""A recording of a run answers in place of its models: the same run again, by anyone, without a network."""

import asyncio
import json
import resource
import stat
from pathlib import Path
from typing import Any

import pytest
from command import document, listed, moot
from fakeserver import FakeServer, Fault, echo_by_hash, script
from moot.models.recording import prepare_recording as recorded, record_reply
from moot.state.debate import DebateSettings
from places import SAMPLES
from runs.five import ALL, lasting, load_document
from sampling import sample_cases

SAID = "Replayed from a recording: Moot asked no model and spent nothing."
OWN = ("record", "replay", "recording_id", "library", "replayed", "recipients", "headline")
"""What tells a replay from the run it repeats."""


def drop_own_keys(found: Any) -> Any:
    """A document without what the clock and the run's name put into it, and without what says that it is a replay."""
    if isinstance(found, dict):
        return {key: drop_own_keys(value) for key, value in found.items() if key not in OWN}
    return [drop_own_keys(one) for one in found] if isinstance(found, list) else lasting(found)


def tokens(found: dict[str, Any]) -> list[tuple[int, int]]:
    return [(call["input_tokens"], call["output_tokens"]) for call in found["calls"]]


@pytest.mark.parametrize(
    "name",
    sample_cases(
        [name if name in ("debate", "justice") else pytest.param(name, marks=pytest.mark.long) for name in ALL],
        kinds=0,
        share=3,
    ),
)
def test_a_recorded_run_is_played_again_without_a_server_and_comes_out_the_same(name: str, tmp_path: Path) -> None:
    recording = tmp_path / "run.jsonl"
    with FakeServer(ALL[name].reply) as server:
        words = ALL[name].on(server)
        recorded = document(*words, "--record", recording, "--db", tmp_path / "a.db")
    again = document(*words, "--replay", recording, "--db", tmp_path / "b.db")
    assert again["replayed"]
    assert again["headline"] == f"{SAID} {recorded['headline']}"
    assert {call["replayed"] for call in again["calls"]} == {True}
    assert drop_own_keys(lasting(again)) == drop_own_keys(lasting(recorded))
    assert tokens(again) == tokens(recorded)


def debate(server: FakeServer, *words: str | Path) -> list[str | Path]:
    return [
        "debate",
        "Tea?",
        "--model",
        f"openai:fake@{server.url}",
        "--max-turns",
        "2",
        "--set",
        "retry_delays=[0]",
        *words,
    ]


def test_failed_tries_and_refused_settings_are_replayed_like_the_answers(tmp_path: Path) -> None:
    faults = [
        Fault.status(503),
        "no",
        Fault.unsupported("temperature"),
    ]
    recording = tmp_path / "run.jsonl"
    with FakeServer(script([*faults, *(f"{n}: what I say at some length, for once." for n in range(9))])) as server:
        recorded = document(*debate(server, "--record", recording))
    again = document(*debate(server, "--replay", recording))
    outcomes = [(call["purpose"], call["outcome"]) for call in recorded["calls"]]
    assert len(outcomes) > 3
    assert [(call["purpose"], call["outcome"]) for call in again["calls"]] == outcomes
    assert drop_own_keys(lasting(again["incidents"])) == drop_own_keys(lasting(recorded["incidents"]))


def test_what_is_not_recorded_stops_the_run_with_what_differs_and_asks_nobody(tmp_path: Path) -> None:
    recording = tmp_path / "run.jsonl"
    with FakeServer(echo_by_hash) as server:
        moot(*debate(server, "--record", recording, "--pro", "an optimist"))
        chat_count = len(server.chats)
        output = moot(*debate(server, "--replay", recording, "--pro", "a pessimist"))
        assert len(server.chats) == chat_count
    assert output.exit_code == 3
    assert "the recording does not contain this request (who PRO, purpose statement, turn 1" in output.stderr
    assert "record the run again, or fork it without replay. Saved. Continue: " in output.stderr
    lines = output.stderr.splitlines()
    assert lines[-1] != lines[0]
    at = lines.index("--- recorded")
    assert lines[at + 1] == "+++ asked now"
    assert [(line[0], word) for line in lines[at:] for word in ("optimist", "pessimist") if word in line] == [
        ("-", "optimist"),
        ("+", "pessimist"),
    ]


def test_a_replay_that_lacks_an_answer_says_how_to_ask_for_it_and_that_helps(tmp_path: Path) -> None:
    recording = tmp_path / "run.jsonl"
    words = ["debate", "Tea?", "--model", "rehearsal", "--seed", "1", "--max-turns", "4"]
    whole = document(*words, "--record", recording)
    recording.write_text("".join(recording.read_text().splitlines(keepends=True)[:3]))
    output = moot(*words, "--replay", recording)
    name = listed()[0]["run"]
    assert f"fork {name} --turn N (list the turns: " in output.stderr
    assert moot("resume", name).exit_code == 3
    assert moot("checkpoints", name).exit_code == 0
    report = document("fork", name, "--turn", "2")
    assert [turn["content"] for turn in report["turns"]] == [turn["content"] for turn in whole["turns"]]


def test_runs_of_one_file_are_told_apart_by_topic_by_seed_and_by_number(tmp_path: Path) -> None:
    recording = tmp_path / "runs.jsonl"
    first, second, third = (
        document("debate", topic, "--model", "rehearsal", "--seed", seed, "--max-turns", "2", "--record", recording)
        for topic, seed in (("Tea?", "1"), ("Tea?", "2"), ("Coffee?", "3"))
    )
    for words, meant in (
        (["Tea?", "--replay", recording], first),
        (["Tea?", "--seed", "2", "--replay", recording], second),
        (["Tea?", "--replay", f"{recording}#2"], second),
        (["Coffee?", "--replay", recording], third),
    ):
        again = document("debate", *words, "--max-turns", "2")
        assert [turn["content"] for turn in again["turns"]] == [turn["content"] for turn in meant["turns"]]
        assert again["seed"] == meant["seed"]
    none = moot("debate", "Water?", "--replay", recording)
    assert none.exit_code == 2
    assert "the file has no such run; its runs: run 1: debate, 'Tea?', seed 1; run 2" in none.stderr


def test_a_replay_needs_no_key_and_a_run_that_was_stopped_goes_on_into_the_same_recording(tmp_path: Path) -> None:
    recording = tmp_path / "run.jsonl"
    with FakeServer(script(["What I say at some length, for once.", *[Fault.status(401)] * 3])) as server:
        assert moot(*debate(server, "--record", recording)).exit_code == 3
        name = listed()[0]["run"]
        server.reply = echo_by_hash
        assert moot("resume", name).exit_code == 0
    again = document(*debate(server, "--replay", recording))
    assert [turn["content"] for turn in again["turns"]] == [turn["content"] for turn in load_document(name)["turns"]]


def test_half_a_line_of_one_who_was_killed_at_it_costs_no_other_line(tmp_path: Path) -> None:
    recording = tmp_path / "run.jsonl"
    with FakeServer(script(["What I say at some length, for once.", *[Fault.status(401)] * 3])) as server:
        assert moot(*debate(server, "--record", recording)).exit_code == 3
        name = listed()[0]["run"]
        with recording.open("ab") as file:
            file.write('{"key": "1", "message": "é'.encode()[:-1])
        assert "moot: CON (openai:fake" in moot(*debate(server, "--replay", recording)).stderr
        server.reply = echo_by_hash
        assert moot("resume", name).exit_code == 0
    again = document(*debate(server, "--replay", recording))
    assert [turn["content"] for turn in again["turns"]] == [turn["content"] for turn in load_document(name)["turns"]]


def test_a_line_for_which_there_is_no_room_is_not_written_in_part(tmp_path: Path) -> None:
    recording = tmp_path / "run.jsonl"
    rules = asyncio.run(recorded(DebateSettings(seed=1, record=str(recording)), "Tea?"))
    whole, limits = recording.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 20, limits[1]))
    try:
        assert not asyncio.run(record_reply(rules, {"who": "Ada"}, {"found": "w" * 100}))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert recording.read_bytes() == whole


def test_a_recording_deleted_on_the_way_is_not_begun_anew_in_its_midst_and_the_run_says_so(tmp_path: Path) -> None:
    recording = tmp_path / "run.jsonl"

    def deleting(request: Any) -> Any:
        recording.unlink(missing_ok=True)
        return echo_by_hash(request)

    with FakeServer(reply=deleting) as server:
        words = ["--model", f"openai:fake@{server.url}", "--max-turns", "2", "--record", recording]
        report = document("debate", "Tea?", *words)
    assert not recording.exists()
    assert {incident["kind"] for incident in report["incidents"]} >= {"unrecorded"}


def test_a_recording_is_its_owners_to_read_and_holds_requests_answers_and_no_key(tmp_path: Path) -> None:
    recording = tmp_path / "run.jsonl"
    with FakeServer(echo_by_hash) as server:
        spec = f"openai:fake@{server.url}#SOME_API_KEY"
        words = ["debate", "Tea?", "--model", spec, "--max-turns", "2", "--record", recording]
        assert moot(*words, SOME_API_KEY="sk-geheim").exit_code == 0
    assert stat.S_IMODE(recording.stat().st_mode) == 0o600
    assert "sk-geheim" not in recording.read_text()
    begin, one, *_ = map(json.loads, recording.read_text().splitlines())
    assert begin["run"].keys() >= {"recording_id", "protocol", "about", "seed", "model", "at"}
    assert one["request"].keys() >= {
        "spec",
        "messages",
        "settings",
        "schema",
        "who",
        "purpose",
        "turn",
        "round",
        "attempt",
    }
    assert one["message"]["usage_metadata"]["input_tokens"] > 0
    assert one["message"]["response_metadata"].keys() >= {"finish_reason", "model_name"}
    assert one["message"]["id"]


@pytest.mark.parametrize(
    ("words", "env", "said"),
    [
        (["--record", "/nowhere/run.jsonl"], {}, "record = '/nowhere/run.jsonl': No such file or directory"),
        (["--replay", "/nowhere/run.jsonl"], {}, "replay = '/nowhere/run.jsonl': No such file or directory"),
        (["--replay", str(Path(__file__))], {}, "line 1 is not from --record"),
        (["--replay", "deep.jsonl"], {}, "line 1 is not from --record"),
        (["--replay", "headless.jsonl"], {}, "line 1 is not from --record"),
        (["--replay", "odd.jsonl"], {}, "the file has no such run; its runs: run 1: 5, '7', seed x"),
        (["--record", "notes.txt"], {}, "record = 'notes.txt': the file is no recording; name another file"),
        (["--record", "/dev/full"], {}, "record = '/dev/full': "),
        (["--record", "a", "--replay", "b"], {}, "a replay makes no calls that could be recorded"),
        (["--record", "run.jsonl"], {"MOOT_DB_KEY": "QUJD" * 10 + "QUI="}, "a recording is plain text"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_before_anybody_is_asked(
    words: list[str], env: dict[str, str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("My notes.")
    Path("deep.jsonl").write_text("[" * 100_000 + "\n")
    header = {"recording_id": "run 1", "protocol": 5, "about": 7, "model": "", "embeddings": ""}
    Path("headless.jsonl").write_text(json.dumps({"run": header}) + "\n")
    Path("odd.jsonl").write_text(json.dumps({"run": header | {"seed": "x"}}) + "\n")
    result = moot("debate", "Tea?", "--model", "rehearsal", *words, **env)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_fork_of_a_recorded_run_is_a_run_of_its_own(tmp_path: Path) -> None:
    recording = tmp_path / "run.jsonl"
    document("debate", "Tea?", "--model", "rehearsal", "--max-turns", "4", "--record", recording)
    before = recording.read_bytes()
    assert moot("fork", listed()[0]["run"], "--turn", "2").exit_code == 0
    assert recording.read_bytes() == before


def test_what_was_found_in_a_library_and_measured_by_meaning_is_replayed_without_either(tmp_path: Path) -> None:
    recording, db = tmp_path / "run.jsonl", tmp_path / "papers.db"
    assert moot("papers", "add", SAMPLES, "--db", db).exit_code == 0
    panel = ["panel", "Do street trees keep cities cool?", "--language", "en", "--model", "rehearsal"]
    with FakeServer(echo_by_hash) as server:
        measured = ["consensus", "Tea?", "--model", "rehearsal", "--max-rounds", "2", "--set", "convergence=embedding"]
        measured += ["--set", f"embeddings=openai:vectors@{server.url}"]
        report = document(*panel, "--set", f"library={db}", "--record", recording)
        scored = document(*measured, "--record", recording)
    assert report["papers"]
    assert drop_own_keys(lasting(document(*panel, "--replay", recording))) == drop_own_keys(lasting(report))
    again = document(*measured, "--replay", recording)
    assert again["agreements"] == scored["agreements"]
    assert any(one["scores"] for one in scored["agreements"])
