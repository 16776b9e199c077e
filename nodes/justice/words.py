"""The words of the justice experiment: its templates and its phrases, checked when the graph is built."""

from ...prompts import catalogue, phrases

YOU = "you explanation own language"
FORM = f"{YOU} principles definitions certainties round least most"
WORDS = catalogue(
    "justice",
    system="participants size together talk language",
    talk="explanation agreement why words language",
    explain_alone="principles credit pay",
    explain_group="principles credit decision chance",
    comprehension=f"{FORM} table number rule",
    rank=f"{FORM} occasion",
    study=f"{FORM} table probabilities picks",
    apply=f"{FORM} table probabilities",
    reason=f"{YOU} round max_rounds others",
    speak=f"{YOU} round max_rounds others thoughts",
    initiate=f"{YOU} round max_rounds consent agreement",
    confirm=f"{YOU} round max_rounds consent agreement proposed otherwise",
    ballot=f"{YOU} agreement definitions",
    amount=f"{YOU} agreement number principle least most",
    integrate=f"{YOU} event bound principles words",
    results="rule probabilities table class cause alternatives reminder",
    feedback="round picked class income paid probabilities table alternatives",
)
PHRASES = phrases("justice")
