"""Linear and quadratic discriminants: equal and unequal covariances.

If the classes are Gaussian with a common covariance Σ, the log-odds are linear in x. If each class has its own Σ_k,
they are quadratic:

    δ_k(x) = −½ ln |Σ_k| − ½ (x − μ_k)ᵀ Σ_k⁻¹ (x − μ_k) + ln π_k.

Left: equal covariances, where QDA estimates more parameters and its curved boundaries bring no gain. Middle: unequal
covariances, where the straight lines of LDA are wrong. Right: LDA on x₁, x₂, x₁x₂, x₁², x₂² is also quadratic in x, and
close but not equal to QDA. See Hastie, Tibshirani & Friedman (2009), §4.3 and figure 4.6; Duda, Hart & Stork (2001),
§2.6.
"""

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from linclass import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from linclass.datasets import generate
from linclass.plotting import BoundaryDisplay, draw_rows
from linclass_study.textbook import METHODS, figure, save

means = [[0, 0], [3, 0.5], [1, 3.2]]
equal = [[1, 0.4], [0.4, 1]]
unequal = [[[1.8, 1.1], [1.1, 1.0]], [[0.4, -0.2], [-0.2, 1.6]], [[1.4, 0.0], [0.0, 0.25]]]
samples = {
    "equal": lambda rows, seed: generate(
        "gaussians", seed, means=means, covariances=equal, rows=rows
    ),
    "unequal": lambda rows, seed: generate(
        "gaussians", seed, means=means, covariances=unequal, rows=rows
    ),
}


def quadratic(X):
    return np.column_stack([X, X[:, 0] * X[:, 1], X**2])


panels = [
    ("equal", "equal covariances", ["LDA", "QDA"]),
    ("unequal", "unequal covariances", ["LDA", "QDA"]),
    ("unequal", "quadratic features", ["LDA on squares", "QDA"]),
]
kinds = {
    "LDA": LinearDiscriminantAnalysis(),
    "QDA": QuadraticDiscriminantAnalysis(),
    "LDA on squares": make_pipeline(FunctionTransformer(quadratic), LinearDiscriminantAnalysis()),
}
numbers = {}
drawn, axes = figure(1, 3, width=7.6, height=2.9, sharey=True)
for panel, (kind, title, names) in zip(axes, panels, strict=True):
    X, y = samples[kind]([120] * 3, 1)
    X_test, y_test = samples[kind]([20_000] * 3, 2)
    draw_rows(panel, X, y, markersize=2, alpha=0.5)
    fits = {name: kinds[name].fit(X, y) for name in names}
    numbers[title] = {name: np.mean(fit.predict(X_test) != y_test) for name, fit in fits.items()}
    colours = METHODS["lda"], METHODS["qda"]
    look = {"colors": colours, "regions": False, "legend": False}
    BoundaryDisplay.from_estimator(fits, X, limits=(-4, 6.5, -4, 6.5), ax=panel, **look)
    panel.set(title=title, ylabel="", aspect="equal")
    panel.legend(frameon=False, fontsize=7, loc="upper left")
axes[0].set_ylabel("x₂")
save(drawn, {"test_error": numbers})
