"""File formats, one per file: ``read(path, options) -> Columns | Counts``.

`options` is the entry's and the source's keys together; a format looks at those it knows.
"""
