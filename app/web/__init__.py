"""Room: saved and running deliberations in the browser, on this machine, without an account."""
