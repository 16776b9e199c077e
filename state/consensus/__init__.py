"""Consensus dialogue: positions of the participants, their agreement, and the settings."""

from .agreement import (
    NOT_MEASURED,
    AgreementScore,
    compute_mean_similarities,
    get_dissents,
    is_undeclared_change,
    list_position_changes,
    make_agreement_score,
)
from .draft import Confirmation, Draft, find_round_draft
from .objections import Objection, list_held_objections, list_open_objections
from .settings import ConsensusSettings, ConvergenceSettings
