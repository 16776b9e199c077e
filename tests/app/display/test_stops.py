"""The record of every stop: the rule that found it, what that rests on, and what is promised."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from command import moot
from moot.app.display.transcript import render_transcript
from moot.app.report import render_html, render_markdown
from moot.prompts import LANGUAGES, load_phrases, load_table
from moot.state.ending import Ending, Evidence, Outcome, StopBasis, get_stop_basis
from moot.state.positions.calibrated_stop import StopSignal
from records.documents import CARS, by_hand
from sampling import sample_cases

PAPERS = "How do groups agree on a rule?"
PANEL = ["panel", PAPERS, "--language", "en", "--seed", "1"]
PAIR = ["discussion", CARS, "--models-only", "--participant", "Ada", "--participant", "Ben"]
JUSTICE = ["justice", "--set", "participants=[Ada, Ben, Cleo]"]
SET = ["--set", "voting.decision_rule=imposed", "--set", "voting.imposed_principle=1"]

RUNS: list[tuple[list[str], str, str, str]] = [
    (["debate", CARS, "--seed", "3"], "concession_detected", "asked", "event"),
    (["debate", CARS, "--seed", "3", "--stop-rule", "judge"], "concession_detected", "judge", "heuristic"),
    (["debate", CARS, "--seed", "3", "--stop-rule", "declared"], "concession_detected", "declared", "heuristic"),
    (["debate", CARS, "--max-turns", "2"], "max_turns_reached", "cap", "cap"),
    (["debate", CARS, "--max-calls", "4"], "budget_spent", "budget", "cap"),
    (["consensus", CARS, "--seed", "4", "--max-rounds", "1"], "max_rounds_reached", "cap", "cap"),
    (
        ["consensus", CARS, "--seed", "4", "--max-rounds", "1", "--set", "vote=ranked_pairs"],
        "vote_decided",
        "ranked_pairs",
        "event",
    ),
    (["discussion", CARS, "--models-only", "--max-turns", "3", "--seed", "1"], "max_turns_reached", "cap", "cap"),
    (
        [*PAIR, "--seed", "1", "--max-turns", "10", "--set", "stop_rule=declared"],
        "positions_stable",
        "declared",
        "heuristic",
    ),
    ([*PANEL, "--samples", "--set", "max_rounds=1"], "all_have_spoken", "cap", "cap"),
    ([*PANEL, "--samples", "--set", "hold_discussion=false"], "answered_directly", "protocol", "event"),
    (PANEL, "no_papers_found", "lexical", "event"),
    (["council", CARS, "--seed", "1"], "answers_ranked", "protocol", "event"),
    (["delphi", "How many cars are there?", "--seed", "3"], "estimates_converged", "spread", "heuristic"),
    (["delphi", "How many cars are there?", "--seed", "3", "--max-rounds", "1"], "max_rounds_reached", "cap", "cap"),
    (["jury", CARS, "--seed", "5", "--verdict-rule", "5/6"], "verdict_reached", "ballots", "event"),
    (["jury", CARS, "--seed", "5", "--max-rounds", "1"], "jury_deadlocked", "cap", "cap"),
    ([*JUSTICE, "--seed", "5", "--max-rounds", "2"], "consensus", "unanimity", "event"),
    ([*JUSTICE, "--seed", "6", "--max-rounds", "1"], "no_consensus", "cap", "cap"),
    ([*JUSTICE, "--seed", "5", *SET], "imposed", "imposed", "event"),
]
"""The command of a rehearsal, how it ends, the rule that finds it, and the kind of promise."""

FOUND_BY = {
    "spread": "spread of the estimates",
    "declared": "private declarations",
    "judge": "a judge model",
}
"""Names of the rules that judge."""


@pytest.mark.long
@pytest.mark.parametrize(("words", "reason", "strategy", "kind"), sample_cases(RUNS, kinds=0, share=3), ids=str)
def test_a_run_says_which_rule_ended_it_on_what_evidence_and_what_that_promises(
    words: list[str], reason: str, strategy: str, kind: str, tmp_path: Path
) -> None:
    ran = moot(*words, "--model", "rehearsal", "--json")
    assert ran.exit_code == 0, ran.stderr
    document: dict[str, Any] = json.loads(ran.stdout)
    assert (document["terminationReason"], document["strategy"], document["basis"]["kind"]) == (reason, strategy, kind)
    evidence = Evidence.model_validate(document["evidence"])
    assert evidence.turns or evidence.figure is not None or evidence.searched is not None
    text = f"Found by: {FOUND_BY.get(strategy)}. The rule is heuristic and can be wrong."
    for shown in (moot("show", document["run"]).stdout, render_html(document), render_markdown(document)):
        assert (text in " ".join(shown.split())) == ("Found by:" in shown) == (kind == "heuristic")


OTHERS: list[Ending] = [
    *(Ending(reason="consensus_reached", strategy=one) for one in ("declared", "lexical", "embedding", "judge")),
    Ending(reason="stalemate_repetition", strategy="asked"),
    Ending(reason="stalemate_disengagement", strategy="lexical"),
    Ending(reason="jury_deadlocked", strategy="unmoved"),
    Ending(reason="estimates_stable", strategy="stability"),
    Ending(reason="experts_agreed", strategy="agreement"),
    Ending(reason="vote_undecided", strategy="instant_runoff"),
    Ending(reason="answers_unranked", strategy="protocol"),
    Ending(reason="answers_cycle", strategy="protocol"),
    Ending(reason="answers_undecided", strategy="protocol"),
    Ending(reason="answered_alone", strategy="protocol"),
    Ending(reason="expired", strategy="session"),
    Ending(reason="closed", strategy="session"),
    Ending(reason="closed", strategy="caller"),
    Ending(reason="declined", strategy="invitation"),
    Ending(reason="participants_unavailable", strategy="availability"),
    Ending(reason="participants_unavailable", strategy="outage"),
    Ending(reason="participants_unavailable", strategy="closing"),
    Ending(
        reason="calibrated_stop",
        strategy="calibrated",
        basis=StopBasis(kind="guarantee", delta=0.1, epsilon=0.05, n=60),
    ),
]
"""Endings that a short rehearsal does not come to."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("ending", OTHERS, ids=lambda one: f"{one.reason} {one.strategy}")
def test_every_other_ending_says_so_too_in_every_language(ending: Ending, language: str) -> None:
    found = by_hand(
        outcome=Outcome(headline="Over.", **ending.model_dump(exclude={"basis"}), basis=get_stop_basis(ending))
    )
    found |= {"language": language}
    assert (found["strategy"], found["basis"]["kind"]) == (ending.strategy, get_stop_basis(ending).kind)
    say = load_phrases("report").translate_phrase
    rule = say(language, "bases.rule", rule="|").partition("|")[0]
    kind = get_stop_basis(ending).caveat or get_stop_basis(ending).kind
    values = {"delta": "0.1", "sure": "0.95", "n": "60", "alpha": "0.05"}
    for shown in (render_transcript(found), render_html(found), render_markdown(found)):
        assert (rule in shown) == (kind not in ("event", "cap"))
        assert kind in ("event", "cap") or say(language, f"bases.{kind}", **values) in shown


def test_no_ending_is_left_out() -> None:
    tried = {RUN[1] for RUN in RUNS} | {OTHER.reason for OTHER in OTHERS}
    assert load_phrases("report").list_keys("reasons") == [
        key for key in load_phrases("report").list_keys("reasons") if key in tried
    ]


NOTES = [
    *("declarations that concede", "declarations without a move", "a declared and spoken concession"),
    *("log likelihood ratio of a talk that still moves", "rounds held", "calls made", "answers given"),
    *(f"calibrated score: {argument}" for argument in get_args(StopSignal)),
]


def test_a_large_figure_is_told_in_its_digits() -> None:
    evidence = Evidence(figure=1234567, threshold=4321, note="delphi_range")
    outcome = Outcome(reason="estimates_converged", headline="Over.", evidence=evidence)
    assert "interquartile range: 1234567 (threshold 4321)" in render_transcript(by_hand(outcome=outcome))


@pytest.mark.parametrize("note", NOTES)
def test_what_a_figure_measures_is_told_in_the_run_s_language(note: str) -> None:
    strs = [str(load_table("report", language)["measures"][note]) for language in LANGUAGES]
    assert len(set(strs)) == len(LANGUAGES)
    outcome = Outcome(reason="positions_stable", headline="Over.", evidence=Evidence(figure=2, threshold=3, note=note))
    for language, words in zip(LANGUAGES, strs, strict=True):
        assert words in render_transcript(by_hand(outcome=outcome) | {"language": language})
