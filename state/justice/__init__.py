"""Justice experiment: principles, incomes, choices, votes, payoffs, settings and channels."""

from .application import APPLICATION_COUNT, ApplicationResult, apply_choice, deal_case
from .comprehension import QUESTION_COUNT, ComprehensionAnswer, format_distinct_numbers, make_question
from .counterfactual import Counterfactual, list_shown_rules
from .distribution_choice import select_distribution
from .group_settings import JusticeParticipant, Language, LoggingSettings, TranscriptSettings, VoteStep
from .income import DISTRIBUTION_IDS, INCOME_CLASSES, DistributionId, DistributionSet
from .measures import Measures, RankingChange, RankingSummary, combine_rankings, compute_measures
from .payment import Payment, settle_payment
from .payoffs import PAID_DRAWS, compute_deduction, format_dollars, split_credit
from .phases import Phase1Result, TemplateHashes, list_stage_rankings
from .presentation import Presentation, draw_initiation_order, draw_presentation
from .principle import (
    CERTAINTIES,
    PRINCIPLES,
    Certainty,
    Principle,
    PrincipleChoice,
    Ranking,
    SharingRule,
    get_ballot_number,
    get_principle,
    make_default_ranking,
    needs_amount,
)
from .setting_keys import drop_overridden_settings, format_dotted_key, is_short_form
from .settings import JusticeSettings, parse_justice_settings
from .speaking_order import draw_speaking_order
from .vote import (
    ParseFault,
    VoteAnswer,
    VoteQuestion,
    VotingRecord,
    build_voting_record,
    find_initiator,
    is_confirmed,
    map_constrained_votes,
    select_answers,
)
