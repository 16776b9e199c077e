"""The one door to a model: who is asked, for what, how often and how long, and what a failed call is."""

from .brief import Brief, length_in_words
from .question import Answer, Asking, Check, asking_participant, asking_role, at, incident_of
