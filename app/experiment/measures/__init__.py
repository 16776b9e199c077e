"""Measures of answers, statements and spending, from plain data. Values are grouped by item."""

from .agreement import (
    compute_alpha,
    compute_entropy,
    compute_kendall_tau,
    compute_kendall_w,
    compute_rank_distance,
    compute_simpson,
)
from .answer_equality import (
    TOLERANCE,
    Answer,
    compute_credit,
    format_full_number,
    group_answers,
    is_same_answer,
    pick_plurality,
)
from .arm_credits import (
    COMPARISONS,
    MECHANISMS,
    FailureRule,
    Spend,
    SpendKey,
    Unit,
    collect_accuracies,
    collect_gains,
    compute_accuracy_curve,
    count_samples_for_spend,
    interpolate_credit,
)
from .influence import ForkDecisions, collect_changed_shares, compute_gini, measure_influence
from .opinion import OpinionShift, collect_opinion_shifts, measure_opinion_shift, score_stance
from .positions import (
    Conformity,
    DeclaredAnswer,
    Flips,
    PositionHistory,
    ValuesByItem,
    collect_entropies,
    collect_simpsons,
    count_flips,
    measure_conformity,
    measure_drift,
    measure_oracle_gap,
)
