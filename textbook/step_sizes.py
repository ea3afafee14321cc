"""Step sizes: too small, too large and right; batch, mini-batch and stochastic.

Gradient descent moves against the gradient, and the step size determines how far. Steps of a fixed length η along
−∇E/‖∇E‖ take too long if η is small. If η is large, they jump across the valley and never settle at the minimum. A
suitable length decreases with the gradient,

    η_t = η ‖∇E(w_t)‖,    that is    w ← w − η ∇E(w),

which converges for every η < 2/L if the curvature of E is at most L; with larger η it oscillates. Top: such paths on
the loss surface of a logistic regression with one feature and an intercept. Bottom: steps with all rows, with 32 rows
and with one row; and the excess loss against passes over the data. The noisy paths reach the neighbourhood of the
minimum in fewer passes, but they need decreasing steps to converge (for single rows, the first of 20 passes is drawn).
See Abu-Mostafa, Magdon-Ismail & Lin (2012), §3.3.2; Robbins & Monro (1951).
"""

import numpy as np

from linclass import LogisticRegression
from linclass_study.textbook import CLASSES, INK, figure, save

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 200)
x = np.concatenate([rng.normal(-0.8, 1.3, 200), rng.normal(1.2, 1.3, 200)])
A = np.column_stack([x, np.ones(400)])
fit = LogisticRegression(penalty=None, tol=1e-12).fit(x[:, None], y)
best = np.append(fit.coef_, fit.intercept_)


def gradient(w, rows):
    return A[rows].T @ (1 / (1 + np.exp(-A[rows] @ w)) - y[rows]) / len(rows)


def path(eta, steps=60, batch=400, normed=False, decay=0.0):
    """Steps w ← w − η ∇E of a batch of rows from (-1.5, 2); `normed` makes every step η long."""
    w, places, rng = np.array([-1.5, 2.0]), [], np.random.default_rng(1)
    for t in range(steps):
        places.append(w)
        g = gradient(w, rng.choice(400, batch, replace=False))
        w = w - eta / (1 + decay * t) * (g / np.linalg.norm(g) if normed else g)
    return np.array(places)


runs = {
    "fixed length 0.05": (path(0.05, normed=True), 1),
    "fixed length 1.5": (path(1.5, normed=True), 1),
    "length ∝ ‖∇E‖, η = 2.5": (path(2.5), 1),
    "length ∝ ‖∇E‖, η = 16": (path(16, steps=25), 1),
    "all rows": (path(2.0, steps=20), 1),
    "32 rows": (path(2.0, batch=32, steps=12 * 20, decay=0.05), 32 / 400),
    "one row": (path(1.0, batch=1, steps=400 * 20, decay=0.02), 1 / 400),
}


def E(w):
    return (np.logaddexp(0, w @ A.T) - y * (w @ A.T)).mean(axis=-1)


w1, w0 = np.meshgrid(np.linspace(-2.2, 4.2, 120), np.linspace(-2.4, 2.6, 120))
surface = E(np.stack([w1, w0], axis=-1))
drawn, axes = figure(2, 4, width=7.8, height=4.4)
numbers = {}
for panel, (name, (places, share)) in zip(axes.ravel(), runs.items(), strict=False):
    panel.contour(w1, w0, surface, 14, colors=INK, alpha=0.3, linewidths=0.6)
    panel.plot(*places[:400].T, "o-", color=CLASSES[1], markersize=1.8, linewidth=0.7)
    panel.plot(*best, "+", color=INK, markersize=9, markeredgewidth=1.6)
    panel.set(xlim=(-2.2, 4.2), ylim=(-2.4, 2.6), xlabel="slope w")
    panel.set_title(name, fontsize=8.5)
    distance = np.linalg.norm(places[-1] - best)
    numbers[name] = {"distance_to_minimum": distance, "passes": len(places) * share}
for panel in axes[:, 0]:
    panel.set_ylabel("intercept b")
for name, colour in zip(("all rows", "32 rows", "one row"), CLASSES[2:], strict=False):
    places, share = runs[name]
    at = np.unique(np.geomspace(1, len(places), 60).astype(int)) - 1
    excess = E(places[at]) - E(best)
    axes[1, 3].loglog((at + 1) * share, excess, color=colour, label=name)
axes[1, 3].set(xlabel="passes over the data", ylabel="E − min E")
axes[1, 3].legend(frameon=False, fontsize=7)
save(drawn, numbers)
