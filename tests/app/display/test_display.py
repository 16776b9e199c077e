"""A whole run shows itself in its own language, on a terminal and in a pipe; nothing of its display stays English."""

import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from command import moot
from command.display import CONTROL
from moot.app.display.watcher import INSTANT_STEPS
from moot.app.protocols.registry import PROTOCOLS
from moot.graphs import justice_phase1 as justice_alone
from moot.prompts import load_phrases, load_table
from moot.state.ending import ENDING_PHASE
from sampling import sample_cases

TERMINAL = {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "200"}
PAPER = '[{"title": "行道树与城市降温", "abstract": "行道树的树荫让城市街道在中午降温五度，公园也让周围的街道凉快。"}]'
RUNS = {
    "debate": ["debate", "城市应该禁止汽车吗？", "--max-turns", "4"],
    "consensus": ["consensus", "要不要一周工作四天？", "--max-rounds", "2", "--vote", "majority"],
    "discussion": ["discussion", "给猫起个名字", "--models-only", "--max-turns", "3"],
    "panel": ["panel", "行道树能让城市街道降温吗？", "--papers", "papers.json"],
    "justice": ["justice", "--max-rounds", "2", "--set", "logging.verbosity_level=debug"],
}
"""A short run of each protocol."""

SAME = re.compile(
    r"moot show \S+|OPENAI_API_KEY|--model openai:[\w:@/.-]+|(debate|consensus|discussion|panel|justice)-\S+"
)
"""Commands, settings and names of runs, which are the same in every language."""

NAMES = {"PRO", "CON", "Ada", "Ben", "Cleo", "Alice", "Bruno", "Carmen", "Daniel", "Mei"}
NAMES |= {"Google", "Engineer", "MIT", "Researcher", "Industry", "Expert", "Paper", "Analyst"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "papers.json").write_text(PAPER, "utf-8")
    monkeypatch.chdir(tmp_path)


def seen(protocol: str, language: str, **env: str) -> str:
    """All that a rehearsed run shows, but for what is the same in every language."""
    words = [*RUNS[protocol], "--language", language, "--model", "rehearsal", "--seed", "3", "--no-pacing"]
    result = moot(*words, **env)
    assert result.exit_code == 0, result.stderr
    return SAME.sub("", CONTROL.sub("", result.stdout + result.stderr))


@pytest.mark.long
@pytest.mark.parametrize(
    ("env", "sign"), [(TERMINAL, " 个词元 · 0:"), ({}, "已保存为")], ids=["on a terminal", "in a pipe"]
)
@pytest.mark.parametrize("protocol", sample_cases([*RUNS], kinds=0, share=3))
def test_a_chinese_run_shows_no_word_in_latin_letters_but_names(protocol: str, env: dict[str, str], sign: str) -> None:
    text = seen(protocol, "zh", **env)
    assert sign in text
    assert set(re.findall("[A-Za-z]{2,}", text)) - NAMES == set()


def pieces(language: str) -> Iterator[str]:
    """The words between the holes of every phrase a display may show."""
    for kind in ("display", "experiment", "panel"):
        for text in (str(text) for section in load_table(kind, language).values() for text in section.values()):
            yield from (piece.strip(" .,;:()“”") for piece, *_ in Formatter().parse(text) if len(piece) > 3)


@pytest.mark.long
@pytest.mark.parametrize("protocol", RUNS)
def test_a_spanish_run_shows_none_of_the_english_phrases(protocol: str) -> None:
    text = seen(protocol, "es", **TERMINAL)
    assert re.search(r" · [\d,]+ tokens · \d:\d\d", text)
    english = set(pieces("en")) - set(pieces("es"))
    assert [one for one in sorted(english) if re.search(rf"\b{re.escape(one)}\b", text)] == []


def test_every_step_that_takes_time_has_words() -> None:
    drawings = [*(one.build_graph() for one in PROTOCOLS.values()), justice_alone.build()]
    steps = {
        step
        for drawing in drawings
        for step, node in drawing.nodes.items()
        if (node.metadata or {}).get("phase") != ENDING_PHASE
    }
    assert set(load_phrases("display").list_keys("steps")) == steps - set(INSTANT_STEPS) | {"speak_blind"}
