from .channels import (
    VotingState as VotingState,
    VotingUpdate as VotingUpdate,
    gather_polls as gather_polls,
)
from .poll import (
    COUNTED_AS_NO as COUNTED_AS_NO,
    CastBallot as CastBallot,
    Consent as Consent,
    Poll as Poll,
    has_enough_votes as has_enough_votes,
    is_vote_confirmed as is_vote_confirmed,
    list_consent_voters as list_consent_voters,
    list_poll_ballots as list_poll_ballots,
    list_refusers as list_refusers,
    make_vote_ending as make_vote_ending,
)
from .settings import (
    VotingSettings as VotingSettings,
)
