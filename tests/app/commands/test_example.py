"""The recorded examples: answers written for the documentation, played through the whole graph of their protocol."""

from pathlib import Path
from typing import Any

import pytest
from command import document, moot, name_of
from moot.app.saved.saved_run import load_run
from moot.models.example import list_examples, load_example
from moot.prompts import get_term
from places import SAMPLES

LABEL = "Example: recorded answers, written for this page. No model took part."
ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("name", "ending", "turns"),
    [
        ("debate", "concession_detected", 6),
        ("consensus", "vote_decided", 12),
        ("council", "answers_ranked", 3),
        ("panel", "all_have_spoken", 3),
        ("jury", "verdict_reached", 8),
    ],
)
def test_an_example_plays_to_its_ending_without_an_incident(name: str, ending: str, turns: int) -> None:
    played = document("example", name)
    assert (played["terminationReason"], len(played["turns"])) == (ending, turns)
    assert (played["status"], played["incidents"]) == ("completed", [])
    assert {call["attempt"] for call in played["calls"]} == {1}, "every answer was read as it stands"
    assert "?]" not in played["synthesis"], "every citation stands"
    assert played["headline"].startswith(LABEL)


def test_every_example_is_tested() -> None:
    assert list_examples() == ["consensus", "council", "debate", "jury", "panel"]


def test_the_debate_ends_by_the_line_that_gives_up_a_side() -> None:
    played = document("example")
    assert played["protocol"] == "debate", "no name plays the debate"
    assert (played["evidence"]["turns"], played["evidence"]["quote"]) == ([6], "I concede.")
    answers = [answer["answer"] for answer in played["positions"] if answer["who"] == "CON"]
    assert answers == ["against", "against", "against", "for"], "CON changes its mind"


def test_the_consensus_rejects_a_draft_for_one_objection_and_ends_by_a_vote_with_one_dissent() -> None:
    played = document("example", "consensus")
    replies = {reply["who"]: reply["accepts"] for reply in played["confirmations"]}
    assert replies == {"Ada": True, "Ben": True, "Cleo": True, "Dana": False}
    assert played["polls"][-1]["tally"]["totals"] == {"A": 3, "B": 1}
    assert "**Dana**" in played["synthesis"]
    assert "**Ada**" not in played["synthesis"]


def test_the_council_ranks_one_answer_first_and_a_member_puts_it_above_its_own() -> None:
    reviews = {review["voter"]: review for review in document("example", "council")["reviews"]}
    assert {name: review["ranking"] for name, review in reviews.items()} == {
        "Ada": [2, 1, 3],
        "Ben": [1, 2, 3],
        "Cleo": [2, 3, 1],
    }
    critiques = {critique["turn"]: critique["text"] for critique in reviews["Cleo"]["critiques"]}
    assert critiques[3].startswith("Strong on borders"), "a critique is of the answer that it means"


def test_the_jury_turns_from_three_for_guilty_to_none() -> None:
    polls = document("example", "jury")["polls"]
    counts = [poll["tally"]["totals"]["guilty"] for poll in polls if poll["tally"]]
    assert counts == [3, 1, 0]


def test_the_panel_cites_its_papers_which_are_of_the_samples() -> None:
    played = document("example", "panel")
    text = "".join(turn["content"] for turn in played["turns"])
    assert all(f"[@{paper['id']}]" in text for paper in played["papers"])
    samples = " ".join("".join(path.read_text("utf-8") for path in SAMPLES.iterdir()).split())
    for paper in load_example("panel")["input"]["papers"]:
        for part in [paper["title"], paper["abstract"], *paper.get("text", "").split("\n\n")]:
            assert " ".join(part.split()) in samples


@pytest.mark.parametrize("name", list_examples())
def test_every_view_says_that_it_is_an_example(name: str) -> None:
    result = moot("example", name)
    assert LABEL in result.stdout
    run = name_of(result.stdout)
    for form in ("transcript", "md", "html"):
        assert LABEL in moot("show", run, "--format", form).stdout
    assert load_run(run)["outcome"].rehearsal, "no model took part"


def test_a_label_stands_in_every_language() -> None:
    assert len({get_term(language, "headline", "example") for language in ("en", "es", "zh")}) == 3


def test_names_are_listed_and_another_name_is_an_error_that_lists_them() -> None:
    result = moot("example", "--list")
    assert [line.partition(":")[0] for line in result.stdout.splitlines()] == list_examples()
    result = moot("example", "trial")
    assert result.exit_code == 2
    assert all(name in result.stderr for name in list_examples())


def test_the_debate_of_the_makefile_is_the_example_if_there_is_no_key() -> None:
    topic = load_example("debate")["input"]["topic"]
    assert f"TOPIC ?= {topic}\n" in (ROOT / "Makefile").read_text("utf-8")
    assert document("debate", topic)["model"] == "example:debate"


@pytest.mark.parametrize(
    "words", [("Tea or coffee?",), ("TOPIC", "--max-turns", "4"), ("TOPIC", "--model", "rehearsal")]
)
def test_any_other_debate_without_a_key_is_rehearsed(words: tuple[str, ...]) -> None:
    topic = load_example("debate")["input"]["topic"]
    played: dict[str, Any] = document("debate", *(topic if word == "TOPIC" else word for word in words))
    assert played["model"] == "rehearsal"


def test_an_example_has_no_answers_for_another_topic() -> None:
    result = moot("debate", "Tea or coffee?", "--model", "example:debate")
    assert result.exit_code != 0
    assert "the example debate has no recorded answer of PRO" in result.stderr
