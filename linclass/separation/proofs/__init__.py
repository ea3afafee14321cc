"""Proofs: in exact arithmetic, or in floats with a bound for every rounding."""
