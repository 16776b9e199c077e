"""The command line: exit codes, one-line errors, pure JSON, and a quick start."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import PROGRAM, document, listed, moot, name_of
from fakeserver import FakeServer, Fault
from moot.app.main import COMMANDS, load_command
from moot.app.protocols.command import get_schemas
from moot.app.protocols.registry import get_protocol


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer() as server:
        yield server


@pytest.fixture
def model(server: FakeServer) -> str:
    return f"openai:fake@{server.url}"


SLOW = ("langgraph", "langchain_core", "openai", "httpx")
"""What takes long to load, and stands between a person and a list."""


LOOKED_UP = [
    ((), "Next:"),
    (("--help",), "resume"),
    (("runs",), "Tea?"),
    *(
        ((name, "--help"), "Usage:")
        for name in ("debate", "discussion", "jury", "justice", "models", "settings", "report")
    ),
]


@pytest.mark.parametrize(("words", "shown"), LOOKED_UP, ids=str)
def test_what_is_only_looked_up_imports_neither_langgraph_nor_a_model_library(words: tuple[str], shown: str) -> None:
    output = moot("debate", "Tea?", "--model", "rehearsal", "--max-turns", "2", "--quiet")
    assert output.exit_code == 0
    assert shown in loading(*words, none_of=SLOW)


def test_a_run_that_stopped_is_listed_without_langgraph_as_its_checkpoints_have_it() -> None:
    with FakeServer(faults={2: Fault.status(401)}) as server:
        assert moot("debate", "Tea?", "--model", f"openai:fake@{server.url}", "--max-turns", "2").exit_code == 3
    (row,) = json.loads(loading("runs", "--json", none_of=SLOW))
    assert (row["state"], row["turns"]) == ("stopped", 1)
    assert row["tokens"] == document("show", row["run"])["totalTokens"] > 0


def loading(*words: str, none_of: tuple[str, ...]) -> str:
    """What a command prints, that loads none of these modules."""
    code = (
        f"import sys; sys.argv = {['moot', *words]}; from moot.app.main import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        f"print([name for name in {none_of} if name in sys.modules], file=sys.stderr)"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stderr.splitlines()[-1] == "[]"
    return process.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_a_command_in_the_help_is_the_commands_own(name: str) -> None:
    assert load_command(name).help.split("\n\n")[0].replace("\n", " ") == COMMANDS[name][1]


@pytest.mark.parametrize(
    ("name", "idle"),
    [
        ("debate", []),
        ("consensus", []),
        ("panel", ["--profile"]),
        ("discussion", ["--profile", "--synthesizer"]),
    ],
)
def test_the_help_of_a_command_offers_no_knob_that_does_nothing(name: str, idle: list[str]) -> None:
    output = moot(name, "--help").stdout
    assert [one for one in ("--stop-rule", "--profile", "--synthesizer") if one not in output] == idle


def test_no_help_shows_a_type_at_a_flag() -> None:
    assert [words for words in ((), ("debate",), ("serve",)) if "<bool>" in moot(*words, "--help").stdout] == []


@pytest.mark.parametrize("name", ["council", "delphi", "jury"])
def test_a_generic_command_reads_the_schemas_of_its_graph_without_loading_it(name: str) -> None:
    protocol = get_protocol(name)
    assert get_schemas(protocol) == (protocol.graph.input_schema, protocol.graph.context_schema)


def test_the_help_of_a_generic_command_shows_defaults() -> None:
    text = " ".join(moot("delphi", "--help").stdout.split())
    assert "if you name no participants [default: 5]." in text
    assert "`2 absolute` (in the unit) [default: 0.1 relative]." in text


def test_discuss_is_another_word_for_discussion() -> None:
    result = moot("discuss", "Tea?", "--models-only", "--model", "rehearsal", "--max-turns", "2", "--quiet")
    assert result.exit_code == 0
    assert listed()[0]["protocol"] == "discussion"


def test_the_version_is_shown() -> None:
    assert moot("--version").stdout.startswith("moot 0.")


@pytest.mark.parametrize(
    "written",
    [
        "memory: {guidance_style: structured, compression_threshold: 0.9}",
        "memory_management: {guidance_style: structured}\nmemory_compression_threshold: 0.9",
        "phase2_settings:\n  memory_guidance_style: structured\n  memory_compression_threshold: 0.9",
    ],
)
def test_how_to_remember_may_be_spelled_as_experiments_spell_it(written: str, tmp_path: Path) -> None:
    config = tmp_path / "group.yaml"
    config.write_text(f"model: rehearsal\nmax_rounds: 1\n{written}\n", "utf-8")
    remembering = document("consensus", "Tea?", "--config", config)["settings"]["memory"]
    assert (remembering["guidance_style"], remembering["compression_threshold"]) == ("structured", 0.9)
    assert remembering["compression_target"] == 0.6


def test_a_panel_s_own_word_for_a_knob_is_unknown_to_a_debate() -> None:
    output = moot("debate", "Tea?", "--model", "rehearsal", "--set", "cycles=2")
    assert output.exit_code == 2
    assert output.stderr.startswith("moot: cycles = 2: ")


def test_a_config_file_is_understood_and_options_come_first(model: str, tmp_path: Path) -> None:
    config = tmp_path / "debate.yaml"
    config.write_text(
        "topic: Tea or coffee?\nmax_turns: 4\nmax_calls: 9\nsynthesizer: rehearsal\n"
        "participants: [Ann, {name: Ben, role: waiter}]\nprices: {input: 1, output: 2}\n"
    )
    report = document("debate", "--config", config, "--model", model, "--max-turns", "2", "--set", "max_cost=3")
    assert [turn["speakerId"] for turn in report["turns"]] == ["Ann", "Ben"]
    assert report["totalCost"] > 0
    assert "waiter" in report["participants"][1]["role"]


def test_json_is_all_that_goes_to_standard_output_and_a_seed_repeats_it(model: str) -> None:
    words = ["debate", "Tea or coffee?", "--model", model, "--seed", "7", "--max-turns", "4"]
    first, second = document(*words), document(*words)
    assert first["run"] != second["run"]
    assert [turn["content"] for turn in first["turns"]] == [turn["content"] for turn in second["turns"]]
    assert first["seed"] == second["seed"] == 7
    keys = ["run", "protocol", "model", "rehearsal", "seed", "status", "headline", "terminationReason", "evidence"]
    assert {*keys, "turns", "synthesis", "totalTokens", "totalTimeMs", "incidents"} <= set(first)
    assert set(first["turns"][0]) >= {"turnNumber", "speakerId", "persona", "content", "timestamp", "tokensUsed"}
    spent = sum(turn["tokensUsed"] for turn in first["turns"])
    assert first["totalTokens"] > spent > 0
    assert document("show", first["run"]) == first


def test_a_pipe_gets_plain_text_and_the_command_that_shows_the_run(model: str) -> None:
    result = moot("debate", "Should cities ban cars from downtown areas?", "--model", model, "--max-turns", "2")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert "[1] PRO\n" in result.stdout
    assert "[2] CON\n" in result.stdout
    name = name_of(result.stdout)
    assert name.startswith("debate-cities-ban-cars-")
    assert f" show {name}" in result.stdout
    assert "up to 3 calls" in result.stderr
    assert "openai:fake@" in result.stderr


def test_quiet_prints_the_ending_and_the_synthesis(model: str) -> None:
    result = moot("debate", "Tea?", "--model", model, "--max-turns", "2", "--quiet")
    assert "[1] PRO" not in result.stdout
    assert "Ended after turn 2" in result.stdout


STOPS = {
    "key refused": Fault.status(401),
    "no such model": Fault.status(404),
    "quota": Fault.quota(),
}


@pytest.mark.parametrize("fault", STOPS.values(), ids=STOPS)
def test_a_server_that_says_no_stops_the_run_resumable(fault: Fault) -> None:
    with FakeServer(faults={2: fault}) as server:
        words = ["debate", "Tea?", "--model", f"openai:fake@{server.url}", "--max-turns", "2"]
        output = moot(*words, "--json", OPENAI_API_KEY="sk-planted-0123456789", OPENAI_BASE_URL=server.url)
        assert (output.exit_code, json.loads(output.stdout)["status"]) == (3, "unfinished")
        line = output.stderr.splitlines()[-1]
        assert line.startswith("moot: CON (openai:fake@")
        assert "planted" not in output.stderr
        run = listed()[0]
        assert (run["state"], run["turns"]) == ("stopped", 1)
        assert f"resume {run['run']}" in line
        report = document("resume", run["run"])
    assert [turn["turnNumber"] for turn in report["turns"]] == [1, 2]
    assert report["status"] == "completed"


def test_an_unreachable_server_stops_the_run_resumable() -> None:
    with FakeServer() as server:
        gone = server.url
    output = moot("debate", "Tea?", "--model", f"openai:fake@{gone}")
    assert output.exit_code == 3
    assert "cannot be reached" in output.stderr


def test_a_side_that_cannot_be_reached_ends_it_and_a_resumed_run_goes_on_from_the_missed_turn() -> None:
    down = [True]

    def reply(request):  # type: ignore[no-untyped-def]
        return Fault.status(500) if down and "You are CON" in request.text else f"Point {request.n} is long enough."

    with FakeServer(reply=reply) as server:
        words = [
            "debate",
            "Tea?",
            "--model",
            f"openai:fake@{server.url}",
            "--set",
            "retry_delays=[0]",
            "--set",
            "on_outage=skip",
            "--max-turns",
            "8",
        ]
        result = moot(*words, "--set", "max_attempts=1", "--set", "dynamic_termination=false", "--json")
        assert (result.exit_code, json.loads(result.stdout)["status"]) == (3, "partial")
        run = listed()[0]
        assert (run["ending"], run["turns"]) == ("participants_unavailable", 3)
        assert re.search(rf"Retry: \S+ resume {run['run']}", result.stderr)
        report = document("show", run["run"])
        assert moot("resume", run["run"]).exit_code == 3
        down.clear()
        record = document("resume", run["run"])
    assert record["terminationReason"] == "max_turns_reached"
    assert [turn["turnNumber"] for turn in record["turns"]] == [1, 3, 5, 6, 7, 8]
    assert record["turns"][:3] == report["turns"]


def test_a_finished_run_resumed_prints_its_ending_and_asks_nobody(model: str, server: FakeServer) -> None:
    run = document("debate", "Tea?", "--model", model, "--max-turns", "2")
    chat_count = len(server.chats)
    output = moot("resume", run["run"])
    assert output.exit_code == 0
    assert run["headline"] in output.stdout
    assert run["synthesis"] in output.stdout
    assert len(server.chats) == chat_count


def test_show_exports_to_a_file(model: str, tmp_path: Path) -> None:
    run = document("debate", "Tea?", "--model", model, "--max-turns", "2")["run"]
    for format, begins in {"md": "# Debate: Tea?", "json": "{", "transcript": "Debate: Tea?"}.items():
        file = tmp_path / f"out.{format}"
        result = moot("show", run, "--format", format, "-o", file)
        assert (result.exit_code, result.stdout) == (0, "")
        assert file.read_text().startswith(begins)
    assert json.loads((tmp_path / "out.json").read_text())["run"] == run
    assert moot("show", run, "-o", tmp_path / "no" / "folder.md").exit_code == 2


def test_the_drawing_is_mermaid() -> None:
    drawing = moot("diagram", "debate").stdout
    assert "graph TD" in drawing
    assert "next speaker" in drawing


def test_profiles_are_listed_for_people_and_for_programs() -> None:
    assert "classic" in moot("profiles", "debate").stdout
    assert set(document("profiles", "debate")["debate"]) >= {"classic", "technical", "ethical"}


def test_the_environment_names_the_model_where_nothing_else_does(server: FakeServer) -> None:
    report = document("debate", "Tea?", "--max-turns", "2", OPENAI_BASE_URL=server.url)
    assert report["model"] == f"openai:fake-model@{server.url}"
    named = document("debate", "Tea?", "--max-turns", "2", MOOT_MODEL=f"openai:other@{server.url}")
    assert named["model"] == f"openai:other@{server.url}"


@pytest.mark.long
def test_a_document_on_a_closed_pipe_is_no_traceback(model: str) -> None:
    run = document("debate", "Tea?", "--model", model, "--max-turns", "2")["run"]
    text = f"{sys.executable} -c 'from moot.app.main import main; main()' show {run} | head -c 5"
    process = subprocess.run(["sh", "-c", text], capture_output=True, text=True, env=dict(os.environ), check=False)
    assert "Traceback" not in process.stderr


def test_resuming_a_finished_run_says_that_it_had_finished() -> None:
    run = document("debate", "Tea?", "--max-turns", "2")["run"]
    assert f"{run} had already finished." in moot("resume", run).stdout


def test_a_terminal_whose_encoding_lacks_characters_shows_their_codes(model: str) -> None:
    command = [PROGRAM, "debate", "¿Té o café? 茶?", "--model", model, "--max-turns", "2"]
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    process = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert r"\xbfT\xe9 o caf\xe9? \u8336?" in process.stdout


def test_a_run_needs_no_standard_input(model: str) -> None:
    command = f"{PROGRAM} discussion Tea? --models-only --max-turns 2 --model {model} <&-"
    process = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
