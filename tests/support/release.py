"""Check that a release has the texts of all protocols and all tables of texts in all languages."""

from collections.abc import Iterable
from importlib.resources import files

from moot.prompts import LANGUAGES


def list_missing_texts(protocols: Iterable[str]) -> list[str]:
    """List the missing template folders and tables, such as `zh/debate` and `panel.es.toml`.

    Loading checks the templates within a folder and the keys within a table.
    """
    root = files("moot.prompts")
    kinds = sorted({entry.name.split(".")[0] for entry in root.iterdir() if entry.name.endswith(".toml")})
    folders = [f"{tag}/{name}" for name in protocols for tag in LANGUAGES]
    tables = [f"{kind}.{tag}.toml" for kind in kinds for tag in LANGUAGES]
    missing_folders = [folder for folder in folders if not (root / folder).is_dir()]
    return missing_folders + [table for table in tables if not (root / table).is_file()]
