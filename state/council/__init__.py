"""A council: what its members made of each other's answers, how far they agree, and its rules."""

from .concordance import Concordance, concordance, kendall_tau_b
from .review import Critique, Review, answers_for, order_shown
from .rules import CouncilRules
