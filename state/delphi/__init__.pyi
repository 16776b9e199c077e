from .channels import (
    DelphiClosingState as DelphiClosingState,
    DelphiResult as DelphiResult,
    DelphiState as DelphiState,
    DelphiUpdate as DelphiUpdate,
    EstimatesState as EstimatesState,
)
from .estimate import (
    ExpertEstimate as ExpertEstimate,
    RoundFeedback as RoundFeedback,
    has_enough_estimates as has_enough_estimates,
    map_changed_estimates as map_changed_estimates,
    summarize_estimates as summarize_estimates,
)
from .settings import (
    DelphiSettings as DelphiSettings,
)
from .statistics import (
    compute_pooled_quantile as compute_pooled_quantile,
    compute_quantile as compute_quantile,
)
from .stopping_rules import (
    stop_if_round_unaffordable as stop_if_round_unaffordable,
    stop_on_convergence as stop_on_convergence,
    stop_on_expert_agreement as stop_on_expert_agreement,
    stop_on_short_round as stop_on_short_round,
    stop_on_stable_estimates as stop_on_stable_estimates,
)
