"""What a stopping rule reads, and what it hands back."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation as plain text: who said what, in order, about which topic."""

    turns: list[tuple[str, str]]
    topic: str = ""

    def latest(self) -> dict[str, int]:
        """Each speaker's most recent statement as an index into `turns`, in the order of those statements."""
        last = {speaker: index for index, (speaker, _) in enumerate(self.turns)}
        return dict(sorted(last.items(), key=lambda item: item[1]))


@dataclass(frozen=True, slots=True)
class Finding:
    """A reason to end, with the statements (0-based), the words and the figure it rests on."""

    reason: str
    turns: list[int]
    quote: str = ""
    figure: float | None = None
    threshold: float | None = None
    note: str = ""
