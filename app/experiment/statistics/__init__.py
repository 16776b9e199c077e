"""Inference over many runs: intervals, tests, power, and stops that may be checked early.

Needs the extra `science`; an import without it raises `InputError` with the install command.
"""

from ....state.errors import InputError

try:
    from .calibration import Calibration, CalibrationRun, calibrate_threshold
    from .certificate import Certificate, certify_mode, compute_min_samples
    from .equivalence import Equivalence, measure_equivalence
    from .estimate import (
        IntervalEstimate,
        ItemValues,
        estimate_by_bootstrap,
        estimate_difference,
        estimate_item_correlation,
        estimate_mean,
    )
    from .integration import estimate_integration
    from .power import Power, compute_formula_power, compute_items_needed, simulate_power
    from .sequential import SequentialEvidence, compute_e_value, compute_log_e_values, run_sequential_test
    from .significance import PairedChange, adjust_p_values, compute_mcnemar_p, compute_sign_flip_p, measure_change
except ModuleNotFoundError as error:
    if (error.name or "").split(".")[0] not in ("numpy", "scipy", "statsmodels"):
        raise
    remedy = 'figures over many runs need scipy and statsmodels: pip install "moot[science]"'
    raise InputError("statistics", error.name, remedy) from None

__all__ = [
    "Calibration",
    "CalibrationRun",
    "Certificate",
    "Equivalence",
    "IntervalEstimate",
    "ItemValues",
    "PairedChange",
    "Power",
    "SequentialEvidence",
    "adjust_p_values",
    "calibrate_threshold",
    "certify_mode",
    "compute_e_value",
    "compute_formula_power",
    "compute_items_needed",
    "compute_log_e_values",
    "compute_mcnemar_p",
    "compute_min_samples",
    "compute_sign_flip_p",
    "estimate_by_bootstrap",
    "estimate_difference",
    "estimate_integration",
    "estimate_item_correlation",
    "estimate_mean",
    "measure_change",
    "measure_equivalence",
    "run_sequential_test",
    "simulate_power",
]
