"""What a release lacks: it has every protocol and every table of words in every language."""

from collections.abc import Iterable
from importlib.resources import files

from .catalogue import LANGUAGES


def lacking(protocols: Iterable[str]) -> list[str]:
    """The folders of templates and the tables that are not there, such as `zh/debate` and `panel.es.toml`.

    That a folder has all its templates, and a table all its keys, is checked whenever it is loaded.
    """
    here = files(__package__)
    kinds = sorted({one.name.split(".")[0] for one in here.iterdir() if one.name.endswith(".toml")})
    folders = [f"{tag}/{name}" for name in protocols for tag in LANGUAGES]
    tables = [f"{kind}.{tag}.toml" for kind in kinds for tag in LANGUAGES]
    missing = [folder for folder in folders if not (here / folder).is_dir()]
    return missing + [table for table in tables if not (here / table).is_file()]
