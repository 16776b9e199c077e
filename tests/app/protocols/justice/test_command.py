"""`moot justice`: a whole experiment in rehearsal, many runs of it, exports, refusals."""

import json
import re
from pathlib import Path

import pytest
from command import document, listed, moot, name_of
from moot.app.protocols.justice.experiment_command import summarize_results
from moot.app.protocols.justice.table_columns import JUSTICE_COLUMNS
from moot.app.protocols.justice.table_rows import build_justice_tables
from moot.app.run.config_file import read_config
from moot.graphs.justice import graph
from moot.state.justice.phase_results import Phase2Result
from moot.state.justice.result import JusticeResult
from moot.state.justice.settings import JusticeSettings, parse_justice_settings
from places import ROOT
from records.tables import read

EXAMPLES = sorted((ROOT / "examples" / "justice").glob("*.yaml"))
SMALL = ("--model", "rehearsal", "--seed", "7", "--max-rounds", "2", "--set", "participants=[Ada, Ben, Cleo]")


def result_in(found: dict[str, object]) -> JusticeResult:
    return JusticeResult.model_validate({key: found[key] for key in JusticeResult.model_fields})


@pytest.mark.long
def test_without_arguments_a_whole_experiment_is_rehearsed() -> None:
    output = moot("justice", MOOT_MODEL="rehearsal").stdout
    for told in (
        "Rehearsal: no model took part.",
        "Alice: first ranking: ",
        "Alice: application 4: principle",
        "Round 1: ",
        "[1] ",
        "Mei agrees to vote",
        "Alice has voted",
        "The incomes and the classes are drawn, and everyone is paid.",
        "Mei: last ranking: ",
        "Who was paid what",
        "How far rankings moved",
        "Saved as justice-",
    ):
        assert told in output
    assert output.index("Round 1: ") < output.index("has voted") < output.index("Who was paid what")


@pytest.mark.long
def test_the_document_is_the_result_and_can_be_shown_again() -> None:
    report = document("justice", *SMALL)
    result = result_in(report)
    assert (report["protocol"], report["rehearsal"], report["status"]) == ("justice", True, "completed")
    assert result.experiment_id == report["run"]
    assert result.seed == report["seed"] == 7
    assert len(result.phase1) == 3
    assert all(len(phase1.application_results) == 4 for phase1 in result.phase1.values())
    assert result.config.discussion.max_rounds == 2
    assert document("show", str(report["run"])) == report
    assert [run["topic"] for run in listed() if run["run"] == report["run"]] == [report["topic"]]
    assert report["topic"]
    assert "…" not in moot("checkpoints", str(report["run"])).stdout, "whole on a terminal of 80 columns"


@pytest.mark.long
def test_two_runs_with_one_seed_draw_the_same() -> None:
    first, second = (result_in(document("justice", *SMALL)) for _ in range(2))
    assert first.draws == second.draws
    assert first.phase2.payoffs == second.phase2.payoffs


@pytest.mark.long
def test_repeats_are_an_experiment_of_one_condition_which_goes_on_and_is_exported(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    report = json.loads(moot("justice", *SMALL, "--repeats", "2", "--export", folder, "--json").stdout)
    name = report["experiment"]
    assert report["summary"]["runs"] == [f"{name}-all-1-r1", f"{name}-all-1-r2"]
    assert report["summary"]["group"]["consensus"]["of"] == 2
    first, second = (document("show", run) for run in report["summary"]["runs"])
    assert first["experiment"] == name
    assert first["seed"] != second["seed"]
    assert "Run of the experiment" in moot("show", first["run"]).stdout
    rows = read(folder)["rankings"]
    assert len(rows) == 2 * 3 * 4
    assert {row["run"] for row in rows} == {first["run"], second["run"]}
    assert all(sorted(row[f"rank_{place}"] for place in range(1, 5)) == ["1", "2", "3", "4"] for row in rows)
    assert moot("experiment", "run", name).exit_code == 0


def test_tables_are_tidy() -> None:
    result = result_in(document("justice", *SMALL, "--set", "comprehension_test=true"))
    justice_tables = build_justice_tables(result)
    sizes = {name: len(rows) for name, rows in justice_tables.items()}
    assert sizes["runs"] == 1
    assert sizes["participants"] == 3
    assert sizes["rankings"] == sizes["applications"] == sizes["comprehension"] == 12
    for name, rows in justice_tables.items():
        assert {tuple(row) for row in rows} == {tuple(JUSTICE_COLUMNS[name])[1:]}


def test_whoever_was_not_reached_yet_has_rows_too() -> None:
    result = result_in(document("justice", *SMALL))
    justice_tables = build_justice_tables(result.model_copy(update={"phase1": {}, "phase2": Phase2Result()}))
    assert [(row["participant"], row["phase1_cents"]) for row in justice_tables["participants"]] == [
        ("Ada", None),
        ("Ben", None),
        ("Cleo", None),
    ]
    assert len(justice_tables["rankings"]) == 12
    assert {row["defaulted"] for row in justice_tables["rankings"]} == {None}
    assert justice_tables["applications"] == justice_tables["ballots"] == justice_tables["reasonings"] == []


@pytest.mark.long
@pytest.mark.parametrize("format", ["transcript", "md"])
def test_a_shown_experiment_ends_with_its_payoffs_and_rankings(format: str) -> None:
    output = moot("justice", *SMALL).stdout
    printed_text = moot("show", name_of(output), "--format", format).stdout.replace("\N{NO-BREAK SPACE}", " ")
    closing = output[output.index("Who was paid what") : output.index("\n\nSaved as")]
    rows = [line for line in closing.splitlines() if line.startswith(("Ada ", "Ben ", "Cleo "))]
    assert len(rows) == 12, "payoffs, payoffs under each principle, rankings and how far they moved"
    for row in rows:
        cells = re.split(" {2,}", row.replace("\N{NO-BREAK SPACE}", " "))
        assert ("  " if format == "transcript" else " | ").join(cells) in re.sub(" {2,}", "  ", printed_text)


def test_an_experiments_row_says_under_which_condition_it_ran() -> None:
    result = result_in(document("justice", *SMALL, "--set", "frame=loss", "--set", "decision_rule=majority"))
    (row,) = build_justice_tables(result)["runs"]
    said = ("model", "language", "participants", "max_rounds", "decision_rule", "wording", "frame")
    assert [row[key] for key in said] == ["rehearsal", "en", 3, 2, "majority", "justice", "loss"]


def test_many_runs_report_all_their_rankings_together() -> None:
    result = result_in(document("justice", *SMALL))
    report = summarize_results({"one": result, "two": result}, 0.8)
    assert report.measures.standings[0].counted == 6
    assert report.group.consensus.of == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "max_round=3"], "max_round = 3: unknown key; did you mean max_rounds?"),
        (["--max-rounds", "0"], "discussion.max_rounds = 0"),
        (["--set", "decision_rule=imposed"], "imposed_principle"),
        (["--language", "fr"], "language = 'fr'"),
    ],
)
def test_bad_settings_are_refused_before_any_call(words: list[str], said: str) -> None:
    output = moot("justice", *words, MOOT_MODEL="rehearsal")
    assert output.exit_code == 2
    assert output.stdout == ""
    assert said in output.stderr
    assert len(output.stderr.splitlines()) == 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("discussion: {max_rounds: 5}", ["--max-rounds", "3"]),
        ("max_rounds: 5", ["--set", "discussion.max_rounds=3"]),
        ("phase2_settings: {max_rounds: 5}", ["--set", "max_rounds=3"]),
        ("discussion.max_rounds: 5", ["--max-rounds", "3", "--set", "wording.frame=loss"]),
    ],
)
def test_what_is_said_on_the_command_line_overrules_the_file(file: str, words: list[str], tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(f"{file}\nwording: {{frame: loss}}\nlogging: {{transcript_logging: {{enabled: true}}}}\n")
    logged = ["--set", "transcript_logging.include_agent_responses=false", "--set", "wording=neutral"]
    rules = result_in(document("justice", config, *SMALL[:4], *SMALL[6:], *words, *logged)).config
    assert rules.discussion.max_rounds == 3
    assert (rules.wording.wording, rules.wording.frame) == ("neutral", "loss")
    transcript_logging = rules.logging.transcript_logging
    assert (transcript_logging.enabled, transcript_logging.include_agent_responses) == (True, False)


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_every_example_can_be_read(path: Path) -> None:
    assert isinstance(parse_justice_settings(read_config(path)), JusticeSettings)


def test_there_is_an_example_for_every_variant() -> None:
    names = {path.stem for path in EXAMPLES}
    assert names >= {"rehearsal", "neutral", "loss", "late_vote", "majority", "imposed", "high_variance"}


def test_the_rehearsal_example_runs() -> None:
    report = document("justice", next(path for path in EXAMPLES if path.stem == "rehearsal"))
    assert report["model"] == "rehearsal"
    assert report["status"] == "completed"


@pytest.mark.long
def test_a_transcript_holds_what_the_settings_say(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "talk.jsonl"
    settings = [
        "transcript_logging.enabled=true",
        "transcript_logging.include_instructions=true",
        "transcript_logging.include_memory_updates=true",
        f"transcript_logging.path={path}",
    ]
    words = [word for setting in settings for word in ("--set", setting)]
    run = name_of(moot("justice", *SMALL, *words).stdout)
    lines = (tmp_path / "logs" / f"talk-{run}.jsonl").read_text("utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    kinds = {entry["event"] for entry in entries}
    assert kinds == {"prompt", "reply", "memory"}
    asked = [entry for entry in entries if entry["event"] == "prompt"]
    assert {one["who"] for one in asked} == {"Ada", "Ben", "Cleo"}
    assert all("<task>" in one["prompt"] and one["instructions"] for one in asked)
    assert sum(entry["event"] == "reply" for entry in entries) == len(asked)


@pytest.mark.long
def test_at_the_lowest_verbosity_only_statements_and_the_ending_are_shown() -> None:
    output = moot("justice", *SMALL, "--set", "verbosity_level=minimal").stdout
    assert "first ranking" not in output.split("Rehearsal: no model took part. ")[0]
    assert "[1] " in output
    assert "Who was paid what" in output
    loud = moot("justice", *SMALL, "--set", "verbosity_level=debug").stdout
    assert " calls, " in loud


def test_forms_for_input_and_settings_are_complete() -> None:
    context, input = graph.get_context_jsonschema(), graph.get_input_jsonschema()
    assert context is not None
    assert {"participants", "discussion", "voting", "tables", "wording", "memory"} <= set(context["properties"])
    assert all("description" in one for one in context["properties"].values())
    assert set(input["properties"]) == {"experiment_id"}
    assert "required" not in input
    assert "payoffs" in json.dumps(graph.get_output_jsonschema())
