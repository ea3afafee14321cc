"""From an entry of the catalogue to rows in canonical order: one folder for each step.

entry/      keys of the entry, checked before any work
fetch/      the job: try the sources in order, read the first usable one, save the data set
sources/    where data come from, found by name: file, url, openml, sklearn, generate
http/       downloads
unpack/     archives and compressed files
formats/    one reader for each `format:` of an entry, found by name: csv, arff, libsvm, …
parsing/    steps of reading that formats and sources share: text to columns, fast paths, data frames, matrices
assembly/   from columns or counts to a table in canonical order
"""
