"""ROC curves: all thresholds of a score.

A score with a threshold is a classifier. Every threshold gives a point

    (false positive rate, true positive rate),

and the area under the curve of these points is the probability that a positive row has a higher score than a negative
one, where ties count one half (Wilcoxon, Mann & Whitney). For two unit Gaussians at distance Δ the area is Φ(Δ/√2).
Left: the distributions of the score of LDA on the heart-disease data, by ten-fold cross-validation. Middle: its ROC
curve, with three thresholds marked. Right: ROC curves for unit Gaussians at Δ = 0, 1, 2, 3, with the closed form. See
Duda, Hart & Stork (2001), §2.8.3; Fawcett (2006).
"""

import numpy as np
from scipy.stats import norm, rankdata

from linclass import LinearDiscriminantAnalysis
from linclass.tuning.folds import stratified_folds
from linclass_study.textbook import CLASSES, INK, METHODS, data, figure, save

heart = data("heart")
score, folds = np.empty(len(heart.y)), stratified_folds(heart.y, 10, 0)
for k in range(10):
    train = folds != k
    score[~train] = (
        LinearDiscriminantAnalysis()
        .fit(heart.X[train], heart.y[train])
        .decision_function(heart.X[~train])
    )


def curve(score, y):
    """Rates at every threshold, from the highest score down, and the area computed from ranks."""
    order = np.argsort(-score)
    hits, alarms = np.cumsum(y[order] == 1), np.cumsum(y[order] == 0)
    P, N = hits[-1], alarms[-1]
    area = (rankdata(score)[y == 1].sum() - P * (P + 1) / 2) / (P * N)
    return np.append(0, alarms / N), np.append(0, hits / P), area


drawn, (left, middle, right) = figure(1, 3, width=7.6, height=2.9)
for k, name in enumerate(("no disease", "disease")):
    left.hist(score[heart.y == k], 25, color=CLASSES[k], alpha=0.6, label=name)
left.set(xlabel="score", ylabel="men", ylim=(0, 40))
left.legend(frameon=False, fontsize=7, loc="upper left")
false, true, area = curve(score, heart.y)
middle.plot(false, true, color=METHODS["lda"])
for threshold, marker in [(-1, "o"), (0, "s"), (1, "^")]:
    at = [np.mean(score[heart.y == k] > threshold) for k in (0, 1)]
    middle.plot(
        *at, marker, color=INK, markersize=6, label=f"threshold {threshold}".replace("-", "−")
    )
    left.axvline(threshold, color=INK, linewidth=0.6, linestyle=":")
middle.set(
    title=f"heart disease: area {area:.3f}",
    xlabel="false positive rate",
    ylabel="true positive rate",
)
middle.legend(frameon=False, fontsize=7, loc="lower right")
rng, numbers = np.random.default_rng(0), {"heart": {"area": area}, "gaussians": {}}
for delta, colour in zip((0, 1, 2, 3), CLASSES[2:], strict=False):
    y = np.repeat([0, 1], 20_000)
    false, true, area = curve(rng.standard_normal(len(y)) + delta * y, y)
    right.plot(false, true, color=colour, label=f"Δ = {delta}")
    numbers["gaussians"][delta] = {"area": area, "closed_form": norm.cdf(delta / np.sqrt(2))}
t = np.linspace(-5, 8, 300)
for delta in (0, 1, 2, 3):
    right.plot(norm.sf(t), norm.sf(t - delta), ":", color=INK, linewidth=1)
right.set(xlabel="false positive rate", title="two Gaussians, dotted: exact")
right.legend(frameon=False, fontsize=7, loc="lower right")
save(drawn, numbers)
