"""The tables of a run against its document: nothing is lost, nothing is added, sums are the totals, keys join."""

import re
from collections import Counter
from typing import Any

import pytest
from moot.app.export.csv_files import ESCAPE_APOSTROPHE
from records.documents import WORDS
from records.scene import SERVED, scene
from sampling import sample_cases

ROLES = {"synthesizer", "judge", "summarizer"}
VOTES = ["consensus", "plurality", "approval", "ranked"]
JUSTICE = ["justice", "ailing justice", "justice cut short"]
EVERY = [*WORDS, *SERVED]


def text_of(value: Any) -> str:
    """A value as a cell holds it."""
    return "; ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


def unquoted(row: dict[str, str], columns: list[str]) -> dict[str, str]:
    return {column: re.sub(ESCAPE_APOSTROPHE, "", row[column]) for column in columns}


def tokens(row: dict[str, str]) -> int:
    return int(row["input_tokens"]) + int(row["output_tokens"])


@pytest.mark.long
@pytest.mark.parametrize("name", sample_cases(EVERY, kinds=0, share=3))
def test_every_entry_is_a_row_and_every_row_an_entry(name: str) -> None:
    found, tables = scene(name)
    whole = {"participants", "calls", "incidents", "positions", "events", "papers"} & set(found)
    assert whole <= set(tables)
    for table in whole:
        columns = list(found[table][0]) if found[table] else []
        entries = [{key: text_of(one) for key, one in entry.items()} for entry in found[table]]
        assert [unquoted(row, columns) for row in tables[table]] == entries
    spoken = [{"content": turn["content"], "speaker": turn["speakerId"]} for turn in found["turns"]]
    assert [unquoted(row, ["content", "speaker"]) for row in tables["turns"]] == spoken


@pytest.mark.long
@pytest.mark.parametrize("name", EVERY)
def test_totals_are_the_sums_of_their_rows(name: str) -> None:
    found, tables = scene(name)
    (run,) = tables["runs"]
    assert int(run["total_tokens"]) == found["totalTokens"] == sum(map(tokens, tables["calls"]))
    assert int(run["total_calls"]) == found["totalCalls"] == len(tables["calls"])
    assert (int(run["turns"]), int(run["incidents"])) == (len(tables["turns"]), len(tables["incidents"]))
    assert (run["total_cost"] != "") == (name in SERVED)
    if name in SERVED:
        assert float(run["total_cost"]) == found["totalCost"]
        assert sum(float(row["cost"]) for row in tables["calls"]) == pytest.approx(found["totalCost"])
    counts: Counter[tuple[str, str]] = Counter()
    for row in tables["calls"]:
        counts[row["turn"], row["who"]] += tokens(row) if row["purpose"] in ("statement", "estimate") else 0
    assert [int(row["tokens"]) for row in tables["turns"]] == [
        counts[row["turn"], row["speaker"]] for row in tables["turns"]
    ]


@pytest.mark.parametrize("name", EVERY)
def test_keys_join(name: str) -> None:
    _, tables = scene(name)
    names = {row["name"] for row in tables["participants"]}
    turns = [(row["turn"], row["speaker"]) for row in tables["turns"] if row["speaker"] != "moderator"]
    rounds = {row["round"] for row in tables["turns"]}
    missed = {row["turn"] for row in tables["incidents"] if row["consequence"] == "missed"}
    assert len(set(turns)) == len(turns)
    assert {speaker for _, speaker in turns} <= names
    assert {turn for turn, _ in turns}.isdisjoint(missed)
    assert {str(turn) for turn in range(1, len(turns) + len(missed) + 1)} == {turn for turn, _ in turns} | missed
    for table, column in (("calls", "who"), ("incidents", "who"), ("positions", "who"), ("agreements", "participant")):
        assert {row[column] for row in tables.get(table, [])} <= names | ROLES | {""}
    for table in ("positions", "agreements", "polls", "votes"):
        assert {row["round"] for row in tables.get(table, [])} <= rounds | {"0"}


@pytest.mark.parametrize("name", VOTES)
def test_votes_are_counted_as_their_ballots_say(name: str) -> None:
    found, tables = scene(name)
    assert [int(row["vote"]) for row in tables["polls"]] == [poll["number"] for poll in found["polls"]]
    (counted,) = [poll for poll in found["polls"] if poll["tally"]]
    (poll,) = [row for row in tables["polls"] if row["rule"]]
    options = tables["votes"]
    assert [row["option"] for row in options] == list(counted["options"])
    assert {row["option"]: float(row["total"]) for row in options} == counted["tally"]["totals"]
    assert poll["winner"] in {"", *(row["option"] for row in options if row["winner"] == "True")}
    ballots = tables["ballots"]
    assert len(ballots) == (int(poll["voters"]) if name in SERVED else 0), "the ballots of a secret vote are no table"
    if not ballots:
        return
    assert int(poll["invalid"]) == sum(bool(row["invalid"]) for row in ballots)
    assert int(poll["votes"]) == sum(not row["invalid"] and row["abstain"] == "False" for row in ballots)
    totals = {row["option"]: int(row["total"]) for row in options if name != "ranked"}
    if name == "plurality":
        chosen = Counter(row["choice"] for row in ballots if row["choice"])
        assert totals == {sign: chosen[sign] for sign in totals}
    if name == "approval":
        approved = Counter(sign for row in ballots for sign in row["approvals"].split("; ") if sign)
        assert totals == {sign: approved[sign] for sign in totals}


@pytest.mark.parametrize("name", JUSTICE)
def test_money_adds_up_over_the_tables_of_an_experiment(name: str) -> None:
    found, tables = scene(name)
    assert {re.sub(ESCAPE_APOSTROPHE, "", row["participant"]) for row in tables["participants"]} == set(found["phase1"])
    for row in tables["participants"]:
        id = re.sub(ESCAPE_APOSTROPHE, "", row["participant"])
        applications = [
            application for application in tables["applications"] if application["participant"] == row["participant"]
        ]
        assert len(applications) == len(found["phase1"][id]["application_results"])
        assert int(row["phase1_cents"]) == sum(int(application["payoff_cents"]) for application in applications)
        paid = found["phase2"]["payoffs"].get(id, {}).get("payoff_cents")
        assert row["phase2_cents"] == text_of(paid)
        if paid is None:
            continue
        under = [int(row[f"under_{number}_cents"]) for number in range(1, 5)]
        assert int(row["bank_cents"]) == int(row["phase1_cents"]) + paid == found["phase2"]["final_earnings"][id]
        assert (int(row["spread_cents"]), int(row["cost_cents"])) == (max(under) - min(under), max(under) - paid)


@pytest.mark.parametrize("name", JUSTICE)
def test_rankings_and_ballots_of_an_experiment_are_all_there(name: str) -> None:
    found, tables = scene(name)
    records, people = found["phase2"]["voting_records"], found["phase1"]
    assert len(tables["rankings"]) == 4 * len(people)
    for row in tables["rankings"]:
        places = sorted(row[f"rank_{number}"] for number in range(1, 5))
        assert places == (["1", "2", "3", "4"] if row["defaulted"] == "False" else [""] * 4)
    assert len(tables["ballots"]) == len(records) * len(people)
    cast = Counter(row["round"] for row in tables["ballots"] if row["principle"])
    assert cast == Counter(str(record["round"]) for record in records for it in record["ballots"].values() if it)
    (run,) = tables["runs"]
    adopting = [(row["principle"], row["constraint_amount"]) for row in tables["ballots"] if row["consensus"] == "True"]
    assert set(adopting) == ({(run["principle"], run["constraint_amount"])} if run["principle"] else set())
