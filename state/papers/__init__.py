"""Papers that a panel reads, search results, and the check of quotations."""

from .citation_key import make_safe_id, make_unique_id
from .citation_parser import Citation, list_cited_ids
from .paper import OMISSION_MARK, Paper, estimate_tokens, extract_gist, make_excerpt, remove_duplicates, split_capacity
from .quotation import QuotableSources, list_misquotations, list_outer_citations, list_quotations
from .search_result import LEXICAL_THRESHOLD, SEMANTIC_THRESHOLD, IndexedPaper, RankingMethod, SearchHit, SearchResult
from .unknown_citations import list_unknown_citations
