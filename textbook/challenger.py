"""The Challenger's O-rings: a probability far from its data.

In the night before the launch at 31 °F, only the flights with thermal distress of an O-ring were compared, and they
showed no effect of the temperature. Together with the flights without distress, which had been left out, they show one:

    ln P(distress)/P(none) = b + w·temperature,

fitted to the six O-rings of each of 23 flights (left; areas are proportional to the number of flights) or to whether a
flight had any distress (right). The bands are pointwise 95 % Wald intervals on the scale of b + w t. They are wide at
31 °F, 22 degrees colder than any flight: a prediction there depends on the form of the model. See Dalal, Fowlkes &
Hoadley (1989), figures 1 and 4.
"""

import numpy as np

from linclass import LogisticRegression
from linclass_study.textbook import INK, METHODS, figure, save

TEMPERATURE = np.array(
    [66, 70, 69, 68, 67, 72, 73, 70, 57, 63, 70, 78, 67, 53, 67, 75, 70, 81, 76, 79, 75, 76, 58]
)  # °F, in the order of the flights
DISTRESSED = np.array([0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 2, 0, 1])


def fit(distressed, of):
    """Fit of `distressed` out of `of` at each temperature: its table, G² and the curve with its band."""
    t, n = np.tile(TEMPERATURE, 2)[:, None], np.concatenate([distressed, of - distressed])
    yes = np.repeat([1, 0], len(TEMPERATURE))
    model = LogisticRegression(penalty=None, tol=1e-10).fit(t[n > 0], yes[n > 0], n[n > 0])
    table = model.summary().table
    p = model.predict_proba(TEMPERATURE[:, None])[:, 1]
    seen = np.concatenate([distressed, of - distressed])[n > 0]
    expected = np.concatenate([of * p, of * (1 - p)])[n > 0]
    A = np.column_stack([np.ones(len(p)), TEMPERATURE])
    covariance = np.linalg.inv((A.T * (of * p * (1 - p))) @ A)
    line = np.column_stack([np.ones_like(grid), grid])
    score, sd = line @ table.estimate, np.sqrt(((line @ covariance) * line).sum(axis=1))
    band = [1 / (1 + np.exp(-(score + z * sd))) for z in (-1.96, 0, 1.96)]
    numbers = {
        "estimate": dict(zip(("b", "w"), table.estimate, strict=True)),
        "error": dict(zip(("b", "w"), table.std_error, strict=True)),
        "g_squared": 2 * np.sum(seen * np.log(seen / expected)),
        "at_31": band[1][0],
    }
    return numbers, band


grid = np.linspace(31, 85, 300)
fits = {
    "o_rings": fit(DISTRESSED, np.full(23, 6)),
    "flights": fit((DISTRESSED > 0).astype(int), np.ones(23, int)),
}
drawn, panels = figure(1, 2, width=7.6, height=3.1, sharey=True)
shares = (DISTRESSED / 6, (DISTRESSED > 0).astype(float))
titles = ("O-rings with distress", "flights with distress")
for panel, share, title, (_, band) in zip(panels, shares, titles, fits.values(), strict=True):
    panel.fill_between(grid, band[0], band[2], color=METHODS["logistic"], alpha=0.2, linewidth=0)
    panel.plot(grid, band[1], color=METHODS["logistic"])
    points, flights = np.unique(np.column_stack([TEMPERATURE, share]), axis=0, return_counts=True)
    panel.scatter(*points.T, 16 * flights, color=INK, alpha=0.6, linewidth=0, zorder=3)
    panel.axvline(31, color=INK, linestyle="--", linewidth=1)
    panel.text(31.7, 0.04, "launch", fontsize=7.5)
    panel.set(
        title=title, xlabel="temperature of the joints at the launch (°F)", ylim=(-0.04, 1.04)
    )
panels[0].set_ylabel("share and fitted probability")
save(drawn, {name: numbers for name, (numbers, _) in fits.items()})
