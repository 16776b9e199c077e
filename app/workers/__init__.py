"""Runs handed out to workers on any machine: a queue in the PostgreSQL database they are saved in."""

from types import ModuleType

from ...nodes.database import default_database, is_postgres
from ...state.refused import Refused


def work_of(db: str) -> ModuleType:
    """What workers do; raises `Refused` where it is not installed, or the database is a file."""
    if not is_postgres(db or default_database()):
        remedy = "workers share a PostgreSQL database; name one, or run it here, without --workers"
        raise Refused("db", db or default_database(), remedy)
    try:
        from . import work  # needs procrastinate, which is optional
    except ImportError:
        raise Refused("workers", None, 'they need the package procrastinate: pip install "moot[workers]"') from None
    return work
