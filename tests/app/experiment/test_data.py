"""What an experiment leaves: a sealed plan, a report, and a folder of tables that join."""

import asyncio
import base64
import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml
from command import listed, moot
from fakeserver import FakeServer, Fault
from moot import prompts
from moot.app.experiment import lifecycle
from moot.app.experiment.forecast import forecast_experiment
from moot.app.experiment.plan import parse_plan
from moot.app.experiment.seal import make_seal, map_versions
from moot.state.errors import InputError
from sampling import sample_cases

PLAN: dict[str, Any] = {
    "name": "talk",
    "protocol": "consensus",
    "settings": {"model": "rehearsal", "max_rounds": 1, "vote": "plurality"},
    "items": [{"id": "a", "topic": "Ban cars?", "truth": "yes"}, {"id": "b", "topic": "Tax sugar?"}],
    "factors": {"max_rounds": [1, 2]},
    "repeats": 2,
}


def written(folder: Path, **changes: Any) -> Path:
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump(PLAN | changes))
    return path


def frame(folder: Path, table: str) -> pd.DataFrame:
    return pd.read_csv(folder / f"{table}.csv", keep_default_na=False, na_values=[""])


def whole(out: Path) -> list[str]:
    """The names of the tables of an export, each read with pandas and found to be whole and to join."""
    runs, book = frame(out, "runs"), frame(out, "codebook")
    tables = [path.stem for path in out.glob("*.csv") if path.stem != "codebook"]
    for name in tables:
        table, parquet = frame(out, name), pq.read_table(out / f"{name}.parquet").to_pandas()
        assert name == "flow" or set(frame(out, "items")["item"]) == set(runs["item"])
        assert name in ("flow", "items") or set(table["run"]) <= set(runs["run"])
        assert list(table.columns) == list(parquet.columns) == list(book[book["table"] == name]["column"])
        assert len(table) == len(parquet)
    return tables


def check_made_again(out: Path, page: Path, folder: Path) -> None:
    """Find that a stranger makes the same report and the same export from the folder of an export alone."""
    moved = shutil.copytree(out, folder / "theirs" / "data")
    words = (moved, "-o", folder / "theirs" / page.name), (moved, "-o", folder / "theirs" / "again")
    for command, word in zip(("report", "export"), words, strict=True):
        output = moot("experiment", command, *word)
        assert output.exit_code == 0, output.stderr
    for path in out.rglob("*"):
        if path.is_file():
            assert (folder / "theirs" / "again" / path.relative_to(out)).read_bytes() == path.read_bytes(), path
    for path in [page, *page.with_name(f"{page.stem}-runs").iterdir()]:
        assert (folder / "theirs" / path.relative_to(page.parent)).read_bytes() == path.read_bytes(), path


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of the experiment, sealed and run, in a folder with its plan."""
    folder = tmp_path_factory.mktemp("talk")
    plan = written(folder)
    sealed = moot("experiment", "seal", plan)
    assert sealed.exit_code == 0, sealed.stderr
    output = moot("experiment", "run", plan, "--db", folder / "runs.db")
    assert output.exit_code == 0, output.stderr
    return folder


@pytest.mark.long
def test_the_export_opens_in_pandas_and_every_row_joins_a_run(ran: Path, tmp_path: Path) -> None:
    out = tmp_path / "data"
    assert moot("experiment", "export", "talk", "-o", out, "--db", ran / "runs.db").exit_code == 0
    runs = frame(out, "runs")
    assert len(runs) == runs["run"].nunique() == 8
    assert sorted(runs["factor.max_rounds"].unique()) == sorted(runs["setting.settings.max_rounds"].unique()) == [1, 2]
    assert set(runs["state"]) == {"done"}
    assert runs.groupby(["item", "repeat"])["seed"].nunique().max() == 1
    assert set(runs[runs["item"] == "a"]["right"]) <= {0, 1}
    assert runs[runs["item"] == "b"]["right"].isna().all()
    tables = whole(out)
    assert {"runs", "statements", "votes", "memories", "calls", "incidents", "positions"} <= set(tables)
    book = frame(out, "codebook")
    assert book["meaning"].notna().all()
    assert len(frame(out, "calls")) == runs["total_calls"].sum()
    assert yaml.safe_load((out / "plan.yaml").read_text())["name"] == "talk"
    assert json.loads((out / "seal.json").read_text())["plan"]
    assert "moot" in json.loads((out / "versions.json").read_text())["began_with"]
    assert "runs.csv" in (out / "README.md").read_text()


JUSTICE: dict[str, Any] = {
    "name": "just",
    "protocol": "justice",
    "settings": {"model": "rehearsal", "participants": ["Ada", "Ben", "Cleo"], "max_rounds": 1},
    "conditions": {"gain": {}, "loss": {"wording.frame": "loss"}},
    "repeats": 2,
}


def test_an_encrypted_experiment_is_refused_without_its_key(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(yaml.safe_dump(JUSTICE | {"repeats": 1, "conditions": {"gain": {}}}))
    key = base64.b64encode(bytes(range(32))).decode()
    assert moot("experiment", "run", plan, MOOT_DB_KEY=key).exit_code == 0
    for words in (("status",), ("report", "-o", tmp_path / "just.html")):
        output = moot("experiment", words[0], "just", *words[1:])
        assert output.exit_code == 2, output.stderr
        assert "MOOT_DB_KEY" in output.stderr


@pytest.mark.long
def test_a_justice_experiment_has_its_own_columns_tables_and_measures(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(JUSTICE))
    assert moot("experiment", "run", tmp_path / "plan.yaml").exit_code == 0
    out, page = tmp_path / "data", tmp_path / "just.html"
    assert moot("experiment", "export", "just", "-o", out).exit_code == 0
    assert {"rankings", "applications", "ballots", "reasonings", "comprehension", "words"} <= set(whole(out))
    runs = frame(out, "runs")
    assert {"consensus_reached", "principle", "constraint_amount", "principle_in_force", "decisive"} <= set(
        runs.columns
    )
    assert dict(zip(runs["condition"], runs["frame"], strict=True)) == {"gain": "gain", "loss": "loss"}
    people = frame(out, "participants")
    assert people.groupby("run")["bank_cents"].count().tolist() == [3] * 4
    assert set(frame(out, "rankings")["stage"]) == {"initial", "post_explanation", "final", "last"}
    assert moot("experiment", "report", "just", "-o", page).exit_code == 0
    text = page.read_text("utf-8")
    adopted = [f"principle {number}" for number in range(1, 5)] if runs["principle"].notna().any() else []
    ranks = [f"rank of principle {number}, {stage}" for number in range(1, 5) for stage in ("before", "after")]
    for name in ("rule adopted", *adopted, "payoff", "payoff alone", *ranks, "rankings moved"):
        assert f"<h3>{name}</h3>" in text
    first = frame(out, "rankings").query("stage == 'initial'").merge(runs[["run", "condition"]])
    mean = first[first["condition"] == "gain"].groupby("run")["rank_1"].mean().mean()
    section = text[text.index("<h3>rank of principle 1, before</h3>") :]
    assert f'<th scope="row">gain</th><td>{mean:.4g}' in section[: section.index("</table>")]
    check_made_again(out, page, tmp_path)


@pytest.mark.long
def test_what_everyone_was_told_is_exported_call_by_call_where_it_was_recorded(ran: Path, tmp_path: Path) -> None:
    output = moot("experiment", "export", "talk", "-o", tmp_path / "no", "--prompts", "--db", ran / "runs.db")
    assert "the run has no recording, and only recordings contain prompts" in output.stderr
    assert not (tmp_path / "no").exists()
    settings = PLAN["settings"] | {"record": str(tmp_path / "told.jsonl")}
    plan = {"name": "told", "settings": settings, "arms": ["samples"], "repeats": 1, "factors": {}}
    item = {"id": "a", "topic": "Which plan?", "options": ["Rosa", "Blau"], "truth": "rosa"}
    ran_it = moot("experiment", "run", written(tmp_path, **plan, items=[item]))
    assert ran_it.exit_code == 0, ran_it.stderr
    assert moot("experiment", "export", "told", "-o", tmp_path / "data", "--prompts").exit_code == 0
    assert "prompts" in whole(tmp_path / "data")
    assert set(frame(tmp_path / "data", "runs")["truth"]) == {"A"}, "as the answers beside it are given, by its id"
    runs, arms = frame(tmp_path / "data", "runs").set_index("arm", drop=False), frame(tmp_path / "data", "arms")
    taken, tolist = arms.set_index("arm")["calls"], arms["run"].unique().tolist()
    assert (list(taken.index), tolist) == (["talk", "samples_tokens", "samples_calls"], ["told-all-a-r1"])
    assert taken["talk"] == taken["samples_calls"] < runs.loc["samples", "total_calls"], "what the report compares"
    assert arms["right"].between(0, 1).all(), "between two numbers of samples it is interpolated"
    tolist, calls = frame(tmp_path / "data", "prompts"), frame(tmp_path / "data", "calls")
    assert tolist.groupby("run")["request"].nunique().to_dict() == calls.groupby("run").size().to_dict()
    assert tolist.groupby(["purpose", "who"]).ngroups == calls.groupby(["purpose", "who"], dropna=False).ngroups
    rows = frame(tmp_path / "data", "statements").query("run == 'told-all-a-r1'")
    closing = tolist[(tolist["purpose"] == "synthesis") & (tolist["role"] == "human")]["text"].item()
    assert all(" ".join(element.split())[:40] in " ".join(closing.split()) for element in rows["content"])
    assert set(tolist["role"]) == {"system", "human", "schema"}


def test_an_export_goes_into_an_empty_folder_or_its_own(ran: Path, tmp_path: Path) -> None:
    words = ("experiment", "export", "talk", "--db", ran / "runs.db", "-o", tmp_path / "data")
    assert moot(*words).exit_code == moot(*words).exit_code == 0
    (tmp_path / "data" / "versions.json").unlink()
    output = moot(*words)
    assert output.exit_code == 2
    assert "holds something else" in output.stderr


@pytest.mark.long
def test_the_report_says_first_that_nothing_follows_from_a_rehearsal_and_links_every_run(
    ran: Path, tmp_path: Path
) -> None:
    page = tmp_path / "talk.html"
    assert moot("experiment", "report", "talk", "-o", page, "--db", ran / "runs.db").exit_code == 0
    text = page.read_text("utf-8")
    body = text[text.index("<body>") :]
    content = "No model took part: this was a rehearsal, and nothing follows from it."
    assert content in body[:200]
    assert "Sealed before the first call in this database" in body
    for run in (tmp_path / "talk-runs").glob("*.html"):
        assert f'href="talk-runs/{run.name}"' in body
    assert len(list((tmp_path / "talk-runs").glob("*.html"))) == 8
    assert moot("experiment", "report", "talk", "-o", tmp_path / "talk.md", "--db", ran / "runs.db").exit_code == 0
    lines = (tmp_path / "talk.md").read_text("utf-8").splitlines()
    assert lines[:3] == ["# talk", "", f"**{content}**"]
    assert next(line for line in lines if line.startswith("## ")) == "## How far to trust it"
    assert "http" not in body.replace("http-equiv", "")
    assert moot("experiment", "export", "talk", "-o", tmp_path / "data", "--db", ran / "runs.db").exit_code == 0
    check_made_again(tmp_path / "data", page, tmp_path)


def test_a_seal_names_every_model_and_holds_all_words_anybody_may_be_told(tmp_path: Path) -> None:
    folders = [tmp_path / "plain", tmp_path / "warm"]
    for place, folder in enumerate(folders):
        (folder / "en" / "debate").mkdir(parents=True)
        (folder / "en" / "debate" / "system.md").write_text(f"{place} {{topic}}")
    seats = [{"name": "Ann", "model": "openai:x", "language": "zh"}, {"name": "Ben"}]
    changes = {"protocol": "debate", "settings": {"participants": seats}, "arms": ["samples"], "items": ["Tea?"]}
    cells = {folder.name: {"templates": str(folder)} for folder in folders}
    plan = parse_plan(PLAN | changes | {"factors": {}, "conditions": cells})
    seal = make_seal(plan, "openai:y")
    assert seal["models"] == ["openai:x", "openai:y"]
    kinds = ("debate/speak.md", "shared/again.md", "independent/answer.md")
    texts = {f"{folder}/en/debate/system.md" for folder in folders}
    assert {*texts, *(f"{tag}/{kind}" for tag in ("en", "zh") for kind in kinds), "personas.zh.toml"} <= set(
        seal["words"]
    )
    assert len({seal["words"][text] for text in texts}) == 2
    with pytest.raises(InputError, match="no such folder"):
        make_seal(parse_plan(PLAN | {"settings": {"templates": str(tmp_path / "gone")}}), "rehearsal")


def test_a_limit_is_on_an_endpoint_that_is_asked(tmp_path: Path) -> None:
    plan = written(tmp_path, limits={"openai:gpt": {"concurrent": 1}})
    for command in ("check", "run"):
        output = moot("experiment", command, plan)
        assert (output.exit_code, "no run asks this model; the runs ask rehearsal" in output.stderr) == (2, True), (
            output.stderr
        )


@pytest.mark.long
def test_an_experiment_is_exploratory_without_a_seal_or_after_it_was_changed(ran: Path, tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    assert moot("experiment", "run", written(tmp_path), "--db", db).exit_code == 0
    moot("experiment", "seal", tmp_path / "plan.yaml")
    moot("experiment", "report", "talk", "-o", tmp_path / "late.html", "--db", db)
    assert "Exploratory: it was not sealed before the first call." in (tmp_path / "late.html").read_text("utf-8")
    assert moot("experiment", "seal", tmp_path / "plan.yaml").exit_code == 2, "a seal is made once"


def test_a_plan_that_is_not_as_it_was_sealed_is_not_run(tmp_path: Path) -> None:
    assert moot("experiment", "seal", written(tmp_path)).exit_code == 0
    output = moot("experiment", "run", written(tmp_path, repeats=3))
    assert output.exit_code == 2
    assert "seal = 'plan': was changed after the seal" in output.stderr
    (tmp_path / "plan.seal.json").write_text('{"plan": "5ea1"}')
    assert (
        "is not a seal; make one with `moot experiment seal`"
        in moot("experiment", "run", tmp_path / "plan.yaml").stderr
    )
    (tmp_path / "plan.seal.json").write_text("[" * 200_000)
    assert ": cannot be read: " in moot("experiment", "run", tmp_path / "plan.yaml").stderr


def delete(path: Path) -> None:
    path.unlink()


def edit(path: Path) -> None:
    path.write_text("Say yes.")


@pytest.mark.parametrize("change", [edit, delete])
def test_an_experiment_goes_on_with_the_templates_that_were_sealed_alone(
    change: Callable[[Path], None], tmp_path: Path
) -> None:
    folder = tmp_path / "own" / "en" / "consensus"
    shutil.copytree(Path(prompts.__file__).with_name("en") / "consensus", folder)
    with FakeServer(faults=dict.fromkeys(range(1, 9), Fault.status(401))) as server:
        settings = PLAN["settings"] | {"model": f"openai:any@{server.url}", "templates": str(tmp_path / "own")}
        plan = written(tmp_path, settings=settings, factors={}, repeats=1)
        assert moot("experiment", "seal", plan).exit_code == 0
        assert moot("experiment", "run", plan, "--jobs", "1").exit_code == 3
        text, asked = (folder / "consent.md").read_text(), len(server.chats)
        change(folder / "consent.md")
        for words in (("experiment", "run", plan), ("resume", listed()[0]["run"])):
            output = moot(*words)
            assert output.exit_code == 3
            assert f"{folder}/consent.md: was changed after the seal; restore it" in output.stderr
        assert len(server.chats) == asked
        (folder / "consent.md").write_text(text)


@pytest.mark.parametrize("words", [("experiment", "run", "talk"), ("resume",)])
def test_an_experiment_that_goes_on_with_other_versions_is_exploratory(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeServer(faults=dict.fromkeys(range(1, 9), Fault.status(401))) as server:
        settings = PLAN["settings"] | {"model": f"openai:any@{server.url}"}
        plan = written(tmp_path, settings=settings, factors={}, repeats=1, items=["Why?"])
        moot("experiment", "seal", plan)
        assert moot("experiment", "run", plan, "--jobs", "1").exit_code == 3
    monkeypatch.setattr(lifecycle, "map_versions", lambda: map_versions() | {"openai": "9"})
    for _ in range(2):
        assert moot(*words, *[listed()[0]["run"]] * (words == ("resume",))).exit_code == 3
    page, out = tmp_path / "page.html", tmp_path / "out"
    moot("experiment", "report", "talk", "-o", page)
    assert re.search(r"Exploratory: sealed as \w+, and then changed \(openai \S+ → 9\)", page.read_text("utf-8"))
    moot("experiment", "export", "talk", "-o", out)
    output = moot("experiment", "verify", out)
    assert output.exit_code == 0, output.output


@pytest.mark.parametrize(
    ("url", "versions", "told"),
    [
        ("", {}, "Sealed before the first call"),
        ("https://osf.example/x1", {}, "Preregistered at https://osf.example/x1; sealed"),
        ("https://osf.example/x1", {"openai": "0.1"}, "and run with other versions (openai)."),
    ],
)
def test_only_a_registered_plan_run_as_it_was_sealed_is_called_preregistered(
    url: str, versions: dict[str, str], told: str, tmp_path: Path
) -> None:
    plan = written(tmp_path, registered=url, items=["Why?"], factors={}, repeats=1)
    moot("experiment", "seal", plan)
    sealed = json.loads(plan.with_suffix(".seal.json").read_text())
    plan.with_suffix(".seal.json").write_text(json.dumps(sealed | {"versions": sealed["versions"] | versions}))
    assert moot("experiment", "run", plan).exit_code == 0
    moot("experiment", "report", "talk", "-o", tmp_path / "page.html")
    assert told in (tmp_path / "page.html").read_text("utf-8")


def test_failed_runs_are_rows_and_figures_are_given_with_and_without_them(tmp_path: Path) -> None:
    asked = {"topic": "Ban cars?", "options": ["Now", "Never"], "truth": "Now"}
    items = [{"id": "a", **asked}, {"id": "b", "topic": "z" * 3000}]
    settings = {"max_turns": 2, "max_attempts": 1, "on_outage": "skip"}
    with FakeServer(faults={number: Fault.status(500) for number in (1, 2)}) as server:
        model = {"model": f"openai:fake@{server.url}", "retry_delays": [0]}
        plan = written(tmp_path, protocol="debate", settings=settings | model, items=items, factors={}, repeats=1)
        assert moot("experiment", "run", plan, "--jobs", "1").exit_code == 0
    moot("experiment", "export", "talk", "-o", tmp_path / "data")
    runs = frame(tmp_path / "data", "runs").set_index("item")
    assert list(runs["state"]) == ["failed", "done"]
    assert isinstance(runs.loc["a", "why"], str)
    assert runs.loc["a", "right"] == 0
    moot("experiment", "report", "talk", "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "1 of 2 runs came to a result, 1 failed." in page
    assert "range if failed runs scored lowest or highest" in page


PLANS: list[Mapping[str, Any]] = [
    {"protocol": "debate", "settings": {"max_turns": 4}, "factors": {}},
    {"protocol": "debate", "settings": {"max_turns": 2, "stop_rule": "judge"}, "factors": {"max_turns": [2, 6]}},
    {"settings": {"max_rounds": 1, "vote": "approval"}, "factors": {}, "swap": "order"},
    {"settings": {"budget": {"calls": 9}}, "cap": {"calls": 30}},
    {"protocol": "discussion", "settings": {"max_rounds": 2, "participants": ["Ann", "Ben"]}, "factors": {}},
]


@pytest.mark.long
@pytest.mark.parametrize(
    "given",
    sample_cases(PLANS, kinds=0, share=2),
    ids=lambda plan: f"{plan.get('protocol', 'consensus')} {plan['settings']}",
)
@pytest.mark.parametrize("faulty", [False, True], ids=["answering", "failing"])
def test_no_experiment_takes_more_calls_or_tokens_than_check_says(
    given: Mapping[str, Any], faulty: bool, tmp_path: Path
) -> None:
    changes = {"items": ["Ban cars?", "Tax sugar?"], **given, "repeats": 1}
    settings = {**changes["settings"], "retry_delays": [0], "max_tokens_per_turn": 400}
    faults = {number: Fault.status(500) for number in range(2, 60, 4)} if faulty else {}
    with FakeServer(faults=faults) as server:
        settings["model"] = f"openai:fake@{server.url}"
        plan = written(tmp_path, **{**changes, "settings": settings})
        most = asyncio.run(forecast_experiment(parse_plan(yaml.safe_load(plan.read_text())), "rehearsal")).highest
        assert moot("experiment", "run", plan).exit_code in (0, 3)
        assert 0 < len(server.chats) <= most.calls
        assert server.spent["prompt"] + server.spent["completion"] <= most.tokens
