"""Generative and discriminative models as the sample grows.

Naive Bayes and logistic regression form a generative–discriminative pair: both have the same family of linear
boundaries. The generative model approaches its asymptotic error with O(ln d) rows, the discriminative model with O(d)
rows. If the assumption of the generative model is wrong, the asymptotic error of the discriminative model is at least
as small, so the learning curves can cross. Left: correlated features, which naive Bayes treats as independent. It is
better with few rows and worse with many. Right: Gaussian classes with independent features, where the assumption holds
and naive Bayes stays ahead. Means of 30 samples with their standard errors. See Ng & Jordan (2002); Bishop (2006), §4.2
and §4.3.
"""

import numpy as np

from linclass import GaussianNB, LogisticRegression
from linclass_study.textbook import INK, METHODS, figure, save

d, sizes, repeats = 30, [10, 16, 26, 42, 70, 120, 220, 400, 800], 30
rng = np.random.default_rng(0)
mixing = np.linalg.cholesky(0.95 * np.eye(d) + 0.05)  # every pair of features correlated by .05


def sample(n, correlated):
    y = np.arange(n) % 2
    noise = rng.standard_normal((n, d))
    noise = noise @ mixing.T if correlated else noise
    return noise + 0.5 * y[:, None] * np.where(np.arange(d) < d // 2, 1, 0.2), y


models = {
    "naive Bayes": GaussianNB(tied=True),
    "logistic regression": LogisticRegression(strength=1e-6, tol=1e-4),
}
drawn, axes = figure(1, 2, width=7.4, height=3.0, sharey=True)
numbers = {}
for panel, correlated in zip(axes, (True, False), strict=True):
    title = "correlated features" if correlated else "independent features"
    X_new, y_new = sample(5_000, correlated)
    errors = {name: np.empty((len(sizes), repeats)) for name in models}
    for i, n in enumerate(sizes):
        for r in range(repeats):
            X, y = sample(n, correlated)
            for name, model in models.items():
                errors[name][i, r] = np.mean(model.fit(X, y).predict(X_new) != y_new)
    colours = METHODS["naive_bayes"], METHODS["logistic"]
    for (name, values), colour, marker in zip(errors.items(), colours, "os", strict=True):
        error = values.std(axis=1, ddof=1) / np.sqrt(repeats)
        panel.errorbar(
            sizes,
            values.mean(axis=1),
            error,
            color=colour,
            marker=marker,
            markersize=3.5,
            label=name,
        )
    panel.set(title=title, xlabel="training rows", xscale="log")
    ahead = errors["naive Bayes"].mean(axis=1) < errors["logistic regression"].mean(axis=1)
    crossing = None if ahead[-1] else sizes[int(np.flatnonzero(ahead).max(initial=-1)) + 1]
    if crossing:
        panel.axvline(crossing, color=INK, linestyle=":", linewidth=1)
    numbers[title] = {
        "logistic_leads_from": crossing,
        "error_at_the_end": {name: values[-1].mean() for name, values in errors.items()},
    }
axes[0].set_ylabel("test error")
axes[0].legend(frameon=False, fontsize=7.5)
save(drawn, numbers)
