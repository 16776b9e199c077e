from .agreement import (
    NOT_MEASURED as NOT_MEASURED,
    AgreementScore as AgreementScore,
    compute_mean_similarities as compute_mean_similarities,
    get_dissents as get_dissents,
    is_undeclared_change as is_undeclared_change,
    list_position_changes as list_position_changes,
    make_agreement_score as make_agreement_score,
)
from .channels import (
    ConvergenceState as ConvergenceState,
    GroupClosingState as GroupClosingState,
    GroupResult as GroupResult,
    GroupState as GroupState,
    GroupUpdate as GroupUpdate,
)
from .draft import (
    Confirmation as Confirmation,
    Draft as Draft,
    Objection as Objection,
    find_round_draft as find_round_draft,
    list_held_objections as list_held_objections,
    list_open_objections as list_open_objections,
)
from .draft_rules import (
    find_accepted_draft as find_accepted_draft,
    is_draft_due as is_draft_due,
)
from .lexical_agreement import (
    list_content_words as list_content_words,
    score_statements as score_statements,
)
from .settings import (
    ConsensusSettings as ConsensusSettings,
    ConvergenceSettings as ConvergenceSettings,
)
