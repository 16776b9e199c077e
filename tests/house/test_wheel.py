"""The wheel is all one needs: the package, its words, and one installed name."""

import importlib
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
from places import ROOT

ROOMS = ("state", "prompts", "storage", "models", "papers", "nodes", "graphs", "app")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy."""
    place = tmp_path_factory.mktemp("wheel")
    for name in (*ROOMS, "examples"):
        shutil.copytree(ROOT / name, place / "source" / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "__init__.py", "__init__.pyi", "__main__.py", "py.typed"):
        shutil.copy(ROOT / name, place / "source" / name)
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(place),
        str(place / "source"),
    ]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 0, process.stdout + process.stderr
    return next(place.glob("*.whl"))


@pytest.mark.long
def test_the_wheel_holds_the_package_its_words_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {
        "moot",
        next(name for name in names if "dist-info" in name).split("/")[0],
    }
    folders = {name.split("/")[1] for name in names if name.startswith("moot/")}
    assert folders <= {*ROOMS, "examples", "__init__.py", "__init__.pyi", "__main__.py", "py.typed"}
    held = set(names)
    shipped = {path for folder in ("papers", "recorded") for path in (ROOT / "examples" / folder).iterdir()}
    examples = {f"moot/{path.relative_to(ROOT).as_posix()}" for path in shipped}
    assert {name for name in held if name.startswith("moot/examples/")} == examples
    sources = [path for room in ROOMS for path in (ROOT / room).rglob("*.py*") if path.suffix in (".py", ".pyi")]
    for path in [*sources, *(ROOT / "prompts").rglob("*.md"), *(ROOT / "prompts").glob("*.toml")]:
        assert f"moot/{path.relative_to(ROOT).as_posix()}" in held


@pytest.mark.long
def test_installed_alone_it_debates_in_a_folder_with_a_state_and_nodes_of_its_own(wheel: Path, tmp_path: Path) -> None:
    home, work = tmp_path / "venv", tmp_path / "work"
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        str(wheel),
    ]
    assert subprocess.run(install, timeout=120).returncode == 0
    site = next((home / "lib").glob("python*/site-packages"))
    dependencies = Path(str(importlib.import_module("langgraph.graph").__file__)).parents[2]
    (site / "dependencies.pth").write_text(f"{dependencies}\n")
    (work / "nodes").mkdir(parents=True)
    (work / "nodes" / "__init__.py").write_text("raise ImportError('the wrong nodes')\n")
    (work / "state.py").write_text("raise ImportError('the wrong state')\n")
    (work / "run.py").write_text(
        "import moot\n"
        "from moot.graphs import debate\n"
        "knobs = {'model': 'rehearsal', 'max_turns': 2, 'seed': 1}\n"
        "ended = debate.graph.invoke({'topic': 'Ban cars?'}, context=knobs)\n"
        "print(moot.__file__, len(ended['history']), bool(ended['synthesis']))\n"
    )
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    process = subprocess.run([python, "run.py"], cwd=work, capture_output=True, text=True, timeout=60, env=clean)
    assert process.returncode == 0, process.stderr
    assert process.stdout.split() == [str(site / "moot" / "__init__.py"), "2", "True"]
    finished_process = subprocess.run(
        [home / "bin" / "moot", "--help"], cwd=work, capture_output=True, text=True, timeout=60, env=clean
    )
    assert "debate" in finished_process.stdout
    as_module = subprocess.run(
        [python, "-m", "moot", "--version"], cwd=work, capture_output=True, text=True, timeout=60, env=clean
    )
    assert as_module.stdout.startswith("moot "), as_module.stderr


HOSTED = (".github/", ".devcontainer/")
"""What only the place needs where the source is hosted."""


@pytest.mark.long
def test_the_source_distribution_holds_all_that_its_tests_need(tmp_path: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("only a checkout lists its files")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    versioned = {name for name in listed.stdout.splitlines() if not name.startswith(HOSTED)}
    for name in versioned:
        (tmp_path / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / "source" / name)
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(tmp_path)]
    process = subprocess.run([*command, str(tmp_path / "source")], capture_output=True, text=True)
    assert process.returncode == 0, process.stdout + process.stderr
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        parts = {name.partition("/")[2] for name in archive.getnames()}
    assert versioned <= parts
