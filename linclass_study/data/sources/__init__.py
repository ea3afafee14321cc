"""Kinds of sources, one per file: ``offers(source, folders, last)``.

It yields (label, function) pairs in the order in which they should be tried. The function returns the path of a file,
or the content itself, or raises Unavailable with the reason. `last` says that no other source is left, so that
downloads are retried.
"""
