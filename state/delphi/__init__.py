"""Delphi: blind estimates, the feedback on each round, and stopping rules."""

from .estimate import ExpertEstimate, RoundFeedback, has_enough_estimates, map_changed_estimates, summarize_estimates
from .settings import DelphiSettings
from .statistics import compute_pooled_quantile, compute_quantile
