"""Relevance vectors: the evidence determines their number.

Every row is the centre of a Gaussian basis function, and the weight of every basis function has a prior with its own
precision. The precisions maximize the evidence. Most become infinite, which removes their basis functions. Left: the
ten points of curve fitting, the predictive mean with one standard deviation, and the true curve (dotted); relevance
vectors are circled. Middle: the number of relevance vectors against the width of the Gaussians. The book does not print
its width. There are three relevance vectors at nearly all widths from 0.085 to 0.19, where the evidence is largest at
0.133 (dashed). Fits with much narrower Gaussians pass through the points. Right: sin x / x at 100 points, with normal
noise of standard deviation 0.1. See Bishop (2006), §7.2.1 and figure 7.9; Tipping (2001), JMLR 1, §4.1 and appendix E.
"""

import numpy as np

from linclass import RelevanceVectorRegressor
from linclass_study.textbook import CLASSES, INK, figure, save

x = np.arange(10) / 9
t = np.array([0.349486, 0.830839, 1.007332, 0.971507, 0.133066,
              0.166823, -0.848307, -0.445686, -0.563567, 0.261502])  # fmt: skip


def machine(x, t, width):
    """Gaussians exp(−(x − x′)²/2·width²)."""
    return RelevanceVectorRegressor(gamma=0.5 / width**2).fit(x[:, None], t)


def draw(panel, model, x, t, truth):
    fine = np.linspace(x[0], x[-1], 300)
    mean, sd = model.predict(fine[:, None], return_std=True)
    panel.fill_between(fine, mean - sd, mean + sd, color=CLASSES[1], alpha=0.2, linewidth=0)
    panel.plot(fine, truth(fine), ":", color=INK, linewidth=1)
    panel.plot(fine, mean, color=CLASSES[1])
    panel.plot(x, t, "o", color=CLASSES[0], markersize=4)
    own = model.support_
    panel.plot(x[own], t[own], "o", markersize=9, markerfacecolor="none", markeredgecolor=INK)
    panel.set(xlabel="x", title=f"{len(own)} relevance vectors")


WIDTH = 0.133
widths = np.geomspace(0.065, 1, 60)
number = [len(machine(x, t, width).support_) for width in widths]
three = widths[np.equal(number, 3)]
ten = machine(x, t, WIDTH)
nearby = [machine(x, t, width).log_evidence_ for width in three]
places = np.linspace(-10, 10, 100)
noise = 0.1 * np.random.default_rng(0).standard_normal(100)
sinc = machine(places, np.sinc(places / np.pi) + noise, 3 / np.sqrt(2))

drawn, (left, middle, right) = figure(1, 3, width=7.8, height=2.7)
draw(left, ten, x, t, lambda x: np.sin(2 * np.pi * x))
left.set_ylabel("t")
middle.semilogx(widths, number, ".", color=CLASSES[0])
middle.axvline(WIDTH, color=INK, linestyle="--", linewidth=1)
middle.set(xlabel="width of the Gaussians", ylabel="relevance vectors", ylim=(0, 10))
middle.set_xticks([0.1, 0.3, 1], ["0.1", "0.3", "1"])
middle.set_xticks([], minor=True)
draw(right, sinc, places, np.sinc(places / np.pi) + noise, lambda x: np.sinc(x / np.pi))
numbers = {
    "ten_points": {
        "relevance_vectors": len(ten.support_),
        "deviation_of_noise": ten.noise_precision_**-0.5,
        "log_evidence": ten.log_evidence_,
        "largest_with_three": max(nearby),
        "three_from_width": three.min(),
        "three_to_width": three.max(),
    },
    "sinc": {
        "relevance_vectors": len(sinc.support_),
        "deviation_of_noise": sinc.noise_precision_**-0.5,
    },
}
save(drawn, numbers)
