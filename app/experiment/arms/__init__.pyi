from .accuracy import GainRow as GainRow
from .answers import SPEND_KEYS as SPEND_KEYS, collect_answers as collect_answers, split_arm as split_arm
from .charts import (
    EstimateRow as EstimateRow,
    draw_estimates as draw_estimates,
    draw_flips as draw_flips,
    draw_rounds as draw_rounds,
    draw_scatter as draw_scatter,
)
from .early_stop import collect_item_gains as collect_item_gains, format_evidence as format_evidence
from .findings import Findings as Findings, build_findings as build_findings
from .headline import (
    build_effect_sentences as build_effect_sentences,
    fill_verdict as fill_verdict,
    format_amount as format_amount,
    list_primary_rows as list_primary_rows,
)
from .task_scores import list_task_scores as list_task_scores
