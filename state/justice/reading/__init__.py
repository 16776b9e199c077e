"""Reading replies of the justice experiment in free text: strictly, never by guessing."""

from .amount import read_amount
from .choice import read_choice
from .distribution import read_distribution
from .principle import Fault, Unreadable, read_consent, read_principle
from .ranking import read_ranking
