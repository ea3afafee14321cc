"""Folds, and planned fits in guarded child processes: predictions, and a row for each fit whatever its outcome."""
