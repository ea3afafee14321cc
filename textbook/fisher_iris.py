"""Fisher's irises: the first linear discriminant.

Fisher (1936) asks which linear function λ·x of four measurements (length and width of sepals and of petals)
discriminates two species best: the difference of its means, λ·d, should be large relative to its spread within species,
λᵀSλ. The answer is proportional to the solution of

    S λ = d,    S: sums of squares and products within species, d: difference of the means,

which is the direction of LDA. Left: his linear function for setosa and versicolor, scaled so that the coefficient of
sepal length is 1. Their means are 33.8 cm apart, ten standard deviations. Right: his second function, for three
species, with

    d = 4 m₃ + m₂ − 5 m₁,    S = 16 S₃ + S₂ + 25 S₁,

because versicolor was thought to be a hybrid: its mean should lie two thirds of the way from the mean of setosa to that
of virginica (dashed line), and it nearly does. Versicolor and virginica overlap. See Fisher (1936), §II, §VI and
figure 1.
"""

import numpy as np
from sklearn.datasets import load_iris

from linclass import LinearDiscriminantAnalysis
from linclass_study.textbook import CLASSES, INK, figure, save

iris = load_iris()  # Fisher's table I
species = [iris.data[iris.target == k] for k in range(3)]
means = [rows.mean(axis=0) for rows in species]
within = [(rows - mean).T @ (rows - mean) for rows, mean in zip(species, means, strict=True)]

two = iris.target < 2
crude = LinearDiscriminantAnalysis().fit(iris.data[two], iris.target[two]).coef_.ravel() / 98
compound = crude / crude[0]  # LDA's covariance is S / 98
difference = compound @ (means[0] - means[1])
inner = compound @ (within[0] + within[1]) @ compound
three = 100 * np.linalg.solve(
    16 * within[2] + within[1] + 25 * within[0], 4 * means[2] + means[1] - 5 * means[0]
)
parts = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
numbers = {
    "crude": dict(zip(parts, crude, strict=True)),
    "compound": dict(zip(parts, compound, strict=True)),
    "difference_of_means": difference,
    "per_cent_within_species": 100 * inner / (inner + 25 * difference**2),
    "three_species": dict(zip(parts, three, strict=True)),
    "means": {name: mean @ three for name, mean in zip(iris.target_names, means, strict=True)},
}

drawn, panels = figure(1, 2, width=7.6, height=3.0, sharey=True)
for panel, w, shown in zip(panels, (compound, three), (2, 3), strict=True):
    ends = np.concatenate([rows @ w for rows in species[:shown]])
    bins = np.linspace(ends.min(), ends.max(), 36)
    for k in range(shown):
        panel.hist(species[k] @ w, bins, color=CLASSES[k], alpha=0.6, label=iris.target_names[k])
        panel.plot(means[k] @ w, -0.6, "^", color=CLASSES[k], markersize=6, clip_on=False)
panels[1].axvline((means[0] + 2 * means[2]) @ three / 3, color=INK, linestyle="--", linewidth=1)
panels[0].set_yticks(range(0, 19, 3))
panels[0].set(xlabel=r"$x_1 + 5.90\,x_2 - 7.13\,x_3 - 10.10\,x_4$ (cm)", ylabel="plants")
panels[1].set(xlabel=r"$100\,(\lambda_1 x_1 + \ldots + \lambda_4 x_4)$, for three species")
panels[1].legend(frameon=False, title="▲ means", alignment="left")
save(drawn, numbers)
