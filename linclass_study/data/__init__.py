"""From an entry of the catalogue to rows in canonical order.

entry_keys, entry_check              keys of the entry, checked before any work
fetch_dataset, source_reader         the job: try the sources in order, read the first usable one, save the data set
sources/                             where data come from, found by name: file, url, openml, sklearn, generate
connection, download                 downloads
unpack                               archives and compressed files
formats/                             one reader for each `format:` of an entry, found by name: csv, arff, libsvm, …
text_to_columns, data_frames, matrices    steps of reading that formats and sources share
content_to_table, build_dataset      from columns or counts to a table in canonical order
"""
