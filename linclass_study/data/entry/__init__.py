"""The entry of a data set: checks, sources, expected size and metadata, without reading any data."""
