"""What a display says of a justice experiment: in the run's language, and in no other."""

from pathlib import Path

import pytest
from command import moot
from moot.prompts import LANGUAGES, get_term, load_phrases

SMALL = ("--model", "rehearsal", "--seed", "7", "--max-rounds", "2", "--set", "participants=[Ada, Ben, Cleo]")
ABROAD = [tag for tag in LANGUAGES if tag != "en"]
CLASSES = ("high", "medium_high", "medium", "medium_low", "low")


@pytest.mark.parametrize("language", ABROAD)
def test_an_experiment_is_told_in_its_own_language(language: str) -> None:
    output = moot("justice", *SMALL, "--language", language).stdout
    phrases = load_phrases("experiment")
    for key in ("steps.pay", "stages.rank_last", "votes.initiation_yes"):
        translate_phrase = phrases.translate_phrase(language, key, who="\0")
        assert max(translate_phrase.split("\0"), key=len) in output
    for key in ("payoffs", "counterfactuals", "rankings", "changes", "flipped"):
        assert load_phrases("report").translate_phrase(language, f"justice.{key}") in output
    classes = {load_phrases("justice").translate_phrase(language, f"classes.{CLASS}") for CLASS in CLASSES}
    assert any(one in output for one in classes)
    english = {"agrees to vote", "medium", "very sure", "Round ", "Ranking ", "principle ", "Phase 1"}
    assert not [one for one in english if one in output]


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_many_runs_name_principles_by_number_in_its_own_language(language: str, tmp_path: Path) -> None:
    place = ("--db", tmp_path / "runs.db")
    output = moot("justice", *SMALL, "--repeats", "2", "--quiet", "--language", language, *place).stdout
    translate_phrase = load_phrases("experiment").translate_phrase(language, "series.runs", count=2)
    assert translate_phrase in output
    assert "maximizing_" not in output
    assert get_term(language, "headline", "rehearsal") in output, "a rehearsal is never silent about itself"
