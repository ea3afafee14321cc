"""Rows, labels and weights as users give them: checked, or refused in one sentence."""
