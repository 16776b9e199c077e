"""Outputs of the notebooks in docs/notebooks: `python docs/make/notebooks.py` runs and stores them.

Lines that start with `%` need Jupyter and are skipped, so running a notebook here needs no Jupyter.
"""

import ast
import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


def run_notebook(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook with the outputs that its code cells show now."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [_run_cell(cell, names) if cell["cell_type"] == "code" else cell for cell in notebook["cells"]]
    return notebook | {"cells": cells}


def _run_cell(cell: dict[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    lines = [line for line in "".join(cell["source"]).splitlines(keepends=True) if not line.startswith("%")]
    tree = ast.parse("".join(lines))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    outputs: list[dict[str, Any]] = []
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if isinstance(last, ast.Expr) else None
    if text := printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)})
    if value is not None:
        shown = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            shown["text/html"] = value._repr_html_().splitlines(keepends=True)
        outputs.append({"data": shown, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return cell | {"outputs": outputs}


if __name__ == "__main__":
    for file in NOTEBOOKS:
        notebook = run_notebook(json.loads(file.read_text("utf-8")))
        file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")
