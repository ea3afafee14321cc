"""The fused lasso: ordered features.

If neighbouring features have nearly the same effect, a second penalty makes their weights equal,

    λ₁ Σ |wⱼ| + λ₂ Σ |wⱼ₊₁ − wⱼ|,

so that the solution consists of few intervals of features with equal weights. Left: with the identity matrix as
features, the fused lasso approximates a signal: here simulated losses and gains along a chromosome with normal noise.
The dotted line is the true signal. Middle: as λ₂ grows, pieces merge and never split again, so they form a tree. The
number of nonzero pieces is an unbiased estimate of the degrees of freedom. Right: weights of logistic regression
between two waveforms of 21 values, by the lasso and by the fused lasso with the same strength. The dashed line is a
twentieth of the difference between the waves. See Tibshirani, Saunders, Rosset, Zhu & Knight (2005), JRSS B 67;
Friedman, Hastie, Höfling & Tibshirani (2007); Hastie, Tibshirani & Friedman (2009), §18.4.2 and figure 18.8.
"""

import numpy as np

from linclass import LogisticRegression
from linclass.linear.penalties.fused_lasso import FusedLasso
from linclass_study.textbook import CLASSES, INK, figure, save

rng = np.random.default_rng(0)
truth = np.repeat([0, 1.5, 0, -1, 0, 3, 0], [30, 25, 35, 30, 40, 5, 35]).astype(float)
n, NOISE = len(truth), 0.5


def approximate(signal, one, two):
    """argmin  ½‖signal − w‖² + one Σ |wⱼ| + two Σ |wⱼ₊₁ − wⱼ|."""
    return FusedLasso(fusion=two / one).prox(signal[None], one)[0]


def pieces(w):
    """Number of intervals of equal nonzero weights."""
    return np.count_nonzero((np.diff(w, prepend=np.inf) != 0) & (w != 0))


signal = truth + NOISE * rng.standard_normal(n)
levels = np.geomspace(0.02, 60, 120)
tree = np.array([approximate(signal, 1e-9, two) for two in levels])
joined = np.diff(tree, axis=1) == 0
draws = truth + NOISE * rng.standard_normal((2000, n))
fits = np.array([approximate(draw, 0.2, 1.5) for draw in draws])
freedom = ((fits - fits.mean(axis=0)) * (draws - truth)).sum(axis=1) / NOISE**2
counts = np.array([pieces(w) for w in fits])

waves = np.maximum(6 - np.abs(np.arange(1, 22) - np.array([[11], [15], [7]])), 0)
y, share = rng.integers(0, 2, 300), rng.random((300, 1))
X = share * waves[0] + (1 - share) * waves[1 + y] + rng.standard_normal((300, 21))
penalties = {"lasso": "l1", "fused lasso": {"fused_lasso": {"fusion": 2}}}
weights = {
    name: LogisticRegression(penalty=penalty, strength=0.03).fit(X, y).coef_[0]
    for name, penalty in penalties.items()
}

drawn, (left, middle, right) = figure(1, 3, width=7.8, height=2.8)
left.plot(signal, ".", color=CLASSES[0], markersize=3)
left.plot(truth, ":", color=INK, linewidth=1.2)
left.plot(approximate(signal, 0.2, 1.5), color=CLASSES[1])
left.set(xlabel="position", ylabel="signal", title="λ₁ = 0.2, λ₂ = 1.5")
middle.semilogx(levels, tree, color=CLASSES[0], linewidth=0.5, alpha=0.5)
middle.set(xlabel="λ₂", ylabel="weights", title="λ₁ = 0")
places = np.arange(1, 22)
right.plot(places, (waves[2] - waves[1]) / 20, "--", color=INK, linewidth=1)
for colour, (name, w) in zip((CLASSES[3], CLASSES[1]), weights.items(), strict=True):
    right.step(places, w, where="mid", color=colour, label=name)
right.set(xlabel="position in the waveform", ylabel="weight")
right.legend(frameon=False, fontsize=7.5)
numbers = {
    "pieces_that_part_again": np.count_nonzero(joined[:-1] & ~joined[1:]),
    "pieces": pieces(approximate(signal, 0.2, 1.5)),
    "freedom_less_the_mean_of_pieces": np.mean(freedom - counts),
    "its_error": np.std(freedom - counts) / np.sqrt(len(draws)),
    "weights": weights,
}
save(drawn, numbers)
