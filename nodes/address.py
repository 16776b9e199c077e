"""The address of a PostgreSQL database, as it may be shown. Only what speaks to one needs psycopg, and so this file."""

import re
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict

from ..state.refused import Refused

SECRETS = {"password", "sslpassword", "oauth_client_secret"}
"""What an address may hold and nobody is shown."""

_HOST = re.compile(r"[\w.-]+")


def without_password(address: str) -> str:
    """The address without its password, to be shown or typed again; raises `Refused` if it is none."""
    try:
        parts = {key: str(part) for key, part in conninfo_to_dict(address).items()}
    except psycopg.ProgrammingError:
        parts = {"port": "none"}
    ports = parts.get("port", "").replace(",", "")
    if (ports and not ports.isdecimal()) or "@" in parts.get("host", ""):
        remedy = (
            "write postgresql://user@host:5432/name, special characters as %40; the password may stand in PGPASSWORD"
        )
        raise Refused("db", "postgresql://…", remedy)
    return _written(parts) if SECRETS & set(parts) else address


def _written(parts: dict[str, str]) -> str:
    """The address of these parts, secrets left out; a host that is a folder, or several, stands at its end."""
    rest = {key: part for key, part in parts.items() if key not in SECRETS}
    user, place = quote(rest.pop("user", ""), safe=""), ""
    name = quote(rest.pop("dbname", ""), safe="")
    if _HOST.fullmatch(rest.get("host", "")):
        place = ":".join(rest.pop(key) for key in ("host", "port") if key in rest)
    at, more = "@" if user else "", "?" if rest else ""
    return f"postgresql://{user}{at}{place}/{name}{more}{urlencode(rest, quote_via=quote)}"
