"""The room: saved runs and live ones in the browser, on this machine, without an account."""
