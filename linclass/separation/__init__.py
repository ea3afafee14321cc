"""Whether classes are linearly separable, with proofs, and the exact zero–one loss of small problems."""
