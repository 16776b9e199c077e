"""HTTP clients for the servers of models, agents and tools."""

import os
import sys
from functools import cache
from typing import Any

import httpx

from ..state import LOOPBACK_HOSTS, InputError

LOOPBACK_MOUNTS = {f"all://{f'[{host}]' if ':' in host else host}": None for host in LOOPBACK_HOSTS}
"""Transports of HTTP clients, without a proxy for the servers of this machine."""


def make_http_client(client_class: Any = httpx.AsyncClient, **options: Any) -> Any:
    """Make an HTTP client that follows no redirect, and uses no proxy for this machine.

    `client_class`, `options`: class of the client, and its arguments. Raises `InputError` for an unusable proxy, and if
    OPENAI_PROXY is set. The error does not show the proxy's address, because it may contain a password.
    """
    if os.environ.get("OPENAI_PROXY"):
        raise InputError("OPENAI_PROXY", "…", "must be unset; set HTTPS_PROXY or HTTP_PROXY instead")
    certificates = load_certificates()
    url_errors = [sys.modules[name].InvalidURL for name in ("httpx", "httpx2") if name in sys.modules]
    try:
        return client_class(verify=certificates, follow_redirects=False, mounts=LOOPBACK_MOUNTS, **options)
    except (ImportError, ValueError, *url_errors):
        remedy = "must be http://HOST:PORT; for socks5:// run pip install socksio"
        raise InputError("ALL_PROXY, HTTPS_PROXY or HTTP_PROXY", "…", remedy) from None


@cache
def load_certificates() -> Any:
    """Load the certificates of trusted servers once for all HTTP clients.

    Raises `InputError` if the path in SSL_CERT_FILE or SSL_CERT_DIR is unusable.
    """
    try:
        return httpx.create_ssl_context()
    except OSError as error:
        remedy = (
            f"must be the path of a file or folder of certificates ({error.strerror or error}); correct it, or unset it"
        )
        raise InputError("SSL_CERT_FILE or SSL_CERT_DIR", "…", remedy) from None
