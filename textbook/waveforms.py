"""Waveforms: non-Gaussian classes as mixtures of Gaussians.

A row is a random convex combination of two of three triangular waves, with normal noise on each of 21 values. Each
class thus lies around a line segment between two points, and the three segments form a triangle. Mixture discriminant
analysis models every class by three Gaussian subclasses with a common covariance. Shrinking this covariance, as the
textbook does by a penalty, brings the test error near the Bayes error of .14. Left: mean errors of ten simulations of
300 training and 500 test rows. Right: one sample in its two discriminant coordinates, with the means of the subclasses.
See Hastie, Tibshirani & Friedman (2009), §12.7.1, table 12.4 and figure 12.14; Breiman et al. (1984).
"""

import numpy as np

from linclass import (
    LinearDiscriminantAnalysis,
    MixtureDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    ReducedRankLDA,
)
from linclass_study.textbook import CLASSES, INK, figure, save

rng = np.random.default_rng(0)
waves = np.maximum(6 - np.abs(np.arange(1, 22) - np.array([[11], [15], [7]])), 0)
pairs = np.array([[0, 1], [0, 2], [1, 2]])


def sample(n):
    y, share = rng.integers(0, 3, n), rng.random((n, 1))
    first, second = waves[pairs[y].T]
    return share * first + (1 - share) * second + rng.standard_normal((n, 21)), y


models = {
    "lda": LinearDiscriminantAnalysis(),
    "qda": QuadraticDiscriminantAnalysis(),
    "mda": MixtureDiscriminantAnalysis(3),
    "mda_shrunk": MixtureDiscriminantAnalysis(3, shrinkage=0.9),
}
errors = np.empty((10, len(models), 2))
for one in errors:
    train, test = sample(300), sample(500)
    for model, both in zip(models.values(), one, strict=True):
        model.fit(*train)
        both[:] = 1 - model.score(*train), 1 - model.score(*test)
numbers = {
    name: dict(zip(("training", "test"), both.tolist(), strict=True))
    for name, both in zip(models, errors.mean(axis=0), strict=True)
}

drawn, (left, right) = figure(1, 2, width=7.4, height=3.0)
spread = errors.std(axis=0, ddof=1) / np.sqrt(len(errors))
for k, rows in enumerate(("training", "test")):
    places = np.arange(len(models)) + 0.2 - 0.4 * k
    means = errors.mean(axis=0)[:, k]
    left.barh(places, means, 0.38, xerr=spread[:, k], color=CLASSES[k], ecolor=INK, label=rows)
left.axvline(0.14, color=INK, linestyle=":", linewidth=1)
left.set_yticks(range(len(models)), ["LDA", "QDA", "MDA", "MDA, shrinkage 0.9"])
left.invert_yaxis()
left.set(xlabel="misclassification rate; dotted: Bayes error", xlim=(0, 0.29))
left.legend(frameon=False, fontsize=7.5, loc="lower right")
X, y = train
plane, mda = ReducedRankLDA(2).fit(X, y), models["mda_shrunk"]
for k, colour in enumerate(CLASSES[:3]):
    right.plot(*plane.transform(X[y == k]).T, ".", color=colour, markersize=3, alpha=0.5)
    own = plane.transform(mda.means_[mda.subclass_of_ == k])
    right.plot(*own.T, "o", color=colour, markeredgecolor=INK, markersize=7)
right.set(xlabel="first discriminant coordinate", ylabel="second")
save(drawn, numbers)
