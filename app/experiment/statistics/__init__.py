"""What follows from many runs: intervals, tests, power, and stops that may be looked at early.

Needs the extra `science`; importing it without raises `Refused`, which says how to install it.
"""

from ....state.refused import Refused

try:
    from .calibration import Calibration, Course, calibrate
    from .certificate import Certificate, certify, fewest_samples
    from .equivalence import Equivalence, equivalence
    from .estimate import ByItem, Estimate, bootstrap, difference, mean, within_item
    from .integration import integration
    from .power import Power, items_needed, power, power_by_formula
    from .sequential import Sequential, e_value, log_e_values, sequential
    from .significance import Change, change, holm, mcnemar, sign_flip
except ModuleNotFoundError as missing:
    if (missing.name or "").split(".")[0] not in ("numpy", "scipy", "statsmodels"):
        raise
    remedy = 'figures over many runs need scipy and statsmodels: pip install "moot[science]"'
    raise Refused("statistics", missing.name, remedy) from None

__all__ = [
    "ByItem",
    "Calibration",
    "Certificate",
    "Change",
    "Course",
    "Equivalence",
    "Estimate",
    "Power",
    "Sequential",
    "bootstrap",
    "calibrate",
    "certify",
    "change",
    "difference",
    "e_value",
    "equivalence",
    "fewest_samples",
    "holm",
    "integration",
    "items_needed",
    "log_e_values",
    "mcnemar",
    "mean",
    "power",
    "power_by_formula",
    "sequential",
    "sign_flip",
    "within_item",
]
