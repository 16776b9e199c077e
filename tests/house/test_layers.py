"""The house: who imports whom, and what may stand where."""

import ast
import gc
import importlib
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import moot.prompts
import pytest
from importlinter.cli import lint_imports
from moot.prompts import LANGUAGES, Templates
from places import ROOT

ROOMS = ("state", "prompts", "storage", "models", "papers", "nodes", "graphs", "app")
SOURCES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
GRAPHS = sorted((ROOT / "graphs").glob("*.py"))
OUTSIDE = {"langgraph", "langchain", "langchain_core", "langchain_openai", "openai", "httpx"}
IMPURE = {
    "asyncio",
    "io",
    "os",
    "pathlib",
    "secrets",
    "socket",
    "sqlite3",
    "subprocess",
    "sys",
    "threading",
    "time",
}
NAMELESS = ("util", "helper", "common", "manager", "service", "base", "enhanced", "handler")


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imported(path: Path) -> Iterator[str]:
    """Top-level packages that a file imports, wherever in it; those of the project itself left out."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").split(".")[0]


def test_imports_run_one_way_from_app_to_state() -> None:
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == 0


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    """Who imports whom."""
    return grimp.build_graph("moot", cache_dir=None)


def test_no_two_files_need_each_other(imports: grimp.ImportGraph) -> None:
    TopologicalSorter(
        {module: imports.find_modules_directly_imported_by(module) for module in imports.modules}
    ).prepare()


LATE = {
    "app/commands/experiment.py: experiment.arms.accuracy",  # needs scipy, which is optional
    "app/commands/experiment.py: experiment.selftest",  # needs scipy, which is optional
    "app/experiment/export.py: arms.early_stop",  # needs scipy, which is optional
    "app/experiment/export.py: arms.findings",  # needs scipy, which is optional
    "app/experiment/verification.py: arms.findings",  # needs scipy, which is optional
    "app/experiment/forecast.py: statistics",  # needs scipy, which is optional
    "app/experiment/execution.py: arms.early_stop",  # needs scipy, which is optional
    "app/commands/room/site.py: web.site",  # needs Starlette, which is optional
    "app/web/experiment_page.py: experiment.report",  # needs numpy and scipy, which are optional
    "app/commands/room/serve.py: web.a2a_endpoint",  # needs the SDK of A2A, which is optional
    "app/commands/room/serve.py: web.server",  # needs Starlette and uvicorn, which are optional
    "app/commands/calibrate.py: experiment.calibration",  # needs numpy and scipy, which are optional
    "app/workers/__init__.py: None",  # needs procrastinate, which is optional
    "app/commands/experiment.py: experiment.report",  # needs numpy and scipy, which are optional
    "app/tools/mcp/command.py: server",  # needs mcp, which is optional
    "app/tools/mcp/command.py: http_server",  # needs mcp, which is optional
    "nodes/lookups/tools.py: models.mcp_sessions",  # needs mcp, which is optional
    "models/agents.py: a2a_agent",  # needs the SDK of A2A, which is optional
    "app/experiment/status.py: arms.early_stop",  # needs scipy, which is optional
    "app/tools/tracing/__init__.py: spans",  # needs opentelemetry, which is optional
    "app/tools/inspect/command.py: logs",  # needs inspect_ai, which is optional
    "app/saved/database.py: postgres",  # needs psycopg, which is optional
    "nodes/citation_check.py: state.papers",  # most texts cite no look-up
    "app/saved/run_index.py: database",  # needs LangGraph, which takes long to load
    "app/saved/run_index.py: database_errors",  # needs LangGraph, which takes long to load
    "app/commands/runs.py: saved",  # needs LangGraph, which takes long to load
    "app/commands/discussion.py: run",  # needs LangGraph, which the help does without
    "app/commands/discussion.py: session.participation",  # needs LangGraph, which the help does without
    "app/commands/justice.py: protocols.justice.experiment_command",  # needs LangGraph, which the help does without
    "app/commands/runs.py: saved.database",  # needs LangGraph, which takes long to load
    "app/commands/report.py: report",  # needs LangGraph, which the help does without
    "app/run/run_command.py: request",  # needs LangGraph, which the help does without
    "app/run/run_command.py: start",  # needs LangGraph, which the help does without
    "nodes/lookups/tools.py: papers.library",  # most runs search no papers
    "nodes/lookups/tools.py: state.papers",  # most runs search no papers
    "papers/store.py: storage.postgres_address",  # needs psycopg, which is optional
    "models/chat_model.py: example",  # needs langchain's models, which take long to load
    "models/chat_model.py: openai_client",  # needs the OpenAI client, which takes long to load
    "models/default_model.py: answer_size_limit",  # needs httpx, which takes long to load
    "models/default_model.py: http_clients",  # needs httpx, which takes long to load
    "models/outage.py: http_clients",  # needs httpx, which takes long to load
    "models/chat_model.py: rehearsal",  # needs langchain's models, which take long to load
}


@pytest.mark.long
def test_a_file_says_at_its_top_what_it_needs_of_the_others() -> None:
    late = {
        f"{named(path)}: {node.module}"
        for path in SOURCES
        for function in ast.walk(tree(path))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom) and node.level
    }
    assert late == LATE


LOADED_LATE = ["openai", "langchain_openai", "markdown_it", "sqlite3"]
"""What takes long to load and is needed by a run, or by an app, at the earliest."""


@pytest.mark.long
def test_the_import_of_the_graphs_alone_brings_nothing_that_only_a_run_needs() -> None:
    graphs = ", ".join(
        f"moot.graphs.{name}" for name in ("debate", "consensus", "discussion", "council", "jury", "delphi", "justice")
    )
    code = f"import {graphs}, sys; print([name for name in {LOADED_LATE} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def channels_of(path: Path) -> set[str]:
    """Langgraph, for the one file that meets its channels, if they are all it imports."""
    modules = [
        node.module or "" for node in ast.walk(tree(path)) if isinstance(node, ast.ImportFrom) and not node.level
    ]
    alone = all(module == "langgraph.channels" for module in modules if module.startswith("langgraph"))
    return {"langgraph"} if alone and named(path) == "state/deliberation.py" else set()


def test_state_knows_no_model_no_graph_no_clock_and_no_machine() -> None:
    for path in sorted((ROOT / "state").rglob("*.py")):
        assert set(imported(path)) & (OUTSIDE | IMPURE) <= channels_of(path), named(path)
        attrs = {node.attr for node in ast.walk(tree(path)) if isinstance(node, ast.Attribute)}
        assert not attrs & {"now", "utcnow", "today"}, named(path)


@pytest.mark.parametrize("path", sorted((ROOT / "state").rglob("*.py")), ids=named)
def test_a_file_of_state_is_read_at_a_sitting(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= 300


def test_counting_endings_and_income_work_without_langgraph() -> None:
    code = """
import sys
sys.modules.update(dict.fromkeys(("langgraph", "langchain_core", "langchain_openai", "openai", "httpx")))
from moot.state.ballot import Ballot
from moot.state.count import count_ballots
from moot.state.stopping.lexical_rule import find_ending
import moot.state.justice.income, moot.state.justice.distribution_choice, moot.state.history_view, moot.state.memory
import moot.state.justice.settings, moot.state.consensus.settings, moot.state.discussion, moot.state.reducers
winners = count_ballots([Ballot(voter="Ada", choice="Lyon")], "plurality").winners
print(winners, find_ending([("Ada", "Hello.")] * 4))
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert process.returncode == 0, process.stderr
    assert "Lyon" in process.stdout


@pytest.mark.long
def test_a_protocol_loads_neither_the_others_nor_a_chat_model() -> None:
    code = """
import sys, moot.graphs.debate
print(sorted(name for name in sys.modules if name.startswith(("moot.", "langchain_openai"))))
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    loaded = set(ast.literal_eval(process.stdout))
    assert {"moot.state.debate", "moot.state.deliberation", "moot.nodes.speak"} <= loaded
    assert {name for name in loaded if name.startswith("moot.graphs.")} == {
        "moot.graphs.debate",
        "moot.graphs.lookups",
        "moot.graphs.protocol_graph",
    }
    others = ("consensus", "voting", "discussion", "session", "panel", "papers", "justice")
    own = (*(f"moot.state.{one}" for one in others), "langchain_openai")
    assert [name for name in sorted(loaded) if name.startswith(own)] == []


def forbidden(node: ast.AST) -> bool:
    """Whether it evaluates text, starts a shell or swallows whatever goes wrong."""
    if isinstance(node, ast.ExceptHandler):
        caught = ast.unparse(node.type) if node.type else "BaseException"
        return caught in ("Exception", "BaseException") and not isinstance(node.body[-1], ast.Raise)
    if not isinstance(node, ast.Call):
        return False
    called = node.func.id if isinstance(node.func, ast.Name) else ""
    return called in ("eval", "exec", "compile", "__import__") or any(
        keyword.arg == "shell" for keyword in node.keywords
    )


@pytest.mark.long
def test_nothing_is_evaluated_unpickled_or_swallowed() -> None:
    for path in SOURCES:
        assert not {"pickle", "marshal", "shelve", "dill"} & set(imported(path)), named(path)
        assert [ast.unparse(node) for node in ast.walk(tree(path)) if forbidden(node)] == [], named(path)


def test_a_file_s_name_says_what_it_is() -> None:
    assert [named(path) for path in SOURCES if path.stem.split("_")[-1].removesuffix("s") in NAMELESS] == []


@pytest.mark.parametrize("path", GRAPHS, ids=named)
def test_a_builder_is_wiring_alone(path: Path) -> None:
    decisions = (
        ast.If,
        ast.IfExp,
        ast.For,
        ast.While,
        ast.Try,
        ast.ListComp,
        ast.DictComp,
        ast.SetComp,
        ast.GeneratorExp,
    )
    for function in [
        node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef) and node.name == "build"
    ]:
        assert not [type(node).__name__ for node in ast.walk(function) if isinstance(node, decisions)]
        assert ast.get_docstring(function)
    assert len(path.read_text("utf-8").splitlines()) <= 150


@pytest.mark.parametrize("path", GRAPHS, ids=named)
def test_a_graph_builds_and_compiles_without_a_key_or_a_file(path: Path) -> None:
    module = importlib.import_module(f"moot.graphs.{path.stem}") if path.stem != "__init__" else None
    if module and hasattr(module, "graph"):
        assert module.graph.name == path.stem
        assert module.build() is not module.build()


@pytest.mark.long
def test_every_prompt_belongs_to_a_catalogue_that_something_uses() -> None:
    for path in SOURCES:
        if path.name != "__init__.py" and ("load_templates(" in path.read_text("utf-8") or path in GRAPHS):
            importlib.import_module(".".join(("moot", *path.relative_to(ROOT).with_suffix("").parts)))
    gc.unfreeze()  # what was loaded before the first test is listed too
    used = {templates.protocol for templates in gc.get_objects() if isinstance(templates, Templates)}
    root = Path(str(moot.prompts.__file__)).parent
    assert {entry.name for tag in LANGUAGES for entry in (root / tag).iterdir()} <= used


def test_no_step_imports_another() -> None:
    """What steps share stands in modules that are no steps: a step is what a graph imports by the name of its file."""
    steps = {
        node.module
        for path in GRAPHS
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("nodes.")
        if node.module.rpartition(".")[2] in {name.name for name in node.names}
    }
    assert {"nodes.speak", "nodes.remember", "nodes.synthesize"} <= steps
    importing = [
        f"{named(path)} imports {node.module}"
        for path in (ROOT / "nodes").rglob("*.py")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.level and node.module
        if ".".join([*path.relative_to(ROOT).parts[: -node.level], node.module]) in steps
    ]
    assert importing == []


def test_what_stands_in_nodes_is_in_a_graph_or_shared(imports: grimp.ImportGraph) -> None:
    """A file of nodes that no graph imports serves two that one does, directly or through others."""
    places = {
        ".".join(("moot", *path.relative_to(ROOT).with_suffix("").parts)) for path in (ROOT / "nodes").rglob("*.py")
    }
    files = {place for place in places if not place.startswith("moot.nodes.ask.") and not place.endswith(".__init__")}
    graphs = imports.find_descendants("moot.graphs")
    wired = files & set().union(*(imports.find_modules_directly_imported_by(graph) for graph in graphs))
    assert {"moot.nodes.speak", "moot.nodes.validating_pregel"} <= wired
    alone = [file for file in files - wired if len(wired & imports.find_downstream_modules(file)) < 2]
    assert sorted(alone) == []


def test_the_one_door_to_whoever_is_asked_is_small() -> None:
    lines = [line for path in (ROOT / "nodes" / "ask").glob("*.py") for line in path.read_text("utf-8").splitlines()]
    assert len(lines) <= 2_000


PRESCRIBED = {"build", "graph", "TEMPLATES", "HOOKS", "STOPPING_RULE", "ENDINGS"}
"""Names that a graph or a hook has to have."""


def defined(path: Path) -> Iterator[str]:
    """Public functions, classes and constants at the top level of a file; type variables left out."""
    for node in tree(path).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign) and not ast.unparse(node.value).startswith(("TypeVar(", "ParamSpec(")):
            yield from (node.id for target in node.targets for node in ast.walk(target) if isinstance(node, ast.Name))
        elif isinstance(node, ast.AnnAssign):
            yield ast.unparse(node.target)


def test_a_public_name_has_one_home() -> None:
    homes: dict[str, set[str]] = {}
    for path in SOURCES:
        for name in defined(path):
            homes.setdefault(name, set()).add(named(path))
    shared = {name: sorted(files) for name, files in homes.items() if len(files) >= 3 and name[0] != "_"}
    assert {name: files for name, files in shared.items() if name not in PRESCRIBED} == {}


RULES_OF_ONE = {"DebateSettings", "ConsensusSettings", "PanelSettings", "DiscussionSettings", "JusticeSettings"}
SHARED = [*(ROOT / "nodes").glob("*.py"), *(ROOT / "state").glob("*.py")]
SHARED += [path for room in ("ask", "consensus", "voting") for path in (ROOT / "nodes" / room).glob("*.py")]
SHARED += list((ROOT / "state" / "voting").glob("*.py"))


def test_what_protocols_share_names_groups_of_rules_and_no_protocol_s_own() -> None:
    naming = []
    for path in SHARED:
        names = {node.name for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef)}
        used = {node.id for node in ast.walk(tree(path)) if isinstance(node, ast.Name)} & RULES_OF_ONE
        naming += [f"{named(path)} names {name}" for name in used - names]
    assert naming == []


def test_nobody_changes_what_another_function_is_annotated_with() -> None:
    """A function says what it reads by its parameters; one made from others by `mark_reads`."""
    changing = [
        named(path)
        for path in SOURCES
        if path.relative_to(ROOT).parts[0] in ("state", "storage", "models", "papers", "nodes", "graphs")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and node.attr == "__annotations__"
        if ast.unparse(node.value) != "self"
    ]
    assert changing == []
