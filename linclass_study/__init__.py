"""The package behind the workflow: configuration, data files, child processes, tables and report of a study."""
