"""Archives and compressed files: their members and lines, up to a limit of size."""
