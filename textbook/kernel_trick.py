"""The kernel trick: circles in two feature spaces.

Two rings around the origin are not linearly separable in (x₁, x₂), but they are in (x₁², x₂²). The polynomial kernel
computes inner products of the features without the features themselves:

    k(x, x′) = (x·x′)² = φ(x)·φ(x′),    φ(x) = (x₁², x₂², √2 x₁x₂).

Left: the rings and the boundaries of a linear support vector machine on φ and of a kernel machine on x. Right: the rows
in the space of squares, where the boundary is a straight line. See Bishop (2006), §6.2 and §7.1; Hastie, Tibshirani &
Friedman (2009), §12.3; Abu-Mostafa, Magdon-Ismail & Lin (2012), §3.4.
"""

import numpy as np

from linclass import KernelSVM, LinearSVM, separability
from linclass.datasets import generate
from linclass_study.textbook import CLASSES, INK, figure, save

X, y = generate("circles", 1, rows=[100, 100], radii=[1.0, 2.0])


def squares(X):
    return np.column_stack([X**2, np.sqrt(2) * X[:, 0] * X[:, 1]])


by_features = LinearSVM(strength=1e-3, tol=1e-10).fit(squares(X), y)
by_kernel = KernelSVM(
    kernel="polynomial", degree=2, coef0=0.0, gamma=1.0, strength=1e-3, tol=1e-10
).fit(X, y)
limits = np.linspace(-3, 3, 200)
x1, x2 = np.meshgrid(limits, limits)
grid = np.column_stack([x1.ravel(), x2.ravel()])
scores = {
    "linear on φ(x)": by_features.decision_function(squares(grid)),
    "kernel on x": by_kernel.decision_function(grid),
}
drawn, (left, right) = figure(1, 2, width=7.0, height=3.2)
for k, marker in enumerate("os"):
    left.plot(*X[y == k].T, marker, color=CLASSES[k], markersize=3, alpha=0.6)
    right.plot(
        *(X[y == k] ** 2).T,
        marker,
        color=CLASSES[k],
        markersize=3,
        alpha=0.6,
        label=f"class {k + 1}",
    )
for (name, z), dashes, colour in zip(scores.items(), ("-", ":"), (INK, CLASSES[4]), strict=True):
    left.contour(x1, x2, z.reshape(x1.shape), [0], colors=colour, linestyles=dashes, linewidths=2)
    left.plot([], [], dashes, color=colour, linewidth=2, label=name)
left.set(xlabel="x₁", ylabel="x₂", aspect="equal")
left.legend(loc="upper right", framealpha=0.9, edgecolor="none", fontsize=7)
end = np.array([0.0, 6.0])
w, b = by_features.coef_.ravel(), by_features.intercept_[0]
right.plot(end, -(w[0] * end + b) / w[1], color=INK)
right.set(xlabel="x₁²", ylabel="x₂²", xlim=(-0.2, 6), ylim=(-0.2, 6), aspect="equal")
right.legend(frameon=False, fontsize=7)
numbers = {
    "separable_by_a_line": separability(X, y).kind == "complete",
    "separable_in_squares": separability(X**2, y).kind == "complete",
    "largest_difference_of_scores": np.abs(scores["linear on φ(x)"] - scores["kernel on x"]).max(),
}
save(drawn, numbers)
