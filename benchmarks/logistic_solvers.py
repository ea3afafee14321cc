"""L2-penalized logistic regression on 100,000 × 10: scikit-learn's solvers and ours, at one tolerance.

    python benchmarks/logistic_solvers.py [table.csv]

The problem is that of scikit-learn's own benchmark of its solvers (pull request 33160): make_classification of 100,000
rows and 10 columns, tol=1e-5. Seconds are processor time on one thread, medians of interleaved rounds; the gap is the
relative excess of the objective over its minimum; NC marks a solver that warns that it has not converged. A tolerance
means something else for each solver, a relative duality gap for ours, so seconds count together with the gap. No
solver fits an intercept, because liblinear would penalize it.
"""

from __future__ import annotations

import statistics
import sys
import time
import warnings

import numpy as np
import polars as pl
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Theirs

from linclass import LogisticRegression

SOLVERS = ("lbfgs", "newton-cholesky", "newton-cg", "liblinear", "saga")
TOL = 1e-5
ROUNDS = 5
STRENGTHS = (1.0, 1e-2, 1e-5)  # the last is C = 1


def main() -> None:
    X, y = make_classification(n_samples=100_000, n_features=10, random_state=0)
    rows = []
    for strength in STRENGTHS:
        C = 1 / (len(y) * strength)
        options = {"fit_intercept": False, "tol": TOL}
        models = {name: Theirs(C=C, solver=name, random_state=0, **options) for name in SOLVERS}
        models["linclass"] = LogisticRegression(strength=strength, **options)
        exact = LogisticRegression(strength=strength, fit_intercept=False, tol=1e-14)
        seconds: dict[str, list[float]] = {name: [] for name in models}
        converged = dict.fromkeys(models, True)
        for _ in range(ROUNDS):
            for name, model in models.items():
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    begin = time.process_time()
                    model.fit(X, y)
                    seconds[name].append(time.process_time() - begin)
                converged[name] &= not any(
                    issubclass(w.category, ConvergenceWarning) for w in caught
                )

        def objective(model: object, strength: float = strength) -> float:
            w = np.ravel(model.coef_)  # type: ignore[attr-defined]
            loss = np.logaddexp(0, -(2 * y - 1) * (X @ w)).mean()
            return float(loss + strength * (w @ w) / 2)

        values = {name: objective(model) for name, model in models.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # 1e-14 may be below what rounding allows
            least = min(objective(exact.fit(X, y)), *values.values())
        for name, value in values.items():
            time_of = f"{statistics.median(seconds[name]):.4f}" if converged[name] else "NC"
            rows.append((f"{strength:g}", name, time_of, (value - least) / least))
    table = pl.DataFrame(rows, ["strength", "solver", "seconds", "gap"], orient="row")
    with pl.Config(tbl_rows=-1, tbl_hide_dataframe_shape=True):
        print(table.with_columns(gap=pl.col("gap").map_elements(lambda g: f"{g:.1e}", pl.String)))
    if len(sys.argv) > 1:
        table.write_csv(sys.argv[1])


if __name__ == "__main__":
    main()
