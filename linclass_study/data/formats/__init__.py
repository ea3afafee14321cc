"""File formats, one per file: ``read(path, options) -> Columns | Counts``.

`options` are the keys of the entry and of the source; a format uses those it knows.
"""
