"""Kernels k(x, x′) = ⟨φ(x), φ(x′)⟩, one a file."""

KERNELS = {
    "gaussian": "linclass.kernels.functions.gaussian.Gaussian",
    "linear": "linclass.kernels.functions.linear.Linear",
    "polynomial": "linclass.kernels.functions.polynomial.Polynomial",
    "precomputed": "linclass.kernels.functions.precomputed.Precomputed",
    "sigmoid": "linclass.kernels.functions.sigmoid.Sigmoid",
}
