"""Papers: what a panel reads, what it found, and whether what it quotes is there."""

from .citation import Citation, cited_ids, unknown
from .found import LEXICAL_THRESHOLD, SEMANTIC_THRESHOLD, Found, Hit, Indexed, Ranking
from .paper import CUT, Paper, distinct, excerpt, free_id, gist, safe_id, shares, tokens_in
from .quotation import Shelf, misquoted, outside, quotations
