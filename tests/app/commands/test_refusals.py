"""Input that cannot be used: one line on standard error, exit code 2, and nobody is asked anything."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from command import listed, moot
from fakeserver import FakeServer


@pytest.fixture(scope="module")
def server() -> Iterator[FakeServer]:
    with FakeServer() as server:
        yield server


@pytest.fixture
def model(server: FakeServer) -> str:
    return f"openai:fake@{server.url}"


REFUSED = {
    "no such command": (["debat", "Tea?"], "'debate'"),
    "no such option": (["debate", "Tea?", "--turns", "3"], "--turns"),
    "no topic": (["debate"], 'topic = None: must be given; write moot debate "Tea or coffee?"'),
    "no run": (["resume"], "Missing argument 'RUN'. See `moot resume --help`."),
    "blank topic": (["debate", "  "], "topic = ' '"),
    "long topic": (["debate", "x" * 4001], "topic = 'xxx"),
    "too many turns": (["debate", "Tea?", "--max-turns", "21"], "max_turns = 21"),
    "too few turns": (["debate", "Tea?", "--max-turns", "1"], "max_turns = 1"),
    "turns in words": (["debate", "Tea?", "--max-turns", "ten"], "--max-turns"),
    "negative seed": (["debate", "Tea?", "--seed", "-1"], "seed = -1"),
    "no calls": (["debate", "Tea?", "--max-calls", "0"], "max_calls = 0"),
    "cost without prices": (
        ["debate", "Tea?", "--max-cost", "2"],
        "budget.cost = 2.0: no price known for openai:fake@",
    ),
    "unknown profile": (["debate", "Tea?", "--profile", "clasic"], "profile = 'clasic': choose one of business"),
    "unknown rule": (["debate", "Tea?", "--stop-rule", "never"], "stop_rule = 'never'"),
    "a rule that ends no session": (
        ["discussion", "Tea?", "--stop-rule", "judge"],
        "stop_rule = 'judge': must be",
    ),
    "a session's synthesis": (
        ["discussion", "Tea?", "--synthesizer", "rehearsal"],
        "synthesizer = 'rehearsal': a session",
    ),
    "a session's profile": (
        ["discussion", "Tea?", "--profile", "classic"],
        "profile = 'classic': a session has no",
    ),
    "a session's judge": (
        ["discussion", "Tea?", "--set", "models={judge: x}"],
        "models.judge = 'x': a session has no judge",
    ),
    "no model named": (["debate", "Tea?", "--model", "openai:"], "model = 'openai:'"),
    "language": (["debate", "Tea?", "--language", "¿?"], "language = '¿?'"),
    "a participant's language": (
        ["debate", "Tea?", "--set", "participants=[{name: Ann, language: British English}, Ben]"],
        "participants.0.language = 'British English': must be a language tag such as en, zh or es-MX",
    ),
    "unknown knob": (["debate", "Tea?", "--set", "max_turn=3"], "max_turn = 3: unknown key; did you mean max_turns?"),
    "unknown knob inside": (["debate", "Tea?", "--set", "budget.call=3"], "did you mean calls?"),
    "a cap that buys nothing": (["debate", "Tea?", "--max-calls", "1"], "max_calls = 1: give at least 2, enough for a"),
    "no value": (["debate", "Tea?", "--set", "seed"], "--set = 'seed': write key=value"),
    "another database": (["debate", "Tea?", "--db", "mysql://me:secret@host/runs"], "db = 'mysql://…': give the path"),
    "a database that is kept nowhere": (["debate", "Tea?", "--db", ":memory:"], "db = ':memory:': give the path of an"),
    "a database by another name": (["debate", "Tea?", "--db", "file:x.db"], "db = 'file:x.db': give the path of an"),
    "nobody's folder": (
        ["debate", "Tea?", "--db", "~no-such-user/x.db"],
        "there is no such home folder",
    ),
    "a library that is kept nowhere": (["papers", "list", "--db", ":memory:"], "db = ':memory:': give the path of an"),
    "settings that are not there": (["justice", "--config", "nowhere.yaml"], "config = 'nowhere.yaml': cannot be read"),
    "two files of settings": (
        ["justice", "a.yaml", "--config", "b.yaml"],
        "--config = 'b.yaml': ",
    ),
    "bad value": (["debate", "Tea?", "--set", "prices={input: 1"], "not plain YAML"),
    "an object": (["debate", "Tea?", "--set", "model=!!python/name:os.system"], "not plain YAML"),
    "no config": (["debate", "Tea?", "--config", "nowhere.yaml"], "config = 'nowhere.yaml': cannot be read"),
    "no material": (["debate", "Tea?", "--material", "nowhere.md"], "material = 'nowhere.md': cannot be read"),
    "templates": (["debate", "Tea?", "--set", "templates=nowhere"], "templates = 'nowhere': there is no such folder"),
    "no such database": (["show", "debate-x", "--db", "nowhere.db"], "db = 'nowhere.db': there is no such database"),
    "a path for a run": (["show", "../../etc/passwd"], "no run has such a name"),
    "no database": (["runs", "--db", "."], "db = '.': cannot be opened"),
    "address": (["runs", "--db", "postgresql://u:geheim%zz@h/db"], "write postgresql://user@host"),
    "no such drawing": (["diagram", "duel"], "protocol = 'duel': choose one of debate"),
    "no such format": (["show", "x", "--format", "docx"], "--format = 'docx': choose one of transcript"),
    "no provider": (["check-model", "--model", "nobody:x"], "model = 'nobody:x': "),
}


@pytest.mark.parametrize("words", REFUSED.values(), ids=REFUSED)
def test_bad_input_is_refused_in_one_line_before_any_call(
    words: tuple[list[str], str], model: str, server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    chat_count = len(server.chats)
    word, expected = words
    with_model = [*word, "--model", model] if word[0] == "debate" and "--model" not in word else word
    result = moot(*with_model)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert expected in result.stderr
    assert "geheim" not in result.stderr
    assert len(server.chats) == chat_count
    assert listed("--db", tmp_path / "moot.db") == []


HOSTILE = {
    "unknown key": ("topic: Tea?\nmax_turn: 3", "did you mean max_turns?"),
    "unknown key of a participant": ("topic: Tea?\nparticipants: [{nam: Ann}]", "did you mean name?"),
    "a participant's language": (
        "topic: Tea?\nparticipants: [{name: Ann, language: British English}, Ben]",
        "participants.0.language = 'British English': must be a language tag such as en, zh or es-MX",
    ),
    "a list": ("- topic", "write a mapping"),
    "an object": ("topic: !!python/object/apply:os.system [echo]", "not plain YAML"),
    "an alias": ("a: &a [x, x]\ntopic: *a", "Moot reads no YAML aliases"),
    "a key twice": ("topic: Tea?\ntopic: Coffee?", "is there twice"),
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
