"""Citations that match none of the papers: by id, author and year, number, DOI or arXiv id."""

import re
from collections.abc import Iterator, Sequence

from ..terms import is_ideograph
from .citation_key import extract_family_name, split_words
from .citation_parser import Citation, list_citations
from .paper import Paper

_INITIALS = r"(?:,? (?:[A-ZÀ-ÖØ-Ý]\.[ -]?){1,3})?"
_NAME = (
    r"(?:(?:van|von|der|den|del?|della|las?|le|di|da|dos) ){0,3}[A-ZÀ-ÖØ-Ý][\w'’-]{1,40}"
    rf"(?: [A-ZÀ-ÖØ-Ý][\w'’-]{{1,40}}){{0,2}}{_INITIALS}"
)
_NAME_JOINER = r"(?:,? ?(?:and|&|y|e|et|und) |, )"
_OTHER_AUTHORS = r",? (?:et al\.?|and (?:others|colleagues)|y (?:otros|cols\.|colegas))"
_AUTHORS = rf"{_NAME}(?:{_NAME_JOINER}{_NAME}){{0,8}}(?:{_OTHER_AUTHORS})?"
_HAN_NAMES = r"[\u4e00-\u9fff]{2,6}?(?:[、和与][\u4e00-\u9fff]{2,6}){0,8}(?:等人?)?"
_YEAR = r"(?P<year>(?:19|20)[0-9]{2}|n\. ?d\.|s\. ?f\.|in press|forthcoming|en prensa|待刊)"
"""Year of a paper, or the words for an unknown or future one."""
_AUTHOR_YEAR = re.compile(
    rf"(?:(?:see|cf\.?|e\.g\.,?|source:|véase|p\. ej\.,?|fuente:|参见|见|来源：) ?)?(?P<names>{_AUTHORS}|{_HAN_NAMES})"
    rf"[,，]? ?{_YEAR}(?:[a-z]|年)?(?:[,:，：] ?[^;；]*)?"
)
_NAMES_BEFORE = re.compile(rf"(?P<names>{_AUTHORS}|{_HAN_NAMES})(?:['’]s?)? ?$")
_YEAR_MENTION = re.compile(
    rf"(?P<bracket>[(（\[［])?(?<![0-9]){_YEAR}(?:[a-z]\b|年)?"
    r"(?(bracket)(?:[,:，：] ?[^()（）\[\]\n]{0,40})?[)）\]］]|(?:(?<=\bet al\. [0-9]{4})"
    r"|(?= (?:finds|found|shows|showed|argues|argued|says|said|writes|wrote|concludes|concluded|suggests|suggested|"
    r"observes|observed|demonstrates|demonstrated|proposes|proposed)\b)))"
)
"""Year after the names of authors: in brackets, after “et al.”, or before a verb of saying."""
_IN_BRACKETS = re.compile(r"[(（\[［]([^()（）\[\]［］\n]{6,200})[)）\]］]")
_CITATION_JOINT = re.compile(
    r"([;；](?: (?:and|&|y|e|et|und)(?= ))?|(?<=[0-9]{4})[a-z年]?(?:, ?(?:pp?|ch|cap|[Ff]ig|pág)\. ?[0-9–-]{1,9})?"
    r"(?:[,，、]|,? (?:and|&|y|e|et|und))(?= ?[A-ZÀ-ÖØ-Ý\u4e00-\u9fff]))"
)
_SEVERAL_AUTHORS = re.compile(rf"{_OTHER_AUTHORS}|\b[A-ZÀ-ÖØ-Ý]\.|.(?:\b(?:and|y|e|et|und)\b|&)|.[等和与、]")
_NAME_GAP = re.compile(r"[,&、和与]|\b(?:and|y|e|et|und)\b")
_FIRST_WORD = re.compile(r"\w+,")
_GROUP_ENDING = re.compile(rf"(?:{_OTHER_AUTHORS}|等人?)$")
_SOURCE_WORD = re.compile("根据|按照|参见|依照|^[见如]|^(?:As|By|Como|Following|Per|See|Por|Según|Véase) ")
_INSTITUTION = re.compile(r"(?:The|This|That|El|La|Los|Las|Este|Esta)\b")

_AUTHOR_VERBS = re.compile(
    r"[,，]? ?(?:(?:\w{2,20}(?:ly|mente)|also|first|already|have|has|had|también|además|ha|han) )?(?:argue|assert|"
    r"claim|conclude|confirm|contend|demonstrate|describe|discover|document|estimate|examine|explain|find|found|held|hold|"
    r"investigate|maintain|measure|note|observe|propose|report|reveal|review|said|say|show|state|study|studie|suggest|"
    r"warn|write|wrote|advert|advier|afirm|argument|conclu|confirm|demostr|demuestr|describ|dic|dij|document|encontr|"
    r"encuentr|estim|estudi|explic|hall|inform|mid|mostr|muestr|observ|propon|propus|revel|señal|sostien|sostuv|sugier|"
    r"sugir)|(?:的?研究|也|曾|则)?(?:认为|发现|指出|表明|显示|报告|主张|证明|写道|估计|提出|说)"
)
"""Words that follow an author as the subject of a sentence, such as “argued”."""
_LEADS_TO_SOURCE = re.compile(
    r"\b(?:[Aa]ccording to|[Ff]ollowing|[Aa]s(?: in)?|[Cc]omo(?: en)?|[Ss]ee|cf\.|per|by|por|[Ss]egún|[Vv]éase|"
    r"[Dd]e acuerdo con|(?:found|shown|reported|described|argued|noted|suggested|proposed|"
    r"estimated) in|(?:descrito|propuesto|hallado|estimado) en) ?$"
)
_LEADS_TO_PLACE = re.compile(
    r"(?:\A|[.!?。！？在]|\b(?:at|from|in|of|the|to|de|del|el|en|la|las|los|un|una|an?)) ?$", re.IGNORECASE
)
_CLAIM_END = re.compile(
    r"(?: ?[\[(（][^()（）\[\]\n]{0,80}[)）\]]){0,2}[”’\"*_]{0,4}(?:[.!?;。！？；]|[^\S\n]*(?:\Z|\n))"
)
_CLAUSE_END = re.compile(r"[,，]| (?:and|but|while|whereas|y|pero|mientras)\b")
_LAST_CLAUSE = re.compile(r"[^.!?;:,。！？；：，()（）\n]*\Z")
_PREPOSITION = re.compile(
    r"\s*(?:(?:after|at|before|during|in|on|since|until|with|en|desde|durante|hasta|tras|con)\b|[在自从])",
    re.IGNORECASE,
)
_DATE_WORDS = """
    january february march april may june july august september october november december enero febrero marzo abril mayo
    junio julio agosto septiembre octubre noviembre diciembre spring summer autumn fall winter primavera verano otono
    invierno as como
"""

_NUMBER_CITATION = re.compile(
    r"(?<![0-9_\]!])(?<!\b[A-Za-z])[\[［【]\^?"
    r"((?![0０])\d{1,3}(?: ?[,，;–-] ?(?![0０])\d{1,3}){0,20})[\]］】](?![(:\[{])"
)
_LEADS_TO_INTERVAL = re.compile(
    r"(?:\b(?:C\.?I\.?|I\.?C\.?|interval|intervalo|range|rango|scale|escala)|区间|范围|[=∈])[ :：为是]{0,2}$",
    re.IGNORECASE,
)
_LEADS_TO_RANGE = re.compile(r"\b(?:between|from|in|en|entre) $", re.IGNORECASE)
_IDENTIFIER = re.compile(
    r"\b(?:10\.[0-9]{4,9}/[^\s\"<>{}|\\\[\]()“”，。；、（）]{1,200}"
    r"|arxiv(?:\.org/(?:abs|pdf)/|: ?| )(?P<arxiv>(?:[a-z-]{2,12}/[0-9]{7}|[0-9]{4}\.[0-9]{4,5})))",
    re.IGNORECASE,
)
_FIRST_PAGE_LENGTH = 3_000
"""Number of characters at the start of a paper's text that are searched for its own DOI."""
_AUTHOR_WINDOW = 160
"""Number of characters before a year in brackets that are searched for its authors."""


def list_unknown_citations(text: str, papers: Sequence[Paper]) -> list[Citation]:
    """List the citations that match none of `papers`, in order.

    A citation is uncertain if its names and year could also mean a place or an event.
    """
    known_ids = {paper.id for paper in papers}
    citations = [citation for citation in list_citations(text, papers) if citation.id not in known_ids]
    authors = _PaperAuthors(papers)
    return sorted(
        [
            *citations,
            *_list_bracketed_authors(text, authors),
            *_list_named_authors(text, authors),
            *_list_numbers(text),
            *_list_identifiers(text, papers),
        ]
    )


class _PaperAuthors:
    """Family names of each paper's authors with its year, and all words in the authors' names."""

    def __init__(self, papers: Sequence[Paper]) -> None:
        self.papers = [({extract_family_name(author) for author in paper.authors}, paper.year) for paper in papers]
        self.family_names = {name for family_names, _ in self.papers for name in family_names}
        self.words = {word for paper in papers for author in paper.authors for word in split_words(author)}

    def split_names(self, names: str) -> tuple[set[str], bool]:
        """Return the known family names in `names`, and whether it also contains an unknown author.

        A first word before a comma, as in “However, Smith”, need not be an author.
        """
        known_names = {name for name in self.family_names if is_ideograph(name[:1]) and name in names}
        has_unknown_author = False
        for index, part in enumerate(_NAME_GAP.split(names)):
            words = [word for word in split_words(part) if len(word) > 1 and not is_ideograph(word[0])]
            known_names.update([word for word in words if word in self.family_names][-1:])
            may_be_author = index > 0 or not _FIRST_WORD.match(names)
            has_unknown_author |= bool(words) and may_be_author and self.words.isdisjoint(words)
        return known_names, has_unknown_author

    def has_paper(self, family_names: set[str], year: int | None) -> bool:
        """Return whether one paper has all these authors and the year.

        An empty `family_names` matches a paper without authors.
        """
        if not family_names:
            return (set(), year) in self.papers
        return any(
            family_names <= paper_family_names and paper_year in (year, None)
            for paper_family_names, paper_year in self.papers
        )


def _list_bracketed_authors(text: str, authors: _PaperAuthors) -> Iterator[Citation]:
    """Yield the citations such as `(Smith, 2019)` or `(Smith, 2019; Jones et al., 2020)`."""
    for bracket in _IN_BRACKETS.finditer(text):
        offset = bracket.start(1)
        for part in _CITATION_JOINT.split(bracket[1]):
            citation_text = part.strip()
            if match := _AUTHOR_YEAR.fullmatch(citation_text):
                start = offset + part.index(citation_text)
                is_placed = text[bracket.start()] in "[［" or _stands_after_claim(text, bracket)
                is_certain = _cites_unknown_paper(match["names"], match["year"], authors, is_placed=is_placed)
                if is_certain is not None:
                    end = start + match.end("year") if is_certain else bracket.end()
                    yield Citation(start, end, f"({citation_text})", is_certain=is_certain)
            offset += len(part)


def _list_named_authors(text: str, authors: _PaperAuthors) -> Iterator[Citation]:
    """Yield the citations such as `Miller (2018)`, `Smith et al. 2019` or `Jones 2018 finds`."""
    for bracket in _YEAR_MENTION.finditer(text):
        window_start = max(0, bracket.start() - _AUTHOR_WINDOW)
        window = text[window_start : bracket.start()]
        if match := _NAMES_BEFORE.search(window):
            has_author_verb = bool(_AUTHOR_VERBS.match(text, bracket.end()))
            *leading_words, names = _SOURCE_WORD.split(match["names"])
            text_before = window[: match.start()]
            if not bracket["bracket"] and max(map(text_before.rfind, "(（[［")) > max(map(text_before.rfind, ")）]］")):
                continue
            ends_sentence = _CLAIM_END.match(text, bracket.end()) and not _LEADS_TO_PLACE.search(text_before)
            is_possessive = names.endswith(("'s", "’s"))
            leads_sentence = names.startswith(("In ", "En ")) and text.startswith((",", "，"), bracket.end())
            is_placed = any(
                (
                    *(has_author_verb, leading_words, is_possessive, ends_sentence, leads_sentence),
                    _LEADS_TO_SOURCE.search(text_before),
                )
            )
            is_subject = has_author_verb and not _INSTITUTION.match(names)
            is_certain = _cites_unknown_paper(
                names, bracket["year"], authors, is_placed=is_placed, is_subject=is_subject
            )
            if is_certain is not None:
                end = bracket.end("year") if is_certain else bracket.end()
                label = f"{match['names']} ({bracket['year']})"
                yield Citation(window_start + match.start(), end, label, is_certain=is_certain)


def _cites_unknown_paper(
    names: str, year: str, authors: _PaperAuthors, *, is_placed: bool, is_subject: bool = False
) -> bool | None:
    """Return whether names with a year cite an unknown paper, or `None` for a known paper or no citation.

    `True` stands for a certain citation, `False` for a possible one. `is_placed`: whether the names stand in a usual
    place for a citation. `is_subject`: whether they are the subject of a verb such as “said”.
    """
    family_names, has_unknown_author = authors.split_names(_GROUP_ENDING.sub("", names))
    words, number = split_words(names), int(year) if year.isdecimal() else None
    if set(_DATE_WORDS.split()).intersection(words):
        return None
    if authors.has_paper(family_names, number):
        return False if family_names and has_unknown_author else None
    if family_names or not authors.words.isdisjoint(words) or _GROUP_ENDING.search(names):
        return True
    if _SEVERAL_AUTHORS.search(names):
        return is_placed
    return is_subject or number is None if is_placed else None


def _stands_after_claim(text: str, bracket: re.Match[str]) -> bool:
    """Return whether a bracket stands in a usual place for a citation.

    Usual places are the end of a sentence, and the end of a clause that makes a claim.
    """
    if _CLAIM_END.match(text, bracket.end()):
        return True
    if not _CLAUSE_END.match(text, bracket.end()):
        return False
    clause_match = _LAST_CLAUSE.search(text[max(0, bracket.start() - _AUTHOR_WINDOW) : bracket.start()])
    clause = clause_match[0] if clause_match else ""
    word_count = len(split_words(clause)) + sum(map(is_ideograph, clause))
    return word_count >= 3 and not _PREPOSITION.match(clause)


def _list_numbers(text: str) -> Iterator[Citation]:
    """Yield citations by number, such as `[7]` and `[2, 5]`. They match no paper, because papers have ids."""
    for match in _NUMBER_CITATION.finditer(text):
        if not _LEADS_TO_INTERVAL.search(text[max(0, match.start() - 12) : match.start()]):
            text_before = text[max(0, match.start() - 9) : match.start()]
            is_certain = "," not in match[1] or not _LEADS_TO_RANGE.search(text_before)
            yield Citation(match.start(), match.end(1) if is_certain else match.end(), match[0], is_certain=is_certain)


def _list_identifiers(text: str, papers: Sequence[Paper]) -> Iterator[Citation]:
    """Yield the DOIs and arXiv ids that belong to none of the papers."""
    matches = list(_IDENTIFIER.finditer(text))
    paper_texts = [f"{paper.id} {paper.url} {paper.abstract} {paper.text[:_FIRST_PAGE_LENGTH]}" for paper in papers]
    searched_text = "\n".join(paper_texts).casefold() if matches else ""
    known_identifiers = {
        (match["arxiv"] or match[0]).rstrip(".,;:*_'’") for match in _IDENTIFIER.finditer(searched_text)
    }
    for match in matches:
        identifier = (match["arxiv"] or match[0]).rstrip(".,;:*_'’")
        if identifier.casefold() not in known_identifiers:
            end = (match.start("arxiv") if match["arxiv"] else match.start()) + len(identifier)
            yield Citation(match.start(), end, identifier)
