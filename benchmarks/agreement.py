"""Runs of a study beside scikit-learn on the same rows, folds and tuned strengths, largest difference first.

    linclass run config/reference.yaml --only ecoli,seeds,wine_uci
    python benchmarks/agreement.py results/reference-only-ecoli+seeds+wine_uci [table.csv]

A line is a run, with the largest value over its folds:

    beyond       how far our objective lies above that of scikit-learn's fit, relative; negative where ours is lower
    certificate  the bound that ours guarantees for this, so `beyond` must not exceed it: its square if it is a
                 relative gradient, and rounding if the method has a closed form
    scores       difference of the probabilities of held-out rows, of the scores without probabilities
    classes      held-out rows that get another class, of how many
    failed       folds on which scikit-learn refuses the rows or does not converge, which are left out

Objectives are those of linclass: mean loss + strength · penalty, with an unpenalized intercept, so C = 1/(n · strength)
and alpha = n · strength. Covariances are unbiased, as ours. Left out are methods that scikit-learn defines otherwise
(perceptron, a support vector machine of several classes) or solves with a penalized intercept (squared hinge), and a
logistic regression without penalty, whose weights need not be unique.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import sklearn.discriminant_analysis as discriminant
import sklearn.linear_model as linear
import sklearn.naive_bayes as bayes
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from linclass_study.data.dataset import Dataset, load_dataset
from linclass_study.pipeline.method import Method
from linclass_study.pipeline.transforming import fit_transforms

CLOSE = 1e-9  # of a closed form: rounding, also of nearly singular covariances
TIGHT: dict[str, Any] = {"tol": 1e-8, "max_iter": 100_000}
Penalty = Callable[[np.ndarray], float]


class Peer(NamedTuple):
    """scikit-learn's estimator for `n` training rows and tuned parameters; `penalty` of its weights, for objectives."""

    make: Callable[[int, dict[str, Any]], Any]
    penalty: Penalty | None = None
    loss: str = "logistic"
    binary: bool = False  # compared on two classes only


class LDA(discriminant.LinearDiscriminantAnalysis):  # type: ignore[misc, unused-ignore]
    """LDA with the covariance divided by n − K, as ours, not by n."""

    def fit(self, X: Any, y: Any) -> Any:
        super().fit(X, y)
        share, prior = 1 - len(self.classes_) / len(y), np.log(self.priors_)
        prior = prior if len(prior) > 2 else prior[1] - prior[0]
        self.coef_ *= share
        self.intercept_ = (self.intercept_ - prior) * share + prior
        return self


class QDA(discriminant.QuadraticDiscriminantAnalysis):  # type: ignore[misc, unused-ignore]
    """QDA with the covariance of a class divided by its n − 1, as ours, not by n."""

    def fit(self, X: Any, y: Any) -> Any:
        super().fit(X, y)
        pairs = zip(self.scalings_, np.bincount(y), strict=True)
        self.scalings_ = [scales * n / (n - 1) for scales, n in pairs]
        return self


def l2(W: np.ndarray) -> float:
    return float((W**2).sum() / 2)


def c(n: int, given: dict[str, Any]) -> float:
    return 1 / (n * given["strength"])


PEERS = {
    "logistic": Peer(lambda n, g: linear.LogisticRegression(C=c(n, g), **TIGHT), l2),
    "logistic_l1": Peer(
        lambda n, g: linear.LogisticRegression(C=c(n, g), l1_ratio=1, solver="saga", **TIGHT),
        lambda W: float(np.abs(W).sum()),
    ),
    "svm": Peer(lambda n, g: SVC(C=c(n, g), kernel="linear", tol=1e-8), l2, "hinge", True),
    "least_squares": Peer(lambda n, g: linear.LinearRegression(tol=1e-12)),
    "least_squares_ridge": Peer(lambda n, g: linear.Ridge(n * g["strength"], solver="svd")),
    "lda": Peer(lambda n, g: LDA("lsqr")),
    "qda": Peer(lambda n, g: QDA()),
    "gaussian_nb": Peer(lambda n, g: bayes.GaussianNB()),
    "bernoulli_nb": Peer(lambda n, g: bayes.BernoulliNB(alpha=g["smoothing"])),
    "multinomial_nb": Peer(lambda n, g: bayes.MultinomialNB(alpha=g["smoothing"])),
}


def objective(fit: Any, X: np.ndarray, y: np.ndarray, peer: Peer, strength: float) -> float:
    Z = fit.decision_function(X)
    if Z.ndim == 1:
        margin = np.where(y == 1, Z, -Z)
        loss = np.logaddexp(0, -margin) if peer.loss == "logistic" else np.maximum(0, 1 - margin)
    else:
        loss = np.logaddexp.reduce(Z, axis=1) - Z[np.arange(len(y)), y]
    assert peer.penalty is not None
    return float(loss.mean()) + strength * peer.penalty(fit.coef_)


def fitted(peer: Peer, X: np.ndarray, y: np.ndarray, given: dict[str, Any]) -> Any:
    """scikit-learn's fit; None where it refuses the rows or does not converge."""
    model = peer.make(len(y), given)
    targets: Any = y
    if not hasattr(model, "classes_") and isinstance(model, linear.LinearRegression | linear.Ridge):
        targets = np.eye(y.max() + 1)[y] if y.max() > 1 else 2.0 * y - 1
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            return model.fit(X, targets)
    except (ValueError, ConvergenceWarning, np.linalg.LinAlgError):
        return None


def scores_of(model: Any, X: np.ndarray) -> np.ndarray:
    """Probabilities, else scores of the classes, as in predictions.parquet: −z/2 and z/2 of two classes."""
    if hasattr(model, "predict_proba") and not isinstance(model, SVC):
        return np.asarray(model.predict_proba(X))
    Z = model.decision_function(X) if isinstance(model, SVC) else model.predict(X)
    return np.column_stack([-Z / 2, Z / 2]) if Z.ndim == 1 else Z


def compared(
    method: str,
    entry: Any,
    data: Dataset,
    folds: pl.DataFrame,
    fits: pl.DataFrame,
    ours: pl.DataFrame,
) -> Any:
    peer, rows = PEERS[method], data.table
    fold_of = folds.filter(protocol="cv").sort("repeat", "row")
    found = {"beyond": None, "certificate": 0.0, "scores": 0.0, "classes": 0, "of": 0, "failed": 0}
    for fit in fits.filter(pl.col("protocol") == "cv", pl.col("status") == "converged").iter_rows(
        named=True
    ):
        deal = fold_of.filter(repeat=fit["repeat"])
        fold, row = deal["fold"].to_numpy(), deal["row"].to_numpy()
        train = row[(fold != fit["fold"]) & (fold != -2)]
        held = ours.filter(protocol="cv", repeat=fit["repeat"], fold=fit["fold"]).sort("row")
        given = json.loads(fit["params"])
        steps = Method.from_entry(entry, data.classes).transforms
        transforms, ready = fit_transforms(steps, rows.rows(train), data.y[train], fit["seed"])
        test = rows.rows(held["row"].to_numpy())
        for transform in transforms:
            test = transform.transform(test)
        X, X_test = (np.asarray(t.X.toarray() if t.is_sparse else t.X) for t in (ready, test))
        theirs = fitted(peer, X, data.y[train], given)
        if theirs is None:
            found["failed"] += 1
            continue
        S = scores_of(theirs, X_test)
        T = np.array(held["score"].to_list())
        if hasattr(theirs, "predict_proba") and not isinstance(theirs, SVC):
            T = np.exp(np.array(held["log_proba"].to_list()))
        if not np.isfinite(S).all():
            found["failed"] += 1
            continue
        found["scores"] = max(found["scores"], float(np.abs(S - T).max()))
        found["classes"] += int((S.argmax(axis=1) != held["y_pred"].to_numpy()).sum())
        found["of"] += len(T)
        bound = CLOSE
        if peer.penalty is not None:
            best = objective(theirs, X, data.y[train], peer, given["strength"])
            beyond = (fit["objective"] - best) / best
            found["beyond"] = max(beyond, -np.inf if found["beyond"] is None else found["beyond"])
            gap = fit["certificate_kind"] == "duality_gap"
            bound = fit["certificate"] if gap else fit["certificate"] ** 2
        found["certificate"] = max(found["certificate"], bound)
    return found


def runs(folder: Path) -> Iterator[dict[str, Any]]:
    study = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    for dataset in study["datasets"]:
        path = folder / "data" / f"{dataset}.npz"
        about = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        if about["status"] != "available":
            continue
        data, folds = load_dataset(path), pl.read_parquet(folder / "folds" / f"{dataset}.parquet")
        for method, entry in study["methods"].items():
            if method not in PEERS or (PEERS[method].binary and len(data.classes) > 2):
                continue
            own = folder / "runs" / dataset / method
            fits = pl.read_parquet(own / "fits.parquet")
            if not (fits["status"] == "converged").any():
                continue
            predictions = pl.read_parquet(own / "predictions.parquet")
            found = compared(method, entry, data, folds, fits, predictions)
            yield {"dataset": dataset, "method": method, **found}


if __name__ == "__main__":
    table = pl.DataFrame([*runs(Path(sys.argv[1]))], infer_schema_length=None)
    table = table.sort("scores", descending=True)
    small = pl.col("beyond", "certificate", "scores")
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_hide_dataframe_shape=True):
        print(table.with_columns(small.map_elements(lambda value: f"{value:.1e}", pl.String)))
    if len(sys.argv) > 2:
        table.write_csv(sys.argv[2])
    closed = pl.col("beyond").is_null() & (pl.col("scores") > CLOSE)
    above = table.filter((pl.col("beyond") > pl.col("certificate") + CLOSE) | closed)
    sys.exit(f"{above.height} runs differ by more than their certificate" if above.height else 0)
