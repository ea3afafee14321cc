"""The kernel trick: circles in two feature spaces.

Two rings around the origin are not linearly separable in (x₁, x₂), but they are in (x₁², x₂²). The polynomial kernel
computes inner products of the features without the features themselves:

    k(x, x′) = (x·x′)² = φ(x)·φ(x′),    φ(x) = (x₁², x₂², √2 x₁x₂).

Left: the rings and the boundaries of a linear support vector machine on φ and of a kernel machine on x. Right: the rows
in the space of squares, where the boundary is a straight line. See Bishop (2006), §6.2 and §7.1; Hastie, Tibshirani &
Friedman (2009), §12.3; Abu-Mostafa, Magdon-Ismail & Lin (2012), §3.4.
"""

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from linclass import KernelSVM, LinearSVM, separability
from linclass.datasets import generate
from linclass.plotting import BoundaryDisplay, draw_rows
from linclass_study.textbook import CLASSES, INK, figure, save

X, y = generate("circles", 1, rows=[100, 100], radii=[1.0, 2.0])


def squares(X):
    return np.column_stack([X**2, np.sqrt(2) * X[:, 0] * X[:, 1]])


linear = LinearSVM(strength=1e-3, tol=1e-10)
by_features = make_pipeline(FunctionTransformer(squares), linear).fit(X, y)
by_kernel = KernelSVM(
    kernel="polynomial", degree=2, coef0=0.0, gamma=1.0, strength=1e-3, tol=1e-10
).fit(X, y)
limits = np.linspace(-3, 3, 200)
grid = np.stack(np.meshgrid(limits, limits), axis=-1).reshape(-1, 2)
models = {"linear on φ(x)": by_features, "kernel on x": by_kernel}
scores = [model.decision_function(grid) for model in models.values()]
drawn, (left, right) = figure(1, 2, width=7.0, height=3.2)
look = {"colors": [INK, CLASSES[4]], "linestyles": ["-", ":"], "linewidth": 2, "regions": False}
BoundaryDisplay.from_estimator(models, X, y, limits=(-3, 3, -3, 3), ax=left, **look)
draw_rows(right, X**2, y, ["class 1", "class 2"], markersize=3)
left.set(aspect="equal")
left.legend(loc="upper right", framealpha=0.9, edgecolor="none", fontsize=7)
end = np.array([0.0, 6.0])
w, b = linear.coef_.ravel(), linear.intercept_[0]
right.plot(end, -(w[0] * end + b) / w[1], color=INK)
right.set(xlabel="x₁²", ylabel="x₂²", xlim=(-0.2, 6), ylim=(-0.2, 6), aspect="equal")
right.legend(frameon=False, fontsize=7)
numbers = {
    "separable_by_a_line": separability(X, y).kind == "complete",
    "separable_in_squares": separability(X**2, y).kind == "complete",
    "largest_difference_of_scores": np.abs(np.subtract(*scores)).max(),
}
save(drawn, numbers)
