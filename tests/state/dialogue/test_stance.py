"""What a statement concedes, accepts and objects to."""

import pytest
from dialogues import dialogues
from moot.state.dialogue.stance import stance
from moot.state.dialogue.words import sentences

CORPUS = [
    text
    for kind in ("debate", "group")
    for part in ("dev", "held")
    for dialogue in dialogues(kind, part)
    for _, text in dialogue.turns
]


def test_every_phrase_of_a_sentence_is_found_in_the_whole_statement_too() -> None:
    """Whole statements are scanned for the kinds of phrases that are worth looking for in their sentences."""
    whole, single = list[str](), list[str]()
    for text in CORPUS:
        for index, sentence in enumerate(sentences(text)):
            whole += [
                f"{cue.kind} at {cue.start} of {sentence.raw}" for cue in stance(text).cues if cue.sentence == index
            ]
            single += [f"{cue.kind} at {cue.start} of {sentence.raw}" for cue in stance(sentence.raw).cues]
    assert len(whole) > 400
    assert whole == single


@pytest.mark.parametrize("text", ["Decide. The bus is cheap.", "El bus es barato, decide. Y lo sabes."])
def test_a_phrase_at_the_end_of_a_sentence_is_found(text: str) -> None:
    assert stance(text).has("closing")
