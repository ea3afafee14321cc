"""From the content of a file to a data set in canonical order."""
