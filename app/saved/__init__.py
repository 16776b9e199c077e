"""Saved runs: the database they are kept in, and what is read back from it."""

from .changes import changed
from .names import checked, new_name
from .origin import origin_lines
from .runs import Run
from .saved import Saved, ended_alone, forget_unbegun, gap, load, reopened, state_of, thread
from .store import Store, opened
