"""A person's seat in the browser: its link, what may be seen from it, and what is answered there."""
