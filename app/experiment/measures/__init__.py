"""What is computed of answers, statements and spends, over plain data; values come by item, for their intervals."""

from .agreement import alpha, kendall_tau, kendall_w, mean_ranks, rank_distance
from .answers import TOLERANCE, Answer, clusters, credit, plurality, same, written
from .arms import (
    COMPARISONS,
    Failed,
    Spend,
    Unit,
    accuracies,
    accuracy_at,
    paired,
    samples_reaching,
)
from .diversity import entropies, entropy, simpson, simpsons
from .opinion import Opinion, opinion, opinions, stand
from .positions import Conformity, Declared, Flips, Positions, Values, conformity, drift, flips, oracle_gap
from .voice import Forks, changed, gini, influence
