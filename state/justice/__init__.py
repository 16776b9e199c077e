"""The justice experiment: principles, incomes, choices, votes, payoffs and results, with its rules and channels."""

from .application import APPLICATIONS, ApplicationResult, apply_choice, deal
from .comprehension import QUESTIONS, ComprehensionAnswer, asked_about, told_apart
from .counterfactual import Counterfactual, shown_rules
from .income import DISTRIBUTION_IDS, INCOME_CLASSES, DistributionSet
from .keys import dotted, is_short, overruled
from .measures import Change, Measures, Standing, measure, pooled
from .payment import Payment, pay_out
from .payoff import PAID_DRAWS, credit_shares, deduction, dollars
from .phases import Phase1Result, WordsInForce, stage_rankings
from .presentation import Presentation, initiation_order, presentation
from .principle import CERTAINTIES, PRINCIPLES, Choice, Ranking, SharingRule, default_ranking, number_of, numbered
from .reading.amount import read_amount
from .reading.choice import read_choice
from .reading.distribution import read_distribution
from .reading.principle import Unreadable, read_consent, read_principle
from .reading.ranking import read_ranking
from .rules import JusticeRules, read_justice_rules
from .selection import select
from .settings import JusticeParticipant, Language, Logging, TranscriptLogging, VoteStep
from .speaking_order import speaking_order
from .vote import (
    ParseError,
    VoteAnswer,
    VoteQuestion,
    VoteReply,
    VotingRecord,
    answers_to,
    initiator_of,
    is_confirmed,
    record_of,
    wants_amount,
)
