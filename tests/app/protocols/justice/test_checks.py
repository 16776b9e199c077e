"""The checks of the treatment as whoever publishes sees them: in the report, and as factors of an experiment."""

import csv
import html
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import document, moot
from moot.app.commands.show import EXPORT_FORMATS
from moot.prompts import LANGUAGES, load_phrases
from moot.state.justice.result import parse_justice_result

SMALL = (
    "justice",
    "--model",
    "rehearsal",
    "--seed",
    "7",
    "--max-rounds",
    "1",
    "--set",
    "participants=[Ada, Ben, Cleo]",
)
CHECKED = ("--set", "comprehension_test=true", "--set", "principle_order=counterbalanced")


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_report_says_how_often_each_question_was_asked_and_in_which_order_all_was_told(language: str) -> None:
    report = document(*SMALL, *CHECKED, "--language", language)
    unescape = html.unescape(re.sub(r"<[^>]+>", " ", EXPORT_FORMATS["html"](report)))
    say = load_phrases("report").translate_phrase
    assert say(language, "justice.comprehension") in unescape
    for alone in parse_justice_result(report).phase1.values():
        assert alone.presentation.numbers in unescape
        assert [answer.attempts for answer in alone.comprehension] == [1] * 4
    for number in range(1, 5):
        assert unescape.count(say(language, "justice.asked", number=number, attempts=1)) >= 3


@pytest.mark.long
def test_a_check_is_a_factor_of_an_experiment_whose_export_has_its_answers_and_the_versions_of_all_words(
    tmp_path: Path,
) -> None:
    plan: dict[str, Any] = {
        "name": "checked",
        "protocol": "justice",
        "settings": {"model": "rehearsal", "participants": ["Ada", "Ben"], "max_rounds": 1},
        "items": [{"id": "a", "topic": "Justice"}],
        "factors": {"checks.comprehension_test": [False, True]},
    }
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan))
    line = ("--db", tmp_path / "runs.db")
    output = moot("experiment", "run", tmp_path / "plan.yaml", *line)
    assert output.exit_code == 0, output.stderr
    assert moot("experiment", "export", "checked", "-o", tmp_path / "out", *line).exit_code == 0
    answers, words, runs = (rows(tmp_path / "out" / f"{name}.csv") for name in ("comprehension", "words", "runs"))
    (tested,) = {row["run"] for row in answers}
    assert [(row["participant"], row["right"]) for row in answers] == [
        (who, "True") for who in ("Ada", "Ben") for _ in "1234"
    ]
    assert {row["run"]: row["factor.checks.comprehension_test"] for row in runs}[tested] == "True"
    assert {row["run"] for row in words} == {row["run"] for row in runs}
    assert all(re.fullmatch("[0-9a-f]{64}", row["sha256"]) for row in words)


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
