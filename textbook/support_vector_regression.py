"""Support vector regression: the ε-insensitive tube.

Errors smaller than ε cost nothing,

    min ½‖w‖² + C Σ max(0, |yᵢ − f(xᵢ)| − ε),

so the fit depends only on the rows on or outside the tube. Left: a fit with a Gaussian kernel, the tube with ε = 0.2,
and the support vectors (circled). Right: a wider tube has fewer support vectors. The error on new rows changes little
until the tube is wide enough to hide the signal. See Bishop (2006), §7.1.4 and figure 7.8; Hastie, Tibshirani &
Friedman (2009), §12.3.6.
"""

import numpy as np

from linclass import SupportVectorRegressor
from linclass_study.textbook import CLASSES, INK, figure, save


def sample(n, seed):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(0, 1, n))
    return x[:, None], np.sin(2 * np.pi * x) + 0.2 * rng.standard_normal(n)


X, y = sample(100, 0)
X_new, y_new = sample(5000, 1)


def fit(epsilon):
    C = 10.0
    model = SupportVectorRegressor(
        kernel="gaussian", gamma=10.0, epsilon=epsilon, strength=1 / (C * len(y))
    )
    return model.fit(X, y)


widths = [0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8]
fits = {epsilon: fit(epsilon) for epsilon in widths}
support = [len(fits[epsilon].support_) for epsilon in widths]
errors = [np.sqrt(np.mean((fits[epsilon].predict(X_new) - y_new) ** 2)) for epsilon in widths]

drawn, (left, right) = figure(1, 2, width=7.2, height=3.0)
grid = np.linspace(0, 1, 300)[:, None]
curve = fits[0.2].predict(grid)
left.fill_between(grid.ravel(), curve - 0.2, curve + 0.2, color=CLASSES[5], alpha=0.3, linewidth=0)
left.plot(grid, curve, color=INK)
left.plot(X, y, "o", color=CLASSES[0], markersize=3, alpha=0.7)
held = fits[0.2].support_
left.plot(X[held], y[held], "o", markersize=7, markerfacecolor="none", markeredgecolor=CLASSES[1])
left.set(xlabel="x", ylabel="y", title="ε = 0.2, support vectors circled")
right.plot(widths, support, "o-", color=CLASSES[1], label="support vectors")
right.set(xlabel="ε", ylabel="support vectors of 100 rows", ylim=(0, 105))
other = right.twinx()
other.plot(widths, errors, "s--", color=CLASSES[2])
other.set(ylabel="error on new rows (RMS)", ylim=(0, 0.6))
other.spines["right"].set_visible(True)
right.plot([], [], "s--", color=CLASSES[2], label="error on new rows")
right.legend(frameon=False, fontsize=7.5, loc="upper center")
numbers = {
    "support_vectors": dict(zip(widths, support, strict=True)),
    "rms_error": dict(zip(widths, errors, strict=True)),
    "inside_the_tube": int((np.abs(fits[0.2].predict(X) - y) < 0.2 - 1e-6).sum()),
}
save(drawn, numbers)
