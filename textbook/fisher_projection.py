"""Fisher's projection.

The difference of the class means is the best direction of projection only if the classes are spherical. Fisher's
direction maximizes the separation of the means relative to the spread within classes,

    w = argmax (wᵀ S_B w) / (wᵀ S_W w),    for two classes  w ∝ S_W⁻¹ (m₂ − m₁),

and for K classes it becomes the K − 1 leading directions of the generalized eigenvalue problem S_B w = λ S_W w. Left
and middle: two elongated classes, projected on each of the two directions. Right: the training speakers of the vowel
data, 11 classes in 10 dimensions, in their two leading discriminant coordinates. See Bishop (2006), §4.1.4 and figure
4.6; Hastie, Tibshirani & Friedman (2009), §4.3.3 and figure 4.4; Fisher (1936) for iris.
"""

import numpy as np

from linclass import FisherDiscriminant, LinearDiscriminantAnalysis
from linclass.datasets import generate
from linclass_study.textbook import CLASSES, data, figure, save

X, y = generate(
    "gaussians",
    4,
    means=[[0, 0], [2.4, 0.4]],
    covariances=[[2.0, 1.7], [1.7, 2.0]],
    rows=[200, 200],
)
directions = {
    "difference of means": X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0),
    "Fisher's direction": LinearDiscriminantAnalysis().fit(X, y).coef_.ravel(),
}
numbers = {"overlap": {}}
drawn, axes = figure(1, 3, width=7.6, height=3.0, gridspec_kw={"width_ratios": [1, 1, 1.5]})
for panel, (name, w) in zip(axes, directions.items(), strict=False):
    z = X @ w / np.linalg.norm(w)
    bins = np.linspace(z.min(), z.max(), 31)
    for k in range(2):
        panel.hist(z[y == k], bins, color=CLASSES[k], alpha=0.6)
    m, s = [z[y == k].mean() for k in (0, 1)], [z[y == k].var() for k in (0, 1)]
    numbers["overlap"][name] = {"separation": (m[1] - m[0]) ** 2 / (s[0] + s[1])}
    panel.set(title=name, xlabel="projection")
axes[0].set_ylabel("rows")

vowel = data("vowel")
train, y_train = vowel.X[~vowel.test], vowel.y[~vowel.test]
fisher = FisherDiscriminant(n_components=2).fit(train, y_train)
plane, panel = fisher.transform(train), axes[2]
for k in range(11):
    own = plane[y_train == k]
    colour, marker = CLASSES[k % 8], "os^DvPX"[k % 7]
    panel.plot(*own.T, marker, color=colour, markersize=2, alpha=0.45)
    panel.plot(*own.mean(axis=0), marker, color=colour, markersize=7, markeredgecolor="white")
panel.set(title="vowels", xlabel="coordinate 1", ylabel="coordinate 2")

iris = data("iris")
names = ["sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)"]
by_species = FisherDiscriminant().fit(iris.columns(*names), iris.y)
numbers["iris"] = {
    "share_of_first": by_species.ratios_[0] / by_species.ratios_.sum(),
    "share_of_second": by_species.ratios_[1] / by_species.ratios_.sum(),
    "ratios": by_species.ratios_,
    "scalings": np.abs(by_species.scalings_),
}
save(drawn, numbers)
