"""Kernels k(x, x′) = ⟨φ(x), φ(x′)⟩, one a file."""
