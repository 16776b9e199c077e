from .channels import (
    LibraryUpdate as LibraryUpdate,
    PanelClosingState as PanelClosingState,
    PanelInput as PanelInput,
    PanelResult as PanelResult,
    PanelStageState as PanelStageState,
    PanelTurnState as PanelTurnState,
    PaperSearchState as PaperSearchState,
    QueryState as QueryState,
    SearchState as SearchState,
)
from .citation_key import (
    make_safe_id as make_safe_id,
    make_unique_id as make_unique_id,
)
from .citation_parser import (
    Citation as Citation,
    list_cited_ids as list_cited_ids,
)
from .paper import (
    OMISSION_MARK as OMISSION_MARK,
    Paper as Paper,
    estimate_tokens as estimate_tokens,
    extract_gist as extract_gist,
    make_excerpt as make_excerpt,
    remove_duplicates as remove_duplicates,
    split_capacity as split_capacity,
)
from .quotation import (
    QuotableSources as QuotableSources,
    list_misquotations as list_misquotations,
    list_outer_citations as list_outer_citations,
    list_quotations as list_quotations,
)
from .search_result import (
    LEXICAL_THRESHOLD as LEXICAL_THRESHOLD,
    SEMANTIC_THRESHOLD as SEMANTIC_THRESHOLD,
    IndexedPaper as IndexedPaper,
    RankingMethod as RankingMethod,
    SearchHit as SearchHit,
    SearchResult as SearchResult,
)
from .stopping_rules import (
    NO_PAPERS as NO_PAPERS,
    stop_on_direct_answer as stop_on_direct_answer,
    stop_without_papers as stop_without_papers,
)
from .unknown_citations import (
    list_unknown_citations as list_unknown_citations,
)
