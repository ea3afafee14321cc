"""Many data sets: average ranks and the critical difference.

Do k methods differ on N data sets? Friedman's test tests whether their average ranks R_j are equal; Nemenyi's test
finds the pairs whose average ranks differ by more than the critical difference:

    χ² = 12N/(k(k + 1)) [Σ R_j² − k(k + 1)²/4],    F = (N − 1)χ²/(N(k − 1) − χ²)
    CD = q_α √(k(k + 1)/6N)

Demšar's example compares C4.5 with neither, one or both of its parameters m and cf tuned, by the area under the ROC
curve on 14 data sets (left). Friedman's test rejects equality. At α = .05 no two ranks differ by the critical
difference. At α = .10 (right; bars join methods that do not differ significantly) plain C4.5 is worse than the two that
tune m. Holm's procedure with C4.5 as control finds the same two. See Demšar (2006), JMLR 7, table 6 and §3.2.2.
"""

import numpy as np
from scipy import stats

from linclass.evaluation.comparisons.control import against_control
from linclass.evaluation.comparisons.friedman_test import (
    critical_difference,
    friedman,
    nemenyi,
    quantile,
)
from linclass_study.textbook import CLASSES, INK, figure, save

methods = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
# the paper ranks C4.5+cf before C4.5+m+cf on voting, by digits beyond the .975 that it prints of both
scores = {
    "adult": [0.763, 0.768, 0.771, 0.798], "breast cancer": [0.599, 0.591, 0.590, 0.569],
    "wisconsin": [0.954, 0.971, 0.968, 0.967], "cmc": [0.628, 0.661, 0.654, 0.657],
    "ionosphere": [0.882, 0.888, 0.886, 0.898], "iris": [0.936, 0.931, 0.916, 0.931],
    "liver": [0.661, 0.668, 0.609, 0.685], "lung cancer": [0.583, 0.583, 0.563, 0.625],
    "lymphography": [0.775, 0.838, 0.866, 0.875], "mushroom": [1.0, 1.0, 1.0, 1.0],
    "primary tumor": [0.940, 0.962, 0.965, 0.962], "rheum": [0.619, 0.666, 0.614, 0.669],
    "voting": [0.972, 0.981, 0.9751, 0.975], "wine": [0.957, 0.978, 0.946, 0.970],
}  # fmt: skip
table = np.array(list(scores.values()))
n, k = table.shape
found, control = friedman(table), against_control(table, 0, test="ranks")
error, keys = np.sqrt(k * (k + 1) / (6 * n)), ["plain", "m", "cf", "m_cf"]
# from rounded numbers, as in the paper
z = (3.143 - np.round(found.ranks[1:], 3)) / round(error, 3)
numbers = {
    "rank": dict(zip(keys, found.ranks, strict=True)),
    "chi_squared": found.without_ties,
    "F": (n - 1) * found.without_ties / (n * (k - 1) - found.without_ties),
    "critical_F": stats.f.ppf(0.95, k - 1, (k - 1) * (n - 1)),
    "q": {"nemenyi_05": quantile(k, 0.05), "nemenyi_10": quantile(k, 0.10),
          "bonferroni_dunn_05": stats.norm.isf(0.05 / (2 * (k - 1)))},
    "critical_difference": {
        "nemenyi_05": critical_difference(k, n, 0.05), "nemenyi_10": critical_difference(k, n, 0.10),
        "bonferroni_dunn_05": stats.norm.isf(0.05 / (2 * (k - 1))) * error,
    },
    "standard_error": error,
    "z": dict(zip(keys[1:], z, strict=True)),
    "p": dict(zip(keys[1:], control.p[1:], strict=True)),
    "holm_adjusted": dict(zip(keys[1:], control.holm[1:], strict=True)),
}  # fmt: skip

drawn, (left, right) = figure(1, 2, width=7.6, height=3.4, gridspec_kw={"width_ratios": [1.2, 1]})
for j, name in enumerate(methods):
    mark = {"marker": "os^D"[j], "color": CLASSES[j], "linestyle": "", "label": name}
    left.plot(table[:, j], np.arange(n) + 0.12 * (j - 1.5), markersize=4, **mark)
    right.plot(found.ranks[j], j, markersize=7, **mark)
    right.text(found.ranks[j] + 0.1, j, f"{name} {found.ranks[j]:.3f}", fontsize=7.5, va="center")
left.set_yticks(range(n), scores)
left.invert_yaxis()
left.set(xlabel="area under the curve")
left.legend(frameon=False, fontsize=7)
for row, group in enumerate(nemenyi(table, 0.10).groups):
    at = found.ranks[group]
    right.plot([at.min() - 0.04, at.max() + 0.04], [4 + 0.4 * row] * 2, color=INK, linewidth=3)
difference = numbers["critical_difference"]["nemenyi_10"]
right.plot([1.5, 1.5 + difference], [-1, -1], color=INK)
right.text(1.5, -1.15, f"critical difference {difference:.2f} at α = .10", fontsize=7.5)
right.set(xlabel="average rank (1 is best)", xlim=(1.4, 4.1), ylim=(5, -1.7), yticks=[])
save(drawn, numbers)
