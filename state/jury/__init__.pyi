from .channels import (
    JuryClosingState as JuryClosingState,
    JuryResult as JuryResult,
    JuryState as JuryState,
)
from .settings import (
    GUILTY as GUILTY,
    NOT_GUILTY as NOT_GUILTY,
    JurySettings as JurySettings,
)
from .stopping_rules import (
    stop_at_jury_cap as stop_at_jury_cap,
    stop_if_abandoned as stop_if_abandoned,
    stop_on_deadlock as stop_on_deadlock,
    stop_on_few_votes as stop_on_few_votes,
    stop_on_verdict as stop_on_verdict,
)
from .verdict import (
    collect_minority_reasons as collect_minority_reasons,
    compute_needed_votes as compute_needed_votes,
    count_verdict as count_verdict,
    has_changed_votes as has_changed_votes,
    has_vote_quorum as has_vote_quorum,
)
