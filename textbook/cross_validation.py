"""Cross-validation: choosing a strength and refitting on all rows.

Ten-fold cross-validation fits the model ten times on nine tenths of the rows and evaluates each fit on the remaining
tenth. Leave-one-out holds out single rows; for LDA it costs hardly more than one fit. The one-standard-error rule
chooses the strongest penalty whose loss is within one standard error of the minimum. The model is then refitted on all
rows. Left: the ten-fold log loss against the strength, its minimum (triangle), the one-standard-error choice (diamond),
and the true log loss (dashed). Right: the true error of fits to 80 rows, with 40 held out, and of fits to all 120, over
60 samples. LDA on iris makes 3 errors in 150 rows, both by leave-one-out and by ten-fold cross-validation. See Hastie,
Tibshirani & Friedman (2009), §7.10; Abu-Mostafa, Magdon-Ismail & Lin (2012), §4.3.
"""

import numpy as np

from linclass import LinearDiscriminantAnalysis, LogisticRegression
from linclass.tuning.folds import stratified_folds
from linclass_study.textbook import CLASSES, INK, data, figure, save

rng, d, n = np.random.default_rng(0), 15, 120
truth = np.where(np.arange(d) < 5, 0.7, 0)


def sample(n):
    X = rng.standard_normal((n, d))
    return X, (X @ truth + rng.logistic(size=n) > 0).astype(int)


X_new, y_new = sample(20_000)


def error(model, X, y):
    return np.mean(model.predict(X) != y)


def loss(model, X, y):
    return -model.predict_log_proba(X)[np.arange(len(y)), y].mean()


def fit(X, y, strength=1e-3):
    return LogisticRegression(strength=strength, tol=1e-4).fit(X, y)


drawn, (left, right) = figure(1, 2, width=7.4, height=2.9)
strengths = np.logspace(-4, 1.5, 15)
X, y = sample(n)
folds = stratified_folds(y, 10, 0)
scores = np.empty((15, 10))
for i, k in np.ndindex(15, 10):
    train = folds != k
    scores[i, k] = loss(fit(X[train], y[train], strengths[i]), X[~train], y[~train])
mean, se = scores.mean(axis=1), scores.std(axis=1, ddof=1) / np.sqrt(10)
lowest = int(mean.argmin())
simpler = int(np.flatnonzero(mean <= mean[lowest] + se[lowest]).max())
left.errorbar(strengths, mean, se, color=CLASSES[0], marker="o", markersize=3.5)
left.plot(strengths, [loss(fit(X, y, s), X_new, y_new) for s in strengths], "--", color=CLASSES[1])
left.plot(strengths[lowest], mean[lowest], "v", color=CLASSES[6], markersize=8, zorder=5)
left.plot(strengths[simpler], mean[simpler], "D", color=CLASSES[6], markersize=7, zorder=5)
left.set(xlabel="strength", ylabel="log loss", xscale="log")
again = np.empty((60, 2))
for r in range(60):
    X, y = sample(n)
    again[r] = [error(fit(X[:rows], y[:rows]), X_new, y_new) for rows in (80, 120)]
ink = {"color": INK, "markeredgecolor": INK}
parts = {f"{part}props": ink for part in ("box", "whisker", "cap", "flier")}
right.boxplot(again, medianprops={"color": CLASSES[1]}, **parts)
right.set(xticks=[1, 2], xticklabels=["80 rows", "all 120 rows"], ylabel="true error")

iris = data("iris")
lda, folds = LinearDiscriminantAnalysis(), stratified_folds(iris.y, 10, 0)
left_out = lda.leave_one_out(iris.X, iris.y).argmax(axis=1)
ten = 0
for k in range(10):
    own = folds == k
    ten += np.sum(lda.fit(iris.X[~own], iris.y[~own]).predict(iris.X[own]) != iris.y[own])
numbers = {
    "iris_lda_errors": {"leave_one_out": np.sum(left_out != iris.y), "ten_folds": ten},
    "chosen": {"lowest": strengths[lowest], "one_standard_error": strengths[simpler]},
    "gain_of_folding_back": np.mean(again[:, 0] - again[:, 1]),
}
save(drawn, numbers)
