"""Tables of a run for a data frame."""

import re
from pathlib import Path
from typing import Any

import pytest
from command import moot
from moot.app.export.columns import RUN_COLUMN
from moot.app.export.csv_files import ESCAPE_APOSTROPHE, build_csv_files, clean_cell, format_turns_csv
from moot.app.export.run_tables import build_tables
from moot.app.protocols.hooks import Hooks
from moot.app.report.blocks import Paragraph
from moot.app.report.html_page import render_html
from records.documents import WORDS, by_hand, run
from records.tables import header, read, rows

EVERY = {"runs", "turns", "participants", "memories", "calls", "lookups", "incidents"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("protocol", "names"),
    [
        ("debate", {"positions"}),
        ("consensus", {"positions", "agreements", "polls", "votes", "ballots"}),
        ("discussion", {"events", "positions"}),
        ("panel", {"papers", "positions"}),
        ("delphi", {"positions", "estimates", "feedback"}),
        ("jury", {"positions", "polls", "votes", "ballots"}),
        ("justice", {"comprehension", "rankings", "applications", "ballots", "reasonings", "words"}),
    ],
)
def test_a_folder_gets_every_table_the_protocol_has(protocol: str, names: set[str], tmp_path: Path) -> None:
    WORD = run(WORDS[protocol], tmp_path)
    output = moot("show", WORD["run"], "--format", "csv", "-o", tmp_path / "out", "--db", tmp_path / "runs.db")
    assert output.exit_code == 0, output.stderr
    written = read(tmp_path / "out")
    assert set(written) == EVERY | names | {"columns"}
    meanings = written.pop("columns")
    for name, table in written.items():
        columns = header(tmp_path / "out" / f"{name}.csv")
        assert columns == list(dict.fromkeys(columns)), "no column comes twice"
        assert columns == [meaning["column"] for meaning in meanings if meaning["table"] == name and meaning["meaning"]]
        assert {row["run"] for row in table} <= {WORD["run"]}
        assert all(None not in row and None not in row.values() for row in table)


def test_turns_alone_go_to_standard_output_or_one_file(tmp_path: Path) -> None:
    debate = run(WORDS["debate"], tmp_path)
    words = ("show", debate["run"], "--format", "csv", "--db", tmp_path / "runs.db")
    printed = moot(*words).stdout
    assert printed.splitlines()[0] == "run,turn,round,speaker,content,timestamp,tokens,cut_off,silenced"
    assert len(rows(printed)) == len(debate["turns"])
    assert moot(*words, "-o", tmp_path / "turns.csv").exit_code == 0
    assert (tmp_path / "turns.csv").read_text("utf-8") == printed


def test_a_folder_that_cannot_be_made_is_refused_by_name(tmp_path: Path) -> None:
    debate = run(WORDS["debate"], tmp_path)
    (tmp_path / "taken").write_text("a file")
    words = ("show", debate["run"], "--format", "csv", "--db", tmp_path / "runs.db", "-o", tmp_path / "taken")
    output = moot(*words)
    assert output.exit_code == 2
    assert "cannot be written" in output.stderr


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1", "'+1"),
        ("-1 for me", "'-1 for me"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"),
        ("\n=1", "'\n=1"),
        ("＝1", "'＝1"),
        ("'=1", "''=1"),
        ("'tis", "'tis"),
        ("\x1b[2J=1", "'=1"),
        ("plain = text", "plain = text"),
        ("two\r\nlines\x00", "two\nlines"),
        (-4, -4),
        (None, None),
        (True, True),
    ],
)
def test_no_text_is_a_formula_and_numbers_stay_numbers(value: object, shown: object) -> None:
    assert clean_cell(value) == shown


@pytest.mark.parametrize("text", ["=1+1", "'=1", "''-x", "'tis", "-", "two\nlines", "👩\u200d👩\u200d👧, 再见"])
def test_the_apostrophe_before_a_formula_comes_off_again(text: str) -> None:
    assert re.sub(ESCAPE_APOSTROPHE, "", str(clean_cell(text))) == text


def test_texts_with_commas_quotes_and_lines_come_back_as_they_were() -> None:
    found = by_hand()
    found["turns"][1]["content"] = 'She said: "no",\nand left; 再见。'
    assert rows(format_turns_csv(found))[1]["content"] == 'She said: "no",\nand left; 再见。'


def test_a_run_without_turns_has_a_header() -> None:
    assert format_turns_csv(by_hand(history=[])) == "run,turn,round,speaker,content,timestamp,tokens,cut_off,silenced\n"


def test_tables_without_rows_keep_their_headers() -> None:
    files = build_csv_files(build_tables(by_hand(history=[], calls=[], incidents=[])))
    assert {name: text.count("\n") for name, text in files.items()} | {"columns.csv": 1} == {
        "runs.csv": 2,
        "turns.csv": 1,
        "participants.csv": 3,
        "positions.csv": 1,
        "memories.csv": 2 + 1,
        "calls.csv": 1,
        "incidents.csv": 1,
        "lookups.csv": 1,
        "columns.csv": 1,
    }


def test_a_vote_has_a_row_for_each_option(tmp_path: Path) -> None:
    consensus: dict[str, Any] = run(WORDS["consensus"], tmp_path)
    counted = [poll for poll in consensus["polls"] if poll["tally"]]
    votes = build_tables(consensus)["votes"].rows
    assert len(votes) == sum(len(poll["options"]) for poll in counted) > 0
    assert {row["rule"] for row in votes} == {"ranked_pairs"}
    assert any(row["winner"] for row in votes)


def test_a_protocol_s_hooks_bring_tables_and_sections_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    meanings = {"seat": "The seat, from 1."}
    hooks = Hooks(
        sections={"result": [lambda shown: [Paragraph(f"{len(shown.seats)} sat down.")]]},
        tables={"seats": meanings},
        table_rows=lambda document: {"seats": [{"seat": 1}, {"seat": 2}]},
    )
    monkeypatch.setattr("moot.app.export.run_tables.get_hooks", lambda name: hooks)
    monkeypatch.setattr("moot.app.report.page.get_hooks", lambda name: hooks)
    seats = build_tables(by_hand())["seats"]
    assert seats.columns == RUN_COLUMN | meanings
    assert [(row["run"], row["seat"]) for row in seats.rows] == [("debate-tea-abcd", 1), ("debate-tea-abcd", 2)]
    assert "2 sat down." in render_html(by_hand())
