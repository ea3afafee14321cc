"""Where data come from, one kind per file: ``offers(source, places, last)``.

It yields (what it is called, how to get it) in the order they should be tried. Getting one
returns the path of a file, or content already read, or raises Unavailable with the reason.
`last` says that no other source is left, so that patience is better than haste.
"""
