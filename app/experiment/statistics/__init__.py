"""Inference over many runs: intervals, tests, power, and stopping rules for repeated checks.

This package needs the extra `moot[science]`. Without it, the import raises `InputError` with the install command.
"""

from ....state import InputError

try:
    from .estimate import (
        NO_BREAK,
        NO_FIGURE,
        IntervalEstimate,
        ItemValues,
        estimate_by_bootstrap,
        estimate_difference,
        estimate_integration,
        estimate_item_correlation,
        estimate_mean,
        estimate_share,
        format_end,
        format_estimate,
        format_gain,
        format_interval,
        format_points,
    )
    from .sequential import (
        Certificate,
        SequentialEvidence,
        certify_mode,
        compute_bounds,
        compute_log_e_values,
        compute_lower_bound,
        compute_min_samples,
        estimate_at_stop,
        run_sequential_test,
    )
    from .significance import (
        SIGNIFICANCE_LEVEL,
        SIMULATED_EXPERIMENTS,
        Equivalence,
        PairedChange,
        PValue,
        adjust_p_values,
        compute_detectable_gain,
        compute_sign_flip_p,
        compute_swap_p,
        judge_equivalence,
        measure_change,
        measure_equivalence,
        simulate_power,
    )
except ModuleNotFoundError as error:
    if (error.name or "").split(".")[0] not in ("numpy", "scipy", "statsmodels"):
        raise
    raise InputError(
        "statistics", error.name, 'figures over many runs need scipy and statsmodels: pip install "moot[science]"'
    ) from None
