"""Plain YAML is bounded before it is read, and read in time that grows with its length and no faster."""

from contextlib import suppress
from typing import Any

import pytest
from doubling import growth
from moot.app.run.config_file import parse_assignments
from moot.app.web.openai.chat_request import parse_body
from moot.state.errors import InputError
from moot.state.plain_yaml import parse_yaml
from sampling import sample_cases

REFUSED = {
    "a big form": ("x" * 64_001, "give at most 64,000 bytes"),
    "a big form of few characters": ("树" * 30_000, "give at most 64,000 bytes"),
    "21 lists": ("[" * 21 + "]" * 21, "at most 20 levels"),
    "21 mappings": ("".join(f"{' ' * level}a:\n" for level in range(21)) + " " * 21 + "1", "at most 20 levels"),
    "lists without an end": ("[" * 60_000, "at most 20 levels"),
    "dots": (f"{'a.' * 20}a: 1", "at most 20 levels"),
    "5,000 digits": ("seed: " + "9" * 5000, "at most 40 characters"),
    "a long fraction": ("0." + "1" * 5000, "at most 40 characters"),
    "a merge key's alias": ("a: &a {b: 1}\nc: {<<: *a}", "Moot reads no YAML aliases"),
    "a binary tag": ("a: !!binary aGk=", "Moot reads no YAML tags"),
    "a set": ("!!set {a, b}", "Moot reads no YAML tags"),
    "an own tag": ("a: !own 1", "Moot reads no YAML tags"),
    "an explicit merge": ("{!!merge x: {a: 1}}", "Moot reads no YAML tags"),
    "a key twice": ("{a: 1, b: 2, a: 3}", "is there twice"),
    "half a character": (r'{a: "x\ud800"}', "half a character"),
    "half a character as a key": (r'{"\udfff": 1}', "half a character"),
    "a list as a key": ("? [a]\n: 1", "a key must be a single word"),
}


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_is_beyond_the_bounds_is_refused_in_a_line(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as error:
        parse_yaml(text, "rules")
    assert len(str(error.value)) < 400


VALUES: list[tuple[str, Any]] = [
    ("12:30:00", "12:30:00"),
    ("190:20:30.15", "190:20:30.15"),
    ("2026-11-23", "2026-11-23"),
    ("{<<: {a: 1}}", {"<<": {"a": 1}}),
    ("0b_", "0b_"),
    ("=", "="),
    ("off", "off"),
    ("", None),
    ("[~, null, true, 007, 0x1F, 0b11, 1_000, -3, .5, 2.5e+3]", [None, None, True, 7, 31, 3, 1000, -3, 0.5, 2500.0]),
    ("[" * 20 + "]" * 20, None),
]


@pytest.mark.parametrize(("text", "value"), VALUES)
def test_times_and_dates_are_texts_and_plain_values_are_what_they_say(text: str, value: Any) -> None:
    yaml = parse_yaml(text, "rules")
    assert yaml == value or text.startswith("[[")


PIECES = ["a: 1\n", "- 1\n", "- ", "[", "{a: ", "1, ", "x ", "9", "# c\n", "\n", " ", "'", '"', "&a ", "? ", "---\n"]
PIECES += ["%A\n", "|\n ", "é", ".", ":", "\t", "!"]
SHAPES = [("", piece, "") for piece in PIECES] + [("[", f"{piece},", "]") for piece in ("1", "a", "a: b", "'x'", "[]")]
SHAPES += [("a: ", piece, "") for piece in ("x\n ", "x: ", "'' ", "|\n", "9")]
SHAPES += [('"', piece, '"') for piece in ("\\x41", "\n", "a ")]


def parse_any(text: str) -> None:
    for key in ("{", ""):  # with keys of their own, which must differ
        with suppress(InputError):
            parse_yaml(key + text, "rules", 10**9)


@pytest.mark.long
@pytest.mark.parametrize("shape", sample_cases(SHAPES, kinds=0), ids=repr)
def test_every_shape_is_read_in_linear_time(shape: tuple[str, str, str]) -> None:
    begin, piece, end = shape
    assert growth(parse_any, lambda size: begin + piece * (size // len(piece)) + end, 8_000) < 3.2


@pytest.mark.long
def test_many_keys_many_settings_and_a_long_chat_are_read_in_linear_time() -> None:
    def assign(text: str) -> None:
        parse_assignments(text.split("\n"))

    def chat(text: str) -> None:
        with suppress(InputError):
            parse_body(text.encode())

    assert growth(parse_any, lambda size: "".join(f"k{number}: 1\n" for number in range(size)), 2_000) < 3.2
    assert growth(assign, lambda size: "\n".join(f"k{number}=1" for number in range(size)), 1_000) < 3.2
    for piece in ("[", '{"a":', "1,", '"x",'):
        assert growth(chat, lambda size, piece=piece: f"[{piece * size}", 100_000) < 3.2  # type: ignore[misc]
