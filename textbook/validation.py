"""Validation: the size of the validation set, and optimism of the minimum.

A validation set of K rows estimates the error e of a model trained on the other n − K rows. The estimate is unbiased
for this model and has a standard deviation of about √(e(1 − e)/K): it is noisy if K is small, and few rows are left for
training if K is large. The smallest validation error of M models is optimistic, and more so for more models:

    E[min over M of E_val] < min over M of E.

Left: E_val (mean ± standard deviation over samples) and the true error against K. Right: the smallest E_val of M models
with the same true error, with 50 rows for validation. See Abu-Mostafa, Magdon-Ismail & Lin (2012), §4.3; Hastie,
Tibshirani & Friedman (2009), §7.2.
"""

import numpy as np

from linclass import LogisticRegression
from linclass_study.textbook import CLASSES, figure, save

rng = np.random.default_rng(0)
d, n = 15, 120
truth = np.where(np.arange(d) < 5, 0.7, 0)


def sample(n):
    X = rng.standard_normal((n, d))
    return X, (X @ truth + rng.logistic(size=n) > 0).astype(int)


X_new, y_new = sample(20_000)


def error(model, X, y):
    return np.mean(model.predict(X) != y)


def fit(X, y, strength=1e-3):
    return LogisticRegression(strength=strength, tol=1e-4).fit(X, y)


drawn, (first, second) = figure(1, 2, width=7.4, height=2.9)
held = [6, 12, 24, 36, 48, 60, 80, 100]
estimates = np.empty((len(held), 60, 2))
for i, K in enumerate(held):
    for r in range(60):
        X, y = sample(n)
        model = fit(X[K:], y[K:])
        estimates[i, r] = error(model, X[:K], y[:K]), error(model, X_new, y_new)
mean, sd = estimates.mean(axis=1), estimates.std(axis=1)
first.fill_between(
    held, mean[:, 0] - sd[:, 0], mean[:, 0] + sd[:, 0], color=CLASSES[0], alpha=0.2, linewidth=0
)
first.plot(held, mean[:, 0], "o-", color=CLASSES[0], markersize=4, label="E_val")
first.plot(held, mean[:, 1], "s--", color=CLASSES[1], markersize=4, label="true error")
first.set(xlabel=f"validation rows K (of {n})", ylabel="error")
first.legend(frameon=False, fontsize=7.5)

counts, e, K = np.array([1, 2, 5, 10, 20, 50, 100, 200]), 0.3, 50
best = np.array([(rng.binomial(K, e, (4000, M)) / K).min(axis=1).mean() for M in counts])
second.semilogx(counts, best, "o-", color=CLASSES[2], markersize=4)
second.axhline(e, color=CLASSES[1], linestyle="--")
second.set(xlabel=f"number of models M (true error {e})", ylabel=f"smallest E_val on {K} rows")
numbers = {
    "E_val": dict(zip(held, mean[:, 0], strict=True)),
    "true_error": dict(zip(held, mean[:, 1], strict=True)),
    "sd_of_E_val": dict(zip(held, sd[:, 0], strict=True)),
    "optimism": dict(zip(counts, e - best, strict=True)),
}
save(drawn, numbers)
