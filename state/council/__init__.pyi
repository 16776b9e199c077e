from .channels import (
    CouncilClosingState as CouncilClosingState,
    CouncilResult as CouncilResult,
    CouncilState as CouncilState,
    CouncilUpdate as CouncilUpdate,
    MemberState as MemberState,
    ReviewState as ReviewState,
    SeatedMemberState as SeatedMemberState,
)
from .concordance import (
    Concordance as Concordance,
    compute_concordance as compute_concordance,
    compute_kendall_tau_b as compute_kendall_tau_b,
)
from .review import (
    Critique as Critique,
    Review as Review,
    list_answers_to_rank as list_answers_to_rank,
    shuffle_answers as shuffle_answers,
)
from .settings import (
    CouncilSettings as CouncilSettings,
)
from .stopping_rules import (
    UNRANKED_ENDING as UNRANKED_ENDING,
    stop_on_rankings as stop_on_rankings,
    stop_on_winner as stop_on_winner,
    stop_without_ranking as stop_without_ranking,
)
