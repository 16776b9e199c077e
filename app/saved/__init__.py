"""Saved runs: the database they are kept in, and what is read back from it."""

from .fork import Branch, branch_of, branched, planted
from .history import Checkpoint, checkpoints
from .load import Saved, ended_alone, forget, forget_unbegun, gap, load, paused, reopened, state_of, thread
from .names import checked, new_name
from .open_store import opened
from .origin import origin_lines
from .runs import Run
from .seats import Seat
from .store import Store
