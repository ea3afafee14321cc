"""The one exception of everything between a data set's entry and its rows."""

from __future__ import annotations


class Unavailable(Exception):
    """A data set, or one source of it, that cannot be had or understood; one line says why."""
