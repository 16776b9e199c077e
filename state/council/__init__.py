"""Council: the members' reviews, how well their rankings agree, and the settings."""

from .concordance import Concordance, compute_concordance, compute_kendall_tau_b
from .review import Critique, Review, list_answers_to_rank, shuffle_answers
from .settings import CouncilSettings
