"""The benchmark script: it runs, and its ratios are right. Nothing here is timed."""

import subprocess
import sys

import pytest
from places import ROOT, proof_size

BENCHMARKS = ROOT / "benchmarks"


@pytest.fixture
def targets(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import targets

    return targets


@pytest.mark.parametrize(
    ("figure", "bound", "least", "ratio", "verdict", "fails"),
    [
        (2.0, 4.0, False, 0.5, "ok", False),
        (4.0, 4.0, False, 1.0, "ok", False),
        (4.4, 4.0, False, 1.1, "over", False),
        (5.0, 4.0, False, 1.25, "over", False),
        (5.1, 4.0, False, 1.275, "over", True),
        (200.0, 100.0, True, 0.5, "ok", False),
        (50.0, 100.0, True, 2.0, "over", True),
    ],
)
def test_a_target_fails_only_when_missed_by_a_quarter(targets, figure, bound, least, ratio, verdict, fails):
    one = targets.Target("any", figure, bound, least)
    assert (one.ratio, one.verdict, one.fails) == (pytest.approx(ratio), verdict, fails)


def test_figures_are_held_against_those_of_the_same_length(targets):
    found = {
        "bare 320": {"cpu": 2.0, "first": 2.0, "last": 3.0, "uncached": 1000},
        "plain 320": {"cpu": 4.0, "first": 4.0, "last": 4.0, "uncached": 1000},
        "discussion 320": {"cpu": 4.2, "first": 4.0, "last": 5.7, "uncached": 1200},
    }
    plain, bare, growth, uncached = targets.targets(found)
    assert (plain.figure, plain.bound, plain.verdict) == (4.2, 5.0, "ok")
    assert (bare.figure, bare.bound, bare.verdict) == (4.2, 4.2, "ok")
    assert (growth.figure, growth.bound) == (pytest.approx(2.7), pytest.approx(1.2 * 2.0 + 0.3))
    assert (uncached.bound, uncached.verdict) == (pytest.approx(1100), "over")


def test_a_bound_that_the_plain_loop_misses_fails_nobody(targets):
    found = {
        "bare 320": {"cpu": 2.0, "first": 2.0, "last": 3.0, "uncached": 1000},
        "plain 320": {"cpu": 4.3, "first": 4.0, "last": 4.0, "uncached": 1000},
        "discussion 320": {"cpu": 5.6, "first": 4.0, "last": 5.7, "uncached": 1000},
    }
    plain, bare, *_ = targets.targets(found)
    assert (plain.verdict, plain.fails) == ("over", False)
    assert bare.ratio > targets.SLACK
    assert (bare.verdict, bare.fails) == ("over, as the plain loop is", False)
    found["plain 320"]["cpu"] = 4.1
    assert targets.targets(found)[1].fails


def test_a_run_may_wait_as_long_as_a_bare_client_for_as_many_calls_side_by_side(targets):
    found = {
        "bare side by side at 50 ms": {"1 wide": 0.05, "5 wide": 0.06},
        "justice at 50 ms": {"seconds": 1.0, "1 wide": 10, "5 wide": 5},
        "bare at 50 ms": {"seconds": 1.0},
        "slow 8": {"seconds": 12.0, "1 wide": 8},
    }
    one, *others = targets.targets(found)
    assert [other.what for other in others] == ["8 turns at 1.5 s a call: seconds"]
    assert (one.figure, one.bound) == (1.0, pytest.approx(1.15 * (10 * 0.05 + 5 * 0.06)))


def test_storage_is_held_against_the_statements_own_bytes(targets):
    found = {
        "stored 2 100": {"bytes": 7000},
        "stored 2 1000": {"bytes": 9100},
    }
    short, long, growth = targets.targets(found)
    assert (short.bound, short.verdict, long.verdict) == (7950, "ok", "over")
    assert (growth.bound, growth.verdict) == (pytest.approx(9100), "ok")


@pytest.mark.long
def test_the_script_runs_on_a_tiny_size_and_prints_its_table():
    command = [sys.executable, str(BENCHMARKS / "run.py"), "--runs", "1", "--turns", "12"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert "Traceback" not in done.stderr
    assert {"| discussion 12 |", "| consensus 12 |"} <= {
        line[: line.find("|", 2) + 1] for line in done.stdout.split("\n")
    }
    assert "| target | figure | bound | ratio | |" in done.stdout


RECORD = """<testsuites><testsuite>
<testcase classname="tests.state.test_a" name="test_one" time="1.5">
<properties><property name="rate, 500 runs" value="0.7 | 0.8"/></properties></testcase>
<testcase classname="tests.state.count.test_b" name="test_two" time="0.6"><failure message="no"/></testcase>
<testcase classname="tests.app.test_c" name="test_three" time="2"><skipped/></testcase>
</testsuite></testsuites>"""


def test_a_proof_is_counted_by_room_and_tells_what_its_tests_put_on_record(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import proof

    page = proof.report(RECORD, [("date", "2026-01-02")]).splitlines()
    for line in (
        "| date | 2026-01-02 |",
        "| app | 0 | 0 | 1 | 2 |",
        "| state | 1 | 1 | 0 | 2 |",
        "| all | 1 | 1 | 1 | 4 |",
        "| test_one | rate, 500 runs | 0.7 \\| 0.8 |",
    ):
        assert line in page


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


@pytest.mark.long
def test_what_stopping_rules_cost_and_find_stands_on_their_page_as_it_is_measured(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import endings

    page = (ROOT / "docs" / "stopping.md").read_text("utf-8")
    assert f"| rule | {' | '.join(endings.HEADS)} |" in page
    for rule in endings.PLAYED:
        assert f"| `{rule}` | {' | '.join(endings.played(rule))} |" in page
