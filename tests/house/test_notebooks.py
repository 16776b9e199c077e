"""The notebooks in docs/notebooks run without Jupyter, and show what is stored in them."""

import json
import warnings
from pathlib import Path

import notebooks
import pytest

pytest.importorskip("pandas")


@pytest.mark.parametrize("file", notebooks.NOTEBOOKS, ids=lambda file: file.name)
def test_a_notebook_shows_what_is_stored_in_it(file: Path) -> None:
    notebook = json.loads(file.read_text("utf-8"))
    with warnings.catch_warnings(action="ignore"):
        result = notebooks.run_notebook(notebook)
    assert result == notebook, "run: make samples"


def test_the_first_debate_shows_its_statements_and_positions_as_tables() -> None:
    notebook = json.loads(notebooks.NOTEBOOKS[0].read_text("utf-8"))
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    tables = ["".join(output["data"]["text/html"]) for output in outputs if "data" in output]
    assert [("statement" in table, "certainty" in table) for table in tables] == [(True, False), (False, True)]
