"""What a group can vote for: the positions on the table, by sign."""

from string import ascii_uppercase

from ...state.consensus.channels import GroupStage
from ...state.history import latest_statements
from ...state.text import clipped

LENGTH = 600
"""Characters of a position shown on a ballot."""


def positions_on_the_table(state: GroupStage) -> dict[str, str]:
    """Each participant's last declared position, else its last statement; equal ones once. Signs are A, B, C …"""
    texts = {name: one.content for name, one in latest_statements(state["history"]).items()}
    texts |= {position.who: position.position for position in state["positions"] if position.position}
    seats = [one.name for one in state["participants"]]
    shown = list(dict.fromkeys(" ".join(clipped(texts[name], LENGTH).split()) for name in seats if name in texts))
    return {sign(number): text for number, text in enumerate(shown)}


def sign(number: int) -> str:
    """A, B, …, Z, A1, B1, …"""
    letter, lap = ascii_uppercase[number % 26], number // 26
    return letter if not lap else f"{letter}{lap}"
