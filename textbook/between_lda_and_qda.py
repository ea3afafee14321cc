"""Between LDA and QDA: covariances shrunk towards the pooled one.

QDA estimates d(d + 1)/2 parameters for the covariance of each class, from the rows of that class alone. A compromise
between LDA and QDA is

    Σ_k(α) = α Σ_k + (1 − α) Σ,    α = 0 is LDA, α = 1 is QDA.

Left: the vowel data. The test error is smallest around α = 0.9, which is close to QDA but has a far smaller error. The
training error, smallest at α = 1, says nothing about this. Right: two classes with unequal covariances, means of 60
samples. LDA is better than QDA with few rows, QDA is better with many, and α = ½ is never far from the better of the
two. See Hastie, Tibshirani & Friedman (2009), §4.3.1 and figure 4.7; Friedman (1989), JASA 84.
"""

import numpy as np

from linclass import QuadraticDiscriminantAnalysis
from linclass.datasets import generate
from linclass_study.textbook import CLASSES, INK, METHODS, data, figure, save

vowel = data("vowel")
rows, new_rows = ((vowel.X[part], vowel.y[part]) for part in (~vowel.test, vowel.test))
alphas = np.linspace(0, 1, 51)


def error(alpha, train, test):
    model = QuadraticDiscriminantAnalysis(shrinkage=1 - alpha).fit(*train)
    return np.mean(model.predict(test[0]) != test[1])


errors = {
    "training": np.array([error(a, rows, rows) for a in alphas]),
    "test": np.array([error(a, rows, new_rows) for a in alphas]),
}
best = alphas[errors["test"] == errors["test"].min()]
numbers = {"best_alpha": best.mean(), "best_test_error": errors["test"].min()}
numbers |= {name: {"lda": e[0], "qda": e[-1]} for name, e in errors.items()}

drawn, (left, right) = figure(1, 2, width=7.4, height=3.0)
for k, (name, values) in enumerate(errors.items()):
    left.plot(alphas, values, "os"[k] + "-", color=CLASSES[k], markersize=3, label=name)
left.axvline(best.mean(), color=INK, linestyle=":", linewidth=1)
left.set(title="vowels", xlabel="α", ylabel="misclassification rate", ylim=(0, 0.6))
left.legend(frameon=False, fontsize=7.5, loc="lower left")

two = {
    "means": [[0] * 6, [1.5, 1.5, 0, 0, 0, 0]],
    "covariances": [np.diag([1, 3, 1, 1, 1, 1]).tolist(), np.diag([2, 0.5, 1, 1, 1, 1]).tolist()],
}
sizes = [8, 10, 14, 20, 30, 50, 100, 300]
many = generate("gaussians", 99, rows=[5000, 5000], **two)
samples = {n: [generate("gaussians", r, rows=[n, n], **two) for r in range(60)] for n in sizes}
lines = {"LDA": (0.0, METHODS["lda"], "-"), "α = ½": (0.5, INK, "-."), "QDA": (1.0, METHODS["qda"], "--")}  # fmt: skip
for name, (alpha, colour, dashes) in lines.items():
    mean = [np.mean([error(alpha, sample, many) for sample in samples[n]]) for n in sizes]
    right.semilogx(sizes, mean, dashes, color=colour, label=name)
    numbers[f"of {sizes[0]} and {sizes[-1]} rows a class, {name}"] = mean[0], mean[-1]
right.set(title="two classes, six features", xlabel="rows per class", ylabel="error on new rows")
right.set_xticks([10, 30, 100, 300], ["10", "30", "100", "300"])
right.minorticks_off()
right.legend(frameon=False, fontsize=7.5)
save(drawn, numbers)
