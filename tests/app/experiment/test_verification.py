"""A folder of an experiment is recomputed from its record, and every forgery has a line."""

import csv
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from command import moot
from moot.app.experiment import verification
from moot.app.experiment.export import export_experiment, hash_files, read_archive
from moot.app.experiment.verification import format_verdict, verify_folder
from moot.app.saved.ledger import LedgerLine, compute_digest
from moot.state.errors import InputError
from moot.state.independent import IndependentSettings, compute_independent_answer
from moot.state.positions import Position
from moot.state.records import Call, sum_tokens
from moot.state.settings import parse_settings
from sampling import sample_cases

PLAN: dict[str, Any] = {
    "name": "proof",
    "protocol": "consensus",
    "settings": {
        "model": "rehearsal",
        "max_rounds": 1,
        "vote": "plurality",
        "open_ballot": True,
        "prices": {"input": 1, "output": 2},
    },
    "items": [
        {"id": character, "topic": f"Which {character}?", "options": ["Rosa", "Blau"], "truth": "rosa"}
        for character in "12"
    ],
    "arms": ["single", "samples"],
    "registered": "https://osf.example/x1",
}
TALK, OTHER = "proof-all-1-r1", "proof-all-2-r1"
LATE = "2999-01-01T00:00:00.000Z"
SAMPLES, DELETED = f"{TALK}-samples", f"{OTHER}-samples"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of a preregistered experiment, one run of which was deleted and so has failed."""
    folder = tmp_path_factory.mktemp("proof")
    plan, db = folder / "plan.yaml", folder / "runs.db"
    plan.write_text(yaml.safe_dump(PLAN))
    sealed = moot("experiment", "seal", plan)
    assert sealed.exit_code == 0, sealed.stderr
    seal_hash = compute_digest(json.loads((folder / "plan.seal.json").read_text()))
    assert f"Publish this seal hash before the first call: {seal_hash}" in " ".join(sealed.stdout.split())
    for words in (["experiment", "run", plan], ["delete", DELETED, "--yes"]):
        output = moot(*words, "--db", db)
        assert output.exit_code == 0, output.stderr
    exported = moot("experiment", "export", "proof", "-o", folder / "data", "--db", db)
    assert exported.exit_code == 0, exported.stderr
    return folder / "data"


def published(data: Path) -> dict[str, str]:
    """What was published of the folder as it was."""
    archive = read_archive(data)
    return {"seal_hash": compute_digest(archive.experiment.seal), "head_hash": archive.ledger[-1].hash}


def dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def in_json(name: str, change: Callable[[Any], object]) -> Callable[[Path], None]:
    """A forger who changes a JSON file."""

    def forge(folder: Path) -> None:
        value = json.loads((folder / name).read_text())
        change(value)
        (folder / name).write_text(dumped(value))

    return forge


def in_lines(name: str, change: Callable[[list[Any]], object]) -> Callable[[Path], None]:
    """A forger who changes a file of JSON lines."""

    def forge(folder: Path) -> None:
        values = [json.loads(line) for line in (folder / name).read_text().splitlines()]
        change(values)
        (folder / name).write_text("".join(f"{dumped(value)}\n" for value in values))

    return forge


def in_record(change: Callable[[Any], object], run: str = TALK) -> Callable[[Path], None]:
    """A forger who changes the record of a run."""
    return in_lines(
        "documents.jsonl", lambda documents: [change(document) for document in documents if document["run"] == run]
    )


def in_text(name: str, before: str, after: str) -> Callable[[Path], None]:
    def forge(folder: Path) -> None:
        text = (folder / name).read_text()
        assert before in text
        (folder / name).write_text(text.replace(before, after, 1))

    return forge


def in_file(name: str, text: str) -> Callable[[Path], None]:
    """A forger who replaces a whole file."""

    def forge(folder: Path) -> None:
        (folder / name).write_text(text)

    return forge


def with_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text(dumped(hash_files(folder)))


def with_tables(folder: Path) -> None:
    """Everything that follows from the record is recomputed, the manifest too."""
    export_experiment(folder, read_archive(folder))


def with_ledger(folder: Path) -> None:
    """The ledger is rebuilt: each line as it would be, had all been so from the first."""
    archive = read_archive(folder)
    lines, runs = list[LedgerLine](), {run.planned.run: run for run in archive.runs}
    own = [line.n for line in archive.ledger if not line.run and line.kind != "sealed"]
    ends = {line.run: line.n for line in archive.ledger}
    for line in archive.ledger:
        run = runs[line.run] if line.run else None
        if (run is not None and run.progress is None) or (line.kind == "sealed" and not archive.experiment.seal):
            continue
        what = line.what
        if line.kind == "sealed":
            what = compute_digest(archive.experiment.seal)
        elif line.n == own[-1]:
            what = archive.experiment.digest
        elif run is not None and run.progress and line.n == ends[line.run]:
            what = run.progress.compute_digest(run.document)
            line = line._replace(kind="ended" if run.is_done else "failed")
        lines.append(line._replace(n=len(lines) + 1, what=what, prev=lines[-1].hash if lines else ""))
    text = "".join(f"{dumped(line._asdict())}\n" for line in lines)
    (folder / "ledger.jsonl").write_text(text)
    with_tables(folder)


def delete_run(folder: Path) -> None:
    lines = (folder / "documents.jsonl").read_text().splitlines()
    text_lines = [line for line in lines if json.loads(line)["run"] != SAMPLES]
    (folder / "documents.jsonl").write_text("".join(f"{line}\n" for line in text_lines))

    def drop(content: Any) -> None:
        standing, status = content["standings"].pop(SAMPLES), content["status"]
        status["conditions"][0]["done"] -= 1
        for key in ("calls", "tokens", "cost"):
            status[key] -= standing[key]

    in_json("experiment.json", drop)(folder)


def swap_ballots(document: Any) -> None:
    """All ballots and what follows from them, for the other option."""
    poll = document["polls"][-1]
    old = poll["tally"]["winner"]
    (new,) = set(poll["options"]) - {old}
    text = dumped({key: document[key] for key in ("polls", "runAnswer")})
    for before, after in ((f'"{old}"', '"?"'), (f'"{new}"', f'"{old}"'), ('"?"', f'"{new}"')):
        text = text.replace(before, after)
    changed = json.loads(text)
    options = poll["options"]
    for value in changed["polls"]:
        value["options"] = dict(options)
    changed["runAnswer"]["text"] = options[new]
    document.update(changed)


def turn_ballot(document: Any) -> None:
    poll = document["polls"][-1]
    (new,) = set(poll["options"]) - {poll["tally"]["winner"]}
    for ballot in poll["ballots"]:
        ballot["choice"] = new


def turn_sample(document: Any) -> None:
    answers = [position["answer"] for position in document["positions"]]
    for position in document["positions"]:
        position["answer"] = min("AB", key=answers.count)


def set_registration(content: Any) -> None:
    content["entered"]["seal"]["registered"] = "https://osf.example/y2"


def set_plan(folder: Path) -> None:
    """Another registration in the plan and in its seal, with all hashes that follow."""
    in_text("plan.yaml", "osf.example/x1", "osf.example/y2")(folder)
    plan = read_archive(folder).plan

    def reseal(content: Any) -> None:
        seal = content["entered"]["seal"]
        content["entered"]["hash"] = content["status"]["hash"] = plan.hash
        seal.update(plan=plan.hash, registered=plan.registered)

    in_json("experiment.json", reseal)(folder)


def set_prices(document: Any) -> None:
    document["settings"]["prices"]["models"] = {}
    document["settings"]["prices"]["input"] = 9


def drop_sample(document: Any) -> None:
    """One sample less, with all that follows from it."""
    for key in ("calls", "positions"):
        document[key] = [one for one in document[key] if one["turn"] != 1]
    calls = [Call.model_validate(call) for call in document["calls"]]
    settings = parse_settings(document["settings"])
    assert isinstance(settings, IndependentSettings)
    assert settings.prices
    document |= {"totalCalls": len(calls), "totalTokens": sum_tokens(calls)}
    document["totalCost"] = settings.prices.compute_cost(calls)
    positions = [Position.model_validate(position) for position in document["positions"]]
    answer = compute_independent_answer(positions, settings)
    assert answer
    document["runAnswer"] = answer.model_dump(mode="json")


def in_entered(**values: object) -> Callable[[Path], None]:
    return in_json("experiment.json", lambda content: content["entered"].update(values))


def in_standing(run: str, **values: object) -> Callable[[Path], None]:
    return in_json("experiment.json", lambda content: content["standings"][run].update(values))


def with_another_item(folder: Path) -> None:
    in_lines("items.jsonl", lambda items: items.append(items[0] | {"id": "3"}))(folder)


Forger = Callable[[Path], None]
FORGERIES: dict[str, tuple[list[Forger], dict[str, str]]] = {
    "a cell of a table": (
        [in_text("runs.csv", ",done,", ",failed,")],
        {"files": "runs.csv", "tables": "runs.csv, row"},
    ),
    "a cell, under a new manifest": (
        [in_text("runs.csv", ",done,", ",failed,"), with_manifest],
        {"tables": "failed, recomputed done"},
    ),
    "an answer": (
        [in_record(lambda one: one["runAnswer"].update(answer="X")), with_tables],
        {"ledger": f"{TALK} differs from its record", "answers": (f"{TALK} recorded the answer X, but its "
        "declarations and votes give ")},
    ),
    "an answer, with a rebuilt ledger": (
        [in_record(lambda one: one["runAnswer"].update(answer="X")), with_ledger],
        {"answers": f"{TALK} recorded the answer X"},
    ),
    "ballots, with a rebuilt ledger": (
        [in_record(turn_ballot), with_ledger],
        {"answers": f"{TALK}: vote 1 differs from its ballots"},
    ),
    "declarations, with a rebuilt ledger": (
        [in_record(turn_sample, SAMPLES), with_ledger],
        {"answers": f"{SAMPLES} recorded the answer "},
    ),
    "what was said": (
        [in_record(lambda one: one["turns"][0].update(content="No.")), with_tables],
        {"ledger": f"{TALK} differs from its record in the ledger"},
    ),
    "the registration": (
        [in_text("plan.yaml", "osf.example/x1", "osf.example/y2"), with_tables],
        {"seal": "plan differs from the seal", "ledger": "the plan, or data stored with it, differs from the ledger"},
    ),
    "the registration in the seal alone": (
        [in_json("experiment.json", set_registration), with_ledger],
        {"seal": "registered differs from the seal"},
    ),
    "the models of the seal": (
        [in_json("experiment.json", lambda one: one["entered"]["seal"].update(models=["openai:x"])), with_ledger],
        {"seal": "models differs from the seal", "models": f"{TALK} asked rehearsal"},
    ),
    "the model of a call": (
        [in_record(lambda one: one["calls"][0].update(model="openai:x")), with_ledger],
        {"models": f"{TALK} asked openai:x"},
    ),
    "a deleted run": (
        [delete_run, with_tables],
        {"ledger": f"{SAMPLES} differs from its record in the ledger"},
    ),
    "a record left out": (
        [in_lines("documents.jsonl", lambda documents: documents.pop(0)), with_ledger],
        {"runs": f"{TALK} has no record"},
    ),
    "the truth": (
        [in_text("items.jsonl", '"truth": "rosa"', '"truth": "blau"'), with_ledger],
        {"seal": "plan differs from the seal (and 1 more)"},
    ),
    "a price": (
        [in_record(lambda one: one.update(totalCost=0.0)), with_ledger],
        {"spending": "totalCost: 0.0, recomputed "},
    ),
    "tokens": (
        [in_record(lambda one: one["calls"][0].update(output_tokens=10**6)), with_ledger],
        {"spending": "totalTokens"},
    ),
    "what a run counts": (
        [in_json("experiment.json", lambda one: one["standings"][TALK].update(calls=0)), with_ledger],
        {"spending": f"{TALK} counts less spending than its calls"},
    ),
    "a time before the seal": (
        [in_record(lambda one: one["turns"][0].update(timestamp="2020-01-01T00:00:00.000Z")), with_ledger],
        {"times": f"{TALK} is older than the seal"},
    ),
    "a time after the end": (
        [in_record(lambda one: one["turns"][0].update(timestamp=LATE)), with_ledger],
        {"times": f"{TALK} has a statement from after its end in the ledger"},
    ),
    "a seal made later": (
        [in_json("experiment.json", lambda one: one["entered"]["seal"].update(at=LATE)), with_ledger],
        {"times": f"{TALK} is older than the seal"},
    ),
    "a failed run as done": (
        [in_json("experiment.json", lambda one: one["standings"][DELETED].update(state="done")), with_tables],
        {"runs": f"{DELETED} has no record", "ledger": f"{DELETED} differs from its record in the ledger"},
    ),
    "a run without an answer as done": (
        [in_record(lambda one: one.update(runAnswer=None)), with_ledger],
        {"answers": f"{TALK} is done, but failed according to its record: no_answer"},
    ),
    "another seal": (
        [in_json("experiment.json", lambda one: one["entered"]["seal"].update(plan="5ea1")), with_tables],
        {"seal": "plan differs from the seal", "ledger": "the seal differs from the one in the ledger"},
    ),
    "no seal": (
        [in_json("experiment.json", lambda one: one["entered"].update(seal=None)), with_tables],
        {"ledger": "the seal differs from the one in the ledger"},
    ),
    "a template": (
        [in_text("words/en/consensus/speak.md", "{", "Agree! {"), with_ledger],
        {"seal": "words/en/consensus/speak.md"},
    ),
    "a seed": (
        [in_record(lambda one: one.update(seed=7)), with_ledger],
        {"runs": f"{TALK} seed: 7, recomputed "},
    ),
    "a line of the ledger left out": (
        [in_lines("ledger.jsonl", lambda lines: lines.pop(3)), with_manifest],
        {"ledger": "line 5 does not continue line 3"},
    ),
    "a time of the ledger": (
        [in_lines("ledger.jsonl", lambda lines: lines[2].update(at="2020-01-01T00:00:00.000Z")), with_manifest],
        {"ledger": "line 4 does not continue line 3", "times": "line 3 of the ledger is older than line 2"},
    ),
    "a finding": (
        [in_json("findings.json", lambda one: one["conditions"][0]["arms"][0].update(failed=99)), with_manifest],
        {"findings": "conditions 1 arms 1 failed: 99, recomputed 0"},
    ),
    "figures left out": (
        [lambda folder: (folder / "findings.json").unlink(), with_manifest],
        {"findings": "findings.json is missing"},
    ),
    "a meaning in the codebook": (
        [in_text("codebook.csv", "Name of the run", "Name"), with_manifest],
        {"tables": "codebook.csv differs from its content in the manifest"},
    ),
    "a claim of the README": (
        [in_text("README.md", "Preregistered at https://osf.example/x1", "Preregistered at DOI 1"), with_manifest],
        {"tables": "README.md differs from its content in the manifest"},
    ),
    "a file beside the tables": (
        [lambda folder: (folder / "results.csv").write_text("run"), with_manifest],
        {"tables": "results.csv is not a file of an export"},
    ),
    "the rows of a Parquet file": (
        [lambda folder: shutil.copy(folder / "flow.parquet", folder / "items.parquet"), with_manifest],
        {"tables": "items.parquet"},
    ),
    "the spending of the whole": (
        [in_json("experiment.json", lambda one: one["status"].update(calls=1)), with_tables],
        {"totals": "calls: the experiment has 1, but its runs have "},
    ),
    "the number of failures": (
        [in_json("experiment.json", lambda one: one["status"]["conditions"][0].update(failed=0)), with_tables],
        {"totals": "all failed: 0, recomputed 1"},
    ),
    "a rehearsal as a run with a model": (
        [in_record(lambda one: one.update(rehearsal=False)), with_ledger],
        {"models": f"{TALK}: its calls do not say"},
    ),
    "a seed, by one": (
        [in_record(lambda one: one.update(seed=one["seed"] + 1)), with_ledger],
        {"runs": f"{TALK} seed: "},
    ),
    "a failure forgotten": (
        [in_standing(DELETED, failure=""), with_ledger],
        {"ledger": f"{DELETED} has failed according to the ledger"},
    ),
    "a success as a failure": (
        [in_standing(TALK, state="failed", failure="no_answer", attempts=1), with_ledger],
        {"answers": f"{TALK} has failed (no_answer), but according to its record: done"},
    ),
    "a sample left out": (
        [in_record(drop_sample, SAMPLES), with_ledger],
        {"runs": f"{SAMPLES}: sample 1 differs from the draw"},
    ),
    "the cost that samples must reach": (
        [in_record(lambda one: one["settings"].update(talk_tokens=1), SAMPLES), with_ledger],
        {"spending": f"{SAMPLES} matches talk_tokens: 1, recomputed "},
    ),
    "a setting of one run": (
        [in_record(lambda one: one["settings"].update(temperature=0.1)), with_ledger],
        {"runs": f"{TALK} settings temperature: 0.1, recomputed "},
    ),
    "the question of one run": (
        [in_record(lambda one: one.update(topic="Which one is it?")), with_ledger],
        {"runs": f"{TALK} was asked another question than planned"},
    ),
    "an end that was none": (
        [in_entered(closed=LATE, close_reason="It was closed."), with_ledger],
        {"ledger": "the ledger and the experiment differ about its closing"},
    ),
    "an item after the seal": (
        [with_another_item, with_ledger],
        {"seal": "the plan was extended without a recorded change"},
    ),
    "a change that was none": (
        [in_entered(changes=[f"{LATE} repeats: 1 → 2"]), with_ledger],
        {"ledger": "the changes of the plan differ from the ledger"},
    ),
    "the day it began": (
        [in_entered(started="2020-01-01T00:00:00.000Z"), with_ledger],
        {"times": "the experiment did not start between its seal and the first line of the ledger"},
    ),
    "the plan it began with": (
        [in_entered(hash="5ea1"), with_ledger],
        {"seal": "the experiment started with another plan than the sealed one"},
    ),
    "the cost that samples match": (
        [in_record(lambda one: one["settings"].update(talk_cost=9.0), SAMPLES), with_ledger],
        {"spending": f"{SAMPLES} matches talk_cost: 9.0, recomputed "},
    ),
    "the prices of samples": (
        [in_record(set_prices, SAMPLES), with_ledger],
        {"runs": f"{SAMPLES} settings prices input: 9, recomputed 1"},
    ),
    "the temperature of answers": (
        [in_record(lambda one: [call.update(temperature_sent=0.1) for call in one["calls"]], SAMPLES), with_ledger],
        {"answers": f"{SAMPLES}: Pragmatic analyst was asked at temperature 0.1"},
    ),
    "a persona": (
        [in_record(lambda one: one["participants"][0].update(persona="You know it.")), with_ledger],
        {"runs": f"{TALK}: Pragmatic analyst has another persona or private text than planned"},
    ),
    "a private text of samples": (
        [in_record(lambda one: one["participants"][0].update(private="It is Rosa."), SAMPLES), with_ledger],
        {"runs": f"{SAMPLES}: Pragmatic analyst has another persona or private text than planned"},
    ),
    "the last statement left out": (
        [in_record(lambda one: (one["turns"].pop(), one["course"].pop())), with_ledger],
        {"answers": f"{TALK}: its statements differ from those of its calls"},
    ),
    "a statement under another name": (
        [in_record(lambda one: one["turns"][0].update(speakerId=one["turns"][1]["speakerId"])), with_ledger],
        {"answers": f"{TALK}: its statements differ from those of its calls"},
    ),
    "a first position as a last one": (
        [in_record(lambda one: one["positions"][0].update(when="after")), with_ledger],
        {"answers": f"{TALK}: the position of Pragmatic analyst at turn 0 follows from no call"},
    ),
    "an answer of a lost call": (
        [in_record(lambda one: one["calls"][0].update(outcome="timeout"), SAMPLES), with_ledger],
        {"answers": "at turn 1 follows from no call"},
    ),
    "an end by a cap that was none": (
        [in_record(lambda one: one.update(terminationReason="budget_spent")), with_ledger],
        {"answers": f"{TALK} was cut short by its cap, but has no cap"},
    ),
    "more attempts than planned": (
        [in_standing(TALK, attempts=4), with_ledger],
        {"answers": f"{TALK} has 4 failed attempts, more than planned"},
    ),
    "the cap of the whole": (
        [in_json("experiment.json", lambda one: one["status"]["cap"].update(calls=5000)), with_tables],
        {"totals": "cap calls: 5000, recomputed None"},
    ),
    "the hash of the whole": (
        [in_json("experiment.json", lambda one: one["status"].update(hash="5ea1")), with_tables],
        {"totals": "hash: 5ea1, recomputed "},
    ),
    "a comment in the plan": (
        [in_text("plan.yaml", "name: proof", "# registered at OSF in 2020\nname: proof"), with_manifest],
        {"tables": "plan.yaml differs from its content in the manifest"},
    ),
    "a plan that is none": (
        [in_text("plan.yaml", "protocol: consensus", "protocol: nonsense"), with_manifest],
        {"archive": "protocol"},
    ),
    "a manifest nested too deeply": (
        [in_file("manifest.json", "[" * 200_000)],
        {"files": "cannot be read (RecursionError"},
    ),
    "runs nested too deeply": (
        [in_file("documents.jsonl", "[" * 200_000 + "\n"), with_manifest],
        {"archive": "was changed after the export"},
    ),
    "figures nested too deeply": (
        [in_file("findings.json", "[" * 200_000), with_manifest],
        {"findings": "cannot be read (RecursionError"},
    ),
    "a row with a very long cell": (
        [in_text("calls.csv", "\n", f"\n{'x' * 200_000}\n"), with_manifest],
        {"tables": "calls.csv has "},
    ),
}  # fmt: skip
"""Forgeries, each with what its forger does in turn, and the parts that must differ with what is said of them."""


def test_a_device_or_a_pipe_in_an_export_is_refused_before_anything_is_read(data: Path, tmp_path: Path) -> None:
    for name, place in (("calls.csv", "/dev/zero"), ("more", "nowhere")):
        folder = shutil.copytree(data, tmp_path / name)
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(place)
        with pytest.raises(InputError, match=f"{name}': must be a regular file"):
            verify_folder(folder)


@pytest.mark.long
@pytest.mark.parametrize("name", sample_cases([*FORGERIES], kinds=0))
def test_each_forgery_has_its_line(name: str, data: Path, tmp_path: Path) -> None:
    forgers, expected = FORGERIES[name]
    folder = shutil.copytree(data, tmp_path / "data")
    for forge in forgers:
        forge(folder)
    checks = verify_folder(folder)
    said = {check.name: check.faults for check in checks if check.faults}
    assert expected.keys() <= said.keys(), said
    for part, words in expected.items():
        text, _, more = words.partition(" (and ")
        assert any(text in fault for fault in said[part]), said[part]
        assert not more or len(said[part]) > 1
    assert format_verdict(checks, "", "").startswith("changed: ")
    for trusted in {"files"} - expected.keys() if forgers[-1] in (with_manifest, with_tables, with_ledger) else ():
        assert trusted not in said, "under a new manifest the files are as it says"
    if forgers[-1] is with_ledger and "ledger" not in expected:
        assert "ledger" not in said, "a rebuilt ledger is consistent"


ESTIMATES: dict[str, Any] = {
    "name": "weights",
    "protocol": "delphi",
    "settings": {"model": "rehearsal", "participants": ["Ada", "Ben", "Cleo"], "record": "told.jsonl"},
    "items": [{"topic": "How heavy is it?", "truth": 60, "unit": "kg"}],
    "conditions": {"short": {"max_rounds": 1}, "long": {"max_rounds": 2}},
}


@pytest.fixture(scope="module")
def estimates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of estimates under two conditions, with what everyone was told."""
    folder = tmp_path_factory.mktemp("weights")
    plan, db = folder / "plan.yaml", folder / "runs.db"
    settings = ESTIMATES["settings"] | {"record": str(folder / "told.jsonl")}
    plan.write_text(yaml.safe_dump(ESTIMATES | {"settings": settings}))
    for words in (["run", plan], ["export", "weights", "--prompts", "-o", folder / "data"]):
        output = moot("experiment", *words, "--db", db)
        assert output.exit_code == 0, output.stderr
    return folder / "data"


def swap_conditions(folder: Path) -> None:
    """The record of each run under the other's name."""

    def swap(documents: list[Any]) -> None:
        keys = ("run", "condition")
        places = [{key: report[key] for key in keys} for report in documents]
        for document, place in zip(documents, reversed(places), strict=True):
            document.update(place)

    in_lines("documents.jsonl", swap)(folder)


LONG = "weights-long-1-r1"
OF_ESTIMATES: dict[str, tuple[list[Forger], dict[str, str]]] = {
    "the median as the answer": (
        [in_record(lambda one: one["runAnswer"].update(answer="7", number=7.0), LONG), with_ledger],
        {"answers": f"{LONG}: the recorded answer is 7, but the estimates give "},
    ),
    "the feedback on a round": (
        [in_record(lambda one: one["feedback"][0].update(median=7.0), LONG), with_ledger],
        {"answers": f"{LONG}: the feedback on round 1 differs from its estimates"},
    ),
    "an estimate": (
        [in_record(lambda one: one["estimates"][0].update(answer="7", number=7.0, low=1.0), LONG), with_ledger],
        {"answers": f"{LONG}: the positions differ from the estimates"},
    ),
    "two conditions exchanged": (
        [swap_conditions, with_ledger],
        {"runs": f"{LONG} settings max_rounds: 1, recomputed 2"},
    ),
    "a margin set afterwards, without a seal": (
        [in_text("plan.yaml", "margin: null", "margin: 0.2"), with_ledger],
        {"seal": "the experiment started with another plan, without a recorded change"},
    ),
    "a prompt that was none": (
        [in_text("prompts.csv", ",estimate,", ",statement,"), with_manifest],
        {"tables": "prompts.csv: weights-"},
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", OF_ESTIMATES)
def test_forged_estimates_conditions_and_prompts_have_their_line(name: str, estimates: Path, tmp_path: Path) -> None:
    forgers, expected = OF_ESTIMATES[name]
    folder = shutil.copytree(estimates, tmp_path / "data")
    for forge in forgers:
        forge(folder)
    said = {check.name: check.faults for check in verify_folder(folder) if check.faults}
    for part, text in expected.items():
        assert any(text in fault for fault in said[part]), said


@pytest.mark.long
def test_what_was_not_checked_is_said_last(estimates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = verify_folder(estimates)
    assert [check.faults for check in checks if check.faults] == []
    text = "NOT CHECKED: the words of prompts (checked only by the manifest)."
    assert format_verdict(checks, "", "").endswith(text)
    error = InputError("statistics", "scipy", 'pip install "moot[science]"')
    monkeypatch.setattr(verification, "_verify_findings", lambda *_: raise_error(error))
    (figures,) = [check for check in verify_folder(estimates) if check.name == "findings"]
    assert (figures.faults, figures.unchecked) == ([], 'findings (pip install "moot[science]")')


def raise_error(error: Exception) -> Any:
    raise error


REMADE: dict[str, tuple[list[Forger], str, str]] = {
    "the registration, in the seal too": ([set_plan, with_ledger], "seal", "hash"),
    "consistent ballots": ([in_record(swap_ballots), with_ledger], "ledger", "head hash"),
    "a run dropped": ([delete_run, with_ledger], "ledger", "head hash"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", REMADE)
def test_what_was_remade_as_a_whole_is_found_by_a_published_hash_alone(name: str, data: Path, tmp_path: Path) -> None:
    forgers, part, words = REMADE[name]
    hashes, folder = published(data), shutil.copytree(data, tmp_path / "data")
    for forge in forgers:
        forge(folder)
    unknown, checks = verify_folder(folder), verify_folder(folder, **hashes)
    assert [check.faults for check in unknown if check.faults] == []
    assert format_verdict(unknown, "", "").startswith("consistent with itself")
    faults = {check.name: check.faults for check in checks if check.faults}
    assert f"the {words} of the {part} is " in faults[part][0]
    assert f"{hashes['seal_hash' if part == 'seal' else 'head_hash']} was published" in faults[part][0]


@pytest.mark.long
def test_a_folder_as_it_was_is_consistent_with_itself_and_by_its_hashes_as_published(data: Path) -> None:
    hashes = published(data)
    output = moot("experiment", "verify", data)
    assert output.exit_code == 0, output.stdout
    lines = output.stdout.splitlines()
    parts = (
        "files",
        "seal",
        "models",
        "runs",
        "ledger",
        "answers",
        "tables",
        "totals",
        "spending",
        "findings",
        "times",
    )
    assert [line.partition(":")[0] for line in lines if ": " in line][: len(parts)] == list(parts)
    text = "consistent with itself. Without a published head hash, anyone with the data could make such an export."
    assert text in " ".join(output.stdout.split())
    assert format_verdict(verify_folder(data, **hashes), **hashes) == "as published"
    assert "authentic" not in output.stdout


def test_a_changed_folder_ends_with_1_and_another_folder_with_2(data: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(data, tmp_path / "data")
    (folder / "more.csv").write_text("run\n")
    changed = moot("experiment", "verify", folder)
    assert changed.exit_code == 1
    assert "files: changed: more.csv differs" in changed.stdout
    assert changed.stdout.splitlines()[-1] == "changed: files, tables"
    assert moot("experiment", "verify", tmp_path).exit_code == 2


@pytest.mark.long
def test_a_report_from_a_folder_says_preregistered_only_if_it_verifies(data: Path, tmp_path: Path) -> None:
    folder, page = shutil.copytree(data, tmp_path / "data"), tmp_path / "page.html"
    assert moot("experiment", "report", folder, "-o", page).exit_code == 0
    assert "Preregistered at https://osf.example/x1" in page.read_text("utf-8")
    in_record(lambda one: one["turns"][0].update(content="No."))(folder)
    assert moot("experiment", "report", folder, "-o", page).exit_code == 0
    text = page.read_text("utf-8")
    assert "Exploratory: the data were changed after the export (files, ledger, tables)." in text
    assert "Preregistered" not in text


@pytest.mark.long
def test_a_report_from_a_folder_that_was_never_sealed_says_what_was_changed(estimates: Path, tmp_path: Path) -> None:
    folder, page = shutil.copytree(estimates, tmp_path / "data"), tmp_path / "page.html"
    in_text("plan.yaml", "margin: null", "margin: 0.2")(folder)
    assert moot("experiment", "report", folder, "-o", page).exit_code == 0
    assert "Exploratory: the data were changed after the export (files, seal, ledger" in page.read_text("utf-8")


BY_NAME = ("corrected", "corrupted", "net", "rate", "harmful", "speaking_shares")
"""Keys under which a name or an item stands, and no key of its own."""


def finding_keys(value: Any, parent: str = "") -> set[str]:
    """The keys of findings, each under the key it stands in or under the kind of figure, as the codebook has them."""
    if isinstance(value, list):
        return set().union(*(finding_keys(entry, parent) for entry in value))
    if not isinstance(value, dict):
        return set()
    kinds = {"standard_error": "estimate", "equivalence": "judgement", "interval": "equivalence"}
    kind = next((kind for key, kind in kinds.items() if key in value), parent)
    below = [finding_keys(entry, key if parent not in BY_NAME else parent) for key, entry in value.items()]
    removeprefixes = {f"{kind}.{key}".removeprefix(".") for key in value} if parent not in BY_NAME else set()
    return removeprefixes.union(*below)


def test_the_codebook_explains_every_key_of_the_findings(data: Path) -> None:
    with (data / "codebook.csv").open(encoding="utf-8") as file:
        known = {row["column"]: row["meaning"] for row in csv.DictReader(file) if row["table"] == "findings.json"}
    keys = finding_keys(json.loads((data / "findings.json").read_text()))
    assert {"conditions.gains", "gains.wrong", "judgement.p", "estimate.low", "spent.calls", "flips.n01"} <= keys
    assert keys <= known.keys()
    assert all(known.values())
    assert "every key of `findings.json`" in (data / "README.md").read_text()


def test_all_that_was_sealed_is_in_the_folder_and_the_manifest_names_every_file(data: Path) -> None:
    seal, manifest = json.loads((data / "seal.json").read_text()), json.loads((data / "manifest.json").read_text())
    for path, text_hash in seal["words"].items():
        assert manifest[f"words/{path}"] == text_hash
    files = {path.relative_to(data).as_posix() for path in data.rglob("*") if path.is_file()}
    assert manifest.keys() == files - {"manifest.json"}
    assert manifest["runs.csv"] == hashlib.sha256((data / "runs.csv").read_bytes()).hexdigest()
