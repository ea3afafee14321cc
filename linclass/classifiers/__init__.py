"""What the textbook names: each classifier composes parts and states its equation."""
