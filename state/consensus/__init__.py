"""Consensus dialogue: positions of the participants, their agreement, and the settings."""

from .agreement import (
    NOT_MEASURED,
    AgreementScore,
    compute_mean_similarities,
    get_dissents,
    list_position_changes,
    make_agreement_score,
)
from .settings import ConsensusSettings, ConvergenceSettings
