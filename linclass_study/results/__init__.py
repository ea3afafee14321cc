"""From predictions to scores, tables and the answer. Nothing is refitted."""
