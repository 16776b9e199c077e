"""A group that looks for common ground: where its participants stand, and whether they agree."""

from .agreement import Weighing, dissents, mean_similarities, moves, weigh_up
from .rules import ConsensusRules, ConvergenceRules
