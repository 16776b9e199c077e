"""Files become papers; what cannot be read says why, and costs nothing but itself."""

import json
import os
import sys
import zlib
from pathlib import Path

import pytest
from moot.papers.parsers import paper_fields, pdf
from moot.papers.parsers.file_types import list_paper_files, parse_file
from moot.state.errors import InputError
from places import DATA

FORMATS = DATA / "papers" / "formats"
PAGE = "Closing a city centre\nAda Smith\nAbstract\nWe study one closed centre and its shops.\n1 Introduction\nStreets."


def pdf_bytes(content: bytes, pages: int = 1) -> bytes:
    """A PDF whose pages all show one compressed content stream."""
    packed = zlib.compress(content)
    shows = b"/Resources << /Font << /F1 3 0 R >> >> /Contents 4 0 R"
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] %s >>" % shows
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(b"%d 0 R" % (5 + i) for i in range(pages)), pages),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed),
        *[page] * pages,
    ]
    body, places = b"%PDF-1.4\n", b"0000000000 65535 f \n"
    for number, each in enumerate(objects, start=1):
        places += b"%010d 00000 n \n" % len(body)
        body += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    size = len(objects) + 1
    end = b"xref\n0 %d\n%strailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        size,
        places,
        size,
        len(body),
    )
    return body + end


def make_page(text: str) -> bytes:
    return b"BT /F1 12 Tf 72 720 Td 14 TL " + b" ".join(f"({line}) '".encode() for line in text.split("\n")) + b" ET"


@pytest.mark.parametrize("name", ["front.md", "one.bib", "one.ris", "one.json", "one.jsonl"])
def test_every_format_with_fields_gives_the_same_paper(name: str) -> None:
    (paper,) = parse_file(FORMATS / name).papers
    assert (paper.id, paper.title, paper.authors) == ("smith2020-quiet", "Quiet streets", ["Smith, Ada"])
    assert (paper.year, paper.url) == (2020, "https://doi.org/10.5555/quiet")
    assert (paper.abstract, paper.source) == ("Trams are much quieter than cars.", str(FORMATS / name))


@pytest.mark.parametrize("name", ["heading.md", "plain.txt"])
def test_plain_prose_gives_title_abstract_and_text(name: str) -> None:
    (paper,) = parse_file(FORMATS / name).papers
    assert (paper.title, paper.abstract) == ("Quiet streets", "Trams are much quieter than cars.")
    assert paper.text.startswith((FORMATS / name).read_text("utf-8-sig")[:40])


def test_chinese_prose_is_read_across_its_line_breaks(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(
        "安静的街道\n\n摘 要：汽车很吵，\n电车不吵，我们更喜欢坐电车，而不是开汽车。\n\n正文", "utf-8"
    )
    (paper,) = parse_file(tmp_path / "a.txt").papers
    assert (paper.id, paper.abstract) == ("安静的街", "汽车很吵，电车不吵，我们更喜欢坐电车，而不是开汽车。")


@pytest.mark.parametrize(("given", "id"), [("k [1]; @b", "k-1-b"), ("../../etc", "etc"), ("", "t")])
def test_a_files_own_key_cannot_break_out_of_a_citation(tmp_path: Path, given: str, id: str) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"id": given, "title": "T", "abstract": "\ud800"}))
    (paper,) = parse_file(tmp_path / "a.json").papers
    assert (paper.id, paper.abstract) == (id, "?")


def test_a_pdf_gives_its_text_title_and_abstract(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf_bytes(make_page(PAGE)))
    (paper,) = parse_file(tmp_path / "a.pdf").papers
    assert (paper.title, paper.abstract) == ("Closing a city centre", "We study one closed centre and its shops.")
    assert "1 Introduction\nStreets." in paper.text


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.md", b"\xff\xd8\xff\xe0 picture", "is not utf-8 text (byte 0): save it as UTF-8"),
        ("b.txt", b"   \n", "is empty"),
        ("c.txt", b"a\0b", "zero bytes"),
        (
            "d.md",
            b"---\ntitle: !!python/object/apply:os.system [ls]\n---\n",
            "its front matter (the lines between ---) is not plain YAML",
        ),
        ("e.md", b"---\n- title\n---\nBody", "`key: value` lines"),
        ("f.json", b"[" * 100_000, "nested too deeply"),
        ("g.json", b"3", "is not a paper, a list of papers"),
        (
            "h.json",
            b'{"title": "T", "year": "not known", "abstract": "%s"}' % (b"x" * 60_000),
            "abstract: String should",
        ),
        ("i.bib", b"no entry", "holds no BibTeX entry"),
        ("j.ris", b"no reference", "holds no RIS reference"),
        ("k.pdf", b"%PDF-1.4 nonsense", "is not a readable PDF"),
        ("l.pdf", pdf_bytes(b" "), "contains no text (perhaps a scan)"),
        ("m.pdf", pdf_bytes(b" " * 30_000_000), "becomes too large when it is unpacked"),
        ("n.pdf", pdf_bytes(make_page("x"), pages=1_001), "has 1,001 pages; at most 1,000 are allowed"),
        ("o.docx", b"PK", "has an unknown file type; known types: .pdf, .md"),
        ("p.txt", b"x" * 1_000_001, "a line of more than 1,000,000 characters"),
    ],
)
def test_a_broken_or_hostile_file_says_why(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(content)
    parsed = parse_file(tmp_path / name)
    assert parsed.papers == []
    assert reason in parsed.faults[0]


@pytest.mark.parametrize(
    ("name", "module", "what"),
    [("a.pdf", "pypdf", "PDF"), ("a.bib", "bibtexparser", "BibTeX"), ("a.ris", "rispy", "RIS")],
)
def test_a_kind_whose_package_is_missing_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, module: str, what: str
) -> None:
    (tmp_path / name).write_text("x")
    for loaded in [each for each in sys.modules if each.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, module, None)
    assert parse_file(tmp_path / name).faults == [f'{what} needs: pip install "moot[papers]"']


@pytest.mark.parametrize("suffix", [".txt", ".json", ".bib", ".pdf"])
def test_a_pipe_among_the_papers_keeps_nobody_waiting(tmp_path: Path, suffix: str) -> None:
    os.mkfifo(pipe := tmp_path / f"pipe{suffix}")
    assert parse_file(pipe).faults == ["is not a regular file"]


def test_a_first_line_that_is_a_whole_paragraph_is_clipped_to_a_title(tmp_path: Path) -> None:
    path = tmp_path / "honey.txt"
    path.write_text("Honey yields rose by nine percent in gardens. " * 20)
    title = parse_file(path).papers[0].title
    assert len(title) <= 150
    assert title.endswith(" Honey...")


def test_an_encrypted_pdf_says_so(tmp_path: Path) -> None:
    pypdf = pytest.importorskip("pypdf")
    (tmp_path / "plain.pdf").write_bytes(pdf_bytes(make_page(PAGE)))
    writer = pypdf.PdfWriter(clone_from=tmp_path / "plain.pdf")
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(tmp_path / "locked.pdf")
    assert parse_file(tmp_path / "locked.pdf").faults == ["is encrypted: save the file without a password"]


@pytest.mark.parametrize(("name", "module"), [("a.md", paper_fields), ("a.pdf", pdf)])
def test_a_file_over_the_size_limit_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, module: object
) -> None:
    (tmp_path / name).write_bytes(b"x" * 2_000_000)
    monkeypatch.setattr(module, "MAX_BYTES", 1_000_000)
    assert parse_file(tmp_path / name).faults == ["is 2 MB; at most 1 MB are allowed"]


def test_a_broken_record_leaves_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"title": "One"}\n{"title": \n[]\n{"abstract": "no title"}\n{"title": "Five"}')
    parsed = parse_file(tmp_path / "a.jsonl")
    assert [paper.title for paper in parsed.papers] == ["One", "Five"]
    assert [reason.partition(":")[0] for reason in parsed.faults] == ["record 2", "record 3", "record 4"]
    (tmp_path / "a.bib").write_text("@misc{a, title={One}}\n@misc{b, title={\n@misc{c, title={Three}}")
    parsed = parse_file(tmp_path / "a.bib")
    assert [paper.title for paper in parsed.papers] == ["One", "Three"]
    assert parsed.faults == ["line 2: not valid BibTeX"]


def test_folders_are_searched_without_what_is_hidden_or_of_other_kinds(tmp_path: Path) -> None:
    for name in ("b.md", "a.BIB", "sub/c.txt", ".hidden/d.md", ".e.md", "f.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    paper_files = list_paper_files([tmp_path, tmp_path / "b.md", tmp_path / "f.png"])
    assert [str(path.relative_to(tmp_path)) for path in paper_files] == ["a.BIB", "b.md", "sub/c.txt", "f.png"]


@pytest.mark.parametrize(("name", "why"), [("absent", "there is no such file or folder"), ("", "has no papers in it")])
def test_a_path_that_is_not_there_and_an_empty_folder_are_refused(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        list_paper_files([tmp_path / name])


@pytest.mark.parametrize(
    ("lines", "authors", "year"),
    [
        ("作者：张伟、李明\n年份：2021\n", ["张伟", "李明"], 2021),
        ("**作者：** 张伟\n**发表时间：** 2021年3月\n", ["张伟"], 2021),
        ("Authors: Ada Smith and Bo Chan\nYear: 2020\n", ["Ada Smith", "Bo Chan"], 2020),
        ("Autora: Ada Pérez\nAño: 2019\n", ["Ada Pérez"], 2019),
        ("Autores: Ada Pérez; Bo Chan\nFecha: 3 de mayo de 2019\n", ["Ada Pérez", "Bo Chan"], 2019),
        ("---\n作者: 张伟\n年份: 2021\n---\n", ["张伟"], 2021),
        ("---\nautores: [Ada Pérez, Bo Chan]\naño: 2019\n---\n", ["Ada Pérez", "Bo Chan"], 2019),
        ("The author: nobody knows.\n", [], None),
    ],
)
def test_prose_names_its_authors_and_year_in_every_language(
    lines: str, authors: list[str], year: int | None, tmp_path: Path
) -> None:
    body = "# 城市中心禁车\n\n{}\n正文在这里。" if not lines.startswith("---") else "{}# 城市中心禁车\n\n正文在这里。"
    (tmp_path / "paper.md").write_text(body.format(lines), "utf-8")
    (paper,) = parse_file(tmp_path / "paper.md").papers
    assert (paper.title, paper.authors, paper.year) == ("城市中心禁车", authors, year)


@pytest.mark.parametrize(
    ("author", "authors"),
    [
        ("Ada Smith, Bo Chan", ["Ada Smith", "Bo Chan"]),
        ("Smith, Ada", ["Smith, Ada"]),
        ("张伟；李明", ["张伟", "李明"]),
    ],
)
def test_a_pdf_names_its_authors_and_year_in_its_metadata(author: str, authors: list[str], tmp_path: Path) -> None:
    pypdf = pytest.importorskip("pypdf")
    (tmp_path / "plain.pdf").write_bytes(pdf_bytes(make_page(PAGE)))
    writer = pypdf.PdfWriter(clone_from=tmp_path / "plain.pdf")
    writer.add_metadata({"/Author": author, "/CreationDate": "D:20200501120000Z"})
    writer.write(tmp_path / "made.pdf")
    (paper,) = parse_file(tmp_path / "made.pdf").papers
    assert (paper.authors, paper.year) == (authors, 2020)


def test_links_are_not_followed_out_of_a_folder(tmp_path: Path) -> None:
    folder, outside = tmp_path / "papers", tmp_path / "private.md"
    folder.mkdir()
    outside.write_text("# Private", "utf-8")
    (folder / "own.md").write_text("# Own", "utf-8")
    (folder / "link.md").symlink_to(outside)
    (folder / "again.md").symlink_to(folder / "own.md")
    assert [path.name for path in list_paper_files([folder])] == ["again.md", "own.md"]
