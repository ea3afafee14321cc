"""From an entry of the catalogue to rows in canonical order.

entry_keys, entry_check         keys of the entry, checked before any work
fetch_dataset, source_reader    the job: try the sources in order, read the first usable one, save the data set
produced_rows                   rows without a file: generate, sklearn, openml
local_copies, download          mirrors and downloads
formats/                        one reader for each `format:` of an entry, found by name: csv, arff, libsvm, …
content_to_table, build_dataset    from columns or counts to a table in canonical order
"""
