from .application import (
    APPLICATION_COUNT as APPLICATION_COUNT,
    ApplicationResult as ApplicationResult,
    apply_choice as apply_choice,
    deal_case as deal_case,
)
from .channels import (
    BallotBoxState as BallotBoxState,
    ExperimentState as ExperimentState,
    GroupDecisionState as GroupDecisionState,
    GroupPromptState as GroupPromptState,
    JusticeClosingState as JusticeClosingState,
    JusticeConveneState as JusticeConveneState,
    JusticeInput as JusticeInput,
    JusticeOutput as JusticeOutput,
    JusticeRoundState as JusticeRoundState,
    JusticeUpdate as JusticeUpdate,
    MemoryRewriteState as MemoryRewriteState,
    PaymentState as PaymentState,
    PendingMemoryState as PendingMemoryState,
    Phase1ResultsState as Phase1ResultsState,
    Phase1State as Phase1State,
    ReasoningState as ReasoningState,
    SpeakingOrderState as SpeakingOrderState,
    VoteProgressState as VoteProgressState,
    VoteRoutingState as VoteRoutingState,
)
from .comprehension import (
    QUESTION_COUNT as QUESTION_COUNT,
    ComprehensionAnswer as ComprehensionAnswer,
    format_distinct_numbers as format_distinct_numbers,
    make_question as make_question,
)
from .distribution_choice import (
    Counterfactual as Counterfactual,
    list_shown_rules as list_shown_rules,
    select_distribution as select_distribution,
)
from .group_settings import (
    JusticeParticipant as JusticeParticipant,
    Language as Language,
    LoggingSettings as LoggingSettings,
    TranscriptSettings as TranscriptSettings,
    VoteStep as VoteStep,
)
from .income import (
    DISTRIBUTION_IDS as DISTRIBUTION_IDS,
    INCOME_CLASSES as INCOME_CLASSES,
    PAID_DRAWS as PAID_DRAWS,
    DistributionId as DistributionId,
    DistributionSet as DistributionSet,
    format_dollars as format_dollars,
    split_credit as split_credit,
)
from .measures import (
    Measures as Measures,
    RankingChange as RankingChange,
    RankingSummary as RankingSummary,
    SeriesSummary as SeriesSummary,
    combine_rankings as combine_rankings,
    compute_measures as compute_measures,
    summarize_runs as summarize_runs,
)
from .payment import (
    Payment as Payment,
    settle_payment as settle_payment,
)
from .phase_results import (
    Phase1Result as Phase1Result,
    PrivateReasoning as PrivateReasoning,
    TemplateHashes as TemplateHashes,
    list_stage_rankings as list_stage_rankings,
)
from .presentation import (
    Presentation as Presentation,
    draw_initiation_order as draw_initiation_order,
    draw_presentation as draw_presentation,
)
from .principle import (
    CERTAINTIES as CERTAINTIES,
    PRINCIPLES as PRINCIPLES,
    Certainty as Certainty,
    Principle as Principle,
    PrincipleChoice as PrincipleChoice,
    Ranking as Ranking,
    SharingRule as SharingRule,
    get_ballot_number as get_ballot_number,
    get_principle as get_principle,
    make_default_ranking as make_default_ranking,
    needs_amount as needs_amount,
)
from .result import (
    JusticeResult as JusticeResult,
    build_justice_result as build_justice_result,
    collect_rankings as collect_rankings,
    measure_run as measure_run,
    parse_justice_result as parse_justice_result,
)
from .setting_keys import (
    drop_overridden_settings as drop_overridden_settings,
    format_dotted_key as format_dotted_key,
    is_short_form as is_short_form,
)
from .settings import (
    JusticeSettings as JusticeSettings,
    parse_justice_settings as parse_justice_settings,
)
from .speaking_order import (
    draw_speaking_order as draw_speaking_order,
)
from .vote import (
    ParseFault as ParseFault,
    VoteAnswer as VoteAnswer,
    VoteQuestion as VoteQuestion,
    VotingRecord as VotingRecord,
    build_voting_record as build_voting_record,
    find_initiator as find_initiator,
    is_confirmed as is_confirmed,
    map_constrained_votes as map_constrained_votes,
    select_answers as select_answers,
)
