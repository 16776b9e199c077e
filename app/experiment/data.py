"""Data of an experiment as tables over all its runs. Each row contains the run's name."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...state import Call, PositionSettings, build_answer_format, parse_settings
from ..export import RUN_COLUMNS, ColumnMeanings, DataTable, TableRow, build_tables
from ..report import find_document
from ..saved import RunProgress, SavedExperiment, Store
from .items import fold_text
from .plan import Plan, parse_plan
from .planned_runs import END_STATES, PlannedRun, list_conditions, order_items, plan_runs

Document = Mapping[str, Any]
TABLE_NAMES = {"turns": "statements"}
"""New name of each table that has another name in an experiment's export, by its name for a single run."""
IGNORED_SETTINGS = ("settings.seed", "settings.place", "settings.protocol", "settings.schema_version")

PLAN_COLUMNS: ColumnMeanings = {
    "run": "Name of the run; the key of every table.",
    "experiment": "Name of the experiment.",
    "condition": "Label of the condition.",
}
POSITION_COLUMNS: ColumnMeanings = {
    "arm": "Arm; empty: the deliberation itself.",
    "silenced": "For a fork: participant whose first statements it silences; empty: none.",
    "fork": "For a fork: number among the forks that silence the same participant; empty: not a fork.",
    "item": "Id of the item.",
    "repeat": "Number of the repeat, from 1.",
    "swap": "Features that are reversed: sides, order, options; empty: none.",
    "seed": "Seed of the random draws, the same in every condition.",
    "state": "State of the run: planned, begun, stopped, failed or done.",
    "why": "Reason why the run failed or stopped.",
}
MEASURE_COLUMNS: ColumnMeanings = {
    "turns": "Number of rows in the table statements.",
    "answer": "Answer of the run: an option's id, a side or a number; A|B: A and B were tied; empty: no answer.",
    "truth": "The right answer, written as in the column `answer`; empty: not known.",
    "right": "1: the answer is right; 0: wrong, or the run failed; between: several were tied; empty: unknown. "
    "For samples: of all that were drawn. The table arms has the number that the report compares.",
    "input_tokens": "Prompt tokens of all calls.",
    "cached_tokens": "Prompt tokens that the provider served from its cache.",
    "output_tokens": "Completion tokens of all calls.",
    "seconds": "Running time without pauses, in seconds.",
}

ITEM_COLUMNS: ColumnMeanings = {
    "order": (
        "Place of the item in the order of the runs, from 1; the order is drawn with `until`, else that of the plan."
    ),
    "item": "Id of the item.",
    "topic": "Topic or question of the item.",
    "truth": "The right answer, as in the table runs; empty: not known.",
}


FINDING_KEYS: ColumnMeanings = {
    "conditions": "Figures of each condition in which a deliberation has started; empty without arms and forks.",
    "comparisons": "Differences between conditions in one measure: those that the plan declares, or those from "
    "the first condition; empty with one condition.",
    "conditions.label": "Label of the condition.",
    "conditions.net": "Unit of cost in which the samples equal the deliberation: net_money, net_tokens or net_calls.",
    "conditions.arms": "Accuracy and cost of each arm.",
    "conditions.gains": "Comparisons of two arms, in shares of right answers.",
    "conditions.best": "Gain over the best of several models that answer alone; null without the arm each.",
    "conditions.flips": (
        "Changes from first to last answers of all participants; null without a truth or a last answer."
    ),
    "conditions.alone_flips": "The same changes in the arm alone; null without this arm.",
    "conditions.flip_gap": "Net change of the deliberation minus that of the arm alone; null without either.",
    "conditions.oracle_gap": (
        "Share of deliberations in which a member is right at the end, minus the share with a right group answer."
    ),
    "conditions.conformity": (
        "Changes of a participant to the others' most common answer, in the deliberation and in the arm alone."
    ),
    "conditions.moments": "Each time at which all participants were asked.",
    "conditions.certificates": "Certificate that the first sample's answer is the most common, by deliberation.",
    "conditions.influences": "Decisions that change without a participant's first statements.",
    "conditions.curve": "Majority of 1, 2, 3 … samples, with calls, tokens, accuracy and cost.",
    "conditions.opinion": "Movement of opinions between against (−1) and for (1).",
    "conditions.speaking_shares": "Share of the completion tokens of statements, by participant.",
    "conditions.speaking_gini": "Gini coefficient of these tokens: 0 for equal shares, 1 for a single speaker.",
    "conditions.alpha": "Krippendorff's alpha of the first answers, and of the last ones.",
    "estimate.value": "Mean over all values; null without values.",
    "estimate.low": "Lower end of the interval; null if the data show no scatter.",
    "estimate.high": "Upper end of the interval.",
    "estimate.n": "Number of values.",
    "estimate.items": "Number of clusters: items with a value.",
    "estimate.standard_error": "Standard error, clustered by item.",
    "estimate.level": "Level of the interval.",
    "estimate.method": "Kind of interval: t, bootstrap, or sequence (a confidence sequence, valid at any stop).",
    "estimate.stream": "Name of the bootstrap's random stream, in addition to the plan's seed.",
    "estimate.resamples": "Number of resamples of the bootstrap.",
    "arms.arm": "Name of the arm, as in the table arms.",
    "arms.as_wrong": "Accuracy with failed runs counted as wrong.",
    "arms.per_protocol": "Accuracy without failed runs.",
    "arms.spent": "Mean spending of a run that began.",
    "arms.failed": "Number of failed runs.",
    "arms.tied": "Number of deliberations in which its answer was a tie with the right one.",
    "arms.short": "Number of deliberations that cost more than all samples drawn for them.",
    "spent.calls": "Model calls.",
    "spent.tokens": "Prompt and completion tokens.",
    "spent.cost": "Price, in the currency of the prices; null if a price is unknown.",
    "gains.name": "Name of the comparison.",
    "gains.arms": "Both arms of the comparison.",
    "gains.bounds": "Lowest and highest mean gain, if missing runs had the worst or the best result.",
    "gains.bootstrap": "The gain with an interval from resampled items; null after an early stop.",
    "gains.change": "Pairs in which only one arm is right; null with repeats, swaps or partly right answers.",
    "gains.adjusted_p": (
        "p after Holm's correction over voting, writing, exchange, rethinking and talking back, or, for the primary "
        "comparison, over the conditions; null for other comparisons."
    ),
    "gains.wrong": "Difference with failed runs counted as wrong.",
    "gains.left_out": "Difference without failed runs.",
    "judgement.estimate": "The difference with its interval.",
    "judgement.p": "Two-sided p of the sign-flip or permutation test, with its standard error; null after a stop.",
    "judgement.equivalence": "Two one-sided tests against the plan's margin; null without a margin.",
    "judgement.adjusted_p": "p after Holm's correction within a declared family; null outside one.",
    "judgement.swaps": "Number of units that the permutation test swaps; null for a sign-flip test over all items.",
    "equivalence.margin": "Largest difference that counts as equal.",
    "equivalence.p": "Larger p of the two tests.",
    "equivalence.alpha": "Level of the tests.",
    "equivalence.interval": "The difference with its interval at the level 1 − 2·alpha.",
    "change.gained": "Pairs that only the arm has right.",
    "change.lost": "Pairs that only the compared arm has right.",
    "change.n": "Number of pairs.",
    "change.odds": "gained divided by lost; null if lost is 0.",
    "best.models": "Models compared with.",
    "best.value": "Smallest of the gains.",
    "best.low": "Lower end of the interval of the smallest gain.",
    "best.high": "Upper end of the interval of the smallest gain.",
    "best.is_better": "Whether the deliberation beats each model.",
    "flips.n00": "Participants whose first and last answers were wrong.",
    "flips.n01": "Participants whose first answer was wrong and whose last was right.",
    "flips.n10": "Participants whose first answer was right and whose last was wrong.",
    "flips.n11": "Participants whose first and last answers were right.",
    "flips.unanswered": "Participants without a first or a last answer.",
    "flips.corrected": "By item, for each wrong first answer: 1 if the last one is right, else 0.",
    "flips.corrupted": "By item, for each right first answer: 1 if the last one is wrong, else 0.",
    "flips.net": "By item: 1, 0 or −1 for each participant.",
    "conformity.rate": "By item: 1 for each change to the others' most common answer, else 0.",
    "conformity.harmful": "By item: 1 for each such change from a right to a wrong answer, else 0.",
    "conformity.tied": "Answers left out because the others had no single most common answer.",
    "moments.name": "before, after, or the number of the round.",
    "moments.accuracy": "Share of right answers; null without a truth.",
    "moments.entropy": "Entropy of the answers, 0 to 1.",
    "moments.simpson": "Probability that two members have different answers.",
    "moments.majority": "Share of the most common answer.",
    "moments.certainty": "Mean certainty of the answers as a share, 0 to 1.",
    "certificates.run": "Name of the deliberation's run.",
    "certificates.answer": "Answer of the first sample.",
    "certificates.samples": "Number of samples with an answer.",
    "certificates.certificate": "The certificate; null with too few samples.",
    "certificate.items": "Number of samples, including the first.",
    "certificate.log_e": "Natural logarithm of the evidence.",
    "certificate.alpha": "Largest probability that the certificate is false.",
    "certificate.stopping_time": "Samples after which the answer was certified; null: never.",
    "certificate.answer": "Number of the certified answer; equal answers have one number.",
    "certificate.votes": "Later samples with the same answer.",
    "certificate.rival_votes": "Later samples with the strongest other answer.",
    "certificate.joint_time": "Samples after which the answer was certified together with all others; null: never.",
    "influences.who": "Participant whose first statements were silenced.",
    "influences.influence": "Share of changed decisions, minus the same share of the control forks.",
    "influences.changed": "Share of forks with a changed decision.",
    "influences.control": "The same share of the control forks.",
    "influences.forks": "Number of the participant's forks.",
    "influences.failed": "Number of forks without a result, including control forks.",
    "opinion.shift": "Mean of last minus first opinions.",
    "opinion.size": "Mean size of the change.",
    "opinion.polarisation": "Change of the mean away from undecided.",
    "opinion.variance_ratio": "Variance of the last opinions divided by the variance of the first.",
    "comparisons.condition": "Label of the condition.",
    "comparisons.against": "Label of the condition that this one is compared with.",
    "comparisons.measure": "Name of the measure.",
    "comparisons.levels": "The figures of both conditions.",
    "comparisons.wrong": (
        "Difference with failed runs counted as wrong; for a measure without right and wrong, as left_out."
    ),
    "comparisons.left_out": "Difference without failed runs.",
    "comparisons.bounds": "Lowest and highest difference, if missing runs had the worst or the best result.",
    "comparisons.failed": "Failed runs of both conditions.",
}
"""Meanings of the keys in `findings.json`. Each key has the prefix of its parent key or kind of figure."""


@dataclass(frozen=True)
class ExperimentRun:
    """Planned run of an experiment, with its progress and its document.

    `document`: document of the saved run, or `None` if no step was saved.
    """

    planned: PlannedRun
    progress: RunProgress | None
    document: Document | None

    @property
    def record(self) -> Document:
        """Return the document of the run. Only call it for a run that has one."""
        assert self.document is not None
        return self.document

    @property
    def state(self) -> str:
        """Return the state of the run: planned, begun, stopped, failed or done."""
        return self.progress.state if self.progress else "planned"

    @property
    def has_ended(self) -> bool:
        """Return whether the run is done or failed."""
        return self.state in END_STATES

    @property
    def failure(self) -> str:
        """Return the kind of the run's first counted failure; empty without one."""
        return self.progress.failure if self.progress else ""

    @cached_property
    def calls(self) -> list[Call]:
        """Return the calls in the run's document."""
        return [Call.model_validate(call) for call in (self.document or {}).get("calls") or []]

    @property
    def positions(self) -> list[Mapping[str, Any]]:
        """Return the positions in the run's document."""
        return list((self.document or {}).get("positions") or [])

    @property
    def participants(self) -> list[Mapping[str, Any]]:
        """Return the participants in the run's document, in seat order."""
        return list((self.document or {}).get("participants") or [])

    @property
    def is_done(self) -> bool:
        """Return whether the run has ended with a result."""
        return self.state == "done"


async def load_experiment_runs(store: Store, experiment: SavedExperiment) -> list[ExperimentRun]:
    """Return every planned run of an experiment with its progress and document, in the plan's order."""
    progress_by_run = await store.experiments.map_progress(experiment.name)
    return [
        ExperimentRun(
            planned_run,
            progress_by_run.get(planned_run.run),
            await find_document(store, experiment.name, planned_run.run),
        )
        for planned_run in plan_runs(parse_plan(experiment.plan))
    ]


def list_documents(runs: Sequence[ExperimentRun]) -> list[Document]:
    """Return the documents of the runs that have one."""
    return [run.document for run in runs if run.document is not None]


def has_only_rehearsals(runs: Sequence[ExperimentRun]) -> bool:
    """Return whether all runs with calls are rehearsals; `False` if no run has a document."""
    documents = list_documents(runs)
    return bool(documents) and all(document["rehearsal"] for document in documents if document["calls"])


def collect_tables(plan: Plan, runs: Sequence[ExperimentRun]) -> dict[str, DataTable]:
    """Return all tables of an experiment by name.

    The table `runs` has a row for each planned run, saved or not.
    """
    table_groups = [build_tables(document) for document in list_documents(runs)]
    tables = {"runs": _build_runs_table(plan, runs, [group.pop("runs") for group in table_groups])}
    for group in table_groups:
        for name, table in group.items():
            merged_table = tables.setdefault(TABLE_NAMES.get(name, name), DataTable({}, []))
            merged_table.columns.update(table.columns)
            merged_table.rows.extend(table.rows)
    return tables


def build_items_table(plan: Plan) -> DataTable:
    """Return the table with a row for each item, in the order in which the items run."""
    rows: list[TableRow] = [
        {"order": number, "item": item.id, "topic": item.topic, "truth": next(iter(item.right_options), item.truth)}
        for number, item in enumerate(order_items(plan) if plan.until else plan.items, 1)
    ]
    return DataTable(ITEM_COLUMNS, rows)


def _build_runs_table(plan: Plan, runs: Sequence[ExperimentRun], run_tables: Sequence[DataTable]) -> DataTable:
    """Return the table with a row for each planned run.

    `run_tables`: tables of the saved runs, which may have additional columns.
    """
    rows_by_run = {row["run"]: row for run_table in run_tables for row in run_table.rows}
    differing_settings = map_differing_settings(list_documents(runs))
    factors = dict.fromkeys(path for condition in list_conditions(plan) for path in condition.settings)
    run_columns = dict(RUN_COLUMNS)
    for run_table in run_tables:
        run_columns |= run_table.columns
    known_columns = PLAN_COLUMNS | POSITION_COLUMNS
    columns = {
        **PLAN_COLUMNS,
        **{
            f"factor.{path}": f"Value of the factor {path} in the condition; empty: the condition does not set it."
            for path in factors
        },
        **POSITION_COLUMNS,
        **{key: meaning for key, meaning in run_columns.items() if key not in known_columns},
        **MEASURE_COLUMNS,
        **{
            f"setting.{path}": f"Setting {path} of the run (arms have their own); empty: an empty value, or none."
            for path in differing_settings
        },
    }
    indices = {name: index for index, name in enumerate(rows_by_run)}
    rows = []
    for run in runs:
        row = dict.fromkeys(columns) | rows_by_run.get(run.planned.run, {}) | _build_run_row(plan, run)
        for path, value in run.planned.condition.settings.items():
            row[f"factor.{path}"] = "; ".join(map(str, value)) if isinstance(value, list | dict) else value
        if run.planned.run in indices:
            row |= {f"setting.{path}": values[indices[run.planned.run]] for path, values in differing_settings.items()}
        rows.append({key: row[key] for key in columns})
    return DataTable(columns, rows)


def _build_run_row(plan: Plan, run: ExperimentRun) -> TableRow:
    planned_run, document, truth = run.planned, run.document, run.planned.item.truth
    calls: list[dict[str, Any]] = document["calls"] if document else []
    turns = zip(document["turns"], document["course"], strict=True) if document else ()
    answer, score = (document.get("runAnswer") if document else None), None
    if run.progress is not None and truth is not None:
        score = score_run(document, truth) if document and run.is_done else 0.0
    return {
        "run": planned_run.run,
        "experiment": plan.name,
        "condition": planned_run.condition.label,
        "arm": planned_run.arm,
        "silenced": "; ".join(dict.fromkeys(turn["speakerId"] for turn, course in turns if course["silenced"])),
        "fork": planned_run.fork.number if planned_run.fork else None,
        "item": planned_run.item.id,
        "repeat": planned_run.repeat,
        "swap": "; ".join(planned_run.swap),
        "seed": planned_run.seed,
        "state": run.state,
        "why": run.progress.why if run.progress else "",
        "answer": "|".join(answer["tied"]) or str(answer["answer"]) if answer else "",
        "truth": next(iter(planned_run.item.right_options), truth),
        "right": score,
        **{key: sum(call[key] for call in calls) for key in ("input_tokens", "cached_tokens", "output_tokens")},
        "seconds": document["totalTimeMs"] / 1000 if document else None,
    }


def score_run(document: Document, truth: str | float) -> float:
    """Return the score of a run: 1 for a right answer, 0 for a wrong or missing one.

    If answers are tied, the score is the share of right ones among them.
    """
    answer = document.get("runAnswer")
    if not answer:
        return 0.0
    settings = parse_settings(document["settings"])
    answer_format = build_answer_format(settings) if isinstance(settings, PositionSettings) else None
    answers = [(tied_answer, "") for tied_answer in answer["tied"]] or [(answer["answer"], answer["text"])]
    if answer_format is not None and answer_format.is_numeric:
        right_count = sum(answer_format.is_near(float(option), float(truth)) for option, _ in answers)
    else:
        texts = answer_format.option_texts if answer_format else {}
        folded_options = [(fold_text(option), fold_text(text or texts.get(option, ""))) for option, text in answers]
        right_count = sum(fold_text(str(truth)) in pair for pair in folded_options)
    return right_count / len(answers)


def map_differing_settings(documents: Sequence[Document]) -> dict[str, list[object]]:
    """Map the path of each setting that differs between runs to its value in every run.

    Runs of different conditions differ in at least one of them. Participants are compared by name.
    """
    flat_settings = []
    for document in documents:
        participants = {participant["name"]: participant for participant in document["participants"]}
        flat_settings.append(dict(_flatten_value("", {"settings": document["settings"], "participants": participants})))
    paths = dict.fromkeys(path for settings in flat_settings for path in settings if path not in IGNORED_SETTINGS)
    values_by_path = {path: [settings.get(path) for settings in flat_settings] for path in paths}
    return {path: values for path, values in values_by_path.items() if len({repr(value) for value in values}) > 1}


def _flatten_value(path: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping) and value:
        for key, entry in value.items():
            yield from _flatten_value(f"{path}.{key}" if path else str(key), entry)
    elif isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value):
        yield from _flatten_value(path, {str(index): entry for index, entry in enumerate(value, 1)})
    else:
        yield path, value if not isinstance(value, list) else "; ".join(map(str, value))
