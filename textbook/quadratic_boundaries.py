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

from linclass import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from linclass.datasets import generate
from linclass_study.textbook import CLASSES, METHODS, figure, save

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
limits = np.linspace(-4, 6.5, 220)
x1, x2 = np.meshgrid(limits, limits)
grid = np.column_stack([x1.ravel(), x2.ravel()])


def quadratic(X):
    return np.column_stack([X, X[:, 0] * X[:, 1], X**2])


def same(X):
    return X


panels = [
    ("equal", "equal covariances", ["LDA", "QDA"]),
    ("unequal", "unequal covariances", ["LDA", "QDA"]),
    ("unequal", "quadratic features", ["LDA on squares", "QDA"]),
]
kinds = {
    "LDA": (LinearDiscriminantAnalysis, same, "-", METHODS["lda"]),
    "QDA": (QuadraticDiscriminantAnalysis, same, "--", METHODS["qda"]),
    "LDA on squares": (LinearDiscriminantAnalysis, quadratic, "-.", METHODS["lda"]),
}
numbers = {}
drawn, axes = figure(1, 3, width=7.6, height=2.9, sharey=True)
for panel, (kind, title, names) in zip(axes, panels, strict=True):
    X, y = samples[kind]([120] * 3, 1)
    X_test, y_test = samples[kind]([20_000] * 3, 2)
    for k, marker in enumerate("os^"):
        panel.plot(*X[y == k].T, marker, color=CLASSES[k], markersize=2, alpha=0.5)
    for name in names:
        model, features, dashes, colour = kinds[name]
        fit = model().fit(features(X), y)
        codes = fit.predict(features(grid)).reshape(x1.shape)
        for k in range(2):  # against the later classes, so that no boundary is drawn twice
            own = np.ma.masked_less(codes, k) == k
            panel.contour(x1, x2, own, [0.5], colors=colour, linewidths=1.3, linestyles=dashes)
        panel.plot([], [], dashes, color=colour, label=name)
        numbers.setdefault(title, {})[name] = np.mean(fit.predict(features(X_test)) != y_test)
    panel.set(title=title, xlabel="x₁", aspect="equal", xlim=(-4, 6.5), ylim=(-4, 6.5))
    panel.legend(frameon=False, fontsize=7, loc="upper left")
axes[0].set_ylabel("x₂")
save(drawn, {"test_error": numbers})
