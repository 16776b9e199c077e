"""`moot checkpoints`, `moot fork`, and what a fork leaves alone."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import document, listed, moot
from fakeserver import FakeServer
from runs.five import MORE, alone_and_together

DEBATE = ("debate", "Tea or coffee?", "--model", "rehearsal", "--seed", "7", "--max-turns", "5")


def map_statements(found: dict[str, Any]) -> dict[int, str]:
    return {turn["turnNumber"]: turn["content"] for turn in found["turns"]}


def forked(run: str, *words: str) -> dict[str, Any]:
    return document("fork", run, *words)


def test_the_history_lists_every_step_with_its_turn_and_what_came_next() -> None:
    run = document(*DEBATE)["run"]
    rows = json.loads(moot("checkpoints", run, "--json").stdout)
    assert [row["ran"] for row in rows[:4]] == [["convene"], ["decide"], ["order"], ["speak"]]
    assert [row["turn"] for row in rows if row["ran"] == ["speak"]] == [1, 2, 3, 4, 5]
    assert rows[-1]["next"] == []
    assert "synthesize" in moot("checkpoints", run).stdout


def test_a_fork_with_a_changed_statement_keeps_what_came_before_and_leaves_the_original_untouched() -> None:
    original = document(*DEBATE)
    branch = forked(original["run"], "--turn", "3", "--set", "statement.3=Tea needs no machine; that is my whole case.")
    assert branch["run"] != original["run"]
    assert map_statements(branch)[3] == "Tea needs no machine; that is my whole case."
    assert [map_statements(branch)[turn] for turn in (1, 2)] == [map_statements(original)[turn] for turn in (1, 2)]
    assert map_statements(branch)[4] != map_statements(original)[4], "the answer is to the changed statement"
    assert document("show", original["run"]) == original


@pytest.mark.long
@pytest.mark.parametrize(
    "words", ["Note: I agree.", "**No.** Tea", "- first, tea", "yes", "3.10", "# tea", "[2] says so"]
)
def test_a_changed_statement_stands_as_it_was_written(words: str) -> None:
    run = document(*DEBATE)["run"]
    assert map_statements(forked(run, "--turn", "3", "--set", f"statement.3={words}"))[3] == words


def test_a_statement_that_is_changed_into_a_concession_ends_the_debate() -> None:
    run = document(*DEBATE)["run"]
    branch = forked(run, "--turn", "4", "--set", "statement.4=Your tea it is.\n\nI concede.")
    assert (branch["terminationReason"], len(branch["turns"])) == ("concession_detected", 4)


def test_nothing_before_the_fork_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        original = document("debate", "Tea or coffee?", "--max-turns", "5")
        before = len(server.chats)
        forked(original["run"], "--turn", "3", "--set", "statement.3=Tea needs no machine at all.")
        humans = [request.human for request in server.chats[before:]]
    assert len(humans) == 3, "turns four and five, and the synthesis"
    assert all("Tea needs no machine at all." in prompt for prompt in humans)


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ("max_turns=4", "settings.max_turns"),
        ("persona.CON=You are a retired tea merchant.", "personas"),
        ("topic=Tea or water?", "topic"),
        ("temperature=0.1", "settings.temperature"),
    ],
)
def test_the_comparison_names_what_differed(change: str, shown: str) -> None:
    run = document(*DEBATE)["run"]
    table = moot("fork", run, "--turn", "2", "--set", change, COLUMNS="200").stdout
    assert "What differed" in table
    assert shown in table


def test_a_rule_changed_in_a_fork_holds_from_there_on() -> None:
    run = document(*DEBATE)["run"]
    assert len(forked(run, "--turn", "2", "--set", "max_turns=3")["turns"]) == 3


def test_a_fork_may_begin_at_a_checkpoint_by_its_number() -> None:
    run = document(*DEBATE)["run"]
    rows = json.loads(moot("checkpoints", run, "--json").stdout)
    step = next(row["step"] for row in rows if row["turn"] == 4 and row["ran"] == ["speak"])
    assert map_statements(forked(run, "--checkpoint", f"{step}")) == map_statements(document("show", run))


def test_a_consensus_dialogue_can_be_forked_after_a_round() -> None:
    run = document("consensus", "A four-day week?", "--model", "rehearsal", "--seed", "3", "--max-rounds", "3")["run"]
    branch = forked(run, "--turn", "5", "--set", "consensus_rule=supermajority")
    assert map_statements(branch)[5] == map_statements(document("show", run))[5]
    assert branch["settings"]["consensus_rule"] == "supermajority"


THREE = ["--participant", "Ada", "--participant", "Ben", "--participant", "Cleo", "--model", "rehearsal", "--seed", "2"]
NOTHING_OF_IT: dict[str, tuple[str, list[str]]] = {
    "verdict_rule=10-2": ("jury", ["the two numbers must add up to 3, the number of jurors"]),
    "options={A: yes, B: no}": ("jury", ["earlier answers belong to the old question"]),
    "answer={number: lb}": ("delphi", ["earlier answers belong to the old question", "--turn 0"]),
    "statement.2=Tea needs no machine.": ("delphi", ["estimates cannot be changed"]),
    "chairman=Zoe": ("council", ["name a member (Ada, Ben, Cleo)"]),
}


@pytest.mark.long
@pytest.mark.parametrize("change", NOTHING_OF_IT)
def test_a_jury_a_delphi_and_a_council_are_not_forked_into_what_their_record_does_not_fit(change: str) -> None:
    name, told = NOTHING_OF_IT[change]
    run = document(name, "Tea?", *THREE)["run"]
    output = moot("fork", run, "--checkpoint", "4", "--set", change)
    assert output.exit_code == 2, output.stdout
    assert [one for one in told if one not in output.stderr] == []
    assert [run["run"] for run in listed()] == [run]


GOES_ON = {
    "jury": ("4", "verdict_rule=2-1", "ballot"),
    "delphi": ("4", "max_rounds=2", "estimate"),
    "council": ("4", "statement.2=Tea needs no machine at all.", "review"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", GOES_ON)
def test_a_fork_of_a_jury_a_delphi_or_a_council_keeps_what_was_answered_and_asks_the_rest_anew(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at, change, asked = GOES_ON[name]
    with FakeServer(MORE[name].reply) as server:
        original = document(*MORE[name].on(server))
        branch = forked(original["run"], "--checkpoint", at, "--set", change)
    first, again = ([call for call in each["calls"] if call["round"] < 2] for each in (original, branch))
    assert again[:3] == first[:3], "three were asked, and are on record"
    assert asked in {call["purpose"] for call in branch["calls"]}
    assert document("show", original["run"]) == original
    if name == "council":
        assert map_statements(branch)[2] == "Tea needs no machine at all."
        assert any(
            "Tea needs no machine at all." in chat.text for chat in server.chats if chat.schema_name == "ReviewForm"
        )


def test_a_fork_is_not_given_a_rule_that_does_nothing_in_its_protocol() -> None:
    run = document("discussion", "Tea?", "--models-only", "--max-turns", "2", "--model", "rehearsal")["run"]
    failed = moot("fork", run, "--turn", "1", "--set", "models.judge=rehearsal")
    assert failed.stderr == "moot: models.judge = 'rehearsal': a session has no judge; leave it out\n"


@pytest.mark.long
def test_a_fork_s_own_templates_are_found_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = document(*DEBATE)["run"]
    (tmp_path / "mine" / "en" / "debate").mkdir(parents=True)
    (tmp_path / "mine" / "en" / "debate" / "speak.md").write_text("Say it, {name}!")
    monkeypatch.chdir(tmp_path)
    branch = forked(run, "--turn", "2", "--set", "templates=mine")
    assert branch["settings"]["templates"] == str(tmp_path / "mine")
    assert document("show", branch["run"])["settings"]["templates"] == str(tmp_path / "mine")


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--turn", "9"), "--turn = 9: choose one of "),
        (("--turn", "2", "--set", "statement.4=Yes."), "statement.4 = 'Yes.': there is no such turn before the fork"),
        (("--turn", "2", "--set", "statement.1= "), "statement.1 = ' '"),
        (("--turn", "2", "--set", "persona.Eve=You spy."), "persona = 'Eve': no participant has this name"),
        (("--turn", "2", "--set", "topic="), "topic = '': give a text that is not blank"),
        (("--turn", "2", "--set", f"topic={'x' * 4001}"), "give at most 4,000 characters"),
        (("--turn", "2", "--set", "max_turns=99"), "max_turns = 99"),
        (("--turn", "2", "--set", "max_turn=9"), "max_turns"),
        (("--turn", "2", "--set", "templates=nowhere"), "templates = 'nowhere': there is no such folder"),
    ],
)
def test_a_fork_that_cannot_be_made_is_refused_in_one_line(words: tuple[str, ...], line: str) -> None:
    run = document(*DEBATE)["run"]
    result = moot("fork", run, *words)
    assert result.exit_code == 2
    assert line in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert len(json.loads(moot("runs", "--json").stdout)) == 1, "no run was begun"


@pytest.mark.long
def test_a_fork_of_an_experiment_changes_who_takes_part_and_refuses_what_nobody_is_told() -> None:
    words = ("--seed", "5", "--max-rounds", "1", "--set", "participants=[Ada, Ben, Cleo]", "-q")
    with FakeServer(alone_and_together) as server:
        assert moot("justice", "--model", f"any@{server.url}", *words).exit_code == 0
        (run,) = listed()
        fork = ("fork", run["run"], "--turn", "1")
        before = len(server.chats)
        for change in (
            "topic=Zebras",
            "material=Zebras",
            "role.Ada=Zebra",
            "persona.Eve=Zebra",
            "participants=[Ada, Eve]",
        ):
            output = moot(*fork, "--set", change)
            assert (output.exit_code, output.stderr.count("\n")) == (2, 1)
        assert (len(server.chats), len(listed())) == (before, 1)
        short = {"decision_rule": "majority", "phase2_settings.max_finishes_per_participant": 2, "wording": "neutral"}
        changes = (word for key, value in short.items() for word in ("--set", f"{key}={value}"))
        ruled = document(*fork, *changes)["config"]
        assert (ruled["voting"]["decision_rule"], ruled["wording"]["wording"]) == ("majority", "neutral")
        assert ruled["discussion"]["max_finishes_per_participant"] == 2
        before = len(server.chats)
        report = document(*fork, "--set", "persona.Ada=You are a zebra.", "--set", f"model.Ben=other@{server.url}")
        chats = server.chats[before:]
    assert {"You are a zebra." in chat.text for chat in chats if chat.body["model"] == "other"} == {False}
    assert [chat for chat in chats if "You are a zebra." in chat.text]
    assert [participant["persona"] for participant in report["participants"]] == ["You are a zebra.", "", ""]
    assert {chat.body["model"] for chat in chats} == {"any", "other"}


def test_a_fork_before_the_first_turn_may_seat_another_profile() -> None:
    original = document(*DEBATE)
    branch = forked(original["run"], "--turn", "0", "--set", "profile=technical")
    fresh = document(*DEBATE, "--profile", "technical")
    assert branch["participants"] == fresh["participants"]
    assert branch["participants"] != original["participants"]


def test_a_profile_changes_what_a_profile_gave_and_leaves_one_s_own_words() -> None:
    original = document(*DEBATE, "--pro", "A tea merchant.")
    branch = forked(original["run"], "--turn", "0", "--set", "profile=technical")
    assert branch["participants"][0] == original["participants"][0]
    assert branch["participants"][1] != original["participants"][1]


def test_a_group_is_seated_anew_as_well() -> None:
    words = ("consensus", "Tea or coffee?", "--model", "rehearsal", "--seed", "7", "--max-rounds", "1")
    people = ("--participant", "Ada", "--participant", "Ben", "--participant", "Cleo")
    original, fresh = document(*words, *people), document(*words, *people, "--profile", "technical-review")
    assert (
        forked(original["run"], "--turn", "0", "--set", "profile=technical-review")["participants"]
        == fresh["participants"]
    )


def test_a_profile_is_refused_once_somebody_has_spoken() -> None:
    run = document(*DEBATE)["run"]
    output = moot("fork", run, "--turn", "3", "--set", "profile=technical")
    assert (output.exit_code, output.stdout) == (2, "")
    assert "profile = 'technical': participants have already spoken; change them with --set persona.PRO=…" in (
        output.stderr
    )
    unknown = moot("fork", run, "--turn", "0", "--set", "profile=nobody")
    assert "profile = 'nobody': choose one of" in unknown.stderr


def test_a_fork_takes_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    run = document(*DEBATE)["run"]
    with FakeServer() as server:
        branch = forked(run, "--turn", "3", "--model", f"openai:other@{server.url}")
        assert len(server.chats) == 3
    assert branch["model"] == f"openai:other@{server.url}"
    assert branch["forkedWith"] == {"model": f"openai:other@{server.url}"}


def test_a_fork_records_the_address_to_which_its_words_go_now(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer() as first, FakeServer() as second:
        monkeypatch.setenv("OPENAI_BASE_URL", first.url)
        original = document("debate", "Tea or coffee?", "--model", "openai:any", "--max-turns", "4")
        before = len(first.chats)
        monkeypatch.setenv("OPENAI_BASE_URL", second.url)
        branch = forked(original["run"], "--turn", "2")
        assert (len(first.chats), len(second.chats)) == (before, 3)
    first_host, second_host = (server.url.removeprefix("http://").removesuffix("/v1") for server in (first, second))
    assert (first_host in original["recipients"], second_host in original["recipients"]) == (True, False)
    assert (first_host in branch["recipients"], second_host in branch["recipients"]) == (False, True)


def test_a_silenced_statement_counts_as_said_and_is_shown_to_nobody_after(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        original = document("debate", "Tea or coffee?", "--max-turns", "5")
        before = len(server.chats)
        branch = forked(original["run"], "--turn", "2", "--set", "silenced.1=true")
        humans = [request.human for request in server.chats[before:]]
    assert map_statements(branch)[1] == map_statements(original)[1], "the record keeps it"
    assert [one["silenced"] for one in branch["course"]] == [True, False, False, False, False]
    assert len(branch["turns"]) == len(original["turns"])
    assert all('turn="1"' not in prompt and 'turn="2"' in prompt for prompt in humans)


def test_a_fork_at_a_decision_decides_anew_by_what_was_set() -> None:
    document("debate", "Tea?", "--max-turns", "4", "--model", "rehearsal", "--set", "dynamic_termination=false")
    (original,) = listed()
    rows = json.loads(moot("checkpoints", original["run"], "--json").stdout)
    last = next(row for row in reversed(rows) if row["ran"] == ["decide"])
    assert (last["turn"], last["next"]) == (4, ["cap"])
    branch = document("fork", original["run"], "--checkpoint", f"{last['step']}", "--set", "max_turns=6")
    assert [turn["turnNumber"] for turn in branch["turns"]] == [1, 2, 3, 4, 5, 6]
