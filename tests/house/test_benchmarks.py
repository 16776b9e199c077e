"""The benchmark script: it runs, and its ratios are right. Nothing here is timed."""

import re
import subprocess
import sys

import pytest
from places import ROOT, proof_size
from sampling import sample_cases

BENCHMARKS = ROOT / "benchmarks"


@pytest.fixture
def targets(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import targets

    return targets


@pytest.mark.parametrize(
    ("found", "bound", "least", "ratio", "verdict", "fails"),
    [
        ([2.0], 4.0, False, 0.5, "ok", False),
        ([4.0], 4.0, False, 1.0, "ok", False),
        ([4.4], 4.0, False, 1.1, "over", False),
        ([5.0], 4.0, False, 1.25, "over", False),
        ([5.1], 4.0, False, 1.275, "over", True),
        ([5.0, 4.0], 4.0, False, 1.125, "ok", False),
        ([6.0, 4.4], 4.0, False, 1.3, "over", False),
        ([200.0], 100.0, True, 0.5, "ok", False),
        ([50.0], 100.0, True, 2.0, "over", True),
        ([50.0, 110.0], 100.0, True, 1.25, "ok", False),
    ],
)
def test_a_target_is_missed_where_the_better_end_is_and_fails_by_a_quarter(
    targets, found, bound, least, ratio, verdict, fails
):
    target = targets.Target("any", found, bound, least)
    assert (target.ratio, target.verdict, target.fails) == (pytest.approx(ratio), verdict, fails)


def test_figures_are_held_against_those_of_the_same_length_pair_by_pair(targets):
    bare = {"cpu": 2.0, "first": 2.0, "last": 3.0, "uncached": 1000, "written": 0}
    plain = {"cpu": 4.0, "first": 4.0, "last": 4.5, "uncached": 1000, "written": 20_000}
    ours = {"cpu": 4.2, "first": 4.0, "last": 5.7, "uncached": 1200, "written": 50_000}
    found = {"bare 320": [bare, bare], "plain 320": [plain, plain | {"cpu": 3.0}], "discussion 320": [ours, ours]}
    found["discussion 320 without a journal"] = [ours | {"written": 46_000}]
    cpu, growth, written, journal, uncached = targets.list_targets(found)
    assert (cpu.values, cpu.bound, cpu.verdict) == ([1.05, pytest.approx(1.4)], 1.1, "ok")
    assert (growth.values, growth.bound) == ([pytest.approx(1.2)] * 2, 1.0)
    assert (written.values, written.bound, written.verdict) == ([2.3], 1.35, "over")
    assert (journal.values, journal.bound, journal.verdict) == ([4000], 4500, "ok")
    assert (uncached.values, uncached.bound, uncached.verdict) == ([1.2, 1.2], 1.1, "over")


def test_a_run_may_wait_as_long_as_a_bare_client_for_as_many_calls_side_by_side(targets):
    found = {
        "bare side by side at 50 ms": [{"1 wide": 0.05, "5 wide": 0.06}],
        "justice at 50 ms": [{"seconds": 1.0, "1 wide": 10, "5 wide": 5}],
        "bare at 50 ms": [{"seconds": 1.0}],
        "slow 8": [{"seconds": 12.0, "1 wide": 8}],
    }
    one, *others = targets.list_targets(found)
    assert [other.name for other in others] == ["8 turns at 1.5 s a call: seconds"]
    assert (one.figure, one.bound) == (pytest.approx(1 / (10 * 0.05 + 5 * 0.06)), 1.15)


def test_stored_bytes_are_held_against_the_statements_own_bytes(targets):
    found = {"stored 2 100": [{"bytes": 7000}], "stored 2 1000": [{"bytes": 9100}]}
    short, long, growth = targets.list_targets(found)
    assert (short.bound, short.verdict, long.verdict) == (7950, "ok", "over")
    assert (growth.figure, growth.bound, growth.verdict) == (pytest.approx(1.3), 1.3, "ok")


def test_a_real_model_is_asked_to_evaluate_hardly_more_than_one_text_takes(targets):
    said = {"one text": 140, "persona first": 482, "discussion": 154}
    found = {
        f"real {loop}, {size} tokens": [{"evaluated": count}] for size in (40, 150) for loop, count in said.items()
    }
    short, text, persona = targets.list_targets(found)
    assert (text.figure, text.bound, persona.verdict) == (pytest.approx(1.1), 1.15, "ok")
    assert (short.figure, short.bound) == (pytest.approx(1.1), 1.25)


def test_the_estimate_of_every_protocol_takes_half_a_second(targets):
    slow, quick = targets.list_targets({"estimates": [{"justice": 2.0, "debate": 0.3}]})
    assert (slow.name, slow.bound, slow.verdict) == ("moot estimate justice: seconds", 0.5, "over")
    assert quick.verdict == "ok"


@pytest.mark.long
def test_the_parts_about_waiting_and_memory_run_small_and_meet_their_targets(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import run

    monkeypatch.setattr(run, "run_isolated", lambda measure, *about: measure(*about))
    monkeypatch.setattr(run, "measure_warm_deliberation", run.measure_deliberation)
    found = run.measure_parts(1, [8], ["waits", "justice", "memory"])
    assert [target.name for target in run.list_targets(found)] == [
        "discussion at 50 ms: total time ÷ longest chain of calls",
        "consensus, blind and with a vote, at 50 ms: total time ÷ longest chain of calls",
        "justice, five in one round, at 50 ms: total time ÷ longest chain of calls",
        "1,000 turns of 1 kB, windowed: MB",
    ]


PARTS = [
    ("loops", {"discussion 8", "consensus 8", "discussion 8 without a journal", "stored 2 8", "stored 8 8"}),
    ("crowds tails", {"crowd bare", "crowd plain", "crowd discussion"}),
    ("slow start estimates", {"slow 8"}),
    ("experiments", {"plan of 800 runs"}),
]
"""Parts of the script, and rows of its tables. Each starts many processes: outside a proof, one part is run."""


@pytest.mark.long
@pytest.mark.postgres
@pytest.mark.parametrize(("parts", "rows"), sample_cases(PARTS, seed=1, kinds=0))
def test_the_script_runs_any_part_alone_on_a_tiny_size_and_prints_its_tables(parts, rows):
    command = [sys.executable, str(BENCHMARKS / "run.py"), "--pairs", "1", "--turns", "8", "--only", *parts.split()]
    process = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert "Traceback" not in process.stderr
    assert rows <= {line.partition(" | ")[0].removeprefix("| ") for line in process.stdout.split("\n")}
    assert "| target | figure | spread | bound | result |" in process.stdout


SCRIPTS = [
    (
        "room",
        "script.REHEARSAL_DELAY = '0.01'; sys.argv += ['--watchers', '0', '1', '--turns', '2']",
        "| drives it | 1 |",
    ),
    (
        "endings",
        "script.SEEDS = range(1); script.RULES = ('judge',); script.CONDITIONS = {}",
        "1 debates of the rehearsal",
    ),
    ("retrieval", "script._print_times.__defaults__ = (5,)", "nDCG@10"),
]


@pytest.mark.long
@pytest.mark.parametrize(("script", "change", "told"), sample_cases(SCRIPTS, seed=7, kinds=0))
def test_the_other_scripts_run_small_and_print_their_figures(script, change, told):
    code = f"import sys, asyncio, {script} as script; {change}; done = script.main(); done and asyncio.run(done)"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, cwd=BENCHMARKS)
    assert (process.returncode, process.stderr) == (0, "")
    assert told in process.stdout


def test_the_page_of_costs_keeps_all_but_the_tables_between_its_marks(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import run

    page = tmp_path / "cost.md"
    text = run.PAGE.read_text("utf-8")
    page.write_text(text)
    run.replace_tables(page, ["| new |"])
    begin, end = text.index(run.BEGIN), text.index(run.END)
    assert page.read_text("utf-8") == f"{text[:begin]}{run.BEGIN}\n\n| new |\n\n{text[end:]}"


QUOTED = (
    ("FIGURES.md", "discussion 320", 1, "{:.1f} ms"),
    ("cost.md", "discussion 320 turns: CPU per turn", 100, "{:.0f} %"),
    ("FIGURES.md", "consensus 320", 1, "{:.1f} ms"),
    ("cost.md", "consensus 320 turns: CPU per turn", 100, "{:.0f} %"),
    ("cost.md", "a real model, 150 tokens: tokens read per turn, Moot ÷ one-text", 1, "{:.1f}"),
    ("cost.md", "a real model, 40 tokens: tokens read per turn, Moot ÷ one-text", 1, "{:.1f} times"),
)
"""What the README quotes, in its order: the page, the row, the factor and the form of the figure."""


def test_the_readme_quotes_the_figures_of_the_page_of_costs():
    pages = {path.name: path.read_text("utf-8") for path in (ROOT / "docs" / "cost.md", BENCHMARKS / "FIGURES.md")}
    measured = []
    for page, row, factor, form in QUOTED:
        figure = float(next(re.finditer(rf"^\| {re.escape(row)}[^|]*\| ([\d.]+)", pages[page], re.MULTILINE))[1])
        more = figure - 1 if factor == 100 else figure
        measured.append("the same" if factor == 100 and abs(more) < 0.05 else form.format(factor * more))
    part = (ROOT / "README.md").read_text("utf-8").partition("## What it costs\n")[2].partition("\n## ")[0]
    assert re.findall(r"the same(?= as in)|\b\d[\d.]*(?: ms| %| times|(?= to \d))", part) == measured


RECORD = """<testsuites><testsuite>
<testcase classname="tests.state.test_a" name="test_one" time="1.5">
<properties><property name="rate, 500 runs" value="0.7 | 0.8"/></properties></testcase>
<testcase classname="tests.state.count.test_b" name="test_two" time="0.6"><failure message="no"/></testcase>
<testcase classname="tests.app.test_c" name="test_three" time="2"><skipped/></testcase>
</testsuite></testsuites>"""


def test_a_proof_is_counted_by_room_and_tells_what_its_tests_put_on_record(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import proof

    page = proof.render_report(RECORD, [("date", "2026-01-02")]).splitlines()
    for line in (
        "| date | 2026-01-02 |",
        "| app | 0 | 0 | 1 | 2 |",
        "| state | 1 | 1 | 0 | 2 |",
        "| all | 1 | 1 | 1 | 4 |",
        "| test_one | rate, 500 runs | 0.7 \\| 0.8 |",
    ):
        assert line in page


@pytest.mark.long
def test_a_proof_runs_in_full_and_ends_as_its_tests_do(tmp_path):
    (tmp_path / "test_size.py").write_text(
        "from places import proof_size\n\n\n"
        "def test_size(record_property):\n    record_property('size', proof_size(500))\n\n\n"
        "def test_wrong():\n    raise AssertionError\n"
    )
    called = [sys.executable, str(BENCHMARKS / "proof.py"), "--out", str(tmp_path / "PROOF.md")]
    called += ["-c", str(ROOT / "pyproject.toml"), str(tmp_path / "test_size.py")]
    assert subprocess.run(called, capture_output=True, check=False).returncode == 1
    page = (tmp_path / "PROOF.md").read_text("utf-8")
    assert "| test_size | size | 500 |" in page
    assert "| all | 1 | 1 | 0 |" in page


def test_outside_a_proof_a_tenth_is_enough(monkeypatch):
    monkeypatch.delenv("MOOT_PROOF", raising=False)
    assert [proof_size(full) for full in (5000, 500, 3)] == [500, 50, 1]


CASES = [
    pytest.param(protocol, fault, call, marks=[] if (protocol, call) == ("jury", 7) else pytest.mark.long)
    for protocol in ("debate", "jury", "panel")
    for fault in ("500", "dropped")
    for call in range(30)
]


def test_of_a_matrix_a_tenth_is_run_with_every_kind_and_what_always_runs(monkeypatch):
    monkeypatch.delenv("MOOT_PROOF", raising=False)
    part = sample_cases(CASES, kinds=2)
    assert part == sample_cases(CASES, kinds=2) != sample_cases(CASES, seed=2, kinds=2)
    assert len(part) == len(CASES) // 10
    assert part == [case for case in CASES if case in part], "in their order"
    assert {case.values[0] for case in part} == {"debate", "jury", "panel"}
    assert {case.values[1] for case in part} == {"500", "dropped"}
    assert [case in part for case in CASES if not case.marks] == [True, True]
    assert sample_cases(["a", "b", "c"]) == ["a", "b", "c"]
    assert len(sample_cases(["a", "b", "c"], kinds=0)) == 1
    assert sample_cases([], kinds=1) == []


def test_in_a_proof_the_whole_matrix_is_run(monkeypatch):
    monkeypatch.setenv("MOOT_PROOF", "1")
    assert sample_cases(CASES, kinds=0) == CASES


@pytest.mark.long
def test_what_stopping_rules_cost_and_find_stands_in_the_figures_as_it_is_measured(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import endings

    page = (BENCHMARKS / "FIGURES.md").read_text("utf-8")
    assert f"| rule | {' | '.join(endings.HEADS)} |" in page
    for rule in endings.RULES:
        assert f"| `{rule}` | {' | '.join(endings.list_figures(rule))} |" in page
