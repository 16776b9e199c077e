"""Workers on any machine, which take runs from a queue in the runs' PostgreSQL database."""

from types import ModuleType

from ...state import InputError
from ...storage import get_default_database, is_postgres


def load_workers(db: str) -> ModuleType:
    """Import the module of the workers.

    Raises `InputError` if its package is not installed or the database is a file.
    """
    if not is_postgres(db or get_default_database()):
        raise InputError(
            "db",
            db or get_default_database(),
            "workers need a PostgreSQL database; name one, or run the experiment here, without --workers",
        )
    try:
        from . import worker  # needs procrastinate, which is optional
    except ImportError:
        raise InputError(
            "workers", None, 'workers need the package procrastinate: pip install "moot[workers]"'
        ) from None
    return worker
