"""What a study does around the mathematics: configuration, data files, child processes, tables, report."""
