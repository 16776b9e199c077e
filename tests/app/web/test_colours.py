"""The colours of the pages: text and edges stand out on each ground they stand on, in light, in dark and on paper."""

import re
from importlib.resources import files

import pytest

STYLE = (files("moot.app.report") / "templates" / "report.css").read_text()
SCHEMES = dict(
    zip(("light", "dark", "paper"), re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL), strict=True)  # as they stand
)
SEATS = [f"seat-{number}" for number in range(8)]
TEXTS = {
    "ink": ("paper", "card", "sunk", "selected"),
    "quiet": ("paper", "card", "sunk"),
    "link": ("paper", "card", "selected"),
    "good": ("paper", "card", "good-ground"),
    "warn": ("paper", "card", "warn-ground"),
    "bad": ("paper", "card", "bad-ground"),
    "card": ("link", "ink"),
    **dict.fromkeys(SEATS, ("paper", "card", "bubble")),
}
"""Colours of texts, with the grounds on which they stand."""


def read_colours(scheme: str) -> dict[str, tuple[float, ...]]:
    """The colours of a scheme, as parts of 0 to 1; those that it does not change are those of the light one."""
    matches = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", SCHEMES["light"]))
    matches |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", SCHEMES[scheme]))
    return {
        name: tuple(int(text[place : place + 2], 16) / 255 for place in (1, 3, 5)) for name, text in matches.items()
    }


def compute_luminance(colour: tuple[float, ...]) -> float:
    """Relative luminance by WCAG 2.2."""
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def compute_contrast(first: tuple[float, ...], second: tuple[float, ...]) -> float:
    light, dark = sorted((compute_luminance(first), compute_luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def mix_bubble(colours: dict[str, tuple[float, ...]], name: str, scheme: str) -> tuple[float, ...]:
    """The ground of a speaker's bubble: some of their colour in that of a card."""
    share = 0.12 if scheme == "dark" else 0.07
    return tuple(share * part + (1 - share) * card for part, card in zip(colours[name], colours["card"], strict=True))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_text_has_the_contrast_of_wcag_on_each_of_its_grounds(scheme: str) -> None:
    colours = read_colours(scheme)
    weak = {}
    for name, grounds in TEXTS.items():
        for ground in grounds:
            behind = mix_bubble(colours, name, scheme) if ground == "bubble" else colours[ground]
            if (contrast := compute_contrast(colours[name], behind)) < 4.5:
                weak[name, ground] = round(contrast, 2)
    assert weak == {}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("ground", ["paper", "card"])
def test_the_edge_of_a_control_has_the_contrast_of_wcag(scheme: str, ground: str) -> None:
    colours = read_colours(scheme)
    assert compute_contrast(colours["edge"], colours[ground]) >= 3
