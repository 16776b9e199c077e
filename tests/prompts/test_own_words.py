"""The wording of the experiment is the user's: a folder replaces templates and phrases key by key, known by hash."""

import hashlib
import re
from importlib.resources import files
from pathlib import Path

import pytest
from command import document, moot
from deliberations.justice import played
from moot.app.protocols.justice.table_rows import build_justice_tables
from moot.prompts import TemplateError, load_phrases
from moot.prompts.templates import LANGUAGES

GOAL = "Together you look for the principle by which a just city would live."
FLOOR = "1. The floor first: choose the distribution whose lowest income is the largest of all."
STUDY = "{you}{explanation} An example of my own:\n{table}\n{probabilities}{picks}\nAnswer in {language}."
OWN = {
    "justice.en.toml": f'justice.goal = "{GOAL}"\ndefinitions.maximizing_floor = "{FLOOR}"\nclasses.low = "bottom"\n',
    "en/justice/study.md": STUDY,
}


def folder(root: Path, texts: dict[str, str]) -> str:
    """A folder of words of one's own."""
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return str(root)


def sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def test_definitions_goal_instructions_and_display_words_are_told_as_the_folder_has_them(tmp_path: Path) -> None:
    play = played(templates=folder(tmp_path, OWN), max_rounds=1)
    for prompt in play.cast.list_prompts("statement", "ballot"):
        assert GOAL in prompt.text
        assert "most just for a society" not in prompt.text
    for prompt in play.cast.list_prompts("ranking", "choice", "ballot"):
        assert FLOOR in prompt.text
        assert "2. Maximizing the average income: choose" in prompt.text, "what the folder lacks is as it was"
    assert all("An example of my own:" in prompt.text for prompt in play.cast.list_prompts("explanation"))
    assert all("\nbottom | 12,000" in prompt.text for prompt in play.cast.list_prompts("explanation"))


@pytest.mark.long
def test_each_text_told_from_has_its_hash_on_record_and_in_the_tables(tmp_path: Path) -> None:
    seats = ["A", "B", {"name": "Luz", "language": "es"}]
    own, plain = (
        played(participants=seats, max_rounds=1, **given).result for given in ({"templates": folder(tmp_path, OWN)}, {})
    )
    assert own.words.own == {
        "en/justice/study.md": sha(STUDY),
        "justice.en.toml: justice.goal": sha(GOAL),
        "justice.en.toml: definitions.maximizing_floor": sha(FLOOR),
        "justice.en.toml: classes.low": sha("bottom"),
    }
    assert {
        "en/justice/rank.md",
        "es/justice/study.md",
        "justice.es.toml",
        "en/shared/again.md",
    } <= own.words.built_in.keys()
    assert "en/justice/study.md" not in own.words.built_in, "only what is told from"
    assert not [path for path in own.words.built_in if path.startswith("zh")]
    assert plain.words.own == {}
    rows = [build_justice_tables(result)["runs"][0] for result in (own, plain)]
    assert [row["own_words"] for row in rows] == [4, 0]
    texts = build_justice_tables(own)["words"]
    assert {row["text"]: row["sha256"] for row in texts if row["own"]} == own.words.own
    assert rows[0]["words"] != rows[1]["words"], "two wordings never look alike"
    assert rows[1]["words"] == build_justice_tables(played(participants=seats, max_rounds=2).result)["runs"][0]["words"]


REFUSED = [
    ("justice.en.toml", '[justice]\ngaol = "x"', "justice.gaol is not among the phrases; did you mean justice.goal?"),
    ("justice.es.toml", '[definition]\nmaximizing_floor = "1. x"', "did you mean definitions.maximizing_floor?"),
    ("justice.zh.toml", '[you]\nyou = "{name}"', "you.you must have the placeholders {bank}, {goal}, {name}, {stage}"),
    ("justice.en.toml", '[you]\nmember = "{name} {age}"', "you.member must have the placeholders {name}"),
    ("justice.en.toml", '[you]\nmember = "{name!r}"', "a placeholder must be only a name"),
    ("justice.en.toml", "[you]\nmember = 3", "you.member is not a phrase"),
    ("justice.en.toml", "[you", "write it as TOML"),
    ("justcie.en.toml", "", "did you mean justice.en.toml?"),
    ("justice.en.toml", '[definitions]\nmaximizing_floor = "2. x"', 'must begin with "1."'),
    ("en/justice/aply.md", "{you}", "did you mean apply?"),
    ("es/justice/amount.md", "{you} {own}", "es/justice/amount.md: {agreement} is missing; keep every placeholder"),
]


@pytest.mark.parametrize(("path", "text", "said"), REFUSED)
def test_a_key_that_is_unknown_and_a_hole_that_is_missing_are_refused_before_any_call(
    path: str, text: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(TemplateError, match=re.escape(said)) as error:
        played(templates=folder(tmp_path, {path: text}))
    assert Path(path).name in str(error.value)


def test_the_command_refuses_them_too_and_its_document_has_the_hashes(tmp_path: Path) -> None:
    small = ("justice", "--model", "rehearsal", "--max-rounds", "1", "--db", tmp_path / "runs.db", "--seed", "3")
    bad = folder(tmp_path / "bad", {"justice.en.toml": '[justice]\ngaol = "x"'})
    output = moot(*small, "--set", f"templates={bad}", "--quiet")
    assert output.exit_code != 0
    assert "did you mean justice.goal?" in " ".join(output.stderr.split())
    report = document(*small, "--set", f"templates={folder(tmp_path / 'good', OWN)}")
    assert report["words"]["own"]["justice.en.toml: justice.goal"] == sha(GOAL)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_built_in_phrase_may_be_given_again_as_it_is(language: str, tmp_path: Path) -> None:
    file = f"justice.{language}.toml"
    own = folder(tmp_path, {file: (files("moot.prompts") / file).read_text("utf-8")})
    words = load_phrases("justice").with_folder(own)
    assert words.overrides[language] == load_phrases("justice").get_builtin_texts(language)
    play = played(templates=own, max_rounds=1)
    assert len(play.result.words.own) == (len(words.overrides[language]) if language == "en" else 0)
