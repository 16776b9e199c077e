"""A jury: what its ballots came to, and when it is done."""

from .rules import JuryRules, needed
from .verdict import changed, dissenting, is_ballot, verdict
