"""Linear models beside compiled solvers of other projects: skglm, adelie, celer, glum and scikit-learn.

    pip install -e '.[bench]'; pip install --no-deps adelie
    python benchmarks/peers.py                        every case
    python benchmarks/peers.py table.csv 2,000 path   some, kept as CSV

A row is a case, a column the ratio of processor times ours/peer, below 1 where we are faster: the median of
interleaved pairs, on one thread. Every peer minimizes the same objective, and runs at the loosest tolerance at which
its relative excess over the minimum is at most 1e-6; we run at the default tol, whose duality gap guarantees that. A
dash is a peer that does not fit the objective, or does not get as near. Strengths are shares of the least one at which
all weights are 0; a path has 30 of them over two decades. adelie is installed by itself, because its metadata exclude
NumPy 2, with which it works.

Columns are correlated, X_j = X_{j−1}/2 + noise, and a tenth of them have weights.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

# sets one BLAS thread, so it comes before NumPy
from harness import Case, compare, keep_memory, profile, write

import data  # isort: skip
import adelie as ad
import celer
import numpy as np
import skglm
import sklearn.linear_model as sk
from glum import GeneralizedLinearRegressor
from sparse import WITHIN, quietly

from linclass import ElasticNet, LogisticRegression
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.losses.margin import Logistic
from linclass.linear.losses.multiclass import Softmax
from linclass.linear.losses.regression import Squared
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import ElasticNet as Net
from linclass.linear.penalties.group_lasso import GroupLasso

PEERS = ("skglm", "adelie", "celer", "glum", "scikit-learn")
TOLERANCES = tuple(10.0**-k for k in range(2, 13))
Fits = Callable[[float], Any]  # tol ↦ parameters (w, b) of each strength


@dataclass
class Problem:
    """One loss with elastic nets of these strengths; l1_ratio 0 is L2 alone."""

    name: str
    X: Any
    y: np.ndarray
    strengths: np.ndarray
    l1_ratio: float
    logistic: bool
    targets: dict[str, float]

    def __post_init__(self) -> None:
        loss, y = (Logistic(), 2.0 * self.y - 1) if self.logistic else (Squared(), self.y)
        whole = Objective(DesignMatrix(self.X), loss, y, None, Net(self.l1_ratio), 1.0)
        self.objectives = [whole.with_strength(s) for s in self.strengths]

    def values(self, thetas: Any) -> np.ndarray:
        found = zip(self.objectives, thetas, strict=True)
        return np.array([P.at(np.asarray(theta, float)).value for P, theta in found])

    def ours(self, tol: float) -> Any:
        model: Any = ElasticNet(l1_ratio=self.l1_ratio, tol=tol)
        if self.logistic:
            model = LogisticRegression(penalty="elastic_net", l1_ratio=self.l1_ratio, tol=tol)
        if len(self.strengths) > 1:
            return [theta_of(fit) for fit in model.path(self.X, self.y, self.strengths)]
        model.strength = self.strengths[0]
        return [theta_of(model.fit(self.X, self.y))]

    def one_by_one(self, model: Any, set_strength: Callable[[Any, float], Any]) -> Any:
        """The fits of a peer, each from the last where it can."""
        thetas = []
        for strength in self.strengths:
            set_strength(model, strength)
            thetas.append(theta_of(model.fit(self.X, self.y)))
        return thetas

    def peers(self) -> dict[str, Fits]:
        fits = {"skglm": self.skglm, "adelie": self.adelie, "glum": self.glum}
        if self.l1_ratio == 0:
            del fits["skglm"]
        if not self.logistic and self.l1_ratio == 1:
            fits["celer"] = self.celer
        if not (self.logistic and 0 < self.l1_ratio < 1) and not (
            self.logistic and len(self.strengths) > 1
        ):
            fits["scikit-learn"] = self.sklearn
        return fits

    def skglm(self, tol: float) -> Any:
        l1 = self.l1_ratio
        if self.logistic:
            model = skglm.SparseLogisticRegression(
                l1_ratio=l1, tol=tol, max_iter=1000, warm_start=True
            )
        else:
            model = skglm.ElasticNet(l1_ratio=l1, tol=tol, max_iter=1000, warm_start=True)
        return self.one_by_one(model, lambda model, strength: model.set_params(alpha=strength))

    def adelie(self, tol: float) -> Any:
        y = np.asarray(self.y, float)
        glm = ad.glm.binomial(y=y) if self.logistic else ad.glm.gaussian(y=y)
        state = ad.grpnet(
            np.asfortranarray(self.X),
            glm,
            alpha=self.l1_ratio,
            lmda_path=self.strengths,
            tol=tol,
            irls_tol=tol,
            early_exit=False,
            progress_bar=False,
        )
        return np.column_stack([state.betas.toarray(), state.intercepts])

    def celer(self, tol: float) -> Any:
        model = celer.Lasso(tol=tol, warm_start=True)
        return self.one_by_one(model, lambda model, strength: model.set_params(alpha=strength))

    def glum(self, tol: float) -> Any:
        model = GeneralizedLinearRegressor(
            family="binomial" if self.logistic else "normal",
            l1_ratio=self.l1_ratio,
            gradient_tol=tol,
            max_iter=1000,
            warm_start=True,
        )
        return self.one_by_one(model, lambda model, strength: model.set_params(alpha=strength))

    def sklearn(self, tol: float) -> Any:
        if not self.logistic:
            tall = len(self.y) > self.X.shape[1]
            if len(self.strengths) > 1:
                centred, mean = self.X - self.X.mean(axis=0), self.X.mean(axis=0)
                _, W, _ = sk.enet_path(
                    centred,
                    self.y - self.y.mean(),
                    l1_ratio=self.l1_ratio,
                    alphas=self.strengths,
                    tol=tol,
                )
                return np.column_stack([W.T, self.y.mean() - W.T @ mean])
            model: Any = sk.ElasticNet(
                l1_ratio=self.l1_ratio, tol=tol, precompute=tall, max_iter=100_000
            )
            return self.one_by_one(model, lambda model, s: model.set_params(alpha=s))
        n = len(self.y)
        solver = "liblinear" if self.l1_ratio else "lbfgs"
        model = sk.LogisticRegression(
            l1_ratio=self.l1_ratio, solver=solver, tol=tol, max_iter=10_000, random_state=0
        )
        if solver == "liblinear":  # penalizes the intercept
            model.intercept_scaling = 100
        return self.one_by_one(model, lambda model, s: model.set_params(C=1 / (n * s)))

    def cases(self) -> Iterator[tuple[str, Case]]:
        """One of each peer that gets near enough."""
        best = self.values(self.ours(1e-11))

        def off(thetas: Any) -> float:
            return float(((self.values(thetas) - best) / best).max())

        for name, fits in self.peers().items():
            tol = next((t for t in TOLERANCES if off(quietly(partial(fits, t))) <= WITHIN), None)
            if tol is None:
                continue
            yield (
                name,
                Case(
                    self.name,
                    f"{name} tol={tol:g}",
                    partial(self.ours, 1e-6),
                    partial(quietly, partial(fits, tol)),
                    off,
                    self.targets.get(name, 1.0),
                    within=WITHIN,
                ),
            )


@dataclass
class Multinomial(Problem):
    """K classes, with a group of each feature's weights in all K scores."""

    def __post_init__(self) -> None:
        whole = Objective(
            DesignMatrix(self.X), Softmax(self.y.max() + 1), self.y, None, GroupLasso(), 1.0
        )
        self.objectives = [whole.with_strength(s) for s in self.strengths]

    def ours(self, tol: float) -> Any:
        model: Any = LogisticRegression(
            penalty="group_lasso", strength=self.strengths[0], tol=tol
        ).fit(self.X, self.y)
        return [np.column_stack([model.coef_, model.intercept_])]

    def peers(self) -> dict[str, Fits]:
        return {"adelie": self.adelie}

    def adelie(self, tol: float) -> Any:
        """Its loss is divided by K, and its penalty has the root of the K weights of a group."""
        K, d = self.y.max() + 1, self.X.shape[1]
        state = ad.grpnet(
            np.asfortranarray(self.X),
            ad.glm.multinomial(y=np.eye(K)[self.y]),
            lmda_path=self.strengths / K**1.5,
            tol=tol,
            irls_tol=tol,
            early_exit=False,
            progress_bar=False,
        )
        W = state.betas.toarray().reshape(d, K).T
        return [np.column_stack([W, np.ravel(state.intercepts)])]


def theta_of(model: Any) -> np.ndarray:
    return np.append(np.ravel(model.coef_), model.intercept_)


def correlated(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Columns X_j = X_{j−1}/2 + noise, and scores with a standard deviation of 2 of a tenth of them."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    for j in range(1, d):
        X[:, j] += X[:, j - 1] / 2
    w = np.zeros(d)
    w[rng.choice(d, d // 10, replace=False)] = rng.standard_normal(d // 10)
    z = X @ w
    return X, 2 * z / z.std()


def nets(
    n: int, d: int, shares: tuple[float, ...], logistic: bool, targets: dict[str, float]
) -> Iterator[Problem]:
    X, z = correlated(n, d)
    rng = np.random.default_rng(1)
    y = (z + rng.logistic(size=n) > 0).astype(float) if logistic else z + 2 * rng.standard_normal(n)
    largest = np.abs(X.T @ (y - y.mean())).max() / n
    loss = "logistic" if logistic else "squared"
    for l1_ratio, penalty in [(1.0, "L1"), (0.5, "elastic net")]:
        name = f"{loss}, {penalty}, {n:,} × {d:,}"
        for share in shares:
            strength = np.array([share * largest / l1_ratio])
            yield Problem(f"{name}, {share:g}", X, y, strength, l1_ratio, logistic, targets)
        strengths = largest / l1_ratio * np.geomspace(1, 0.01, 30)
        paths = dict.fromkeys(PEERS, 0.7) if logistic else targets
        yield Problem(f"{name}, path", X, y, strengths, l1_ratio, logistic, paths)


def groups(n: int, d: int, K: int) -> Iterator[Problem]:
    X, rng = correlated(n, d)[0], np.random.default_rng(1)
    y = (X[:, : d // 5] @ rng.standard_normal((d // 5, K)) + rng.gumbel(size=(n, K))).argmax(axis=1)
    G = X.T @ (np.eye(K)[y] - np.bincount(y) / n) / n
    for share in (0.3, 0.1, 0.03):
        strength = np.array([share * np.linalg.norm(G, axis=1).max()])
        name = f"softmax, group lasso, {n:,} × {d} × {K}, {share:g}"
        yield Multinomial(name, X, y, strength, 1.0, True, {})


def problems() -> Iterator[Problem]:
    dense = [(2000, 50), (2000, 1000), (500, 5000), (20_000, 200)]
    for n, d in dense:
        yield from nets(n, d, (0.3, 0.1, 0.03), True, {"adelie": 1.3})
    for n, d in [(2000, 100), (5000, 200), (500, 5000), (100_000, 50)]:
        yield from nets(n, d, (0.1, 0.01), False, {})
    for n, d in [(300, 10), (2000, 100)]:
        for K in (3, 10):
            yield from groups(n, d, K)
    X, y = data.gaussian(20_000, 100)
    yield Problem(
        "logistic, L2, 20,000 × 100", X, y, np.array([1 / 20_000]), 0.0, True, {"scikit-learn": 0.7}
    )


def main(arguments: list[str]) -> int:
    words = [a for a in arguments if not a.endswith(".csv") and not a.startswith("--")]
    results = []
    keep_memory()
    print(f"{'':<40}" + "".join(f"{peer:>13}" for peer in PEERS) + f"{'seconds':>13}")
    for problem in problems():
        if not all(word in problem.name for word in words):
            continue
        if "--profile" in arguments:
            profile(problem.name, partial(problem.ours, 1e-6))
            continue
        row = {peer: compare(case) for peer, case in problem.cases()}
        results += row.values()
        cells = [
            f"{row[peer].ratio:.2f}{'' if row[peer].met else ' !'}" if peer in row else "–"
            for peer in PEERS
        ]
        seconds = min((r.ours_seconds for r in row.values()), default=np.nan)
        print(
            f"{problem.name:<40}" + "".join(f"{c:>13}" for c in cells) + f"{seconds:13.4f}",
            flush=True,
        )
    for path in [a for a in arguments if a.endswith(".csv")]:
        write(results, Path(path))
    missed = sum(not r.met for r in results)
    print(
        f"{len(results) - missed} of {len(results)} targets met; ! marks the others",
        file=sys.stderr,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
