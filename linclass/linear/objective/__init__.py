"""The function that is minimized: its values, derivatives, equivalents and certificate."""
