"""The command line: exit codes, one-line errors, pure JSON, and a quick start."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import document, listed, moot, name_of
from fakeserver import FakeServer, Fault
from moot.app.commands import COMMANDS, loaded


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer() as server:
        yield server


@pytest.fixture
def model(server: FakeServer) -> str:
    return f"openai:fake@{server.url}"


def test_help_imports_neither_langgraph_nor_a_model_library() -> None:
    code = (
        "import sys; sys.argv = ['moot', '--help']; from moot.app.main import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print([name for name in ('langgraph', 'langchain_core', 'openai', 'httpx') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "resume" in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_a_command_in_the_help_is_the_commands_own(name: str) -> None:
    assert loaded(name).help.split("\n\n")[0].replace("\n", " ") == COMMANDS[name].line


def test_without_a_command_the_help_is_shown() -> None:
    assert moot().exit_code == 0
    assert "debate" in moot().stdout
    assert moot("--version").stdout.startswith("moot 0.")


REFUSED = {
    "no such command": (["debat", "Tea?"], "'debate'"),
    "no such option": (["debate", "Tea?", "--turns", "3"], "--turns"),
    "no topic": (["debate"], "topic = None: it is required"),
    "blank topic": (["debate", "  "], "topic = ' '"),
    "long topic": (["debate", "x" * 4001], "topic = 'xxx"),
    "too many turns": (["debate", "Tea?", "--max-turns", "21"], "max_turns = 21"),
    "too few turns": (["debate", "Tea?", "--max-turns", "1"], "max_turns = 1"),
    "turns in words": (["debate", "Tea?", "--max-turns", "ten"], "--max-turns"),
    "negative seed": (["debate", "Tea?", "--seed", "-1"], "seed = -1"),
    "no calls": (["debate", "Tea?", "--max-calls", "0"], "budget.calls = 0"),
    "cost without prices": (["debate", "Tea?", "--max-cost", "2"], "budget.cost = 2.0: needs prices"),
    "unknown profile": (["debate", "Tea?", "--profile", "clasic"], "profile = 'clasic': choose one of business"),
    "unknown rule": (["debate", "Tea?", "--stopping", "never"], "stopping = 'never'"),
    "no model named": (["debate", "Tea?", "--model", "openai:"], "model = 'openai:'"),
    "language": (["debate", "Tea?", "--language", "¿?"], "language = '¿?'"),
    "unknown knob": (["debate", "Tea?", "--set", "max_turn=3"], "max_turn = 3: unknown key; did you mean max_turns?"),
    "unknown knob inside": (["debate", "Tea?", "--set", "budget.call=3"], "did you mean calls?"),
    "no value": (["debate", "Tea?", "--set", "seed"], "--set = 'seed': write key=value"),
    "bad value": (["debate", "Tea?", "--set", "prices={input: 1"], "not plain YAML"),
    "an object": (["debate", "Tea?", "--set", "model=!!python/name:os.system"], "not plain YAML"),
    "no config": (["debate", "Tea?", "--config", "nowhere.yaml"], "config = 'nowhere.yaml': cannot be read"),
    "no material": (["debate", "Tea?", "--material", "nowhere.md"], "material = 'nowhere.md': cannot be read"),
    "templates": (["debate", "Tea?", "--set", "templates=nowhere"], "templates = 'nowhere': no such folder"),
    "no such database": (["show", "debate-x", "--db", "nowhere.db"], "db = 'nowhere.db': there is no such database"),
    "a path for a run": (["show", "../../etc/passwd"], "no run has such a name"),
    "no database": (["runs", "--db", "."], "db = '.': cannot be opened"),
    "address": (["runs", "--db", "postgresql://u:geheim%zz@h/db"], "write postgresql://user@host"),
    "no such drawing": (["graph", "duel"], "protocol = 'duel': choose one of debate"),
    "no such format": (["show", "x", "--format", "docx"], "--format = 'docx': choose one of transcript"),
    "no provider": (["check", "--model", "nobody:x"], 'pip install "moot[providers]"'),
}


@pytest.mark.parametrize("words", REFUSED.values(), ids=REFUSED)
def test_bad_input_is_refused_in_one_line_before_any_call(
    words: tuple[list[str], str], model: str, server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = len(server.chats)
    said, expected = words
    with_model = [*said, "--model", model] if said[0] == "debate" and "--model" not in said else said
    result = moot(*with_model)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert expected in result.stderr
    assert "geheim" not in result.stderr
    assert len(server.chats) == asked
    assert listed("--db", tmp_path / "moot.db") == []


def test_a_config_file_is_understood_and_options_come_first(model: str, tmp_path: Path) -> None:
    config = tmp_path / "debate.yaml"
    config.write_text(
        "topic: Tea or coffee?\nmax_turns: 4\nmax_calls: 9\nsynthesizer: rehearsal\n"
        "participants: [Ann, {name: Ben, role: waiter}]\nprices: {input: 1, output: 2}\n"
    )
    found = document("debate", "--config", config, "--model", model, "--max-turns", "2", "--set", "max_cost=3")
    assert [turn["speakerId"] for turn in found["turns"]] == ["Ann", "Ben"]
    assert found["totalCost"] > 0
    assert "waiter" in found["participants"][1]["role"]


HOSTILE = {
    "unknown key": ("topic: Tea?\nmax_turn: 3", "did you mean max_turns?"),
    "unknown key of a participant": ("topic: Tea?\nparticipants: [{nam: Ann}]", "did you mean name?"),
    "a list": ("- topic", "write a mapping"),
    "an object": ("topic: !!python/object/apply:os.system [echo]", "not plain YAML"),
    "an alias": ("a: &a [x, x]\ntopic: *a", "aliases are not understood"),
    "a key twice": ("topic: Tea?\ntopic: Coffee?", "stands twice"),
    "no YAML": ("topic: [", "line 1"),
    "deep": ("topic: " + "[" * 5000, "not plain YAML"),
}


@pytest.mark.parametrize("case", HOSTILE.values(), ids=HOSTILE)
def test_a_bad_config_file_is_refused(case: tuple[str, str], tmp_path: Path) -> None:
    content, expected = case
    config = tmp_path / "bad.yaml"
    config.write_text(content)
    result = moot("debate", "--config", config, "--model", "rehearsal")
    assert (result.exit_code, result.stdout) == (2, "")
    assert expected in result.stderr


def test_json_is_all_that_goes_to_standard_output_and_a_seed_repeats_it(model: str) -> None:
    words = ["debate", "Tea or coffee?", "--model", model, "--seed", "7", "--max-turns", "4"]
    first, second = document(*words), document(*words)
    assert first["run"] != second["run"]
    assert [turn["content"] for turn in first["turns"]] == [turn["content"] for turn in second["turns"]]
    assert first["seed"] == second["seed"] == 7
    keys = ["run", "protocol", "model", "rehearsal", "seed", "status", "headline", "terminationReason", "evidence"]
    assert {*keys, "turns", "synthesis", "totalTokens", "totalTimeMs", "incidents"} <= set(first)
    assert set(first["turns"][0]) == {"turnNumber", "speakerId", "persona", "content", "timestamp", "tokensUsed"}
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
    assert "at most 3 calls" in result.stderr
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
        stopped = moot(*words, "--json", OPENAI_API_KEY="sk-planted-0123456789")
        assert (stopped.exit_code, stopped.stdout) == (3, "")
        line = stopped.stderr.splitlines()[-1]
        assert line.startswith("moot: CON (openai:fake@")
        assert "planted" not in stopped.stderr
        run = listed()[0]
        assert (run["state"], run["turns"]) == ("stopped", 1)
        assert f"resume {run['run']}" in line
        resumed = document("resume", run["run"])
    assert [turn["turnNumber"] for turn in resumed["turns"]] == [1, 2]
    assert resumed["status"] == "completed"


def test_an_unreachable_server_stops_the_run_resumable() -> None:
    with FakeServer() as server:
        gone = server.url
    stopped = moot("debate", "Tea?", "--model", f"openai:fake@{gone}")
    assert stopped.exit_code == 3
    assert "cannot be reached" in stopped.stderr


def test_a_side_that_never_answers_ends_it_as_unavailable() -> None:
    def only_pro(request):  # type: ignore[no-untyped-def]
        return Fault.status(500) if "You are CON" in request.text else "A statement that is long enough to stand."

    with FakeServer(reply=only_pro) as server:
        words = ["debate", "Tea?", "--model", f"openai:fake@{server.url}", "--set", "waits=[0]"]
        result = moot(*words, "--set", "statement_tries=1", "--json")
        assert (result.exit_code, result.stdout) == (3, "")
        assert "participants_unavailable" in result.stderr
        run = listed()[0]
        assert run["ending"] == "participants_unavailable"
        again = moot("resume", run["run"])
    assert again.exit_code == 0
    assert "Ended after turn" in again.stdout


def test_a_finished_run_resumed_prints_its_ending_and_asks_nobody(model: str, server: FakeServer) -> None:
    run = document("debate", "Tea?", "--model", model, "--max-turns", "2")
    asked = len(server.chats)
    resumed = moot("resume", run["run"])
    assert resumed.exit_code == 0
    assert run["headline"] in resumed.stdout
    assert run["synthesis"] in resumed.stdout
    assert len(server.chats) == asked


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
    drawing = moot("graph", "debate").stdout
    assert "graph TD" in drawing
    assert "next speaker" in drawing


def test_profiles_are_listed_for_people_and_for_programs() -> None:
    assert "classic" in moot("profiles", "debate").stdout
    assert set(document("profiles", "debate")["debate"]) >= {"classic", "technical", "ethical"}


def test_the_environment_names_the_model_where_nothing_else_does(server: FakeServer) -> None:
    found = document("debate", "Tea?", "--max-turns", "2", OPENAI_BASE_URL=server.url)
    assert found["model"] == f"openai:fake-model@{server.url}"
    named = document("debate", "Tea?", "--max-turns", "2", MOOT_MODEL=f"openai:other@{server.url}")
    assert named["model"] == f"openai:other@{server.url}"


def test_a_document_on_a_closed_pipe_is_no_traceback(model: str) -> None:
    run = document("debate", "Tea?", "--model", model, "--max-turns", "2")["run"]
    shown = f"{sys.executable} -c 'from moot.app.main import main; main()' show {run} | head -c 5"
    done = subprocess.run(["sh", "-c", shown], capture_output=True, text=True, env=dict(os.environ), check=False)
    assert "Traceback" not in done.stderr
