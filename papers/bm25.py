"""Lexical ranking: papers by terms shared with a query, with SQLite's full-text index.

The score is FTS5's BM25 (Robertson and Zaragoza, "The probabilistic relevance framework: BM25 and beyond", 2009; k1 =
1.2, b = 0.75). A title counts twice. For each query, BM25 has an upper bound, which papers approach as they repeat its
terms. Relevance is the share of this bound that a paper reaches:

relevance = BM25 / ((k1 + 1) · Σ idf(term)), idf(term) = ln((N − n + 0.5) / (n + 0.5)), at least 10⁻⁶

The sum is over the distinct terms of the query, for N papers of which n contain the term. Relevance lies in [0, 1) and
does not depend on other hits. A term that no paper contains lowers the relevance of all papers. A term found once in a
paper of average length adds 0.45 of the term's share. Ten imaginary papers of average length are added to the library,
so that rare terms matter even if it has only one paper.
"""

import math
import sqlite3
from collections.abc import Sequence
from contextlib import closing

from ..state import extract_terms

_INDEX_SCHEMA = """
CREATE VIRTUAL TABLE paper USING fts5(title, body, tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE asked USING fts5(term, tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE paper_term USING fts5vocab(paper, 'row');
CREATE VIRTUAL TABLE asked_term USING fts5vocab(asked, 'instance');
"""
_TERM_COUNTS = """
SELECT min(asked_term.doc), coalesce(max(paper_term.doc), 0)
FROM asked_term LEFT JOIN paper_term ON paper_term.term = asked_term.term GROUP BY asked_term.term
"""
_TERM_SATURATION = 1.2 + 1
_FILLER_COUNT = 10


def compute_lexical_relevance(papers: Sequence[tuple[str, str]], query: str) -> list[float]:
    """Compute the relevance of each paper to the query, from 0 to below 1.

    A paper is a pair of title and body. Every call builds a new index, which takes three seconds for 10,000 papers. So
    call it from a thread.
    """
    query_terms = list(dict.fromkeys(extract_terms(query)))
    relevances = [0.0] * len(papers)
    if not query_terms or not papers:
        return relevances
    with closing(sqlite3.connect(":memory:")) as index:
        index.executescript(_INDEX_SCHEMA)
        rows = [(" ".join(extract_terms(title)), " ".join(extract_terms(body))) for title, body in papers]
        # Filler papers match no query: their only word is never a term.
        word_count = sum(len(title.split()) + len(body.split()) for title, body in rows)
        filler_papers = [("", "\ue000 " * round(word_count / len(rows)))] * _FILLER_COUNT
        index.executemany("INSERT INTO paper VALUES (?, ?)", rows + filler_papers)
        index.executemany("INSERT INTO asked VALUES (?)", [(term,) for term in query_terms])
        term_counts = index.execute(_TERM_COUNTS).fetchall()
        total_count = len(rows) + _FILLER_COUNT
        upper_bound = _TERM_SATURATION * sum(
            max(1e-6, math.log((total_count - paper_count + 0.5) / (paper_count + 0.5)))
            for _, paper_count in term_counts
        )
        match_query = " OR ".join(f'"{query_terms[row - 1]}"' for row, _ in term_counts)
        for row, score in index.execute(
            "SELECT rowid, -bm25(paper, 2.0, 1.0) FROM paper WHERE paper MATCH ?", (match_query,)
        ):
            relevances[row - 1] = min(1.0, max(0.0, score / upper_bound))
    return relevances
