"""What solvers see and share: points of an objective, its derivatives, the proof that a point is its minimum."""
