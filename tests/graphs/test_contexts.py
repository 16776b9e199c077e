"""What a protocol is called with is typed: a misspelt input or knob fails under a type checker."""

import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import contexts
import pytest
from places import ROOT

SNIPPET = """
from moot import InputError, RunStoppedError, NoAnswerError, council
from moot.graphs import consensus, debate, discussion, justice, panel
from moot.state.debate import DebateSettings

FAILURES: tuple[type[Exception], ...] = (InputError, RunStoppedError, NoAnswerError)
debate.graph.invoke({"topic": "Tea?"}, context={"model": "rehearsal", "max_turns": 4, "stop_rule": "mine"})
debate.graph.invoke({"topic": "Tea?", "participants": ["Ann", {"name": "Ben"}]}, context=DebateSettings(seed=1))
panel.graph.invoke({"query": "Rain?", "papers": [{"title": "a", "text": "b"}]}, context={"output_language": "en"})
consensus.build().compile().invoke({"topic": "Tea?"}, context={"count": {"quorum": 0.4}})
justice.graph.invoke({}, context={"participants": ["A", "B"], "max_rounds": 2, "voting": {"imposed_amount": 9}})
discussion.graph.invoke({"topic": "Tea?"}, context={"max_turns": 4})
debate.graph.invoke({"topc": "Tea?"})  # refused
debate.graph.invoke({"topic": "Tea?"}, context={"modle": "rehearsal"})  # refused
debate.build().compile().invoke({"topic": 5})  # refused
panel.graph.invoke({"topic": "Tea?"})  # refused
panel.graph.invoke({"query": "Tea?"}, context={"stop_rule": "lexical"})  # refused
consensus.graph.invoke({"topic": "Tea?"}, context={"consensus_rule": "most"})  # refused
justice.graph.invoke({"topic": "Tea?"})  # refused
"""


def test_the_types_are_those_of_the_rules_and_the_inputs() -> None:
    assert contexts.PAGE.read_text("utf-8") == contexts.text(), "run: python tests/support/contexts.py"


@pytest.mark.long
def test_a_type_checker_refuses_what_the_protocol_would(tmp_path: Path) -> None:
    (ROOT / ".types").mkdir(exist_ok=True)
    with suppress(FileExistsError):  # `make check` made it, and has checked the package into the same cache
        (ROOT / ".types" / "moot").symlink_to("..")
    (tmp_path / "calls.py").write_text(SNIPPET, "utf-8")
    words = [sys.executable, "-m", "mypy", str(tmp_path / "calls.py")]
    env = os.environ | {"MYPYPATH": ".types"}
    output = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300).stdout
    ints = {int(number) for number in re.findall(r"calls\.py:(\d+): error", output)}
    assert ints == {number for number, line in enumerate(SNIPPET.splitlines(), 1) if "# refused" in line}, output
