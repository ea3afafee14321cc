"""Folds, and every planned fit in a guarded child: predictions, and a row whatever becomes of it."""
